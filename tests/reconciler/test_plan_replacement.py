"""A plan replaced while its tasks run: only what changed is stopped, what landed stays, edges move along."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from plans_made import a_task, dags
from toryo.domain.planned_tasks import PlannedTask
from toryo.domain.words import TaskStatus
from toryo.reconciler.plans.replacement import ExistingTask, MovedEdges, Replacement, replan

DONE = ExistingTask(a_task("T001"), TaskStatus.DONE, begun=True)
RUNNING = ExistingTask(a_task("T002", "T001"), TaskStatus.RUNNING, begun=True)
BESIDE = ExistingTask(a_task("T003", "T001"), TaskStatus.RUNNING, begun=True)
WAITING = ExistingTask(a_task("T004", "T002"), TaskStatus.BLOCKED)
OLD = (DONE, RUNNING, BESIDE, WAITING)
SAME = tuple(one.planned for one in OLD)


def changed(task: PlannedTask) -> PlannedTask:
    return replace(task, title=f"{task.title}, otherwise")


def test_an_unchanged_plan_changes_nothing() -> None:
    assert replan(OLD, SAME) == Replacement(kept=("T001", "T002", "T003", "T004"))


def test_a_changed_tasks_successor_takes_its_id_and_what_has_not_begun_waits_for_that() -> None:
    new = (SAME[0], changed(SAME[1]), SAME[2], SAME[3])
    assert replan(OLD, new) == Replacement(
        kept=("T001", "T003", "T004"),
        replaced=("T002",),
        create=(changed(SAME[1]),),
        edges=(MovedEdges("T004", ("T002",)),),
    )


def test_what_has_landed_stays_whatever_the_new_plan_says_of_it() -> None:
    found = replan(OLD, (changed(SAME[0]), *SAME[1:]))
    assert (found.kept, found.ignored, found.create) == (("T001", "T002", "T003", "T004"), ("T001",), ())
    assert replan(OLD, SAME[1:]).kept == ("T001", "T002", "T003", "T004")


def test_a_task_that_is_left_out_is_cancelled_and_no_edge_leads_to_it() -> None:
    new = (SAME[0], SAME[2], replace(SAME[3], depends_on=("T002", "T003")), a_task("T005", "T002", "T004"))
    found = replan(OLD, new)
    assert (found.cancelled, found.added) == (("T002",), ("T005",))
    assert found.edges == (MovedEdges("T004", ("T003",)),)
    assert found.create == (a_task("T005", "T004"),)


def test_the_edges_of_a_task_that_has_begun_do_not_move() -> None:
    new = (SAME[0], replace(SAME[1], depends_on=("T001", "T003")), *SAME[2:])
    assert replan(OLD, new) == Replacement(kept=("T001", "T002", "T003", "T004"))


def test_a_task_that_a_person_cancelled_comes_back_only_if_it_is_another() -> None:
    old = (ExistingTask(a_task("T001"), TaskStatus.CANCELLED),)
    assert replan(old, (a_task("T001"),)).create == ()
    assert replan(old, (changed(a_task("T001")),)).replaced == ("T001",)
    assert replan(old, (a_task("T002"),)).cancelled == ()


@st.composite
def plans_in_force(draw: st.DrawFn) -> tuple[ExistingTask, ...]:
    statuses = st.sampled_from(list(TaskStatus))
    return tuple(ExistingTask(task, draw(statuses), draw(st.booleans())) for task in draw(dags()))


@given(plans_in_force(), dags())
def test_every_task_is_kept_replaced_cancelled_or_added(
    old: tuple[ExistingTask, ...], new: tuple[PlannedTask, ...]
) -> None:
    found = replan(old, new)
    sorts = [*found.kept, *found.replaced, *found.cancelled, *found.added]
    assert len(sorts) == len(set(sorts))
    assert set(sorts) == {task.id for task in (*old, *new)}
    assert {task.id for task in old if task.landed} <= set(found.kept)
    assert {task.id for task in found.create} == {*found.replaced, *found.added}
    assert {edges.task for edges in found.edges} <= {task.id for task in old if not task.begun} & set(
        found.kept
    )
    alive = {*found.kept, *found.replaced, *found.added}
    assert all(set(edges.needs) <= alive for edges in found.edges)
    assert all(set(task.depends_on) <= alive for task in found.create)


@given(plans_in_force())
def test_the_plan_in_force_replaces_nothing(old: tuple[ExistingTask, ...]) -> None:
    assert replan(old, [task.planned for task in old]) == Replacement(kept=tuple(task.id for task in old))
