"""What is printed fits the terminal: no line is broken by it, whatever its width; what matters stays."""

from __future__ import annotations

import pytest
from narrow_terminal import lines_on_a_terminal
from rich.console import Console

from toryo.fronts.cli import showing
from toryo.fronts.cli.watching import fit
from toryo.fronts.demo.live import picture
from toryo.fronts.demo.story import Story

RUN = {
    "id": "r8w2kq0z",
    "task": "t3kd92m1",
    "purpose": "implement",
    "agent": "careful-worker",
    "outcome": "timed_out",
    "signal": "SIGTERM",
    "commits": 2,
    "changed_files": ["a", "b"],
    "started_at": "2026-01-02T03:04:05Z",
}
TASK = {"id": "t3kd92m1", "title": "mend", "status": "failed", "reason": "timed_out", "runs": [RUN]}
PROJECT = {
    "id": "p7c1m2x9",
    "name": "shop-of-ours",
    "status": "archived",
    "base": "main",
    "settings_from": "uncommitted",
    "path": "/home/somebody/repositories/of/the/company/shop-of-the-year",
    "agents": [],
}


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
@pytest.mark.parametrize("words", ["--help", "task --help", "run --help", "session --help"])
def test_the_pages_of_verbs_are_broken_between_words(toryo_home, columns, words):
    lines = lines_on_a_terminal(toryo_home, columns, *words.split())
    examples = next(at for at, line in enumerate(lines) if line.startswith("examples"))
    end = lines.index("", examples)
    shown = [*lines[:examples], *lines[end:]]  # an example is typed as it stands, in one line
    assert [line for line in shown if showing.width(line) > columns] == []


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("words", ["run list", "task show t3kd92m1", "project list", "status"])
def test_no_row_of_a_table_is_wider_than_the_terminal(peer, toryo_home, columns, words):
    status = {"daemon": {"version": "1", "uptime_s": 1}, "projects": [PROJECT]}
    peer(list_runs={"runs": [RUN]}, get_task=TASK, list_projects={"projects": [PROJECT]}, get_status=status)
    lines = lines_on_a_terminal(toryo_home, columns, *words.split())
    assert [line for line in lines if showing.width(line) > columns] == []


def test_ids_and_outcomes_are_whole_on_60_columns_and_what_matters_less_is_left_out(peer, toryo_home):
    peer(list_runs={"runs": [RUN]}, list_projects={"projects": [PROJECT]})
    runs = lines_on_a_terminal(toryo_home, 60, "run", "list")
    assert runs[1].split()[:2] == ["r8w2kq0z", "t3kd92m1"]
    assert "timed_out" in runs[1]
    assert "exit" not in runs[0]
    assert "exit" in lines_on_a_terminal(toryo_home, 120, "run", "list")[0]
    projects = lines_on_a_terminal(toryo_home, 60, "project", "list")
    assert ("shop-of-ours  p7c1m2x9" in projects[1], projects[1].endswith("…")) == (True, True)


@pytest.mark.parametrize("columns", [50, 60, 80, 120])
def test_the_demos_tree_has_no_broken_line(columns):
    console = Console(width=columns, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    with console.file:
        lines = console.render_lines(picture(Story(), "waiting", 1.0, columns), pad=False)
        tree = ["".join(part.text for part in line) for line in lines]
    story = Story()
    # name, two lines for each task, an empty line above the tree and one above the foot
    assert len(tree) == 2 * len(story.tasks) + 4, "\n".join(tree)


PAGE = {
    "processes": "daemon\ntasks",
    "projects": "\n".join(["project", *(f"p{number}" for number in range(4))]),
    "agents": "\n".join(["agent", *(f"a{number}" for number in range(4))]),
    "moving": "task\n  t7  running",
    "needs you": "needs you\n  t1  title\n      why\n      toryo task retry t1",
}


def test_a_low_page_keeps_what_needs_a_person_and_what_runs_and_tables_give_way():
    lines = fit(PAGE, "note", 12)
    assert lines == [
        *("daemon", "tasks", ""),
        *("needs you", "  t1  title", "      why", "      toryo task retry t1", ""),
        *("task", "  t7  running", "", "note"),
    ]


def test_a_high_page_has_everything_with_what_needs_a_person_first():
    lines = fit(PAGE, "note", 40)
    at = [lines.index(line) for line in ("daemon", "needs you", "  t7  running", "a3", "p3", "note")]
    assert at == sorted(at)


def test_of_many_that_need_a_person_whole_ones_are_kept_and_the_others_counted():
    wishes = [f"  t{number}  title\n      why\n      toryo task retry t{number}" for number in range(9)]
    lines = fit({**PAGE, "needs you": "\n".join(["needs you", *wishes])}, "note", 15)
    assert len(lines) <= 15
    assert lines[3:5] == ["needs you", "  t0  title"]
    assert lines[9:11] == ["      toryo task retry t1", "  … 7 more"]
    assert ("  t7  running" in lines, lines[-1]) == (True, "note")
