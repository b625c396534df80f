"""FingerprintPrefetch that are begun ahead of a run, and what they are worth to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benches import Bench, make_bench
from repositories import commit_files, git
from toryo.workbench.git.keep import fingerprint_prefetch
from toryo.workbench.git.keep.fingerprint_prefetch import FingerprintPrefetch
from toryo.workbench.git.worktrees.prepare import prepare


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_look_is_for_one_run_of_its_repository_and_only_while_it_is_fresh(bench: Bench) -> None:
    clock = Clock()
    ahead = FingerprintPrefetch(clock)
    ahead.begin(str(bench.repo))
    assert ahead.take("/elsewhere") is None
    seen = ahead.take(str(bench.repo))
    assert seen is not None
    assert seen["head"]["branch"] == "main"
    assert ahead.take(str(bench.repo)) is None
    ahead.begin(str(bench.repo))
    clock.now += fingerprint_prefetch.FRESH_S
    assert ahead.take(str(bench.repo)) is None


def test_a_look_that_failed_is_none(tmp_path: Path) -> None:
    ahead = FingerprintPrefetch()
    ahead.begin(str(tmp_path / "nowhere"))
    assert ahead.take(str(tmp_path / "nowhere")) is None


def early(bench: Bench) -> FingerprintPrefetch:
    ahead = FingerprintPrefetch()
    ahead.begin(str(bench.repo))
    return ahead


def test_a_run_is_told_what_changed_since_its_early_look(bench: Bench) -> None:
    bench.prepare("first", run="r0")  # the first one mends what is missing, and then looks for itself
    seen = early(bench).take(str(bench.repo))
    (bench.repo / "README.md").write_text("changed after the look\n")
    made = prepare(bench.inputs(), bench.runs / "r1", looked=lambda: seen)
    (change,) = bench.collect(made).foreign
    assert (change.what, change.name) == ("checkout", "README.md")


def test_a_run_on_a_branch_that_was_there_does_not_miss_it(bench: Bench) -> None:
    made = bench.prepare()
    commit_files(Path(made.worktree), {"x.txt": "x\n"})
    seen = early(bench).take(str(bench.repo))
    assert seen is not None
    assert "refs/heads/agent/fix-t1" in seen["branches"]
    again = bench.inputs(run="r2", existing=True)
    second = prepare(again, bench.runs / "r2", looked=lambda: seen)
    assert second.problem is None
    before = json.loads((bench.runs / "r2" / "before.json").read_text())
    assert before["branches"] == {}
    git(bench.repo, "update-ref", "-d", "refs/heads/agent/fix-t1")
    assert bench.collect(second, run="r2").foreign == ()


def test_what_prepare_mends_itself_is_no_foreign_change_of_the_run(bench: Bench) -> None:
    (bench.repo / ".git" / "info" / "exclude").write_text("# lost\n")
    seen = early(bench).take(str(bench.repo))
    made = prepare(bench.inputs(), bench.runs / "r1", looked=lambda: seen)
    assert ".worktrees" in (bench.repo / ".git" / "info" / "exclude").read_text()
    assert bench.collect(made).foreign == ()


def test_what_is_done_meanwhile_knows_the_worktree_before_it_is_whole(bench: Bench) -> None:
    told: list[Path] = []
    made = prepare(bench.inputs(), bench.runs / "r1", meanwhile=told.append)
    assert told == [Path(made.worktree)]
    assert prepare(bench.inputs(), bench.runs / "r1", meanwhile=told.append) == made
    assert len(told) == 1
