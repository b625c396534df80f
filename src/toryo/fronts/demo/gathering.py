"""Answers of `toryo … --json`, `git` and the scripted model, by which expectations.py judges the demo."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toryo.fronts.demo.plan import FIXED, IDLER, RESOLVED
from toryo.fronts.demo.repository import BILL_FILE, MENU_FILE, README

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from toryo.fronts.demo.stage import Stage

TICKS = "/tasks.md"


@dataclass(frozen=True)
class Asked:
    """What the planner asked the model."""

    purpose: str
    dialect: str
    """Who spoke for it: a real CLI has its own."""
    text: str
    """The request as JSON."""


@dataclass(frozen=True)
class Answers:
    mission: Mapping[str, Any]
    """`toryo mission show`"""
    asked: tuple[Asked, ...]
    tasks: Mapping[int, Mapping[str, Any]]
    """`toryo task show`"""
    evidence: Mapping[int, Mapping[str, Any]]
    """`toryo evidence`"""
    logs: Mapping[int, str]
    """`toryo log` of the run that it is about: the fix, and the first that claimed what is not so."""
    verified: Mapping[str, Any]
    """`toryo verify` of the task that landed last"""
    landed: str
    """Its commit on main."""
    landed_tree: str
    beyond: tuple[str, ...]
    """Paths in which main differs from that."""
    recomputed: Mapping[str, Any]
    """`toryo doctor --recompute`"""
    main: str
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
    exit_code: int | None = 0
    """Of `toryo do`."""


def gather(stage: Stage, ids: Mapping[int, str], mission: str, breathe: Callable[[], None]) -> Answers:
    """`breathe` is called between the questions: a screen may want to move."""

    def read(*words: str, may_fail: bool = False) -> dict[str, Any]:
        breathe()
        return stage.read(*words, may_fail=may_fail)

    tasks = {number: read("task", "show", task) for number, task in ids.items()}
    evidence = {number: read("evidence", task) for number, task in ids.items()}
    last = _landed_last(stage, tasks)
    landed = str(tasks[last]["landed_commit"]) if last else "main"
    paths = stage.git("ls-tree", "-r", "--name-only", "main").splitlines()
    shown = [MENU_FILE, BILL_FILE, README, *(path for path in paths if path.endswith(TICKS))]
    return Answers(
        mission=read("mission", "show", mission),
        asked=_asked(stage),
        tasks=tasks,
        evidence=evidence,
        logs={
            number: str(read("log", tasks[number]["runs"][at]["id"]).get("text", ""))
            for number, at in ((FIXED, -1), (IDLER, 0))
            if tasks[number]["runs"]
        },
        verified=read("verify", ids[last], may_fail=True) if last else {},
        landed=landed,
        landed_tree=stage.git("rev-parse", f"{landed}^{{tree}}"),
        beyond=tuple(stage.git("diff", "--name-only", landed, "main").splitlines()),
        recomputed=read("doctor", "--recompute", may_fail=True),
        main=stage.git("rev-parse", "main"),
        main_commits=frozenset(stage.git("rev-list", "main").split()),
        main_files=dict.fromkeys(paths, "") | {name: stage.git("show", f"main:{name}") for name in shown},
        kept_commits=frozenset(stage.git("rev-list", "--all").split()),
        checkout=stage.git("status", "--short", "--branch"),
        conflicted=_conflicted(stage, tasks[RESOLVED]),
        worktrees=_worktrees(stage),
        restorable=_uncommitted(stage, tasks[IDLER]),
        graph=stage.git("log", "--graph", "--oneline", "main"),
        client=stage.client,
    )


def _asked(stage: Stage) -> tuple[Asked, ...]:
    lines = stage.requests.read_text(encoding="utf-8").splitlines()
    kept = [json.loads(line) for line in lines]
    return tuple(
        Asked(one["purpose"], one["dialect"], json.dumps(one["body"], ensure_ascii=False))
        for one in kept
        if one.get("purpose")
    )


def _landed_last(stage: Stage, tasks: Mapping[int, Mapping[str, Any]]) -> int | None:
    landed = {str(task["landed_commit"]): number for number, task in tasks.items()}
    walked = stage.git("rev-list", "--first-parent", "main").split()
    return next((landed[commit] for commit in walked if commit in landed), None)


def _conflicted(stage: Stage, task: Mapping[str, Any]) -> tuple[str, ...]:
    merges = [one["id"] for run in task["runs"] if run["purpose"] == "resolve" for one in run["log"][:1]]
    return tuple(
        path
        for merge in merges
        for path in stage.git("show", "--format=", "--cc", "--name-only", merge).splitlines()
    )


def _worktrees(stage: Stage) -> tuple[str, ...]:
    """A completed mission has retired its own."""
    lines = stage.git("worktree", "list", "--porcelain").splitlines()
    return tuple(line.removeprefix("worktree ") for line in lines if line.startswith("worktree "))[1:]


def _uncommitted(stage: Stage, task: Mapping[str, Any]) -> str:
    runs = task["runs"]
    if not runs or not runs[0]["snapshot_commit"]:
        return ""
    name = next(iter(runs[0]["uncommitted"]), "")
    done = stage.try_git("show", f"{runs[0]['snapshot_commit']}:{name}")
    return done.text if name and done.code == 0 else ""
