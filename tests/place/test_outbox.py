"""Facts wait on disk until the daemon has acknowledged them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scripted_daemon import ScriptedDaemon
from toryo.place.daemon_client import Daemon, Registered
from toryo.place.outbox import BATCH_BYTES, BATCH_FACTS, Outbox
from toryo.place.reporter import Reporter
from toryo.protocol.base import Problem
from toryo.protocol.kinds.repository import Surveyed
from toryo.protocol.kinds.work import Collected, Snapshot, Violation
from toryo.protocol.wire import LONGEST_LINE, request_line

PLACE = Registered("machine/main", 1)


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[ScriptedDaemon]:
    daemon = ScriptedDaemon(tmp_path / "mcp.sock")
    yield daemon
    daemon.stop()


@pytest.fixture
def a_reporter(tmp_path: Path, daemon: ScriptedDaemon) -> Iterator[Callable[..., Reporter]]:
    made: list[Reporter] = []

    def make(on_superseded: Callable[[], None] = lambda: None) -> Reporter:
        channel = Daemon(daemon.path, "coord_x", timeout_s=2)
        made.append(Reporter(Outbox(tmp_path / "outbox"), channel, on_superseded=on_superseded))
        return made[-1]

    yield make
    for one in made:
        one.close()


def numbers(outbox: Outbox) -> list[int]:
    batch = outbox.batch()
    return [fact.seq for fact in batch.facts] if batch else []


def test_numbers_only_grow_also_across_restarts_and_acknowledgements(tmp_path: Path) -> None:
    seen = []
    for _ in range(3):
        outbox = Outbox(tmp_path)
        seen += [outbox.add("exited", {}, order=f"o{n}").seq for n in range(3)]
        outbox.acknowledge(seen)
    assert seen == sorted(set(seen))
    assert len(Outbox(tmp_path)) == 0


def test_two_processes_of_one_name_never_use_the_same_number(tmp_path: Path) -> None:
    one, other = Outbox(tmp_path), Outbox(tmp_path)
    given = [box.add("exited", {}).seq for box in (one, other, one, other)]
    assert len(set(given)) == 4


def test_a_fact_that_was_not_acknowledged_is_there_after_a_restart_with_its_blobs(tmp_path: Path) -> None:
    fact = Outbox(tmp_path).add("checked", {"output": "h"}, order="o1", generation=2, blobs={"h": "text\n"})
    batch = Outbox(tmp_path).batch()
    assert batch is not None
    assert batch.facts == (fact,)
    assert batch.blobs == {"h": "text\n"}
    assert Outbox(tmp_path).answered_orders() == {"o1"}


def test_a_fact_on_the_way_does_not_answer_its_order(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    outbox.add("started", {}, order="o1")
    assert outbox.answered_orders() == frozenset()


def test_a_newer_sight_of_the_same_subject_replaces_the_older(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    outbox.add("target_seen", {"commit": "1"}, subject="target:p/main")
    outbox.add("exited", {}, order="o1")
    newest = outbox.add("target_seen", {"commit": "2"}, subject="target:p/main")
    assert newest.seq == numbers(outbox)[-1]
    assert len(Outbox(tmp_path)) == 2


def test_a_batch_is_bounded_in_number_and_size(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    for number in range(BATCH_FACTS + 5):
        outbox.add("exited", {}, order=f"o{number}")
    assert len(numbers(outbox)) == BATCH_FACTS
    outbox.acknowledge(numbers(outbox))
    outbox.acknowledge(numbers(outbox))
    for name in ("a", "b"):
        outbox.add("checked", {}, order=name, blobs={name: "x" * (BATCH_BYTES // 2 + 1)})
    assert len(numbers(outbox)) == 1


def test_a_fact_too_long_for_the_wire_is_shortened_instead_of_holding_up_the_others(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    files = [f"a/very/long/name/of/a/file/{n}.txt" for n in range(60_000)]
    fact = outbox.add("collected", {"changed_files": files, "changed_count": 60_000}, order="o1")
    assert 0 < len(fact.body["changed_files"]) < 60_000
    assert fact.body["changed_count"] == 60_000


LONG_PATHS = tuple(f"src/{'verylongpackage/' * 17}{n:06d}.java" for n in range(3000))


def fits(outbox: Outbox) -> bool:
    batch = outbox.batch()
    assert batch is not None
    facts = [fact.model_dump(mode="json") for fact in batch.facts]
    line = request_line(1, "report_facts", {"facts": facts, "blobs": batch.blobs}, "coord_x")
    return len(line) < LONGEST_LINE


def test_a_fact_is_shortened_until_it_fits_and_still_says_what_it_said(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path)
    collected = Collected(
        head="a" * 40,
        changed_files=LONG_PATHS,
        changed_count=3000,
        violations=tuple(Violation(path=path, rule="write") for path in LONG_PATHS),
        snapshot=Snapshot(ref="r", commit="c" * 40, uncommitted=LONG_PATHS, left_out=LONG_PATHS),
    )
    fact = outbox.add("collected", collected.model_dump(mode="json"), order="o1")
    assert fits(outbox)
    told = Collected.model_validate(fact.body)
    assert told.violations, "an empty list would say that there was none"
    assert set(told.violations) <= set(collected.violations)
    assert (told.head, told.changed_count, told.problem) == ("a" * 40, 3000, None)
    assert told.snapshot is not None
    assert told.snapshot.commit == "c" * 40


def test_settings_are_told_whole_or_as_a_problem_but_notes_may_be_left_out(tmp_path: Path) -> None:
    notes = {f"memory/{n}.md": "あ" * 20_000 for n in range(40)}
    whole = Surveyed(settings_files={**notes, "config.yaml": "a: 1\n" * 9000}).model_dump()
    fact = Outbox(tmp_path / "1").add("surveyed", whole, order="o1")
    assert fact.body["settings_files"]["config.yaml"] == "a: 1\n" * 9000
    assert set(fact.body["settings_files"].values()) <= {"あ" * 20_000, "a: 1\n" * 9000}
    outbox = Outbox(tmp_path / "2")
    large = Surveyed(settings_files={"config.yaml": "あ" * 400_000}).model_dump()
    fact = outbox.add("surveyed", large, order="o1")
    assert fits(outbox)
    problem = Surveyed.model_validate(fact.body).problem
    assert isinstance(problem, Problem)
    assert problem.code == "too_large"


def test_a_fact_that_was_stored_too_long_is_shortened_when_it_is_read(tmp_path: Path) -> None:
    body = {"text": "x" * (LONGEST_LINE + 1)}
    record = {"fact": {"seq": 7, "kind": "answered", "order": "o1", "body": body}, "blobs": {}, "subject": ""}
    (tmp_path / f"{7:015d}.json").write_text(json.dumps(record))
    assert fits(Outbox(tmp_path))


def test_a_batch_that_the_wire_does_not_take_is_sent_in_parts_and_what_never_fits_is_set_aside(
    daemon: ScriptedDaemon,
    a_reporter: Callable[..., Reporter],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("toryo.place.outbox.BATCH_BYTES", 10 * LONGEST_LINE)
    daemon.start()
    sender = a_reporter()
    half = "x" * (LONGEST_LINE * 6 // 10)
    sender.report("checked", {}, order="o1", blobs={"h1": half})
    sender.report("exited", {"reason": half + half}, order="o2")
    sender.report("checked", {}, order="o3", blobs={"h3": half})
    sender.introduce(PLACE)
    sender.report("exited", {}, order="o4")
    assert [fact["order"] for fact in daemon.facts] == ["o1", "o3", "o4"]
    assert daemon.blobs == {"h1": half, "h3": half}
    assert any("Fact set aside" in message for message in caplog.messages)


def test_a_damaged_file_is_set_aside_and_the_rest_is_sent(tmp_path: Path) -> None:
    kept = Outbox(tmp_path).add("exited", {}, order="o1")
    (tmp_path / f"{kept.seq + 1:015d}.json").write_text('{"fact": {')
    assert numbers(Outbox(tmp_path)) == [kept.seq]
    assert len(list(tmp_path.glob("*.damaged"))) == 1


def test_facts_are_repeated_until_they_are_acknowledged_across_a_restart(
    tmp_path: Path, daemon: ScriptedDaemon, a_reporter: Callable[..., Reporter]
) -> None:
    first = a_reporter()
    first.introduce(PLACE)
    first.report("exited", {"exit_code": 0}, order="o1")  # nobody listens
    daemon.start()
    daemon.acknowledges = False
    assert first.flush() is False
    daemon.acknowledges = True
    daemon.lose_answer["report_facts"] = 1
    assert first.flush() is False  # it arrived, but we do not know
    second = a_reporter()
    second.introduce(PLACE)
    assert len(Outbox(tmp_path / "outbox")) == 0
    assert [fact["order"] for fact in daemon.facts] == ["o1"]
    assert len(daemon.asked("report_facts")) == 3


def test_one_refused_fact_does_not_hold_up_the_others(
    daemon: ScriptedDaemon, a_reporter: Callable[..., Reporter]
) -> None:
    daemon.start()
    real = daemon._report_facts

    def picky(arguments: dict[str, object]) -> dict[str, object]:
        if any(fact["kind"] == "strange" for fact in arguments["facts"]):  # type: ignore[index, attr-defined]
            return {"success": False, "error": "unreadable"}
        return real(arguments)

    daemon._report_facts = picky  # type: ignore[method-assign]
    sender = a_reporter()
    for kind in ("exited", "strange", "lost"):
        sender.report(kind, {}, order=kind)
    sender.introduce(PLACE)
    assert {fact["kind"] for fact in daemon.facts} == {"exited", "lost"}
    assert sender.flush() is False
    daemon._report_facts = real  # type: ignore[method-assign]
    assert sender.try_again() is True
    assert {fact["kind"] for fact in daemon.facts} == {"exited", "strange", "lost"}


def test_many_threads_report_and_the_numbers_arrive_in_order(
    daemon: ScriptedDaemon, a_reporter: Callable[..., Reporter]
) -> None:
    daemon.start()
    sender = a_reporter()
    sender.introduce(PLACE)
    threads = [
        threading.Thread(target=sender.report, args=("exited", {}), kwargs={"order": f"o{n}"})
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    arrived = [fact["seq"] for fact in daemon.facts]
    assert len(arrived) == 20
    assert arrived == sorted(arrived)


def test_being_superseded_is_told_by_the_receipt(
    daemon: ScriptedDaemon, a_reporter: Callable[..., Reporter]
) -> None:
    daemon.start()
    daemon.superseded = True
    told = threading.Event()
    sender = a_reporter(told.set)
    sender.introduce(PLACE)
    assert not told.is_set()
    sender.report("exited", {}, order="o1")
    assert told.is_set()
