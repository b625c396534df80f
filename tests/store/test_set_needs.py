"""What a task waits for, set anew: the counter is right, and no cycle closes, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from store_filling import a_task, add_many, add_project

from toryo.domain.errors import NotFound, Refused
from toryo.store.database import schema
from toryo.store.database.engine import Store, Tx
from toryo.store.database.rows import LandingRow
from toryo.store.tables import landings, tasks


def some_tasks(tx: Tx, *ids: str, **needs: str) -> None:
    """Those, and after them each that waits for others: `t3="t1 t2"`."""
    add_project(tx)
    for id in ids:
        tasks.insert(tx, a_task(id))
    for id, others in needs.items():
        tasks.insert(tx, a_task(id), others.split())


def accept(tx: Tx, task: str) -> None:
    row = LandingRow(
        id=f"l{task}", project="p1", target="main", task=task, head="h", created_at=1, accepted_at=5
    )
    landings.insert(tx, row)
    tasks.unblock_dependents(tx, task)


def waits(tx: Tx, id: str) -> tuple[int, list[str]]:
    """The counter, and for whom."""
    found = tasks.get(tx, id)
    assert found is not None
    return found.nblock, sorted(tasks.needs_of(tx, id))


def refusal(store: Store, id: str, *needs: str) -> Refused:
    with pytest.raises(Refused) as refused, store.change() as tx:
        tasks.set_needs(tx, id, needs)
    return refused.value


def test_the_whole_list_is_set_replaced_and_taken_away(store: Store) -> None:
    with store.change() as tx:
        some_tasks(tx, "t1", "t2", "t3", "t4")
        tasks.set_needs(tx, "t4", ["t1", "t2", "t1"])
        assert waits(tx, "t4") == (2, ["t1", "t2"])
        tasks.set_needs(tx, "t4", ["t2", "t3"])
        assert waits(tx, "t4") == (2, ["t2", "t3"])
        assert tasks.needed_by(tx, "t1") == []
        tasks.set_needs(tx, "t4", [])
        assert waits(tx, "t4") == (0, [])


def test_what_was_accepted_already_does_not_count(store: Store) -> None:
    with store.change() as tx:
        some_tasks(tx, "t1", "t2", "t3")
        accept(tx, "t1")
        tasks.set_needs(tx, "t3", ["t1", "t2"])
        assert waits(tx, "t3") == (1, ["t1", "t2"])
        accept(tx, "t2")
        assert waits(tx, "t3") == (0, ["t1", "t2"])


def test_one_that_is_no_longer_waited_for_counts_nothing_off(store: Store) -> None:
    with store.change() as tx:
        some_tasks(tx, "t1", "t2", t3="t1")
        tasks.set_needs(tx, "t3", ["t2"])
        accept(tx, "t1")
        assert waits(tx, "t3") == (1, ["t2"])


def test_a_task_that_is_not_there_cannot_be_waited_for(store: Store) -> None:
    with store.change() as tx:
        some_tasks(tx, "t1", t2="t1")
    with pytest.raises(NotFound, match="t9"), store.change() as tx:
        tasks.set_needs(tx, "t2", ["t1", "t9"])
    with store.read() as tx:
        assert waits(tx, "t2") == (1, ["t1"])


def test_a_task_does_not_wait_for_itself(store: Store) -> None:
    with store.change() as tx:
        some_tasks(tx, "t1", "t2")
    error = refusal(store, "t2", "t1", "t2")
    assert error.message == "t2 would wait for itself: t2 → t2."
    assert error.hint == "Leave t2 out."
    with store.read() as tx:
        assert waits(tx, "t2") == (0, [])


def test_a_cycle_is_refused_and_named_in_its_order_with_what_to_type(store: Store) -> None:
    with store.change() as tx:
        some_tasks(tx, "t1", "t0", t2="t1", t3="t2 t0", t4="t3")
    error = refusal(store, "t1", "t0", "t3")
    assert error.message == "t1 would wait for itself: t1 → t3 → t2 → t1."
    assert error.hint == "Leave t3 out, or first type: toryo task update t2 --no-after"
    assert refusal(store, "t2", "t3").hint == "Leave t3 out, or first type: toryo task update t3 --after t0"
    with store.read() as tx:
        assert [waits(tx, one) for one in ("t1", "t2", "t3")] == [(0, []), (1, ["t1"]), (2, ["t0", "t2"])]


def test_the_shortest_of_several_cycles_is_named(store: Store) -> None:
    with store.change() as tx:
        some_tasks(tx, "t1", t2="t1", t3="t2", t4="t3 t1")
    assert "t1 → t4 → t1" in refusal(store, "t1", "t4").message


def test_two_ways_to_the_same_task_are_no_cycle(store: Store) -> None:
    with store.change() as tx:
        some_tasks(tx, "t1", "t5", t2="t1", t3="t1", t4="t2 t3")
        tasks.set_needs(tx, "t1", ["t5"])
        tasks.set_needs(tx, "t4", ["t3", "t2", "t1", "t5"])
        assert waits(tx, "t4") == (4, ["t1", "t2", "t3", "t5"])


def test_a_link_that_was_taken_away_closes_no_cycle(store: Store) -> None:
    with store.change() as tx:
        some_tasks(tx, "t1", t2="t1")
        tasks.set_needs(tx, "t2", [])
        tasks.set_needs(tx, "t1", ["t2"])
        assert (waits(tx, "t1"), waits(tx, "t2")) == ((1, ["t2"]), (0, []))


def a_chain(tx: Tx) -> None:
    add_many(tx, 100_000, a_task("tc", status="blocked", nblock=1), needs="chain")


def a_ladder(tx: Tx) -> None:
    """Many ways from the end to the beginning: as many as there are ways, nobody could go."""
    add_many(tx, 20_000, a_task("tc", status="blocked", nblock=1), needs="chain")
    links = schema.dependencies
    for step in (2, 3):
        pairs = [{"task": f"tc{n}", "needs": f"tc{n - step}"} for n in range(step + 1, 20_001)]
        tx.conn.execute(links.insert(), pairs)


@pytest.mark.parametrize(("graph", "last"), [(a_chain, "tc100000"), (a_ladder, "tc20000")])
def test_a_long_cycle_is_found_at_once_and_told_in_one_line(
    store: Store, graph: Callable[[Tx], None], last: str
) -> None:
    with store.change() as tx:
        add_project(tx)
        tasks.insert(tx, a_task("t0"))
        graph(tx)
        tasks.set_needs(tx, "tc1", ["t0"])
    error = refusal(store, "tc1", "t0", last)
    assert error.message.startswith(f"tc1 would wait for itself: tc1 → {last} → ")
    assert error.message.endswith(" → tc1.")
    assert " more …" in error.message
    assert len(error.message) + len(error.hint) < 400
    with store.read() as tx:
        assert waits(tx, "tc1") == (1, ["t0"])


NUMBERS = st.integers(0, 7)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("add", "set", "set", "set", "accept")), NUMBERS, st.lists(NUMBERS, max_size=3)
    ),
    min_size=10,
    max_size=40,
)


@given(steps=STEPS)
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_whatever_is_added_and_set_no_cycle_closes_and_the_counter_is_a_recount(
    steps: list[tuple[str, int, list[int]]],
) -> None:
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        store = Store.open(Path(folder) / "toryo.db", clock=lambda: 1000.0)
        try:
            with store.change() as tx:
                some_tasks(tx, "t0", "t1", "t2")
            for what, number, numbers in steps:
                with store.read() as tx:
                    there = [row.id for row in tasks.page(tx)]
                needs = [there[one % len(there)] for one in numbers]
                step(store, what, f"t{len(there)}" if what == "add" else there[number % len(there)], needs)
                look_over(store)
        finally:
            store.close()


def step(store: Store, what: str, id: str, needs: list[str]) -> None:
    """A list is refused only if it closes a cycle, and then nothing is changed."""
    with store.read() as tx:
        before = links_of(tx)
        was_accepted = bool(landings.of_task(tx, id))
    wanted = {**before, id: set(needs)} if what == "set" else before
    try:
        with store.change() as tx:
            if what == "add":
                tasks.insert(tx, a_task(id), needs)
            elif what == "set":
                tasks.set_needs(tx, id, needs)
                assert set(tasks.needs_of(tx, id)) == set(needs)
            elif not was_accepted:
                accept(tx, id)
    except Refused:
        assert not is_sound(wanted), f"{id} may wait for {needs}"
        with store.read() as tx:
            assert links_of(tx) == before


def look_over(store: Store) -> None:
    with store.read() as tx:
        links, rows = links_of(tx), tasks.page(tx)
        accepted = set(tx.conn.execute(select(schema.landings.c.task)).scalars())
    assert is_sound(links)
    assert {row.id: row.nblock for row in rows} == {
        row.id: len(links.get(row.id, set()) - accepted) for row in rows
    }


def links_of(tx: Tx) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for task, needs in tx.conn.execute(select(schema.dependencies)):
        found.setdefault(task, set()).add(needs)
    return found


def is_sound(links: dict[str, set[str]]) -> bool:
    """Whether there is an order in which everything can be done."""
    try:
        TopologicalSorter(links).prepare()
    except CycleError:
        return False
    return True
