"""The given plan of the demo: who works, on what, after whom, and how each task must end. No I/O."""

from __future__ import annotations

from dataclasses import dataclass, replace

from toryo.domain.words import Access, TaskStatus
from toryo.fronts.demo.repository import BILL_FILE, MENU_FILE


@dataclass(frozen=True)
class PlannedAgent:
    """Its script is `scripts/{name}.yaml`."""

    name: str
    role: str
    access: Access = Access.SEALED
    honest: bool = True


@dataclass(frozen=True)
class PlannedTask:
    number: int
    title: str
    description: str
    agent: str
    status: TaskStatus
    """How it must end."""
    reason: str
    runs: tuple[tuple[str, int], ...]
    """(purpose, exit code) of each run it must have had."""
    after: tuple[int, ...] = ()


AGENTS = (
    PlannedAgent("haru", "builder"),
    PlannedAgent("natsu", "builder"),
    PlannedAgent("aki", "builder"),
    # the fox and the raccoon dog of the old stories, who never are what they say
    PlannedAgent("kitsune", "claims what is not so", Access.CONNECTED, honest=False),
    PlannedAgent("tanuki", "exits as if all were well", honest=False),
)

TASKS = (
    PlannedTask(
        1,
        "Serve hojicha",
        f"Add hojicha for 500 yen to {MENU_FILE}.",
        "haru",
        TaskStatus.DONE,
        "",
        (("implement", 0),),
    ),
    PlannedTask(
        2,
        "Serve matcha",
        f"Add matcha for 600 yen to {MENU_FILE}.",
        "natsu",
        TaskStatus.DONE,
        "",
        (("implement", 0), ("resolve", 0)),
    ),
    PlannedTask(
        3,
        "Discount for groups",
        f"A table of three or more cups pays ten percent less ({BILL_FILE}).",
        "aki",
        TaskStatus.DONE,
        "",
        (("implement", 0), ("fix", 0)),
        after=(1, 2),
    ),
    PlannedTask(
        4,
        "Translate the README",
        "Translate README.md into Japanese.",
        "kitsune",
        TaskStatus.FAILED,
        "exit:1",
        (("implement", 1),),
    ),
    PlannedTask(
        5,
        "Write the opening hours",
        "Write the opening hours into HOURS.md.",
        "tanuki",
        TaskStatus.NEEDS_REVIEW,
        "no_commit",
        (("implement", 0), ("implement", 0)),
    ),
)

REFUSED: dict[str, tuple[str, int]] = {
    "claude": ("api_error", 1),
    "codex": ("api_error", 1),
    "gemini": ("api_error", 144),
    "opencode": ("api_error", 1),
}
"""How a client ends when the model refuses a request, as kitsune's does: the task's reason, the exit code."""


def tasks_for(client: str) -> tuple[PlannedTask, ...]:
    """The same tasks whoever does them; only an error of the model has each client's own words."""
    if client not in REFUSED:
        return TASKS
    reason, code = REFUSED[client]
    runs = (("implement", code),)
    return tuple(
        replace(task, reason=reason, runs=runs) if task.number == CLAIMER else task for task in TASKS
    )


RESOLVED, FIXED, CLAIMER, IDLER = 2, 3, 4, 5
"""Numbers of the tasks that the story is about."""

FAILURE = "AssertionError: 1215.0 is not an instance of <class 'int'>"
"""What the repository's own test says to the first try of task 3."""

MENU_LINE = 'MENU = {"sencha": 450, "hojicha": 500, "matcha": 600}'
"""Both intentions in the one line that two tasks changed."""


STATUS_COLOUR: dict[str, str] = {
    TaskStatus.DONE: "green",
    TaskStatus.FAILED: "red",
    TaskStatus.NEEDS_REVIEW: "yellow",
    TaskStatus.RUNNING: "cyan",
    TaskStatus.VERIFYING: "cyan",
    TaskStatus.LANDING: "cyan",
}


def agent_of(task: PlannedTask) -> PlannedAgent:
    return next(one for one in AGENTS if one.name == task.agent)
