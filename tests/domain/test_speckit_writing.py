"""Our own tasks.md: spec-kit's headings and lines, and read again it is the same plan."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from plans_made import a_task, dags
from toryo.domain.dependency_graphs import ancestors
from toryo.domain.planned_tasks import PlannedTask
from toryo.domain.speckit.task_lines import plain_title
from toryo.domain.speckit.tasks_file import parse
from toryo.domain.speckit.tasks_writer import write

CHAIN = (
    a_task("T001", title="Lay the ground"),
    a_task("T002", "T001", title="Sign in", story="US1", description="By mail.\n\nNo passwords."),
    a_task("T003", "T002", title="Sign out", story="US1", done=True),
    a_task("T004", "T001", title="Invoices", story="US2"),
    a_task("T005", "T003", "T004", title="Tidy up"),
)


def same(tasks: tuple[PlannedTask, ...]) -> dict[str, tuple[object, ...]]:
    behind = ancestors({task.id: task.depends_on for task in tasks})
    return {
        task.id: (plain_title(task.title), task.done, task.description.strip(), behind[task.id])
        for task in tasks
    }


def test_a_plan_with_stories_is_written_under_spec_kits_headings() -> None:
    text = write(CHAIN, "Shop", {"US1": "Accounts (Priority: P1)"})
    assert [line for line in text.splitlines() if line.startswith(("#", "- [", "  "))] == [
        "# Tasks: Shop",
        "## Phase 1: Setup (Shared Infrastructure)",
        "- [ ] T001 Lay the ground",
        "## Phase 2: User Story 1 - Accounts (Priority: P1)",
        "- [ ] T002 [US1] Sign in",
        "  By mail.",
        "  No passwords.",
        "- [x] T003 [US1] Sign out",
        "## Phase 3: User Story 2",
        "- [ ] T004 [US2] Invoices",
        "## Phase 4: Polish & Cross-Cutting Concerns",
        "- [ ] T005 Tidy up",
        "## Dependencies & Execution Order",
    ]


def test_a_heading_that_would_say_more_than_the_edges_is_not_written() -> None:
    loose = (*CHAIN[:4], a_task("T005", "T003", title="Notes on accounts"))
    text = write(loose, "Shop")
    assert "Polish &" not in text
    assert "- [ ] T004 [P] [US2] Invoices" in text
    assert same(parse(text)) == same(loose)


def test_independent_tasks_are_marked_parallel() -> None:
    text = write((a_task("T001"), a_task("T002"), a_task("T003", "T001")), "Three")
    assert "- [ ] T002 [P] " in text
    assert "T003 [P] do T003 (depends on T001)" in text


def test_a_plan_that_waits_for_itself_is_written_with_every_edge() -> None:
    ring = (a_task("T001", "T002"), a_task("T002", "T001"), a_task("T003", "T404"))
    assert {task.id: task.depends_on for task in parse(write(ring, "Ring"))} == {
        "T001": ("T002",),
        "T002": ("T001",),
        "T003": ("T404",),
    }


@given(dags(), st.text(max_size=30))
def test_what_is_written_is_read_as_the_same_plan(tasks: tuple[PlannedTask, ...], title: str) -> None:
    assert same(parse(write(tasks, title))) == same(tasks)


@given(dags())
def test_writing_what_was_read_says_the_same_plan(tasks: tuple[PlannedTask, ...]) -> None:
    """Lines of a phase may change places where another story is waited for; no id, mark or edge does."""
    text = write(tasks, "again")
    assert same(parse(write(parse(text), "again"))) == same(parse(text))
