"""Spec-kit's tasks.md: read with the edges of its places, and ticked without touching anything else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.speckit.tasks_file import parse, tick

FILE = (Path(__file__).parent / "speckit_tasks.md").read_text()


def needs(text: str) -> dict[str, tuple[str, ...]]:
    return {task.id: task.depends_on for task in parse(text)}


def lines(*tasks: str, phase: str = "Phase 1: Anything") -> str:
    return f"# Tasks: a\n\n## {phase}\n\n" + "".join(f"- [ ] {task}\n" for task in tasks)


def test_an_unedited_output_of_the_template_has_thirty_tasks() -> None:
    tasks = parse(FILE)
    assert [task.id for task in tasks] == [f"T{number:03d}" for number in range(1, 31)]
    assert [task.id for task in tasks if task.done] == ["T001", "T002"]
    assert {task.story for task in tasks} == {"", "US1", "US2", "US3"}
    assert tasks[13].title == "Implement ParcelService in src/services/parcels.py"
    assert all(task.write is None and task.agent == "" for task in tasks)


def test_setup_and_foundational_come_before_every_story() -> None:
    edges = needs(FILE)
    assert (edges["T001"], edges["T002"], edges["T003"], edges["T004"]) == (
        (),
        ("T001",),
        ("T002",),
        ("T002",),
    )
    assert edges["T005"] == ("T003", "T004")
    assert (edges["T008"], edges["T009"]) == (("T005", "T006", "T007"), ("T008",))
    assert edges["T010"] == edges["T012"] == edges["T018"] == edges["T022"] == ("T009",)


def test_stories_run_side_by_side_and_polish_comes_last() -> None:
    edges = needs(FILE)
    assert edges["T014"] == ("T010", "T011", "T012", "T013")
    assert (edges["T015"], edges["T019"]) == (("T014",), ("T017", "T018"))
    assert edges["T026"] == ("T016", "T021", "T025")
    assert (edges["T027"], edges["T028"], edges["T030"]) == (("T026",), ("T027",), ("T027", "T028", "T029"))


def test_what_a_line_depends_on_is_an_edge_across_stories_too() -> None:
    assert needs(FILE)["T021"] == ("T020", "T014")
    assert needs(lines("T001 [P] a", "T002 [P] b (Depends on T001)"))["T002"] == ("T001",)
    assert needs(lines("T001 a (depends on T900)"))["T001"] == ("T900",)


def test_a_task_without_p_needs_the_nearest_earlier_one_and_all_p_between() -> None:
    edges = needs(lines("T001 a", "T002 [P] b", "T003 [P] c", "T004 d", "T005 [P] e", "T006 f"))
    assert edges["T002"] == edges["T003"] == ("T001",)
    assert (edges["T004"], edges["T005"], edges["T006"]) == (
        ("T001", "T002", "T003"),
        ("T004",),
        ("T004", "T005"),
    )


def test_a_phase_of_another_name_comes_where_it_stands() -> None:
    text = (
        lines("T001 a", phase="Phase 3.1: Setup")
        + "## Phase 3.2: Tests first\n- [ ] T002 [P] b\n- [ ] T003 [P] c\n"
    )
    text += "## Phase 3.3: Core\n- [ ] T004 [P] d\n"
    assert needs(text) == {"T001": (), "T002": ("T001",), "T003": ("T001",), "T004": ("T002", "T003")}


def test_a_list_without_phases_has_its_stories_side_by_side() -> None:
    text = "".join(
        f"- [ ] {one}\n" for one in ("T001 a", "T002 [US1] b", "T003 [US2] c", "T004 [US1] d", "T005 e")
    )
    assert needs(text) == {
        "T001": (),
        "T002": ("T001",),
        "T003": ("T001",),
        "T004": ("T002",),
        "T005": ("T004", "T003"),
    }


@pytest.mark.parametrize("mark", ["", " ", "-", "~", "?", "o"])
def test_any_other_mark_is_unfinished(mark: str) -> None:
    assert [task.done for task in parse(f"- [{mark}] T001 a\n- [X] T002 b\n")] == [False, True]


def test_indented_lines_below_a_task_are_its_description() -> None:
    text = (
        "- [ ] T001 a\n  First line.\n\n    - [ ] T009 no task\n- [ ] T002 b\nNot indented.\n  Nothing's.\n"
    )
    assert [(task.id, task.description) for task in parse(text)] == [
        ("T001", "First line.\n\n  - [ ] T009 no task"),
        ("T002", ""),
    ]


@pytest.mark.parametrize(
    "line", ["- [ ] no id", "- T001 no mark", "  - [ ] T001 indented", "- [ ] T01 short"]
)
def test_what_is_no_line_of_a_task_is_passed_over(line: str) -> None:
    assert parse(line + "\n") == ()


def test_a_tick_changes_one_character_a_task_and_nothing_else() -> None:
    text = FILE.replace("\n", "\r\n")
    after = tick(text, {"T003", "T021", "T901", "T902"})
    assert after == text.replace("- [ ] T003", "- [x] T003").replace("- [-] T021", "- [x] T021")
    assert {task.id for task in parse(after) if task.done} == {"T001", "T002", "T003", "T021"}


@given(st.text(), st.sets(st.from_regex(r"T\d{3}", fullmatch=True), max_size=3))
def test_a_tick_of_any_text_is_repeated_without_effect(text: str, landed: set[str]) -> None:
    text += "".join(f"\n- [ ] {id} x" for id in sorted(landed))
    once = tick(text, landed)
    assert tick(once, landed) == once
    assert [(task.id, task.title, task.depends_on) for task in parse(once)] == [
        (task.id, task.title, task.depends_on) for task in parse(text)
    ]
