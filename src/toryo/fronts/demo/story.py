"""What has happened so far, folded from the lines of `toryo events`: each task's state in words. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from toryo.domain.words import AT_REST, TaskStatus, is_at_rest
from toryo.fronts.demo.plan import TASKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from toryo.fronts.demo.plan import PlannedTask

BEGUN = {
    "implement": "works in its own worktree",
    "fix": "gets the failed check's output and mends",
    "resolve": "finds the merge begun and resolves it",
}


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
        """Also when what it waits for failed: the demo has gone wrong then, and need not wait."""
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
    """All tasks, and a line for everything worth telling, in order."""

    tasks: dict[int, Progress] = field(default_factory=lambda: {one.number: Progress(one) for one in TASKS})
    told: list[Told] = field(default_factory=list)

    @property
    def at_rest(self) -> bool:
        return all(one.at_rest for one in self.tasks.values())

    def take(self, event: Mapping[str, Any]) -> None:
        kind, body = str(event["kind"]), event["body"]
        number = self._number(event)
        if number is None:
            return
        before = self.tasks[number]
        at = _seconds(str(event["at"]))
        after = step(before, kind, body, at)
        if kind == "task_added":
            after = replace(after, id=str(event["task"]))
        if after.note and after.note != before.note:
            state = f"{after.state}: " if after.at_rest else ""
            self.told.append(Told(at, number, state + after.note))
        self.tasks[number] = after

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
            claim = f"claims “{body['result']}”"
            return _fact(task, f"run {task.run} {claim}: a claim, no fact", claim)
        case "run_exited":
            return replace(task, exit_code=body["exit_code"])
        case "run_collected":
            return _ended(task, int(body["new_commits"]))
        case "landing_ended" if body["why"] == "conflict":
            return _fact(task, "conflict: main changed the same line meanwhile", "conflict")
        case "landing_ended" if body["why"] == "red":
            return _fact(task, "red: the checks fail on the merge with main", "red")
        case "tip_moved":
            return _fact(task, "green: the checks pass on the merge with main", "green")
    return task


def _status(task: Progress, status: str, reason: str, at: float) -> Progress:
    after = replace(task, status=status, reason=reason)
    match status:
        case TaskStatus.BLOCKED:
            return replace(after, note="waits for " + " and ".join(map(str, task.plan.after)))
        case TaskStatus.READY if not reason:
            return replace(after, note="may start")
        case TaskStatus.VERIFYING if reason == "checking":
            return replace(after, note="Toryo merges it with main and runs the checks itself")
        case _ if status in AT_REST:
            word = "on main" if status == TaskStatus.DONE else "not believed"
            return replace(after, rested=at, note=" → ".join((*task.trail, word)))
    return after


def _begun(task: Progress, purpose: str, run: int, at: float) -> Progress:
    after = replace(task, run=run, purpose=purpose, begun=task.begun or at, exit_code=None)
    if purpose == "implement" and run > 1:
        return _fact(after, f"run {run}: was told that nothing is committed, and tries again", "told")
    return _fact(after, f"run {run}: {BEGUN.get(purpose, purpose)}", purpose)


def _ended(task: Progress, commits: int) -> Progress:
    noun = "commit" if commits == 1 else "commits"
    fact = f"exit {task.exit_code}" + ("" if commits else ", no commit")
    note = f"run {task.run}: exit {task.exit_code}, {commits or 'no'} {noun}"
    # of what went well the next fact tells more
    return replace(task, note=note) if fact == "exit 0" else _fact(task, note, fact)


def _fact(task: Progress, note: str, word: str) -> Progress:
    return replace(task, note=note, trail=(*task.trail, word))


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
