"""Requests composed from a brief: rules of the purpose, what there is to know, what is asked. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from toryo.planner.models.model import Request, Turn, Voice
from toryo.planner.prompts import sections
from toryo.planner.prompts.sections import section
from toryo.planner.prompts.templates import instructions
from toryo.protocol.kinds.planner import Brief

ASKED = {
    "question": "Say what has to be asked before this can be planned, in the form above.",
    "plan": "Write specification, plan and tasks for this, in the form above.",
    "analyze": "Analyze this plan before the person sees it, in the form above.",
    "judge": "Decide what happens with this task, in the form above.",
    "impact": "Say what the new demand touches, in the form above.",
    "summarise": "Summarise this, in the form above.",
    "check": "Answer now.",
}
CLARIFICATION = "[NEEDS CLARIFICATION"
TOO_LONG = "That answer was cut off, because it was longer than one answer may be."


def compose(purpose: str, brief: Brief) -> Request:
    rules = f"{purpose}_branch" if brief.branch is not None else purpose
    parts = [section("What the person asks for", brief.text), *SECTIONS[purpose](brief)]
    text = "\n\n".join(part for part in (*parts, ASKED[purpose]) if part)
    return Request(purpose, instructions(rules, brief.language), (Turn(Voice.PERSON, text),))


def _question(brief: Brief) -> Iterator[str]:
    yield sections.of_conversation(brief.conversation)
    yield from sections.of_questions(brief.questions)
    yield sections.of_finished(brief.finished)
    if brief.plan is not None:
        points = [line.strip() for line in brief.plan.spec.splitlines() if CLARIFICATION in line]
        yield section("Open points of the specification: ask these", "\n".join(points))
    yield from sections.of_repository(brief)


def _plan(brief: Brief) -> Iterator[str]:
    yield sections.of_conversation(brief.conversation)
    yield from sections.of_questions(brief.questions)
    if brief.follows is not None:
        heading = "The finished mission whose specification this extends"
        if not brief.follows.spec:
            heading = "The mission that this goes on from: it ended early, and its specification never landed"
        where = f" ({brief.follows.spec})" if brief.follows.spec else ""
        yield section(heading, f"{brief.follows.title}{where}\n\n{brief.follows.summary}")
    yield from sections.of_repository(brief)
    yield from sections.of_agents(brief)
    yield sections.of_size(brief)
    yield from sections.of_plan(brief.plan, "The plan so far")
    yield sections.of_tasks(brief.tasks)
    if brief.tasks:
        yield section(
            "Work that exists",
            "Tasks that have landed or are at work stay as they are and keep their ids. New and changed work "
            "gets new ids after the highest one; a replaced task keeps its id only if it has not begun.",
        )
    yield section("What the person asks for now", brief.demand)
    yield section("Why the person rejected that plan: the new one must answer this", brief.rejected)
    yield section(
        "Faults that the rules found in that plan: mend exactly these",
        "\n".join(f"- {one}" for one in brief.faults),
    )


def _analyze(brief: Brief) -> Iterator[str]:
    yield from sections.of_questions(brief.questions)
    yield from sections.of_repository(brief)
    yield from sections.of_agents(brief)
    yield from sections.of_plan(brief.plan, "The plan")


def _judge(brief: Brief) -> Iterator[str]:
    yield from sections.of_questions(brief.questions)
    if brief.task is not None:
        yield from sections.of_judged(brief.task)
    yield sections.of_tasks(brief.tasks)
    checks = "\n".join(f"- `{check}`" for check in brief.checks)
    yield section("Checks of the project", checks)


def _impact(brief: Brief) -> Iterator[str]:
    yield sections.of_conversation(brief.conversation)
    yield from sections.of_questions(brief.questions)
    yield from sections.of_plan(brief.plan, "The plan that is being carried out")
    yield sections.of_tasks(brief.tasks)
    yield section("What the person says now", brief.demand)


def _summarise(brief: Brief) -> Iterator[str]:
    if brief.branch is not None:
        yield section("The branch", f"{brief.branch.name}, whose work goes to {brief.target}")
        yield section("Its commits, newest first", brief.branch.log)
        yield section("Files that it changes", brief.branch.stat)
    yield sections.of_conversation(brief.conversation)
    yield from sections.of_questions(brief.questions)
    yield sections.of_tasks(brief.tasks)


SECTIONS: dict[str, Callable[[Brief], Iterator[str]]] = {
    "question": _question,
    "plan": _plan,
    "analyze": _analyze,
    "judge": _judge,
    "impact": _impact,
    "summarise": _summarise,
    "check": lambda _: iter(()),
}

PARTS = {
    1: 'the specification alone: {"part": 1, "spec": "…"}',
    2: 'the plan alone, without tasks: {"part": 2, "plan": "…", "parallelism": 1}',
}


def next_part(number: int, known: tuple[str, ...], at_once: int) -> str:
    """What is said after a plan that was cut, and after each of its parts."""
    if number in PARTS:
        what = PARTS[number]
    else:
        after = f"that come after {known[-1]}" if known else "from the first"
        what = (
            f"at most {at_once} tasks {after}, in their order: "
            f'{{"part": {number}, "tasks": […]}}; an empty list when there are no more'
        )
    return f"Part {number} of the plan, one JSON object: {what}."


def in_parts(at_once: int) -> str:
    return f"{TOO_LONG} Give the same plan in parts, one part in each answer. {next_part(1, (), at_once)}"


def shorter() -> str:
    return f"{TOO_LONG} Answer again with the whole object, much shorter."


def repair(complaints: tuple[str, ...]) -> str:
    told = "\n".join(f"- {one}" for one in complaints)
    return (
        f"That answer cannot be used:\n{told}\n"
        "Answer again with the whole object in the form above: one JSON object and nothing else."
    )
