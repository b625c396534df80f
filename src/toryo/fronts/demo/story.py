"""Story of the demo, folded from the lines of `toryo events`: each task's state in words. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from toryo.domain.words import AT_REST, TaskStatus, is_at_rest
from toryo.fronts.demo import mission_steps
from toryo.fronts.demo.mission_steps import MissionProgress
from toryo.fronts.demo.plan import TASKS
from toryo.fronts.text.steps import CONFLICT, GREEN, RED, trail

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from toryo.fronts.demo.plan import PlannedTask

BEGUN = {
    "implement": "works in its own worktree",
    "fix": "gets the failed check's output and mends",
    "resolve": "finds the merge begun and resolves it",
}
DISBELIEVED, JUDGED, HONEST = "not believed", "judged", "honest"
MISSION = 0
"""The number by which the mission is told beside its tasks."""


@dataclass(frozen=True)
class Progress:
    """One task as the events tell it."""

    plan: PlannedTask
    id: str = ""
    status: str = ""
    reason: str = ""
    run: int = 0
    purpose: str = ""
    begun: float | None = None
    rested: float | None = None
    exit_code: int | None = None
    note: str = ""
    """The newest fact; at rest, the whole way."""
    trail: tuple[str, ...] = ()

    @property
    def at_rest(self) -> bool:
        return bool(self.status) and is_at_rest(TaskStatus(self.status), self.reason)

    @property
    def state(self) -> str:
        if not self.status:
            return "planned"
        return f"{self.status} ({self.reason})" if self.reason and self.at_rest else self.status

    def elapsed(self, now: float) -> float | None:
        return None if self.begun is None else max(0.0, (self.rested or now) - self.begun)


@dataclass(frozen=True)
class Told:
    at: float
    number: int
    text: str


@dataclass
class Story:
    """The mission, all tasks of its plan, and a line for everything worth telling, in order."""

    mission: MissionProgress = field(default_factory=MissionProgress)
    tasks: dict[int, Progress] = field(default_factory=lambda: {one.number: Progress(one) for one in TASKS})
    told: list[Told] = field(default_factory=list)

    @property
    def ids(self) -> dict[int, str]:
        """Number → task, of those that were made."""
        return {number: one.id for number, one in self.tasks.items() if one.id}

    def take(self, event: Mapping[str, Any]) -> None:
        kind, body = str(event["kind"]), event["body"]
        at = _seconds(str(event["at"]))
        if kind.startswith("mission_"):
            self._take_mission(kind, body, at)
            return
        number = self._number(event)
        if number is None:
            return
        before = self.tasks[number]
        after = step(before, kind, body, at)
        if kind == "task_added":
            after = replace(after, id=str(event["task"]))
        if after.note and after.note != before.note:
            state = f"{after.state}: " if after.at_rest else ""
            self.told.append(Told(at, number, state + after.note))
        self.tasks[number] = after

    def _take_mission(self, kind: str, body: Mapping[str, Any], at: float) -> None:
        after = mission_steps.step(self.mission, kind, body, at)
        if after.note != self.mission.note:
            self.told.append(Told(at, MISSION, after.note))
        self.mission = after

    def _number(self, event: Mapping[str, Any]) -> int | None:
        if event["kind"] == "task_added":
            title = event["body"]["title"]
            return next((one.plan.number for one in self.tasks.values() if one.plan.title == title), None)
        task = event.get("task")
        return next((number for number, one in self.tasks.items() if task and one.id == task), None)


def step(task: Progress, kind: str, body: Mapping[str, Any], at: float) -> Progress:
    """The task after one event."""
    match kind:
        case "task_status":
            return _status(task, str(body["status"]), str(body["reason"]), at)
        case "run_claimed":
            return _begun(task, str(body["purpose"]), int(body["generation"]), at)
        case "run_claims":
            return _claims(task, str(body["result"]))
        case "task_judged":
            told = f"judged by the planner's model: {body['action']}. {body['note']}"
            return _fact(task, told, JUDGED)
        case "run_exited":
            return replace(task, exit_code=body["exit_code"])
        case "run_collected":
            return _ended(task, int(body["new_commits"]))
        case "landing_ended" if body["why"] == "conflict":
            return _fact(task, "conflict: main changed the same line meanwhile", CONFLICT)
        case "landing_ended" if body["why"] == "red":
            return _fact(task, "red: the checks fail on the merge with main", RED)
        case "tip_moved":
            return _fact(task, "green: the checks pass on the merge with main", GREEN)
    return task


def _status(task: Progress, status: str, reason: str, at: float) -> Progress:
    after = replace(task, status=status, reason=reason, rested=None)
    match status:
        case TaskStatus.BLOCKED:
            return replace(after, note="waits for " + " and ".join(map(str, task.plan.after)))
        case TaskStatus.READY if not reason:
            return replace(after, note="may start again" if JUDGED in task.trail else "may start")
        case TaskStatus.VERIFYING if reason == "checking":
            return replace(after, note="Toryo merges it with main and runs the checks itself")
        case _ if status in AT_REST:
            word = "on main" if status == TaskStatus.DONE else DISBELIEVED
            # what it is at rest for may change its words
            way = task.trail if task.trail[-1:] == (word,) else (*task.trail, word)
            return replace(after, rested=at, trail=way, note=trail(way))
    return after


def _begun(task: Progress, purpose: str, run: int, at: float) -> Progress:
    after = replace(task, run=run, purpose=purpose, begun=task.begun or at, exit_code=None)
    if purpose == "implement" and run > 1 and JUDGED in task.trail:
        return replace(after, note=f"run {run}: begins anew, and knows what the judge said")
    if purpose == "implement" and run > 1:
        return _fact(after, f"run {run}: was told that nothing is committed, and tries again", "told")
    return _fact(after, f"run {run}: {BEGUN.get(purpose, purpose)}", purpose)


def _claims(task: Progress, result: str) -> Progress:
    claim = f"claims “{result}”"
    note = f"run {task.run} {claim}: a claim, no fact"
    return replace(task, note=note) if JUDGED in task.trail else _fact(task, note, claim)


def _ended(task: Progress, commits: int) -> Progress:
    noun = "commit" if commits == 1 else "commits"
    fact = f"exit {task.exit_code}" + ("" if commits else ", no commit")
    note = f"run {task.run}: exit {task.exit_code}, {commits or 'no'} {noun}"
    if fact != "exit 0":
        return _fact(task, note, fact)
    # of what went well the next fact tells more
    return _fact(task, note, HONEST) if task.trail[-1:] == (JUDGED,) else replace(task, note=note)


def _fact(task: Progress, note: str, word: str) -> Progress:
    return replace(task, note=note, trail=(*task.trail, word))


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
