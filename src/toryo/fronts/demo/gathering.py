"""Asks `toryo … --json` and `git` for everything that the demo is judged by; expectations.py judges."""

from __future__ import annotations

import time
from dataclasses import dataclass

from toryo.domain.words import TaskStatus
from toryo.fronts.demo.plan import FIXED, IDLER, RESOLVED
from toryo.fronts.demo.repository import BILL_FILE, MENU_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from toryo.fronts.demo.stage import Stage

CLEANED_WITHIN_S = 20


@dataclass(frozen=True)
class Answers:
    tasks: Mapping[int, Mapping[str, Any]]
    """`toryo task show`"""
    evidence: Mapping[int, Mapping[str, Any]]
    """`toryo evidence`"""
    logs: Mapping[int, str]
    """`toryo log` of the newest run"""
    verified: Mapping[str, Any]
    """`toryo verify` of the task that landed last"""
    recomputed: Mapping[str, Any]
    """`toryo doctor --recompute`"""
    main: str
    main_tree: str
    main_commits: frozenset[str]
    main_files: Mapping[str, str]
    """Path → text where the text matters, else empty."""
    kept_commits: frozenset[str]
    """Reachable from any ref."""
    checkout: str
    """`git status` of the user's own checkout, as short as it gets."""
    conflicted: tuple[str, ...]
    """Paths in which the commit that ended the conflict differs from both of its parents."""
    worktrees: tuple[str, ...]
    """Paths of `git worktree list` besides the user's own."""
    restorable: str
    """The text of the file that was never committed, from its snapshot."""
    graph: str
    client: str = ""


def gather(stage: Stage, ids: Mapping[int, str], breathe: Callable[[], None]) -> Answers:
    """`breathe` is called between the questions: a screen may want to move."""

    def read(*words: str, may_fail: bool = False) -> dict[str, Any]:
        breathe()
        return stage.read(*words, may_fail=may_fail)

    tasks = {number: read("task", "show", task) for number, task in ids.items()}
    evidence = {number: read("evidence", task) for number, task in ids.items()}
    ran = [number for number in (FIXED, IDLER) if tasks[number]["runs"]]
    logs = {number: str(read("log", ids[number]).get("text", "")) for number in ran}
    main = stage.git("rev-parse", "main")
    last = _landed_last(tasks, main)
    verified = read("verify", ids[last], may_fail=True) if last else {}
    paths = stage.git("ls-tree", "-r", "--name-only", "main").splitlines()
    shown = {name: stage.git("show", f"main:{name}") for name in (MENU_FILE, BILL_FILE)}
    return Answers(
        tasks=tasks,
        evidence=evidence,
        logs=logs,
        verified=verified,
        recomputed=read("doctor", "--recompute", may_fail=True),
        main=main,
        main_tree=stage.git("rev-parse", "main^{tree}"),
        main_commits=frozenset(stage.git("rev-list", "main").split()),
        main_files=dict.fromkeys(paths, "") | shown,
        kept_commits=frozenset(stage.git("rev-list", "--all").split()),
        checkout=stage.git("status", "--short", "--branch"),
        conflicted=_conflicted(stage, tasks[RESOLVED]),
        worktrees=_worktrees(stage, tasks, breathe),
        restorable=_uncommitted(stage, tasks[IDLER]),
        graph=stage.git("log", "--graph", "--oneline", "main"),
        client=stage.client,
    )


def _landed_last(tasks: Mapping[int, Mapping[str, Any]], main: str) -> int | None:
    done = [number for number, task in tasks.items() if task["status"] == TaskStatus.DONE]
    return next((number for number in done if tasks[number]["landed_commit"] == main), None)


def _conflicted(stage: Stage, task: Mapping[str, Any]) -> tuple[str, ...]:
    merges = [one["id"] for run in task["runs"] if run["purpose"] == "resolve" for one in run["log"][:1]]
    return tuple(
        path
        for merge in merges
        for path in stage.git("show", "--format=", "--cc", "--name-only", merge).splitlines()
    )


def _worktrees(
    stage: Stage, tasks: Mapping[int, Mapping[str, Any]], breathe: Callable[[], None]
) -> tuple[str, ...]:
    """A landed task's worktree is retired after the task is done: it is given a moment."""
    done = {str(task["worktree"]) for task in tasks.values() if task["status"] == TaskStatus.DONE}
    end = time.monotonic() + CLEANED_WITHIN_S
    while True:
        lines = stage.git("worktree", "list", "--porcelain").splitlines()
        found = tuple(line.removeprefix("worktree ") for line in lines if line.startswith("worktree "))[1:]
        if not done & set(found) or time.monotonic() > end:
            return found
        breathe()
        time.sleep(0.1)


def _uncommitted(stage: Stage, task: Mapping[str, Any]) -> str:
    runs = task["runs"]
    if not runs or not runs[-1]["snapshot_commit"]:
        return ""
    name = next(iter(runs[-1]["uncommitted"]), "")
    done = stage.try_git("show", f"{runs[-1]['snapshot_commit']}:{name}")
    return done.text if name and done.code == 0 else ""
