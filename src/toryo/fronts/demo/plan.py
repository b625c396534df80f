"""Expected ends of the demo: the sentence, who works, and how each task of its plan must end. No I/O.

The plan itself is the scripted model's (scripts/model.yaml), and is judged by this.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from toryo.domain.words import Access
from toryo.fronts.demo.repository import BILL_FILE

SENTENCE = "New teas, a group discount, a translated README, our hours"
ANSWERS = {"groups": "ten percent less, from three cups on", "language": "Japanese"}
"""The questions that are asked, and their defaults."""
PURPOSES = ("question", "plan", "analyze", "judge", "judge")
"""What the model is asked for, all in all: each liar is judged once."""


@dataclass(frozen=True)
class PlannedAgent:
    """Its script is `scripts/{name}.yaml`."""

    name: str
    role: str
    access: Access = Access.SEALED
    honest: bool = True


@dataclass(frozen=True)
class PlannedTask:
    """Each must end as done, whatever came before."""

    number: int
    title: str
    agent: str
    runs: tuple[tuple[str, int], ...]
    """(purpose, exit code) of each run it must have had."""
    after: tuple[int, ...] = ()
    stopped: str = ""
    """Why it was not believed at first."""


AGENTS = (
    PlannedAgent("haru", "builder"),
    PlannedAgent("natsu", "builder"),
    PlannedAgent("aki", "builder"),
    # the fox and the raccoon dog of the old stories, who never are what they say
    PlannedAgent("kitsune", "translator", Access.CONNECTED, honest=False),
    PlannedAgent("tanuki", "writer", honest=False),
)

TASKS = (
    PlannedTask(1, "Serve hojicha", "haru", (("implement", 0),)),
    PlannedTask(2, "Serve matcha", "natsu", (("implement", 0), ("resolve", 0))),
    PlannedTask(3, "Discount for groups", "aki", (("implement", 0), ("fix", 0)), after=(1, 2)),
    PlannedTask(4, "Translate the README", "kitsune", (("implement", 1), ("implement", 0)), stopped="exit:1"),
    PlannedTask(
        5,
        "Write the opening hours",
        "tanuki",
        (("implement", 0), ("implement", 0), ("implement", 0)),
        stopped="no_commit",
    ),
)

DESCRIPTIONS = {
    3: f"Groups pay {ANSWERS['groups']} ({BILL_FILE}).",
    4: f"Translate README.md into {ANSWERS['language']}.",
}
"""Of tasks that are made of an answer."""

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
    runs = (("implement", code), ("implement", 0))
    return tuple(
        replace(task, stopped=reason, runs=runs) if task.number == CLAIMER else task for task in TASKS
    )


RESOLVED, FIXED, CLAIMER, IDLER = 2, 3, 4, 5
"""Numbers of the tasks that the story is about."""
LIARS = (CLAIMER, IDLER)

FAILURE = "AssertionError: 1215.0 is not an instance of <class 'int'>"
"""What the repository's own test says to the first try of task 3."""

MENU_LINE = 'MENU = {"sencha": 450, "hojicha": 500, "matcha": 600}'
"""Both intentions in the one line that two tasks changed."""


def agent_of(task: PlannedTask) -> PlannedAgent:
    return next(one for one in AGENTS if one.name == task.agent)
