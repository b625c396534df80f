"""Rules for a plan's graph: each fault and each note with a plan that has it."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plans_made import a_task, dags
from toryo.domain.dependency_graphs import ancestors, cycle, in_order
from toryo.domain.planned_tasks import PlannedTask, Worktree
from toryo.domain.scopes import may_overlap
from toryo.reconciler.plans.facts import Fault, FaultCode, Note, NoteCode, OtherMission, PlanFacts
from toryo.reconciler.plans.rules import judge_plan, shared_predecessor
from toryo.reconciler.plans.sentences import fault_text, note_text

SHARED = Worktree.SHARED
AGENTS = frozenset({"coder", "writer"})


def plan(*tasks: PlannedTask, **more: Any) -> PlanFacts:
    return PlanFacts(tasks, **{"agents": AGENTS, "default_agent": "coder", **more})


def faults(*tasks: PlannedTask, **more: Any) -> list[Fault]:
    return list(judge_plan(plan(*tasks, **more)).faults)


def notes(*tasks: PlannedTask, **more: Any) -> list[Note]:
    return list(judge_plan(plan(*tasks, **more)).notes)


def test_a_plan_without_a_fault_has_an_order() -> None:
    judged = judge_plan(plan(a_task("T002", "T001"), a_task("T001", write=("src/",)), has_checks=True))
    assert (judged.faults, judged.order) == ((), ("T001", "T002"))


@pytest.mark.parametrize(
    ("tasks", "more", "found"),
    [
        ([], {}, Fault(FaultCode.EMPTY)),
        ([a_task("T001", title=" \n")], {}, Fault(FaultCode.NO_TITLE, ("T001",))),
        ([a_task("one")], {}, Fault(FaultCode.BAD_ID, ("one",))),
        ([a_task("T001"), a_task("T001")], {}, Fault(FaultCode.DUPLICATE_ID, ("T001",))),
        ([a_task("T001", "T009")], {}, Fault(FaultCode.UNKNOWN_DEPENDENCY, ("T001",), ("T009",))),
        ([a_task("T001", "T001")], {}, Fault(FaultCode.CYCLE, ("T001", "T001"))),
        ([a_task("T001", agent="ghost")], {}, Fault(FaultCode.UNKNOWN_AGENT, ("T001",), ("ghost",))),
        ([a_task("T001", write=())], {}, Fault(FaultCode.WRITES_NOTHING, ("T001",))),
        ([a_task("T001", write=("../x", "a"))], {}, Fault(FaultCode.BAD_PATH, ("T001",), ("../x",))),
        ([a_task("T001")], {"has_checks": False}, Fault(FaultCode.NO_CHECK, ("T001",))),
        ([a_task("T001", worktree=SHARED)], {}, Fault(FaultCode.SHARED_WORKTREE, ("T001",))),
    ],
    ids=lambda value: str(value.code) if isinstance(value, Fault) else "",
)
def test_each_fault_is_found_in_a_plan_that_has_it(
    tasks: list[PlannedTask], more: dict[str, Any], found: Fault
) -> None:
    assert found in faults(*tasks, **more)
    assert fault_text(found)
    assert "{" not in fault_text(found)


def test_a_cycle_is_named_in_its_order() -> None:
    ring = [a_task("T001"), a_task("T002", "T001", "T004"), a_task("T003", "T002"), a_task("T004", "T003")]
    assert faults(*ring) == [Fault(FaultCode.CYCLE, ("T002", "T004", "T003", "T002"))]
    assert "T002 → T004 → T003 → T002" in fault_text(faults(*ring)[0])


def test_a_task_with_a_check_of_its_own_needs_none_of_the_projects() -> None:
    assert faults(a_task("T001", checks=("make test",)), has_checks=False) == []
    assert faults(a_task("T001", checks=(" ",)), has_checks=False) == [Fault(FaultCode.NO_CHECK, ("T001",))]


def test_what_has_landed_may_be_depended_on_and_is_judged_no_more() -> None:
    assert faults(a_task("T002", "T001"), landed=frozenset({"T001"})) == []
    assert faults(a_task("T001", "T002", write=(), done=True), a_task("T002", "T001")) == []


def test_a_shared_task_needs_exactly_one_predecessor_of_the_same_agent() -> None:
    first, other = a_task("T001", agent="coder"), a_task("T002", agent="writer")
    mine = a_task("T003", "T001", "T002", worktree=SHARED)
    assert faults(first, other, mine) == []
    assert shared_predecessor(mine, plan(first, other, mine)) == "T001"
    second = a_task("T002")
    assert faults(first, second, mine) == [Fault(FaultCode.SHARED_WORKTREE, ("T003",))]
    done = a_task("T001", done=True)
    assert faults(done, a_task("T003", "T001", worktree=SHARED)) == [
        Fault(FaultCode.SHARED_WORKTREE, ("T003",))
    ]


def test_a_unit_shares_its_worktree_with_nobody() -> None:
    after = a_task("T002", "T001", worktree=SHARED)
    assert faults(a_task("T001", unit=True), after) == [Fault(FaultCode.SHARED_WORKTREE, ("T002",))]
    (fault,) = faults(a_task("T001"), a_task("T002", "T001", worktree=SHARED, unit=True))
    assert fault == Fault(FaultCode.SHARED_UNIT, ("T002",))
    assert fault_text(fault) == "T002 is a unit, which has a worktree of its own: write `worktree` new"


def test_several_may_go_on_from_one_predecessor_also_once_that_has_landed() -> None:
    tasks = (a_task("T001"), a_task("T002", "T001", worktree=SHARED), a_task("T003", "T001", worktree=SHARED))
    assert faults(*tasks) == faults(*tasks, landed=frozenset({"T001"})) == []


def test_tasks_that_write_the_same_run_one_after_the_other() -> None:
    tasks = (
        a_task("T001", write=("src/a/",)),
        a_task("T002", write=("src/b/",)),
        a_task("T003", write=("src/**",)),
    )
    judged = judge_plan(plan(*tasks))
    assert [(edge.task, edge.needs) for edge in judged.edges] == [("T003", "T002"), ("T003", "T001")]
    assert Note(NoteCode.OVERLAP, ("T001", "T003"), ("src/**",)) in judged.notes


def test_tasks_that_are_in_order_already_get_no_edge_and_no_note() -> None:
    tasks = (a_task("T001", write=("a.py",)), a_task("T002", "T001"), a_task("T003", "T002", write=("a.py",)))
    assert (judge_plan(plan(*tasks)).edges, notes(*tasks)) == ((), [])


def test_an_unknown_scope_overlaps_with_nothing() -> None:
    assert judge_plan(plan(a_task("T001"), a_task("T002", write=("**",)))).edges == ()


PATHS = frozenset({"README.md", "src/shop/app.py", "tests/test_app.py"})
UNKNOWN = [("scr/app.py", True), ("src/shop/new.py", False), ("src/new/", False), ("src/new/x.py", True)]
UNKNOWN += [("lib/", True), ("CHANGES.md", False), ("*.py", False), ("src/**/x.py", False), ("web/**", True)]


@pytest.mark.parametrize(("pattern", "unknown"), UNKNOWN)
def test_a_path_in_no_folder_of_the_repository_is_noted(pattern: str, unknown: bool) -> None:
    expected = [Note(NoteCode.UNKNOWN_PATH, ("T001",), (pattern,))] if unknown else []
    assert notes(a_task("T001", write=(pattern,)), paths=PATHS) == expected


def test_a_path_is_compared_as_far_down_as_the_repository_was_looked_at() -> None:
    seen = frozenset({"src/", "src/a.py", "src/deep/", "src/web/", "src/web/ui/", "README.md"})
    known = ("src/deep/er/x.py", "src/web/ui/new/x.py", "NEW.md")
    assert notes(a_task("T001", write=known), paths=seen) == []
    for unknown in ("scr/x.py", "src/dep/er/x.py", "src/web/new/x.py"):
        (note,) = notes(a_task("T001", write=(unknown,)), paths=seen)
        assert (note.code, note.names) == (NoteCode.UNKNOWN_PATH, (unknown,))
    assert notes(a_task("T001", write=("scr/x.py",)), paths=frozenset()) == [], "nothing is known"


def test_what_another_live_mission_will_write_is_noted() -> None:
    other = OtherMission("n2", "Search", ("src/shop/",))
    (note,) = notes(a_task("T001", write=("src/shop/app.py",)), a_task("T002"), paths=PATHS, others=(other,))
    assert note == Note(NoteCode.OTHER_MISSION, ("T001",), ("n2", "Search"))
    assert "“Search”" in note_text(note)


def test_a_repository_without_tests_asks_for_a_task_that_sets_them_up_first() -> None:
    later = (a_task("T002", "T001"), a_task("T003", "T002"))
    assert notes(a_task("T001", title="Set up pytest"), *later, has_tests=False) == []
    assert notes(a_task("T001", title="テスト環境を作る"), *later, has_tests=False) == []
    assert notes(a_task("T001", title="Write it"), *later, has_tests=False) == [Note(NoteCode.NO_SETUP)]
    beside = (a_task("T001", title="Set up pytest"), a_task("T002"))
    assert notes(*beside, has_tests=False) == [Note(NoteCode.NO_SETUP)]
    assert notes(a_task("T001", title="Test it"), has_tests=False) == [Note(NoteCode.NO_SETUP)]


GRAPHS = st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdefg"), max_size=3))


@given(GRAPHS)
def test_a_graph_has_either_an_order_or_a_cycle(graph: dict[str, list[str]]) -> None:
    ring, order = cycle(graph), in_order(graph)
    assert bool(ring) == any(one in behind for one, behind in ancestors(graph).items())
    assert bool(ring) == (bool(graph) and not order)
    if ring:
        assert ring[0] == ring[-1]
        assert all(need in graph[one] for one, need in itertools.pairwise(ring))
        assert len(set(ring)) == len(ring) - 1
    for place, one in enumerate(order):
        assert {need for need in graph[one] if need in graph} <= set(order[:place])


@given(dags(agents=("", "coder", "writer")))
def test_edges_for_overlaps_close_no_cycle_and_leave_none_beside_each_other(
    tasks: tuple[PlannedTask, ...],
) -> None:
    judged = judge_plan(plan(*tasks))
    graph = {task.id: () if task.done else task.depends_on for task in tasks}
    for edge in judged.edges:
        assert edge.needs not in ancestors(graph)[edge.task], "it follows from the others"
        graph[edge.task] = (*graph[edge.task], edge.needs)
    assert cycle(graph) == ()
    behind = ancestors(graph)
    live = [task for task in tasks if not task.done]
    for one in live:
        for other in live:
            if one.id < other.id and may_overlap(one.write, other.write):
                assert one.id in behind[other.id] or other.id in behind[one.id]
    assert sorted(judged.order) == sorted(task.id for task in tasks)


@given(dags(agents=("", "coder", "ghost")), st.booleans(), st.booleans())
def test_the_same_plan_has_the_same_judgement(
    tasks: tuple[PlannedTask, ...], checks: bool, tests: bool
) -> None:
    facts = plan(*tasks, has_checks=checks, has_tests=tests, paths=PATHS)
    judged = judge_plan(facts)
    assert judged == judge_plan(facts)
    assert all(fault_text(fault) for fault in judged.faults)
    assert all(note_text(note) for note in judged.notes)
    assert not any(fault.code is FaultCode.CYCLE for fault in judged.faults)
    ghosts = {task.id for task in tasks if task.agent == "ghost" and not task.done}
    assert {
        id for fault in judged.faults if fault.code is FaultCode.UNKNOWN_AGENT for id in fault.tasks
    } == ghosts
