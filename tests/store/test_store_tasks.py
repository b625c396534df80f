"""Tasks, their dependencies and the order of ready work, on both databases."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError
from store_filling import a_task, add_project

from toryo.domain import subjects
from toryo.domain.errors import NotFound
from toryo.store.database.engine import Store, Tx
from toryo.store.database.rows import LandingRow, VerbRow
from toryo.store.gather import ready
from toryo.store.tables import agents, landings, marks, projects, tasks, verbs


@pytest.fixture(autouse=True)
def project(store: Store) -> None:
    with store.change() as tx:
        add_project(tx)


def accept(tx: Tx, task: str) -> None:
    row = LandingRow(
        id=f"l{task}", project="p1", target="main", task=task, head="h", created_at=1, accepted_at=5
    )
    landings.insert(tx, row)


def nblock(tx: Tx, id: str) -> int:
    found = tasks.get(tx, id)
    assert found is not None
    return found.nblock


def make_ready(tx: Tx, *ids: str) -> None:
    for id in ids:
        tasks.set_status(tx, id, "ready", "", "", "implement")


def test_a_task_is_blocked_by_each_need_that_is_not_accepted(store: Store) -> None:
    with store.change() as tx:
        for id in ("t1", "t2", "t3"):
            tasks.insert(tx, a_task(id))
        accept(tx, "t1")
        tasks.insert(tx, a_task("t4"), ["t1", "t2", "t3", "t2"])
        assert nblock(tx, "t4") == 2
        assert sorted(tasks.needs_of(tx, "t4")) == ["t1", "t2", "t3"]
        assert tasks.needed_by(tx, "t2") == ["t4"]


def test_a_landing_that_was_not_accepted_unblocks_nobody(store: Store) -> None:
    with store.change() as tx:
        tasks.insert(tx, a_task("t1"))
        row = LandingRow(id="l1", project="p1", target="main", task="t1", head="h", created_at=1, ended="red")
        landings.insert(tx, row)
        tasks.insert(tx, a_task("t2"), ["t1"])
        assert nblock(tx, "t2") == 1


def test_an_accepted_task_is_counted_off_for_everyone_who_needs_it(store: Store) -> None:
    with store.change() as tx:
        tasks.insert(tx, a_task("t1"))
        tasks.insert(tx, a_task("t2"))
        tasks.insert(tx, a_task("t3"), ["t1"])
        tasks.insert(tx, a_task("t4"), ["t1", "t2"])
        tasks.insert(tx, a_task("t5"), ["t2"])
        tx.mark("task:t3", 77)
        assert sorted(tasks.unblock_dependents(tx, "t1")) == ["t3", "t4"]
        assert [nblock(tx, id) for id in ("t3", "t4", "t5")] == [0, 1, 1]
        assert sorted(marks.due(tx, 0)) == ["task:t3", "task:t4"]
        assert tx.marked


def test_the_blocked_counter_never_goes_below_zero(store: Store) -> None:
    with store.change() as tx:
        tasks.insert(tx, a_task("t1"))
        tasks.insert(tx, a_task("t2"), ["t1"])
        tasks.unblock_dependents(tx, "t1")
        tasks.unblock_dependents(tx, "t1")
        assert nblock(tx, "t2") == 0


def test_a_task_that_nobody_needs_unblocks_and_marks_nobody(store: Store) -> None:
    with store.change() as tx:
        tasks.insert(tx, a_task("t1"))
        assert tasks.unblock_dependents(tx, "t1") == []
        assert not tx.marked


def test_a_need_that_does_not_exist_is_refused(store: Store) -> None:
    with pytest.raises(NotFound, match="t9"), store.change() as tx:
        tasks.insert(tx, a_task("t1"), ["t9"])
    with store.read() as tx:
        assert tasks.get(tx, "t1") is None


def test_a_task_cannot_need_itself(store: Store) -> None:
    with pytest.raises(NotFound), store.change() as tx:
        tasks.insert(tx, a_task("t1"), ["t1"])


def test_an_id_is_given_once(store: Store) -> None:
    with store.change() as tx:
        tasks.insert(tx, a_task("t1"))
    with pytest.raises(IntegrityError), store.change() as tx:
        tasks.insert(tx, a_task("t1"))


def test_a_task_of_no_project_is_refused(store: Store) -> None:
    with pytest.raises(IntegrityError), store.change() as tx:
        tasks.insert(tx, a_task("t1", project="p9"))


def test_ready_work_comes_by_priority_and_then_in_the_order_it_was_added(store: Store) -> None:
    with store.change() as tx:
        for id, priority in (("tz", 2), ("ty", 1), ("tx", 2), ("tw", 0), ("tv", 1)):
            tasks.insert(tx, a_task(id, priority=priority))
        make_ready(tx, "tv", "tw", "tx", "ty", "tz")
        assert [one.id for one in ready.next_ready(tx, "p1", "ann")] == ["tw", "ty", "tv", "tz", "tx"]


def test_ready_work_can_be_read_on_from_a_place(store: Store) -> None:
    with store.change() as tx:
        ids = [f"t{number:02d}" for number in range(9)]
        for number, id in enumerate(ids):
            tasks.insert(tx, a_task(id, priority=number // 3))
        make_ready(tx, *ids)
        seen: list[str] = []
        after: tuple[int, int] | None = None
        while found := ready.next_ready(tx, "p1", "ann", limit=2, after=after):
            seen += [one.id for one in found]
            after = (found[-1].priority, found[-1].seq)
        assert seen == ids


def test_only_ready_and_unblocked_work_of_that_agent_and_project_is_ready(store: Store) -> None:
    with store.change() as tx:
        add_project(tx, "p2")
        tasks.insert(tx, a_task("t1"))
        tasks.insert(tx, a_task("t2"), ["t1"])
        tasks.insert(tx, a_task("t3", agent="bob"))
        tasks.insert(tx, a_task("t4", project="p2"))
        tasks.insert(tx, a_task("t5"))
        make_ready(tx, "t2", "t3", "t4")
        assert not ready.has_ready(tx, "p1", "ann")
        assert ready.next_ready(tx, "p1", "ann") == []
        make_ready(tx, "t5")
        assert ready.has_ready(tx, "p1", "ann")
        assert ready.ready_pairs(tx) == [("p1", "ann"), ("p1", "bob"), ("p2", "ann")]


def test_pairs_of_archived_projects_and_inactive_agents_have_no_ready_work(store: Store) -> None:
    with store.change() as tx:
        add_project(tx, "p2")
        for id, project, agent in (("t1", "p1", "ann"), ("t2", "p1", "bob"), ("t3", "p2", "ann")):
            tasks.insert(tx, a_task(id, project=project, agent=agent))
            make_ready(tx, id)
        agents.update(tx, "bob", status="disabled")
        projects.update(tx, "p2", status="archived")
        assert ready.ready_pairs(tx) == [("p1", "ann")]
        projects.unassign(tx, "p1", "ann")
        assert ready.ready_pairs(tx) == []


def test_a_status_is_set_with_its_reason_and_time(store: Store) -> None:
    with store.change() as tx:
        tasks.insert(tx, a_task("t1"))
        tasks.set_status(tx, "t1", "blocked", "dependency", "waits for t0", "")
        found = tasks.get(tx, "t1")
    assert found is not None
    assert (found.status, found.reason, found.detail, found.changed_at) == (
        "blocked",
        "dependency",
        "waits for t0",
        1000.0,
    )


def test_pages_go_on_where_the_last_one_ended(store: Store) -> None:
    with store.change() as tx:
        add_project(tx, "p2")
        for number in range(7):
            tasks.insert(tx, a_task(f"t{number}", project="p2" if number == 3 else "p1"))
        make_ready(tx, "t1", "t5")
        first = tasks.page(tx, project="p1", limit=4)
        second = tasks.page(tx, project="p1", limit=4, after_seq=first[-1].seq)
        assert [[one.id for one in page] for page in (first, second)] == [
            ["t0", "t1", "t2", "t4"],
            ["t5", "t6"],
        ]
        assert [one.id for one in tasks.page(tx, status="ready")] == ["t1", "t5"]
        assert tasks.counts(tx) == {"open": 5, "ready": 2}
        assert tasks.counts(tx, "p2") == {"open": 1}


def test_a_prefix_names_the_tasks_that_begin_with_it(store: Store) -> None:
    with store.change() as tx:
        for id in ("tab1", "tab2", "tac1", "tzz9", "tzzz"):
            tasks.insert(tx, a_task(id))
        assert [one.id for one in tasks.by_prefix(tx, "tab")] == ["tab1", "tab2"]
        assert [one.id for one in tasks.by_prefix(tx, "tac1")] == ["tac1"]
        assert [one.id for one in tasks.by_prefix(tx, "tz")] == ["tzz9", "tzzz"]
        assert len(tasks.by_prefix(tx, "t")) == 5
        for nothing in ("", "x", "%", "tab11", "t_b"):
            assert tasks.by_prefix(tx, nothing) == []


def test_what_people_said_comes_in_its_order(store: Store) -> None:
    with store.change() as tx:
        tasks.insert(tx, a_task("t1"))
        verbs.add(tx, VerbRow(subject=subjects.task("t1"), verb="retry", generation=1, at=9))
        verbs.add(
            tx, VerbRow(subject=subjects.task("t1"), verb="approve", generation=2, reason="scope", at=1)
        )
        assert [(one.verb, one.reason) for one in verbs.of_task(tx, "t1")] == [
            ("retry", ""),
            ("approve", "scope"),
        ]
