"""What a person may type about a task in some state: one table for every front and hint. Pure."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from toryo.domain.words import TaskStatus

APPROVE, REJECT, RETRY, CANCEL = "approve", "reject", "retry", "cancel"
PROGRAMS = ("command", "scripted")
MOST_NAMES = 3
INSTALL = {
    "claude": "npm install -g @anthropic-ai/claude-code",
    "codex": "npm install -g @openai/codex",
    "gemini": "npm install -g @google/gemini-cli",
    "opencode": "npm install -g opencode-ai",
}
"""Agent CLI → the line that installs it."""
OWN_FILES = ("dirty", "untracked", "ignored")
"""Why a publish waits: files of the user's on the landing's paths."""

_REVIEW: dict[str, tuple[str, ...]] = {
    "claimed_failed": (APPROVE, REJECT, RETRY),
    "claimed_blocked": (APPROVE, REJECT, RETRY),
    "scope_violation": (APPROVE, REJECT, RETRY),
    "no_change": (RETRY, APPROVE, REJECT),
    "outside_run": (APPROVE, REJECT),
    "could_not_run": (APPROVE, REJECT),
    "flaky": (APPROVE, REJECT),
    "usage_limit": (APPROVE, REJECT),
    "outage": (APPROVE, REJECT),
    "parked": (RETRY,),
    "problem": (APPROVE, RETRY),
    "target_rewound": (APPROVE,),
    "foreign_move": (APPROVE,),
    "tip_missing": (RETRY,),
    "base_red": (APPROVE, RETRY),
    "base_could_not_run": (RETRY, APPROVE),
    "base_flaky": (APPROVE, RETRY),
    "repository_missing": (),
    "repository_replaced": (),
    "owned_elsewhere": (),
    "publish_failed": (RETRY, REJECT),
    "waiting_for_checkout": (REJECT,),
}


@dataclass(frozen=True)
class Around:
    """What stands around a task, for the names in its lines."""

    agent: str = ""
    client: str = ""
    able: tuple[str, ...] = ()
    """Other agents of the project that can work."""
    disabled: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    """Agents that do not work in the project."""
    installed: tuple[str, ...] = ()
    """Agent CLIs on the machine of the project."""
    run: str = ""
    path: str = ""
    project: str = ""
    target: str = ""
    checkout: str = ""
    """Where a publish waits, if that is not the project's own checkout or nobody knows."""
    waiting: tuple[str, ...] = ()
    waiting_why: str = ""


def next_lines(
    task: str, status: TaskStatus, reason: str, detail: str = "", around: Around | None = None
) -> tuple[str, ...]:
    """The lines to type, the likeliest first; none where nothing waits for a person."""
    named = _named(task, reason, detail, around or Around())
    if detail.startswith("type: "):
        line = detail.removeprefix("type: ")
        is_second = reason == "no_client" and around is not None and around.installed
        return (*named, line) if is_second else (line, *named)
    if status is TaskStatus.OPEN:
        verbs: tuple[str, ...] = (APPROVE, CANCEL)
    elif reason in _REVIEW:
        verbs = _REVIEW[reason]
    elif status is TaskStatus.NEEDS_REVIEW:
        verbs = (RETRY, REJECT)
    elif status in (TaskStatus.FAILED, TaskStatus.CANCELLED):
        verbs = (RETRY,)
    else:
        verbs = ()
    return (*named, *(f"toryo task {verb} {task}" for verb in verbs))


def not_on_path(client: str) -> str:
    """What to say of a client that is not installed; its agent may be defined all the same."""
    line = f"; type: {INSTALL[client]} && toryo down && toryo up" if client in INSTALL else ""
    return f"not on PATH{line}"


def waiting_words(around: Around) -> str:
    """What a person is to do in their checkout before a publish goes on."""
    where, paths = around.checkout or around.path, ", ".join(around.waiting)
    then = f"then {around.target} moves"
    match around.waiting_why:
        case "dirty" | "untracked" | "ignored":
            return f"commit or stash in {where}, {then}: {paths}"
        case "index.lock":
            return f"a git is at work in {where} (index.lock), {then}"
        case "git":
            return f"git {paths} is at work in {where}, {then}"
        case "switch":
            return f"a git switch is at work in {where}; {around.target} has moved, the rest waits for it"
        case "missing checkout":
            return f"{around.target} is checked out in {where}, which is not there: plug it in, {then}"
        case _:
            named = f": {paths}" if paths else ""
            return f"finish the {around.waiting_why} in {where}, {then}{named}"


def _named(task: str, reason: str, detail: str, around: Around) -> tuple[str, ...]:
    """Lines with the names of agents, paths and branches; they come before the verbs."""
    others = tuple(f"toryo task update {task} --agent {name}" for name in around.able[:MOST_NAMES])
    match reason:
        case "no_agent":
            enable = tuple(f"toryo agent enable {name}" for name in around.disabled[:MOST_NAMES])
            assign = tuple(f"toryo agent assign {name}" for name in around.elsewhere[:MOST_NAMES])
            client = around.installed[0] if around.installed else "claude"
            return (*others, *enable, *assign) or (f"toryo agent add worker --client {client}",)
        case "no_client":
            installed = around.installed[:MOST_NAMES]
            return (*(f"toryo agent add {around.agent} --client {name}" for name in installed), *others)
        case "asked":
            return (f"toryo task say {task} 'your answer'",)
        case "agent_disabled" | "agent_unassigned":
            return others
        case "could_not_start":
            return (*_start_again(detail, around), *others)
        case "base_red" | "base_could_not_run" | "base_flaky":
            return (f"toryo evidence {task}",)
        case "unknown":
            return (f"toryo run release {around.run}",) if around.run else ()
        case "waiting_for_input":
            return (f'toryo task say {task} "…"', f"toryo attach {task}")
        case _:
            return _in_git(reason, around)


def _start_again(detail: str, around: Around) -> tuple[str, ...]:
    """A program that is not there: named anew, or installed if the client said how."""
    install = re.search(r"\bnpm install(?: -\S+)* [\w@./-]+", detail)
    if install:
        return (install.group(),)
    if around.client in PROGRAMS and around.agent:
        return (f"toryo agent add {around.agent} --command '…'",)
    return ("toryo doctor",) if around.agent else ()


def _in_git(reason: str, around: Around) -> tuple[str, ...]:
    if not around.path:
        return ()
    git = f"git -C {shlex.quote(around.checkout or around.path)}"
    target, project = shlex.quote(around.target), shlex.quote(around.project)
    match reason:
        case "waiting_for_checkout":
            paths = " ".join(shlex.quote(path) for path in around.waiting)
            option = {"untracked": " -u", "ignored": " -a"}.get(around.waiting_why, "")
            stashed = around.waiting_why in OWN_FILES and paths
            if around.waiting_why == "missing checkout":
                return (f"git -C {shlex.quote(around.path)} worktree list",)
            return (f"{git} stash push{option} -- {paths}" if stashed else f"{git} status",)
        case "target_missing":
            return (f"{git} branch {target} refs/toryo/tips/{target}",)
        case "repository_missing":
            return (f"toryo project move {project} NEW-PATH",)
        case "repository_replaced":
            return (f"toryo project move {project} NEW-PATH", f"cd {shlex.quote(around.path)} && toryo init")
        case "owned_elsewhere":
            return (f"cd {shlex.quote(around.path)} && toryo init --take-over",)
        case _:
            return ()
