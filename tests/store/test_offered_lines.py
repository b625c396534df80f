"""From every reason that waits for a person, each line that is offered leads on once a person types it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from simulated_hands import ALWAYS, ENDINGS, EXITS, Pick
from simulated_house import OUTSIDE, Conduct, House, a_house
from typing_person import looked_for, type_line, with_answers

from shown_reasons import shown
from toryo.domain import subjects
from toryo.domain.ids import TaskId
from toryo.domain.words import ClaimResult, TaskStatus, Verb
from toryo.engine import attention
from toryo.store.database.engine import Tx
from toryo.store.database.rows import VerbRow
from toryo.store.database.unit_rows import BreakdownRow
from toryo.store.tables import agents, meta, projects, tasks, verbs
from toryo.store.tables.units import units
from toryo.usecases.agents.agents import set_assignment, set_status
from toryo.usecases.projects.projects import set_status as set_project_status
from toryo.usecases.runs import runs
from toryo.usecases.sessions import agent_calls
from toryo.usecases.status import attention_page
from toryo.usecases.tasks import revert
from toryo.usecases.tasks.add import NewTask, add_task
from toryo.usecases.tasks.verbs import say
from toryo.usecases.why import explain

GOES_ON = {
    TaskStatus.DONE: None,
    TaskStatus.VERIFYING: None,
    TaskStatus.CANCELLED: None,
    TaskStatus.READY: (
        "",
        "answered",
        "checks_failed",
        "children_at_rest",
        "commented",
        "conflict",
        "disk_full",
        "integrate_failed",
        "lost",
        "no_commit",
        "paused",
        "prepare_failed",
        "resumed",
    ),
    TaskStatus.RUNNING: (
        "decompose",
        "fix",
        "implement",
        "integrate",
        "outside",
        "preparing",
        "resolve",
        "revert",
    ),
    TaskStatus.LANDING: ("publishing", "taken_off", "waiting_for_parent"),
    TaskStatus.BLOCKED: (
        "dependency",
        "base_gate",
        "dependency_failed:",
        "other_missions",
        "plan_ready",
        "replanning",
        "tree_stopped",
        "waiting_for_children",
    ),
    TaskStatus.FAILED: ("rejected",),
}
"""What goes on by itself, waits for another task, is what a person wanted, or is answered at its mission
(`tests/daemon/test_missions.py`). None: whatever the reason."""


@dataclass
class Luck(Conduct):
    """Honest, but for what is said here; `ends` are taken one after the other, the last one for good."""

    ends: list[str] = field(default_factory=list)
    picks: dict[str, Any] = field(default_factory=dict)
    idle: bool = False

    def pick_for(self, _order: dict[str, Any]) -> Pick:
        return self._pick

    def _pick(self, what: str, choices: Any) -> Any:
        """A list is used up one by one, the last of it for good."""
        chosen = self.picks.get(what, choices[0])
        if isinstance(chosen, list):
            return chosen.pop(0) if len(chosen) > 1 else chosen[0]
        return chosen

    def end(self, process: Any) -> None:
        if self.idle:
            return
        how = self.ends[0] if self.ends else ENDINGS[0]
        self.ends = self.ends[1:] or self.ends
        process.hands.end(process, lambda _what, _choices: how)


EXTRA_ENDINGS = {
    "asks": {"exit_code": 0, "said": {"result": "success", "words": "Which colour?"}},
    "disk": {"exit_code": 1, "disk_full": True},
    "api": {"exit_code": 1, "said": {"result": "error", "error": "api_error", "message": "500"}},
    "no program": {"exit_code": None, "could_not_start": "ghost: not found"},
}
State = tuple[str, str]


def state(house: House, task: str) -> State:
    (row,) = [row for row in house.rows("tasks") if row["id"] == task]
    return row["status"], row["reason"]


def begin(house: House, **wish: Any) -> str:
    return str(add_task(house.context, NewTask("it", project="p1", **{"agent": "ann", **wish}))["id"])


def play(house: House, luck: Conduct, until: Callable[[], bool], rounds: int = 80) -> None:
    for _ in range(rounds):
        house.drain()
        if until():
            return
        if not house.round(luck):
            house.clock.now += 2000
    raise AssertionError(f"it never came to that: {[state(house, row['id']) for row in house.rows('tasks')]}")


def led_to(house: House, task: str, wanted: str, **how: Any) -> str:
    """Play until the task is `status reason`."""
    play(house, Luck(**deepcopy(how)), lambda: " ".join(state(house, task)).startswith(wanted))
    return task


def ended(wanted: str, *ends: str, **picks: Any) -> Callable[[House], str]:
    return lambda house: led_to(house, begin(house), wanted, ends=list(ends), picks=picks)


def checked(wanted: str, *ends: str, flaky: str = "land", **picks: Any) -> Callable[[House], str]:
    """With a check in force, on a base that is green."""

    def make(house: House) -> str:
        house.settle()
        house.checks("p1", "one", flaky=flaky)
        house.settle()
        return ended(wanted, *ends, **picks)(house)

    return make


def changed(wanted: str, change: Callable[[House], None]) -> Callable[[House], str]:
    """Something changes round a task that waits."""

    def make(house: House) -> str:
        task = begin(house, held=True)
        house.settle()
        say(house.context, Verb.RELEASE, task, "")
        change(house)
        return led_to(house, task, wanted, idle=True)

    return make


def sight(relation: str) -> Callable[[House], None]:
    def change(house: House) -> None:
        with house.context.store.change() as tx:
            meta.put(tx, "installation", house.context.installation)
        house.world.repositories["p1"].sight = relation

    return change


def no_branch(house: House) -> None:
    house.world.repositories["p1"].move("")


def set_back(house: House) -> None:
    """Behind all that was ever published there."""
    repository = house.world.repositories["p1"]
    repository.move(repository.commit())


def no_tip(house: House) -> None:
    house.world.repositories["p1"].tip = ""


def rewound(house: House) -> str:
    begin(house, agent="bob")
    house.settle()
    house.world.repositories["p1"].move("c0")
    return led_to(house, begin(house), "blocked target_rewound")


def disabled(house: House) -> None:
    set_status(house.context, "ann", "disabled", "p1")


def unassigned(house: House) -> None:
    set_assignment(house.context, "ann", "p1", "", assigned=False)


def archived(house: House) -> None:
    set_project_status(house.context, "p1", "", "archived")


def no_client(house: House) -> None:
    with house.context.store.change() as tx:
        agents.update(tx, "ann", "", client="")
        tasks.mark_of_agent(tx, "p1", "ann")


def no_program(house: House) -> None:
    """The agent CLI of the agent is looked for and not found."""
    with house.context.store.change() as tx:
        agents.update(tx, "ann", "", client="claude")
    looked_for(house, {"claude": ""})


def on_hold(house: House) -> str:
    with house.context.store.change() as tx:
        projects.update(tx, "p1", settings={"dispatch": "hold"})
    return led_to(house, begin(house), "blocked held")


def no_agent(house: House) -> str:
    with house.context.store.change() as tx:
        for one in projects.agents_of(tx, "p1"):
            projects.unassign(tx, "p1", one.id)
    return led_to(house, begin(house, agent=""), "blocked no_agent")


def base(verdict: str, result: str) -> Callable[[House], str]:
    def make(house: House) -> str:
        house.checks("p1", "one")
        return led_to(house, begin(house), f"blocked {verdict}", picks={"check": result})

    return make


class Meddler(Luck):
    """Somebody moves Toryo's own tip while work is accepted."""

    def pick_for(self, order: dict[str, Any]) -> Pick:
        if order["kind"] == "accept" and not self.idle:
            self.idle = True
            self.house.world.repositories["p1"].tip = self.house.world.repositories["p1"].commit("c0")
        return super().pick_for(order)

    house: House


def meddled(house: House) -> str:
    task, luck = begin(house), Meddler()
    luck.house = house
    play(house, luck, lambda: state(house, task) == ("needs_review", "foreign_move"))
    return task


def meddled_before(house: House) -> str:
    meddled(house)
    return led_to(house, begin(house, agent="bob"), "blocked foreign_move")


def accepted_and(reason: str, change: Callable[[House], None]) -> Callable[[House], str]:
    """The work is accepted, and not yet on the branch."""

    def make(house: House) -> str:
        house.world.repositories["p1"].busy = "dirty"
        task = ended("landing waiting_for_checkout")(house)
        change(house)
        return led_to(house, task, f"needs_review {reason}")

    return make


def committed_on(verdict: str, flaky: str = "land", **picks: Any) -> Callable[[House], str]:
    """A person's own commit, made while the agent works, does not pass."""

    def make(house: House) -> str:
        house.settle()
        house.checks("p1", "one", flaky=flaky)
        house.settle()
        task = at_work(house)
        repository = house.world.repositories["p1"]
        repository.move(repository.commit(repository.branch))
        return led_to(house, task, f"needs_review {verdict}", picks=picks)

    return make


def flaky_base(house: House) -> str:
    house.settle()
    house.checks("p1", "one", flaky="review")
    house.settle()
    repository = house.world.repositories["p1"]
    repository.move(repository.commit(repository.branch))
    return led_to(house, begin(house), "blocked base_flaky", picks={"check": ["failed", "passed"]})


def capped(house: House) -> str:
    ends = [*["outage"] * 8, "exit 0 commit", *["outage"] * 4]
    return checked("needs_review run_cap", *ends, check="failed")(house)


def at_work(house: House) -> str:
    task = led_to(house, begin(house), "running implement", idle=True)
    play(house, Luck(idle=True), lambda: any(row["started_at"] for row in house.rows("runs")))
    return task


def held(house: House) -> str:
    return led_to(house, begin(house, held=True), "open held")


def waiting_for_input(house: House) -> str:
    task = at_work(house)
    (process,) = house.world.processes.values()
    process.hands.report("signs", {"n": 1, "asks": "Which colour?"}, process.order)
    return led_to(house, task, "running waiting_for_input", idle=True)


def unknown(house: House) -> str:
    task = at_work(house)
    house.world.processes.clear()  # its machine is gone
    house.clock.now += 1000
    house.drain()
    assert state(house, task) == ("running", "unknown")
    return task


def released(house: House) -> str:
    task = unknown(house)
    (run,) = [row["id"] for row in house.rows("runs") if row["task"] == task]
    runs.release_run(house.context, run)
    return led_to(house, task, "needs_review released")


def stopped(house: House) -> str:
    task = at_work(house)
    runs.stop_run(house.context, next(iter(house.world.processes)))
    return led_to(house, task, "failed stopped")


def outside(house: House) -> str:
    task = begin(house, agent=OUTSIDE)
    play(house, Luck(), lambda: state(house, task)[0] == "ready")
    asked = agent_calls.Asked(OUTSIDE, "p1", passkey_fits=True)
    token = agent_calls.authenticate(house.context, asked)["session_token"]
    agent_calls.get_my_task(house.context, token, "")
    play(house, Luck(), lambda: state(house, task) == ("running", "outside"))
    run, _ = agent_calls.get_my_task(house.context, token, "")
    worktree = house.world.worktrees[run]
    worktree.head = house.world.repositories["p1"].commit(worktree.head)
    agent_calls.report_completed(house.context, token, "", ClaimResult.SUCCESS, "", "")
    return led_to(house, task, "needs_review outside_run")


def claimed(result: str) -> Callable[[House], str]:
    def make(house: House) -> str:
        task = at_work(house)
        run = next(iter(house.world.processes))
        token = agent_calls.authenticate(house.context, agent_calls.Asked("ann", "p1", run=run))[
            "session_token"
        ]
        agent_calls.report_completed(house.context, token, run, ClaimResult(result), "", "")
        return led_to(house, task, f"needs_review claimed_{result}")

    return make


def worktree_deleted(house: House) -> str:
    task = at_work(house)
    house.world.repositories["p1"].worktrees.clear()
    return led_to(house, task, "needs_review worktree_missing", ends=["exit 0"])


def problem(house: House) -> str:
    return ended("needs_review problem", build="problem")(house)


def busy(why: str) -> Callable[[House], str]:
    def make(house: House) -> str:
        house.world.repositories["p1"].busy = why
        return ended("landing waiting_for_checkout")(house)

    return make


def for_review(house: House) -> str:
    """Green work that the project wants a person to see first."""
    with house.context.store.change() as tx:
        projects.update(tx, "p1", settings={"land": "review"})
    return ended("needs_review review")(house)


def not_on_target(house: House) -> str:
    task = begin(house)
    house.settle()
    assert state(house, task)[0] == "done"
    reverse = revert.revert(house.context, task, "")["id"]
    repository = house.world.repositories["p1"]
    repository.move("c0")
    repository.tip = "c0"
    return led_to(house, str(reverse), "failed not_on_target")


def unit(wanted: str, *, child: bool = False) -> Callable[[House], str]:
    """A unit whose runs exit 0 and bring nothing."""

    def make(house: House) -> str:
        task = begin(house, held=True)
        house.settle()
        with house.context.store.change() as tx:
            tasks.update(tx, task, unit="root")
            if child:
                cancelled_child(tx, task)
        say(house.context, Verb.RELEASE, task, "")
        return led_to(house, task, wanted, ends=["exit 0"] * 2)

    return make


def cancelled_child(tx: Tx, parent: str) -> None:
    row = tasks.get(tx, parent)
    assert row is not None
    gone = replace(
        row, seq=0, id=TaskId("tchild"), parent=row.id, unit="root-a", status="cancelled", reason="cancelled"
    )
    tasks.insert(tx, gone)
    verbs.add(tx, VerbRow(subject=subjects.task(gone.id), verb=Verb.CANCEL, at=tx.now))
    spawned = BreakdownRow(
        task=row.id, generation=1, digest="x", body={"tasks": []}, spawned=[gone.id], at=tx.now
    )
    units.add_breakdown(tx, spawned)


STATES: dict[str, Callable[[House], str]] = {
    "open held": held,
    "blocked no_agent": no_agent,
    "blocked no_client": changed("blocked no_client", no_client),
    "blocked no_program": changed("blocked no_program", no_program),
    "blocked held": on_hold,
    "blocked agent_disabled": changed("blocked agent_disabled", disabled),
    "blocked agent_unassigned": changed("blocked agent_unassigned", unassigned),
    "blocked project_archived": changed("blocked project_archived", archived),
    "blocked base_red": base("base_red", "failed"),
    "blocked base_could_not_run": base("base_could_not_run", "could_not_run"),
    "blocked target_missing": changed("blocked target_missing", no_branch),
    "blocked tip_missing": changed("blocked tip_missing", no_tip),
    "blocked repository_missing": changed("blocked repository_missing", sight("gone")),
    "blocked repository_replaced": changed("blocked repository_replaced", sight("other")),
    "blocked owned_elsewhere": changed("blocked owned_elsewhere", sight("owned")),
    "blocked target_rewound": rewound,
    "ready parked": ended("ready parked", "limit commit"),
    "running waiting_for_input": waiting_for_input,
    "running unknown": unknown,
    "landing waiting_for_checkout": busy("dirty"),
    "landing publish_failed": ended("landing publish_failed", publish="problem"),
    "needs_review asked": ended("needs_review asked", "asks"),
    "needs_review no_commit": ended("needs_review no_commit", "exit 0"),
    "needs_review not_split": unit("needs_review not_split"),
    "failed children_failed": unit("failed children_failed", child=True),
    "needs_review no_change": ended("needs_review no_change", collect="nothing"),
    "needs_review claimed_failed": claimed("failed"),
    "needs_review claimed_blocked": claimed("blocked"),
    "needs_review scope_violation": ended("needs_review scope_violation", collect="violation"),
    "needs_review could_not_run": checked("needs_review could_not_run", check="could_not_run"),
    "needs_review lost": ended("needs_review lost", "lost"),
    "needs_review disk_full": ended("needs_review disk_full", "disk"),
    "needs_review outside_run": outside,
    "needs_review released": released,
    "needs_review worktree_missing": worktree_deleted,
    "needs_review prepare_failed": ended("needs_review prepare_failed", prepare="problem"),
    "needs_review collect_failed": ended("needs_review collect_failed", collect="problem"),
    "needs_review usage_limit": ended("needs_review usage_limit", "limit commit"),
    "needs_review outage": ended("needs_review outage", "outage"),
    "needs_review problem": problem,
    "needs_review foreign_move": meddled,
    "blocked foreign_move": meddled_before,
    "blocked base_flaky": flaky_base,
    "needs_review flaky": checked("needs_review flaky", flaky="review", check=["failed", "passed"]),
    "needs_review review": for_review,
    "needs_review conflict": ended("needs_review conflict", merge=ALWAYS),
    "needs_review run_cap": capped,
    "needs_review base_red": committed_on("base_red", check="failed"),
    "needs_review base_could_not_run": committed_on("base_could_not_run", check="could_not_run"),
    "needs_review base_flaky": committed_on("base_flaky", "review", check=["failed", "passed"]),
    "needs_review target_missing": accepted_and("target_missing", no_branch),
    "needs_review tip_missing": accepted_and("tip_missing", no_tip),
    "needs_review target_rewound": accepted_and("target_rewound", set_back),
    "needs_review repository_missing": accepted_and("repository_missing", sight("gone")),
    "needs_review repository_replaced": accepted_and("repository_replaced", sight("other")),
    "needs_review owned_elsewhere": accepted_and("owned_elsewhere", sight("owned")),
    "failed could_not_start": ended("failed could_not_start", "no program"),
    "failed stopped": stopped,
    "failed timed_out": ended("failed timed_out", "timed out"),
    "failed signal:": ended("failed signal:", "signal commit"),
    "failed exit:": ended("failed exit:", "exit 3 commit"),
    "failed no_result": ended("failed no_result", "no result commit"),
    "failed api_error": ended("failed api_error", "api"),
    "failed checks_failed": checked("failed checks_failed", check="failed"),
    "failed not_on_target": not_on_target,
}


def left_behind(house: House, task: str, before: State) -> None:
    play(house, Luck(), lambda: state(house, task) != before, rounds=12)


@pytest.fixture(autouse=True)
def _world(monkeypatch: pytest.MonkeyPatch) -> None:
    with_answers(monkeypatch)
    for how, body in EXTRA_ENDINGS.items():
        monkeypatch.setitem(EXITS, how, body)


def offered(house: House, task: str) -> list[str]:
    with house.context.store.read() as tx:
        row = tasks.get(tx, task)
        assert row is not None
        return list(attention.wish(tx, row)["lines"])


def is_asked_about(house: House, task: str) -> bool:
    with house.context.store.read() as tx:
        found, _ = attention_page.page(tx, "p1", tasks.counts(tx, "p1"))
    return task in [one["task"] for one in found]


ROWS = {"task": "tasks", "run": "runs", "landing": "landings", "order": "orders", "gate": "gates"}


def says_why(house: House, task: str, lines: list[str]) -> None:
    """Each fact of `toryo why` is a row, the lines are those that are offered, and it is somebody's turn."""
    told = explain.why(house.context, task, "p1", "")
    known = {kind: {row["id"] for row in house.rows(table)} for kind, table in ROWS.items()}
    for fact in told["facts"]:
        kind, _, id = fact["row"].partition(":")
        assert id in known[kind], fact
    assert [one["line"] for one in told["actions"]] == lines
    turns = {"parked": "service", "stopped": "nobody"}
    assert told["turn"] == turns.get(told["reason"], "person")
    assert told["sentence"]


def test_every_reason_that_waits_for_a_person_is_walked() -> None:
    waiting = {
        f"{status} {reason}"
        for status, reason in shown()
        if status not in GOES_ON or (GOES_ON[status] is not None and reason not in GOES_ON[status])
    }
    assert set(STATES) == waiting


@pytest.mark.parametrize("which", STATES)
def test_every_line_that_is_offered_leads_on(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines, acted, number = [""], False, 0
    while number < len(lines):  # each from the same state, in a house of its own
        with a_house() as house:
            task = STATES[which](house)
            lines, before = offered(house, task), state(house, task)
            assert lines, "a person is left without a line to type"
            if number == 0:
                says_why(house, task, lines)
            if type_line(house, lines[number], "/p1", monkeypatch):
                acted = True
                if " task dismiss " in lines[number]:
                    assert not is_asked_about(house, task)
                    assert state(house, task) == before
                else:
                    if before[0] == "failed" and " task retry " not in lines[number]:
                        again = next(line for line in lines if " task retry " in line)
                        type_line(house, again, "/p1", monkeypatch)  # it prepares that
                    left_behind(house, task, before)
        number += 1
    assert acted, f"the lines only show something: {lines}"
