"""Messages of units while the daemon and its hands are killed at any moment: none is lost, none overtakes
another, and nobody hears who is neither parent nor child.

The store, the use cases, the drain and the reports are the real ones. Simulated are the agents' screens: what
stands on one stays there, and what its coordinator forgets at its death is only what it had not noted yet.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from simulated_house import House, a_house

from toryo.domain.errors import Refused
from toryo.engine.bus.delivery import for_prompt, note_prompted
from toryo.engine.facts.runs import refold
from toryo.protocol.kinds.run import Exited, Lost, Started
from toryo.protocol.order import Fact
from toryo.reconciler.bus.delivery import MOST_TRIES
from toryo.reconciler.bus.validation import NotRelated
from toryo.store.database.engine import Store, Tx
from toryo.store.database.rows import FactRow, RunRow, TaskRow
from toryo.store.database.unit_rows import UnitRow
from toryo.store.tables import facts, runs, tasks
from toryo.store.tables.units import unit_messages, units
from toryo.usecases.bus.send import Post, post, send_to_unit
from toryo.usecases.coordinators.report_facts import report_facts
from toryo.usecases.units.spawn import NewTree, spawn_tree

EXAMPLES = int(os.environ.get("TORYO_EXAMPLES", "0"))
PROFILE = settings(
    max_examples=EXAMPLES or 25,
    stateful_step_count=40,
    derandomize=not EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
PARENTS = {"root": "", "root-a": "root", "root-b": "root", "root-a-a": "root-a"}
of_units = st.sampled_from(sorted(PARENTS))
BODIES: dict[str, dict[str, Any]] = {
    "started": Started(shim_pid=1, pid=2, started_at="", boot="b").model_dump(mode="json"),
    "exited": Exited(exit_code=1).model_dump(mode="json"),
    "lost": Lost(reason="boot").model_dump(mode="json"),
}


class Bus(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self._stack = ExitStack()
        self.house: House = self._stack.enter_context(a_house())
        self.context = self.house.context
        self.hands = self.house.hands[0]
        self.live: dict[str, str] = {}
        """Units with a live run."""
        self.started: set[str] = set()
        self.prompts: dict[str, list[str]] = {}
        self.heard: dict[str, list[str]] = {unit: [] for unit in PARENTS}
        """Ids of messages, as the agents of each unit read them."""
        self.noted: set[tuple[str, str]] = set()
        """What the coordinator has on disk: typed there, and seen."""
        self.reports: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.sent: list[str] = []
        self.given_up: set[str] = set()
        self.numbers = 0
        root = spawn_tree(self.context, NewTree("a: b\n", project="p1", agent="ann", at_once=True))
        self.ids = {"root": root["task"]}
        with self.change() as tx:
            for unit, parent in PARENTS.items():
                if parent:
                    self.ids[unit] = self._unit(tx, unit, parent, root["mission"])
        for unit in ("root", "root-a", "root-a-a"):
            self.a_run_is_claimed(unit)
            self.its_agent_starts(unit)
        self.house.drain()

    def _unit(self, tx: Tx, unit: str, parent: str, mission: str) -> str:
        row = TaskRow(
            id="t" + unit.replace("-", "0"),
            project="p1",
            agent="ann",
            title=unit,
            parent=self.ids[parent],
            timeout_s=60,
            target="main",
            mission=mission,
            unit=unit,
            created_at=tx.now,
        )
        tasks.insert(tx, row)
        units.insert(
            tx,
            UnitRow(task=row.id, project="p1", mission=mission, depth=unit.count("-") + 1),
        )
        return row.id

    def teardown(self) -> None:
        try:
            self.settle()
        finally:
            self._stack.close()

    @contextmanager
    def change(self) -> Iterator[Tx]:
        with self.context.store.change() as tx:
            yield tx

    # what units and people do

    @rule(unit=of_units, to=of_units, twice=st.booleans(), looks=st.booleans())
    def a_unit_says_something(self, unit: str, to: str, twice: bool, looks: bool) -> None:
        if unit not in self.live or self.live[unit] not in self.started:
            return
        self.numbers += 1
        wish = Post("query", {"message": str(self.numbers)}, to, message=f"m{self.numbers:010d}")
        related = PARENTS[unit] == to or PARENTS[to] == unit
        for _ in range(1 + twice):  # the answer was lost: the same is asked again
            try:
                post(self.context, self.live[unit], "", wish)
                assert related, (unit, to)
                self.sent.append(wish.message)
            except NotRelated:
                assert not related, (unit, to)
            except Refused:
                assert self._is_over(to)
        if looks:
            self.house.drain()

    @rule(to=of_units)
    def a_person_says_something(self, to: str) -> None:
        self.numbers += 1
        name = f"m{self.numbers:010d}"
        try:
            send_to_unit(self.context, "instruct", {"n": self.numbers}, self.ids[to], name, "", "")
            self.sent.append(name)
        except Refused:
            assert self._is_over(to)

    def _is_over(self, unit: str) -> bool:
        with self.context.store.read() as tx:
            row = tasks.get(tx, self.ids[unit])
        return row is not None and row.status in ("done", "cancelled")

    # runs

    @rule(unit=of_units)
    def a_run_is_claimed(self, unit: str) -> None:
        if unit in self.live:
            return
        self.numbers += 1
        name = f"r{self.numbers:08d}"
        with self.change() as tx:
            task = tasks.get(tx, self.ids[unit])
            assert task is not None
            run = RunRow(
                id=name,
                task=task.id,
                project="p1",
                agent="ann",
                client="command",
                coordinator=self.hands.id,
                purpose="implement",
                generation=task.generation + 1,
                request=name,
                access="connected",
                created_at=tx.now,
            )
            self.prompts[name] = [one.id for one in for_prompt(tx, task)]
            note_prompted(tx, task, run)
            runs.insert(tx, run)
            tasks.update(tx, task.id, generation=run.generation)
            tx.mark(f"task:{task.id}")  # type: ignore[arg-type]
        self.live[unit] = name

    @rule(unit=of_units)
    def its_agent_starts(self, unit: str) -> None:
        name = self.live.get(unit)
        if name is None or name in self.started:
            return
        self.started.add(name)
        self.heard[unit] += self.prompts[name]
        self._fact(name, "started")

    @rule(unit=of_units, how=st.sampled_from(("exited", "lost")))
    def a_run_ends(self, unit: str, how: str) -> None:
        name = self.live.pop(unit, None)
        if name is None:
            return
        self._fact(name, how)

    def _fact(self, run: str, kind: str) -> None:
        with self.change() as tx:
            row = runs.get(tx, run)
            assert row is not None
            fact = FactRow(
                kind=kind,
                project="p1",
                task=row.task,
                run=run,
                generation=row.generation,
                body=BODIES[kind],
                at=tx.now,
            )
            facts.insert(tx, fact)
            refold(tx, row)

    # the hands

    def orders(self) -> list[dict[str, Any]]:
        answered = {order["id"] for order, _ in self.reports}
        found = [one for one in self.hands.wanted() if one["kind"] == "say" and one["id"] not in answered]
        return sorted(found, key=lambda one: (one["run"], one["inputs"]["number"]))

    @precondition(lambda self: self.orders())
    @rule(data=st.data(), dies=st.booleans())
    def the_hands_type(self, data: st.DataObject, dies: bool) -> None:
        """`dies`: after the words stood on the screen, and before that was noted."""
        order = data.draw(st.sampled_from(self.orders()))
        self._type(order, dies=dies)

    def _type(self, order: dict[str, Any], *, dies: bool = False) -> None:
        run, message = order["run"], order["inputs"]["message"]
        unit = next((unit for unit, live in self.live.items() if live == run), "")
        if (run, message) not in self.noted:
            if not unit:
                problem = {"code": "unheard", "message": "It has ended.", "hint": "toryo log"}
                self.reports.append((order, {"problem": problem}))
                return
            self.heard[unit].append(message)
            if dies:
                self.hands.start()
                return
            self.noted.add((run, message))
        self.reports.append((order, {"delivered": True, "seen": True}))

    @precondition(lambda self: self.orders())
    @rule(data=st.data(), code=st.sampled_from(("no_window", "not_ready", "no_screen")))
    def the_window_is_gone(self, data: st.DataObject, code: str) -> None:
        order = data.draw(st.sampled_from(self.orders()))
        if (order["run"], order["inputs"]["message"]) not in self.noted:
            problem = {"code": code, "message": "It is gone.", "hint": "toryo log"}
            self.reports.append((order, {"problem": problem}))

    @rule()
    def the_hands_report(self) -> None:
        if self.reports:
            self._report(*self.reports.pop(0))

    def _report(self, order: dict[str, Any], body: dict[str, Any]) -> None:
        self.hands.sequence += 1
        fact = Fact(
            seq=self.hands.sequence,
            kind="spoken",
            order=order["id"],
            generation=order["generation"],
            body=body,
        )
        report_facts(self.context, self.hands.id, self.hands.incarnation, [fact], {})

    # crashes, and time

    @rule()
    def the_daemon_is_killed(self) -> None:
        """What was committed is there, marks among it; nothing else is."""
        store = self.context.store
        store.close()
        home = self.context.home
        fresh = Store.open(home.database, backups=home.backups, clock=self.house.clock)
        self.context = self.house.context = replace(self.context, store=fresh)
        for hands in self.house.hands:
            hands.context = self.context

    @rule()
    def the_hands_are_killed(self) -> None:
        """Reports are on disk, and go out again under the new incarnation."""
        self.hands.start()

    @rule()
    def the_daemon_looks(self) -> None:
        self.house.drain()

    @rule(seconds=st.sampled_from((1, 5, 70)))
    def time_passes(self, seconds: int) -> None:
        self.house.clock.now += seconds

    # what always holds

    @invariant()
    def units_are_given_up(self) -> None:
        """By the rest of Toryo, for what became of their runs; what waited for them is dead then."""
        self.given_up |= {unit for unit in PARENTS if self._is_over(unit)}

    @invariant()
    def what_is_noted_as_delivered_was_told(self) -> None:
        with self.context.store.read() as tx:
            for unit in PARENTS:
                for row in unit_messages.addressed_to(tx, self.ids[unit], 0, 10_000):
                    if row.delivered_at is not None:
                        waits = row.id in self.prompts.get(row.delivered_run, ())
                        assert row.id in self.heard[unit] or waits, row

    @invariant()
    def nobody_hears_a_stranger(self) -> None:
        with self.context.store.read() as tx:
            for row in unit_messages.page(tx, 0, 10_000):
                sender = next((one for one in PARENTS if self.ids[one] == row.sender), "")
                receiver = next(one for one in PARENTS if self.ids[one] == row.receiver)
                assert not sender or receiver == PARENTS[sender] or sender == PARENTS[receiver]

    def settle(self) -> None:
        """From now on nobody is killed and every window is there: each message is heard, in order."""
        for unit in PARENTS:
            if self.live.get(unit) not in self.started:
                self.a_run_ends(unit, "exited")
                self.a_run_is_claimed(unit)
                self.its_agent_starts(unit)
        for _ in range(60):
            self.house.drain()
            for order in self.orders():
                self._type(order)
            for report in self.reports:
                self._report(*report)
            self.reports.clear()
            self.house.clock.now += 61
            if not self._open():
                break
        assert self._open() == []
        self._each_is_heard_in_order()

    def _open(self) -> list[str]:
        with self.context.store.read() as tx:
            found = [row for unit in PARENTS for row in unit_messages.waiting(tx, self.ids[unit])]
        deaf = {row.receiver for row in found if self._is_deaf(row.receiver)}
        return [row.id for row in found if not row.dead and row.receiver not in deaf]

    def _is_deaf(self, task: str) -> bool:
        """A run that cannot be spoken to hears no more: its unit's next prompt has the rest."""
        unit = next(one for one in PARENTS if self.ids[one] == task)
        with self.context.store.read() as tx:
            for order in self.house.rows("orders"):
                if order["run"] == self.live[unit] and order["kind"] == "say":
                    told = [one.body for one in facts.of_order(tx, order["id"]) if one.kind == "spoken"]
                    if any((body.get("problem") or {}).get("code") == "no_screen" for body in told):
                        return True
        return False

    def _each_is_heard_in_order(self) -> None:
        for unit in PARENTS:
            if self._is_deaf(self.ids[unit]):
                self.a_run_ends(unit, "exited")
                self.a_run_is_claimed(unit)
                self.its_agent_starts(unit)
        with self.context.store.read() as tx:
            rows = [row for row in unit_messages.page(tx, 0, 10_000) if row.receiver]
        bugs = [one["body"]["bug"] for one in self.house.rows("events") if one["kind"] == "look_failed"]
        assert not bugs, bugs[0]
        # and what Toryo itself told parents of their children
        assert {row.id for row in rows if row.sender or row.task == row.receiver} == set(self.sent)
        for unit in PARENTS:
            mine = [row for row in rows if row.receiver == self.ids[unit]]
            lost = [row.id for row in mine if row.id not in self.heard[unit] and not row.dead]
            assert lost == []
            given_up = unit in self.given_up or self._is_over(unit)
            assert given_up or all(row.attempts >= MOST_TRIES for row in mine if row.dead)
            tried = {row.id for row in mine if row.attempts >= MOST_TRIES or given_up}
            firsts = [one for one in dict.fromkeys(self.heard[unit]) if one not in tried]
            assert firsts == [row.id for row in mine if row.id in firsts]


def test_no_message_is_lost_or_overtaken_whoever_is_killed() -> None:
    run_state_machine_as_test(Bus, settings=PROFILE)
