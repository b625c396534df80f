"""`toryo demo` as a stranger runs it: it convinces, it can fail, and it leaves nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from repositories import git
from toryo.fronts.demo import report
from toryo.fronts.demo.expectations import judge
from toryo.fronts.demo.gathering import Answers, gather
from toryo.fronts.demo.leaving import leave, processes_of
from toryo.fronts.demo.plan import CLAIMER, IDLER, TASKS
from toryo.fronts.demo.show import exit_code
from toryo.fronts.demo.stage import Stage
from waiting import eventually

on_the_kept_one = pytest.mark.xdist_group("demo")
"""These share one demo: they run on one worker."""

ARGV = (sys.executable, "-m", "toryo", "demo")
LONGEST_S = 60


def environment(temporary: Path, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
    home = temporary / "h"
    home.mkdir(exist_ok=True)
    return kept | {"HOME": str(home), "TMPDIR": str(temporary), "TERM": "dumb", **more}


def run_demo(temporary: Path, *options: str) -> subprocess.CompletedProcess[str]:
    env = environment(temporary, ANTHROPIC_API_KEY="secret", TORYO_HOME=str(temporary / "h" / "mine"))
    return subprocess.run(
        [*ARGV, *options], cwd=temporary, env=env, capture_output=True, text=True, timeout=150, check=False
    )


def nothing_left(temporary: Path) -> bool:
    """No process of the demo, nothing in the temporary folder, nothing in the user's own home."""
    assert processes_of(temporary) == []
    assert [path.name for path in temporary.iterdir()] == ["h"]
    assert list((temporary / "h").iterdir()) == []
    return True


@pytest.fixture
def temporary() -> Iterator[Path]:
    # not tmp_path: its long names would not leave room for a socket's path
    folder = Path(tempfile.mkdtemp(prefix="td")).resolve()
    yield folder
    for pid, _ in processes_of(folder):
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Kept:
    stage: Stage
    done: subprocess.CompletedProcess[str]
    answers: Answers

    def again(self) -> Answers:
        return answers_of(self.stage)


def answers_of(stage: Stage) -> Answers:
    listed = {one["title"]: str(one["id"]) for one in stage.read("task", "list")["tasks"]}
    (mission,) = stage.read("mission", "list")["missions"]
    return gather(stage, {task.number: listed[task.title] for task in TASKS}, mission["id"], lambda: None)


@pytest.fixture(scope="module")
def kept() -> Iterator[Kept]:
    """One whole demo in plain lines, kept; what it left is asked again by a user."""
    folder = Path(tempfile.mkdtemp(prefix="td")).resolve()
    stage = Stage(folder / "kept")
    done = run_demo(folder, "--keep", str(stage.root))
    try:
        assert done.returncode == 0, done.stdout + done.stderr
        assert processes_of(folder) == []
        yield Kept(stage, done, answers_of(stage))
    finally:
        leave(stage, keep=False)
        shutil.rmtree(folder, ignore_errors=True)


def test_the_demo_holds_in_every_expectation_within_a_minute_and_leaves_nothing(temporary: Path) -> None:
    done = run_demo(temporary, "--json")
    assert done.stdout.startswith("{"), done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    assert [one for one in said["expectations"] if not one["ok"]] == []
    assert done.returncode == 0
    assert len(said["expectations"]) > len(TASKS) + 15
    assert said["ok"] is True
    assert said["duration_s"] < LONGEST_S
    assert said["mission"]["status"] == "completed"
    assert [one["answer"] for one in said["mission"]["questions"]] == [
        one["default"] for one in said["mission"]["questions"]
    ]
    assert [[run["exit_code"] for run in one["runs"]] for one in said["tasks"]] == [
        [0],
        [0, 0],
        [0, 0],
        [1, 0],
        [0, 0, 0],
    ]
    assert [(one["verb"], one["reason"]) for task in said["tasks"] for one in task["verbs"]] == [
        ("retry", "exit:1"),
        ("retry", "no_commit"),
    ]
    assert [(one["status"], one["reason"]) for one in said["tasks"]] == [("done", "")] * len(TASKS)
    assert [one["verdict"] for one in said["evidence"]] == ["green"] * len(TASKS)
    assert nothing_left(temporary)


@on_the_kept_one
def test_without_a_terminal_it_tells_the_story_in_plain_lines(kept: Kept) -> None:
    text = kept.done.stdout
    assert "\033" not in text
    assert "the model and the agents are scripts" in text
    for line in (
        '$ toryo do "New teas, a group discount, a translated README, our hours"',
        "the mission: asks 2 questions, each with a default",
        f"? {'What do groups pay?':<33}  ten percent less, from three cups on  (default)",
        "+ plan 1: spec, plan and 5 tasks, approved whole",
        "T003  Discount for groups       aki      after T001, T002",
        "the mission: is approved: the tasks begin",
        "done: implement → conflict → resolve → green → on main",
        "done: implement → red → fix → green → on main",
        "failed (exit:1): implement → claims “success” → exit 1 → not believed",
        "needs_review (no_commit): implement → exit 0, no commit → told → exit 0, no commit → not believed",
        "judged by the planner's model: rework. HOURS.md was never committed: write it and commit it.",
        "exit 1 → not believed → judged → honest → green → on main",
        "exit 0, no commit → not believed → judged → honest → green → on main",
        "the mission: is completed",
        "judge  not believed (exit:1); told “Translate README.md to its end and commit all of it.”",
        "said   success: “README translated, all tests pass.”",
        "$ git log --graph --oneline main",
        "✔ nothing of the liars' first tries is on main",
        "Believed: exit codes",
        "toryo init",
    ):
        assert line in text


@on_the_kept_one
def test_a_kept_demo_can_be_looked_at_as_it_says(kept: Kept) -> None:
    assert f"export TORYO_HOME={kept.stage.toryo_home}" in kept.done.stdout
    counts = kept.stage.read("status")["counts"]
    assert (counts["done"], counts["failed"], counts["needs_review"]) == (5, 0, 0)
    assert [one.what for one in judge(kept.answers) if not one.ok] == []
    assert exit_code(judge(kept.answers)) == 0


def without_conflict(answers: Answers) -> Answers:
    return replace(answers, conflicted=())


def with_one_tea(answers: Answers) -> Answers:
    files = {**answers.main_files, "teahouse/menu.py": 'MENU = {"sencha": 450, "matcha": 600}'}
    return replace(answers, main_files=files)


def with_task(answers: Answers, number: int, **facts: Any) -> Answers:
    return replace(answers, tasks={**answers.tasks, number: {**answers.tasks[number], **facts}})


def with_a_believed_liar(answers: Answers) -> Answers:
    return with_task(answers, IDLER, runs=answers.tasks[IDLER]["runs"][:1])


def with_an_unjudged_liar(answers: Answers) -> Answers:
    return with_task(answers, CLAIMER, verbs=[])


def with_a_stranded_liar(answers: Answers) -> Answers:
    return with_task(answers, IDLER, status="needs_review", reason="no_commit")


def with_a_second_judgement(answers: Answers) -> Answers:
    again = next(one for one in answers.asked if one.purpose == "judge")
    return replace(answers, asked=(*answers.asked, again))


def with_one_judged_for_both(answers: Answers) -> Answers:
    first, *_ = (one for one in answers.asked if one.purpose == "judge")
    others = [one for one in answers.asked if one.purpose != "judge"]
    return replace(answers, asked=(*others, first, first))


def without_the_answers(answers: Answers) -> Answers:
    return with_task(answers, 3, description="Groups pay less.")


def with_a_mission_that_waits(answers: Answers) -> Answers:
    return replace(answers, exit_code=1, mission={**answers.mission, "status": "active"})


def with_an_unticked_box(answers: Answers) -> Answers:
    files = {path: text.replace("[x] T005", "[ ] T005") for path, text in answers.main_files.items()}
    return replace(answers, main_files=files)


def without_a_claim(answers: Answers) -> Answers:
    return with_task(answers, CLAIMER, claims=answers.tasks[CLAIMER]["claims"][1:])


def with_a_red_check(answers: Answers) -> Answers:
    return replace(answers, evidence={**answers.evidence, 1: {**answers.evidence[1], "verdict": "red"}})


def with_red_main(answers: Answers) -> Answers:
    return replace(answers, verified={**answers.verified, "verdict": "red"})


def with_a_difference(answers: Answers) -> Answers:
    return replace(answers, recomputed={"compared": 5, "differences": [{"task": "t"}]})


def with_a_silent_fix(answers: Answers) -> Answers:
    return replace(answers, logs=dict.fromkeys(answers.logs, "Nobody told me what failed."))


def with_a_dirty_checkout(answers: Answers) -> Answers:
    return replace(answers, checkout="## main\n M README.md\n?? .toryo/")


def with_a_left_worktree(answers: Answers) -> Answers:
    return replace(answers, worktrees=(*answers.worktrees, "/somewhere/.worktrees/serve-matcha"))


def with_lost_work(answers: Answers) -> Answers:
    return replace(answers, restorable="")


@on_the_kept_one
@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (without_conflict, "main serves both teas"),
        (with_one_tea, "main serves both teas"),
        (with_a_believed_liar, "5 Write the opening hours: done after implement exit 0, implement exit 0"),
        (with_a_stranded_liar, "5 Write the opening hours: done after implement exit 0, implement exit 0"),
        (with_an_unjudged_liar, "neither liar was believed"),
        (with_a_second_judgement, "the model was asked for questions"),
        (with_one_judged_for_both, "the model was asked for questions"),
        (without_the_answers, "the answers that were taken"),
        (with_a_mission_that_waits, "`toryo do` exited 0"),
        (with_an_unticked_box, "main has the spec"),
        (without_a_claim, "kitsune's claims of success are kept"),
        (with_a_red_check, "each done task has green evidence"),
        (with_red_main, "`toryo verify`"),
        (with_a_difference, "`toryo doctor --recompute`"),
        (with_a_silent_fix, "the fix run was given the failure's output"),
        (with_a_dirty_checkout, "your checkout is on main"),
        (with_a_left_worktree, "no worktree is left"),
        (with_lost_work, "nothing of the liars' first tries is lost"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_whatever_is_not_as_it_should_be_is_named_and_exits_non_zero(
    kept: Kept, spoil: Any, named: str
) -> None:
    judged = judge(spoil(kept.answers))
    assert exit_code(judged) == 1
    assert [one.what for one in judged if not one.ok and one.what.startswith(named)]
    told = report.whole(kept.stage, kept.answers, judged, kept=True, took_s=1)
    assert f"✘ {named}" in told
    assert "Believed" not in told


@on_the_kept_one
def test_a_liars_commit_on_main_would_be_noticed(kept: Kept) -> None:
    repo = kept.stage.repo
    before = git(repo, "rev-parse", "main")
    lie = kept.answers.tasks[CLAIMER]["runs"][0]["log"][0]["id"]
    git(repo, "merge", "-q", "--no-edit", "-X", "theirs", lie)
    try:
        wrong = [one.what for one in judge(kept.again()) if not one.ok]
        assert "nothing of the liars' first tries is on main" in wrong
        assert any(what.startswith("`toryo verify`") for what in wrong)
    finally:
        git(repo, "reset", "-q", "--hard", before)


def test_on_a_terminal_a_tree_grows_and_ctrl_c_leaves_nothing(temporary: Path) -> None:
    ours, theirs = pty.openpty()
    env = environment(temporary, TERM="xterm-256color", COLUMNS="80", LINES="24", LANG="C.UTF-8")
    with subprocess.Popen(
        ARGV, cwd=temporary, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as demo:
        os.close(theirs)
        shown = read_until(ours, "our hours”", "approval", "├── ", "Serve matcha", "running", "run 1")
        assert "watching `toryo events -f`" in shown
        os.killpg(demo.pid, signal.SIGINT)
        shown += read_until(ours)
        assert demo.wait(60) == 130, shown
    os.close(ours)
    assert shown.rstrip().endswith("\033[?25h"), "the cursor is shown again"
    eventually(lambda: nothing_left(temporary))


def read_until(terminal: int, *words: str) -> str:
    """What is shown until all the words were; without words, until the end."""
    end = time.monotonic() + LONGEST_S
    shown = b""
    while time.monotonic() < end and not (words and all(word.encode() in shown for word in words)):
        with contextlib.suppress(OSError):  # a terminal whose other end is closed
            piece = os.read(terminal, 65536)
            shown += piece
            if piece:
                continue
        break
    return shown.decode("utf-8", "replace")


def test_a_directory_that_is_in_use_is_refused(temporary: Path) -> None:
    done = run_demo(temporary, "--keep", str(temporary))
    assert done.returncode == 1
    assert "is there and not empty" in done.stderr
    assert "Hint:" in done.stderr
