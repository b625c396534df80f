"""Prompt of a run, composed from the store: deterministic for equal input (S4-11…14, S4-49)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from toryo.domain.scopes import Scope
from toryo.domain.words import Access, Purpose
from toryo.usecases.runs.mission_part import MissionPart

INSTRUCTIONS = (
    "Look at the existing patterns before you start.",
    "Do not invent mock data: use the services that are there.",
    "Work test-first: write the test, see it fail, then make it pass.",
    "Make sure that all tests pass.",
    "Commit when you are done: only commits on this branch count.",
)
STEPS = (
    "Call `authenticate` with this agent id and project id.",
    "The system_prompt it returns is your role.",
    "Call `get_my_task`.",
    "Work in the working directory it names.",
    "Call `report_completed` when you are done.",
)


@dataclass(frozen=True)
class MemoryFile:
    path: str
    title: str


@dataclass(frozen=True)
class PromptParts:
    task: str
    title: str
    type: str
    priority: str
    description: str = ""
    instructions: str = ""
    scope: Scope = field(default_factory=Scope)
    memory: tuple[MemoryFile, ...] = ()
    purpose: Purpose = Purpose.IMPLEMENT
    told: dict[str, Any] = field(default_factory=dict)
    access: Access = Access.SEALED
    agent: str = ""
    project: str = ""
    target: str = ""
    checks: tuple[str, ...] = ()
    """Commands of the project and of the task."""
    goals: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    is_set_up: bool = False
    """Its coordinator runs `setup` before the agent."""
    mission: MissionPart | None = None
    messages: tuple[str, ...] = ()
    """Lines of the bus for a unit, the oldest first."""
    frame: str = ""
    """Of a unit: how it divides, implements and reports, in place of the instructions to a worker."""


def compose(parts: PromptParts) -> str:
    sections = [f"# Task #{parts.task}: {parts.title}", f"Type: {parts.type} | Priority: {parts.priority}"]
    if parts.description:
        sections += ["## Description", parts.description]
    if parts.mission:
        sections += _mission(parts.mission)
    if parts.instructions:
        sections += ["## Agent Instructions", parts.instructions]
    sections += ["## Scope", _scope(parts.scope)]
    if parts.memory:
        sections += ["## Project Context (Memory Bank)", memory_section(parts.memory)]
    sections += ["## Instructions", parts.frame or _numbered(INSTRUCTIONS)]
    sections += ["## What decides", _decides(parts)]
    if parts.access is Access.CONNECTED:
        who = f"Agent ID: {parts.agent}\nProject ID: {parts.project}"
        sections += ["## Steps", f"{who}\n\n{_numbered(STEPS)}"]
    told = _told(parts.purpose, parts.told)
    if told:
        sections += ["## This run", told]
    if parts.messages:
        sections += ["## Messages", "\n".join(parts.messages)]
    if parts.told.get("notes"):
        sections += ["## What a person said", _notes(parts.told["notes"])]
    return "\n\n".join(sections) + "\n"


def _mission(part: MissionPart) -> list[str]:
    """The person's answers, and what the task builds on."""
    sections = ["## Mission", f"This task is one part of: {part.title}"]
    if part.answers:
        told = "\n".join(f"- {question}\n  → {answer}" for question, answer in part.answers)
        sections += ["## What the person decided", told]
    if part.predecessors:
        listed = "\n".join(
            f"- {one.title}" + (f": {one.summary}" if one.summary else "") for one in part.predecessors
        )
        sections += ["## What has landed before it", f"As their agents told it:\n\n{listed}"]
    if part.neighbours:
        beside = "\n".join(f"- {title}" for title in part.neighbours)
        sections += ["## Other parts of the mission", f"Leave these to their own agents:\n\n{beside}"]
    return sections


def _numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _decides(parts: PromptParts) -> str:
    """What the work is judged by, so that the agent can judge it first."""
    wanted = [*(f"- `{command}` exits 0" for command in parts.checks), *(f"- {goal}" for goal in parts.goals)]
    where = f"merged with the newest state of `{parts.target or 'the target'}`"
    if wanted:
        told = "\n".join([f"Your commits land only if this holds for them, {where}:", *wanted])
    else:
        told = f"No check is configured: your commits land as they are, {where}. Test them yourself."
    if parts.setup:
        steps = f"`{' && '.join(parts.setup)}`"
        ours = (
            f"This worktree was set up by {steps}. Run that again where dependencies changed or are missing."
        )
        told += f"\n\n{ours if parts.is_set_up else f'To set this worktree up, run in it: {steps}'}"
    return told


def _scope(scope: Scope) -> str:
    write = "not restricted" if scope.write is None else ", ".join(scope.write) or "nothing"
    return "\n".join(
        (
            f"- Read: {', '.join(scope.read) or 'nothing'}",
            f"- Write: {write}",
            f"- Exclude: {', '.join(scope.exclude) or 'nothing'}",
        )
    )


def memory_section(files: tuple[MemoryFile, ...]) -> str:
    listed = "\n".join(f"- {file.path} - {file.title}" for file in files)
    return (
        "The following project decision files are available:\n"
        f"{listed}\n\nRead these files in .toryo/memory/ for detailed project decisions."
    )


def _told(purpose: Purpose, told: dict[str, Any]) -> str:
    """Why there is another run: the failing output or the conflicting paths, and how the last one ended."""
    lines: list[str] = []
    match told.get("why", ""):
        case "checks_failed":
            lines.append(
                "Your commits are on this branch, but the checks failed on top of the target. Mend them."
            )
            for check in told.get("checks", []):
                lines.append(f"`{check['command']}` {_how(check)}. The end of its output:")
                lines.append(f"```\n{check['tail'].rstrip()}\n```")
        case "children":
            lines += _integrates(told)
        case "conflict":
            paths = "\n".join(f"- {path}" for path in told.get("paths", []))
            lines.append(
                f"Your branch conflicts with the target at {told.get('partner', '')}. That merge has been "
                f"begun in this worktree; these paths are in conflict:\n{paths}"
            )
            lines.append("Resolve them so that both intentions hold, `git add` them and commit the merge.")
    match told.get("last", ""):
        case "no_commit":
            lines.append(
                "The last run ended without a commit. Only commits count: do the work and commit it."
            )
        case "lost":
            lines.append(
                "The last run was lost in the middle. See what is there already, then finish and commit."
            )
        case "resumed":
            lines.append(
                "The last run was stopped in the middle, by no fault of yours. "
                "See what is there already, then finish and commit."
            )
        case "answered":
            lines.append(
                "The last run ended with a question. It is answered below: go on, finish the work and commit."
            )
    if told.get("parked"):
        why = "an outage" if told["parked"] == "outage" else "a usage limit"
        lines.append(
            f"The last run was stopped by {why} in the middle. "
            "See what is there already, then finish and commit."
        )
    if told.get("handoff"):
        lines.append(f"From the run before: {told['handoff']}")
    if not lines and purpose is not Purpose.IMPLEMENT:
        lines.append(f"This is a `{purpose}` run.")
    return "\n\n".join(lines)


def _integrates(told: dict[str, Any]) -> list[str]:
    """What a unit's children brought, and how those ended that did not land."""
    lines = [
        "Your children are at rest. What landed of their work lies on your branch: look at it as a whole, "
        "mend what does not fit together, test it and commit. If there is nothing to mend, end."
    ]
    for child in told.get("units", []):
        line = f"- `{child['unit']}`: {child['status']}"
        if child.get("reason"):
            line += f" ({child['reason']}{': ' + child['detail'] if child.get('detail') else ''})"
        if child.get("branch"):
            line += f"; what it committed is on `{child['branch']}`"
        if child.get("files"):
            line += f"; {_diffstat(child)}"
        if child.get("summary"):
            line += f"\n  It says: {child['summary']}"
        lines.append(line)
    if any(child["status"] == "error" for child in told.get("units", [])):
        lines.append(
            "A part that failed may be divided again: put new ids into `task-breakdown.yml` and spawn; or do "
            "without it."
        )
    if told.get("rejected"):
        lines.append(f"A person rejected how you divided the work: {told['rejected']}")
    if told.get("ended"):
        lines.append(f"Your last run ended badly: {told['ended']}. See what it left, and go on from there.")
    if told.get("failed_before"):
        lines.append(f"The last run for this ended badly: {told['failed_before']}")
    if told.get("set_aside"):
        lines.append(
            "What lay uncommitted in this worktree while your children landed is kept in "
            f"{', '.join(told['set_aside'])}: `git show` or `git checkout COMMIT -- PATH` brings it back."
        )
    return lines


def _diffstat(child: dict[str, Any]) -> str:
    """The whole, then its files, with what git counts in each."""
    listed = [
        one["path"] if one["added"] is None else f"{one['path']} +{one['added']} −{one['removed']}"
        for one in child["files"]
    ]
    more = [f"and {child['count'] - len(listed)} more"] if child["count"] > len(listed) else []
    files = "1 file" if child["count"] == 1 else f"{child['count']} files"
    whole = f"{files}, +{child['added']} −{child['removed']}"
    return f"{whole}: {', '.join([*listed, *more])}"


def _notes(notes: Sequence[dict[str, Any]]) -> str:
    """Oldest first: what was said last counts most."""
    lines = []
    for note in notes:
        if note.get("question"):
            asked = "\n".join(f"> {line}".rstrip() for line in note["question"].splitlines())
            lines.append(f"You asked:\n\n{asked}\n\nThe answer:")
        lines.append(note["text"])
    return "\n\n".join(lines)


def _how(check: dict[str, Any]) -> str:
    if check.get("exit_code") is None:
        return "did not pass"
    return f"exited {check['exit_code']}"
