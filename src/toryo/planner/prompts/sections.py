"""Sections of a request: what the brief says, under one heading each, empty ones left out. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toryo.protocol.kinds.planner import (
    AgentBrief,
    Brief,
    FinishedBrief,
    MessageBrief,
    PlanBrief,
    PlannedTask,
    QuestionBrief,
    TaskBrief,
)

LONGEST_OUTPUT = 6000
"""Characters of what failed; its end says why."""
SPEAKERS = {"person": "Person", "planner": "You", "progress": "Progress", "system": "Before"}
RESTING = frozenset({"done", "cancelled"})


def section(heading: str, text: str) -> str:
    return f"## {heading}\n\n{text.strip()}" if text.strip() else ""


def of_repository(brief: Brief) -> Iterator[str]:
    target = f"Branch the work starts from and lands on: {brief.target}" if brief.target else ""
    yield section("The repository", "\n\n".join(filter(None, (target, brief.scan))))
    checks = "\n".join(f"- `{check}`" for check in brief.checks)
    yield section("Checks of the project, run on everything that lands", checks or "None.")
    if not brief.has_tests:
        yield section(
            "No tests yet",
            "The repository has no tests. Unless the request is about something that cannot be tested, the "
            "first task sets up a test framework that fits the repository, with one passing test and the "
            "command that runs it; the tasks that need it depend on it. If no such task makes sense here, "
            "`plan` says why.",
        )


def of_agents(brief: Brief) -> Iterator[str]:
    yield section("Agents", "\n".join(map(_agent, brief.agents)))
    yield section("Limits", f"At most {brief.max_concurrent} agents work at the same time.")


def _agent(one: AgentBrief) -> str:
    parts = [one.role, f"with {one.client}" if one.client else ""]
    if one.write:
        parts.append(f"may write only: {', '.join(one.write)}")
    told = "; ".join(part for part in parts if part)
    return f"- {one.name}: {told}" if told else f"- {one.name}"


def of_size(brief: Brief) -> str:
    if brief.size != "small":
        return ""
    return section(
        "Size",
        "This was judged to be a small change: one task, and `plan` says that one agent is enough, unless "
        "the repository shows that it really divides. `spec` and `plan` are a few lines each.",
    )


def of_conversation(messages: Iterable[MessageBrief]) -> str:
    return section("The conversation so far", "\n\n".join(f"{SPEAKERS[m.who]}: {m.text}" for m in messages))


def of_questions(questions: Iterable[QuestionBrief]) -> Iterator[str]:
    settled = [one for one in questions if one.answer is not None]
    open_ = [one for one in questions if one.answer is None]
    yield section(
        "Questions that the person has answered",
        "\n".join(f"- {one.text}\n  Answer: {one.answer}" for one in settled),
    )
    yield section(
        "Questions that were asked and not answered",
        "\n".join(f"- {one.text} (default: {one.default or 'none'})" for one in open_),
    )


def of_finished(finished: Iterable[FinishedBrief]) -> str:
    return section("Finished missions", "\n".join(map(_finished, finished)))


def _finished(one: FinishedBrief) -> str:
    where = f" ({one.spec})" if one.spec else ""
    return f"- {one.mission}: {one.title}{where}" + (f"\n  {one.summary}" if one.summary else "")


def of_plan(plan: PlanBrief | None, heading: str) -> Iterator[str]:
    if plan is None:
        return
    yield f"## {heading} (version {plan.version})"
    yield section("Its specification", plan.spec)
    yield section("Its plan", plan.plan)
    yield section("Its tasks", "\n\n".join(map(planned, plan.tasks)))


def planned(one: PlannedTask) -> str:
    """One task of a plan, every field that says something."""
    lines = [f"- {one.id}: {one.title}"]
    fields = {
        "depends on": ", ".join(one.depends_on),
        "writes": "unknown" if one.write is None else ", ".join(one.write),
        "checks": "; ".join(one.checks),
        "agent": one.agent or "",
        "worktree": "" if one.worktree == "new" else one.worktree,
        "unit": "yes" if one.unit else "",
        "story": one.story or "",
        "done": "yes" if one.done else "",
    }
    lines += [f"  {name}: {value}" for name, value in fields.items() if value]
    lines += [_indented(one.description)] if one.description.strip() else []
    return "\n".join(lines)


def of_tasks(tasks: Iterable[TaskBrief]) -> str:
    return section("Tasks that exist, with their states", "\n\n".join(map(existing, tasks)))


def existing(one: TaskBrief) -> str:
    state = " ".join(filter(None, (one.status, f"({one.reason})" if one.reason else "")))
    lines = [f"- {one.id}: {one.title} [{state or 'not begun'}]"]
    lines += [_indented(text) for text in (one.detail, one.description, one.output) if text.strip()]
    return "\n".join(lines)


def of_judged(one: TaskBrief) -> Iterator[str]:
    state = " ".join(filter(None, (one.status, f"({one.reason})" if one.reason else "")))
    yield section("The task", f"{one.id}: {one.title}\nState: {state}\n{one.detail}\n\n{one.description}")
    output = one.output if len(one.output) <= LONGEST_OUTPUT else f"…{one.output[-LONGEST_OUTPUT:]}"
    yield section("The end of what was seen", f"```\n{output}\n```" if output.strip() else "")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.strip().splitlines())
