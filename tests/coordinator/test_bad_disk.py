"""A disk that cannot be written for a while: orders wait, no worker dies, no success becomes a failure."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from crew import Crew, waiting_agent

from repositories import commit_files, git
from toryo.place.journal import Journal
from toryo.place.lanes import Lane
from waiting import eventually


@contextmanager
def away(folder: Path) -> Iterator[None]:
    """Nothing can be written into the folder meanwhile."""
    hidden = folder.with_name(f"{folder.name}.away")
    folder.rename(hidden)
    try:
        yield
    finally:
        hidden.rename(folder)


def accept_order(crew: Crew, repo: Path, number: int, new: str) -> dict[str, object]:
    inputs = {"repo": str(repo), "target": f"t{number}", "old": "", "new": new, "evidence": "e1"}
    return crew.order(f"o{number}", "accept", inputs, project="p1")


def test_orders_wait_for_a_journal_that_cannot_be_written_and_no_worker_dies(
    crew: Crew, repo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    new = git(repo, "rev-parse", "HEAD")
    crew.daemon.start()
    crew.start()
    with away(crew.home.coordinator("main") / "orders"):
        for number in range(12):  # more than there are workers
            crew.daemon.give(accept_order(crew, repo, number, new))
        eventually(lambda: caplog.text.count("Order waits: it cannot be written down") >= 12)
        assert not crew.daemon.about("accepted")
        assert not git(repo, "for-each-ref", "refs/toryo/tips"), "no effect without an intent"
    eventually(lambda: len(crew.daemon.about("accepted")) == 12)
    assert all(body["moved"] and not body["problem"] for body in crew.daemon.about("accepted"))


def test_a_success_that_cannot_be_reported_at_once_stays_a_success(
    crew: Crew, repo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    new = git(repo, "rev-parse", "HEAD")
    crew.daemon.start()
    crew.start()
    journal = Journal(crew.home.coordinator("main") / "orders")
    with away(crew.home.coordinator("main") / "outbox"):
        crew.daemon.give(accept_order(crew, repo, 1, new))
        eventually(lambda: "Order waits: it cannot be written down" in caplog.text)
        entry = journal.find("o1")
        assert entry is not None
        assert entry.outcome is not None
        assert entry.outcome.body["moved"] is True
    body = eventually(lambda: crew.daemon.about("accepted", "o1"))[0]
    assert (body["moved"], body["problem"]) == (True, None)


def test_an_effect_that_raises_by_a_bug_is_a_problem_and_not_repeated(
    crew: Crew, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = []

    def buggy(inputs: object) -> None:
        called.append(inputs)
        raise KeyError("bug")

    monkeypatch.setattr("toryo.coordinator.acts.act.tips.accept", buggy)
    crew.daemon.start()
    loop = crew.start()
    crew.daemon.give(accept_order(crew, repo, 1, git(repo, "rev-parse", "HEAD")))
    body = eventually(lambda: crew.daemon.about("accepted", "o1"))[0]
    assert body["problem"]["code"] == "key_error"
    eventually(lambda: not loop.orders.is_busy("o1"))
    assert len(called) == 1


def test_a_run_that_ends_while_the_journal_cannot_be_written_is_let_go_and_noted_later(
    crew: Crew, repo: Path, tmp_path: Path
) -> None:
    end = tmp_path / "end"
    crew.daemon.start()
    loop = crew.start()
    crew.daemon.give(crew.run_order("r1", repo, waiting_agent(end, tmp_path / "trace")))
    eventually(lambda: crew.daemon.about("started"))
    folder = crew.home.coordinator("main") / "orders"
    with away(folder):
        end.touch()
        eventually(lambda: crew.daemon.about("exited", "or1"))
        crew.daemon.withdraw("or1")
        eventually(lambda: not loop.orders.is_busy("or1"))
    entry = eventually(lambda: (found := Journal(folder).find("or1")) and found.outcome)
    assert entry.body["exit_code"] == 0


def test_the_end_of_a_run_that_cannot_be_written_down_is_told_later(
    crew: Crew, repo: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    end = tmp_path / "end"
    crew.daemon.start()
    first = crew.start()
    crew.daemon.give(crew.run_order("r1", repo, waiting_agent(end, tmp_path / "trace")))
    eventually(lambda: crew.daemon.about("started"))
    crew.leave(first)
    crew.daemon.withdraw("or1")
    second = crew.start()
    eventually(lambda: second.runs.live() == {"r1"})
    with away(crew.home.coordinator("main") / "outbox"):
        end.touch()
        eventually(lambda: "The end of a run waits: it cannot be written down" in caplog.messages)
        assert second.runs.live() == {"r1"}
    assert eventually(lambda: crew.daemon.about("exited", "or1"))[0]["exit_code"] == 0
    eventually(lambda: not second.runs.live())
    assert len(crew.daemon.about("started", "or1")) == 2, "the beginning is told with the end, once"


def test_a_worker_outlives_a_job_that_raises(caplog: pytest.LogCaptureFixture) -> None:
    lane, done = Lane("brave", 1), threading.Event()

    def fail() -> None:
        raise RuntimeError("broken")

    try:
        lane.put(fail)
        lane.put(done.set)
        assert done.wait(5)
    finally:
        lane.close()
    assert any(record.exc_info for record in caplog.records)


def test_an_accepted_commit_is_not_accepted_twice_when_its_outcome_could_not_be_noted(
    crew: Crew, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = git(repo, "rev-parse", "HEAD")
    new = commit_files(repo, {"a.txt": "two\n"})
    git(repo, "update-ref", "refs/toryo/tips/t1", old)
    real, failures = Journal.conclude, [OSError(28, "No space left on device")]

    def full_once(self: Journal, *arguments: object, **how: bool) -> object:
        if failures:
            raise failures.pop()
        return real(self, *arguments, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Journal, "conclude", full_once)
    crew.daemon.start()
    crew.start()
    order = accept_order(crew, repo, 1, new)
    order["inputs"]["old"] = old  # type: ignore[index]
    crew.daemon.give(order)
    body = eventually(lambda: crew.daemon.about("accepted", "o1"))[0]
    assert (body["moved"], body["tip"], body["problem"]) == (True, new, None)
    assert not failures
