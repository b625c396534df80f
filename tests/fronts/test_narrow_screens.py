"""What is printed fits the terminal: no line is broken by it, whatever its width; what matters stays."""

from __future__ import annotations

import pytest
from narrow_terminal import lines_on_a_terminal
from rich.console import Console

from toryo.fronts.cli.look.status_page import page
from toryo.fronts.demo.live import picture
from toryo.fronts.demo.story import Story
from toryo.fronts.text import output

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
    assert [line for line in shown if output.width(line) > columns] == []


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("words", ["run list", "task show t3kd92m1", "project list", "status"])
def test_no_row_of_a_table_is_wider_than_the_terminal(peer, toryo_home, columns, words):
    status = {"daemon": {"version": "1", "uptime_s": 1}, "projects": [PROJECT]}
    peer(list_runs={"runs": [RUN]}, get_task=TASK, list_projects={"projects": [PROJECT]}, get_status=status)
    lines = lines_on_a_terminal(toryo_home, columns, *words.split())
    assert [line for line in lines if output.width(line) > columns] == []


def test_ids_and_outcomes_are_whole_on_60_columns_and_what_matters_less_is_left_out(peer, toryo_home):
    peer(list_runs={"runs": [RUN]}, list_projects={"projects": [PROJECT]})
    runs = lines_on_a_terminal(toryo_home, 60, "run", "list")
    assert runs[1].split()[:2] == ["r8w2kq0z", "t3kd92m1"]
    assert "timed_out" in runs[1]
    assert "exit" not in runs[0]
    assert "exit" in lines_on_a_terminal(toryo_home, 120, "run", "list")[0]
    projects = lines_on_a_terminal(toryo_home, 60, "project", "list")
    assert ("shop-of-ours  p7c1m2x9" in projects[1], projects[1].endswith("…")) == (True, True)


def event(kind: str, body: dict[str, object], task: str | None = None) -> dict[str, object]:
    return {"kind": kind, "body": body, "task": task, "at": "2026-01-02T03:04:05Z"}


def a_told_story() -> Story:
    """The mission is approved, and its tasks are made."""
    story = Story()
    for kind, body in (
        ("mission_started", {"mission": "n1"}),
        ("mission_asks", {"questions": 2}),
        ("mission_planned", {"version": 1, "tasks": 5}),
        ("mission_approved", {"version": 1}),
    ):
        story.take(event(kind, body))
    for number, task in story.tasks.items():
        story.take(event("task_added", {"title": task.plan.title}, task=f"t{number}"))
    return story


LIE: tuple[tuple[str, dict[str, object]], ...] = (
    ("run_claimed", {"purpose": "implement", "generation": 1}),
    ("run_claims", {"result": "success"}),
    ("run_exited", {"exit_code": 1}),
    ("run_collected", {"new_commits": 1}),
    ("task_status", {"status": "failed", "reason": "exit:1"}),
    ("task_judged", {"action": "rework", "note": "all of it"}),
    ("task_status", {"status": "ready", "reason": ""}),
    ("run_claimed", {"purpose": "implement", "generation": 2}),
    ("run_claims", {"result": "success"}),
    ("run_exited", {"exit_code": 0}),
    ("run_collected", {"new_commits": 1}),
    ("tip_moved", {}),
    ("task_status", {"status": "done", "reason": ""}),
)


def drawn(story: Story, columns: int) -> list[str]:
    console = Console(width=columns, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    with console.file:
        lines = console.render_lines(picture(story, "waiting", 1.0, columns), pad=False)
        return ["".join(part.text for part in line) for line in lines]


@pytest.mark.parametrize("columns", [50, 60, 80, 120])
def test_the_demos_tree_has_no_broken_line(columns):
    story = a_told_story()
    tree = drawn(story, columns)
    assert [line for line in tree if output.width(line) > columns] == []
    # name, sentence, steps, two lines for each task, an empty line above the tree and one above the foot
    assert len(tree) == 2 * len(story.tasks) + 6, "\n".join(tree)
    assert sum("→" in line and "approval" in line for line in tree) == 1


@pytest.mark.parametrize("columns", [50, 60, 80, 120])
def test_the_demos_tree_shows_the_whole_way_of_a_liar_in_lines_that_fit(columns):
    story = a_told_story()
    for kind, body in LIE:
        story.take(event(kind, body, task="t4"))
    tree = drawn(story, columns)
    assert [line for line in tree if output.width(line) > columns] == []
    way = " ".join(line.strip(" │├└─") for line in tree if "→" in line and "approval" not in line)
    assert "exit 1 → not believed → judged → honest → green → on main" in " ".join(way.split())
    assert any(line.strip(" │").startswith("→ judged") for line in tree)


def a_task(name: str, status: str, **facts: object) -> dict[str, object]:
    return {"id": name, "project": "p1", "title": f"work {name}", "status": status, "agent": "dev", **facts}


def a_wish(number: int, status: str) -> dict[str, object]:
    name = f"{status}{number}"
    line = f"toryo task retry {name}"
    return {"task": name, "title": "old", "status": status, "why": "exit:1", "type": line, "lines": [line]}


BUSY = {
    "daemon": {"version": "1", "uptime_s": 1},
    "coordinators": [{"name": "main", "live": True}],
    "counts": {"running": 3, "ready": 200, "blocked": 1, "needs_review": 30, "failed": 500, "done": 9000},
    "projects": [{"id": "p1", "name": "shop", "status": "active", "base": "main", "path": "/src/shop"}],
    "agents": [
        {"id": f"a{at}", "client": "c", "slots": 1, "runs": [], "status": "active"} for at in range(9)
    ],
    "work": [
        *(a_task(f"run{at}", "running", steps=["implement", "conflict", "resolve"]) for at in range(3)),
        *(a_task(f"ready{at}", "ready") for at in range(20)),
        a_task("after", "blocked", reason="dependency", dependencies=["run1"]),
        *(a_task(f"done{at}", "done", verdict="green", steps=["implement"]) for at in range(6)),
    ],
    "needs_you": [
        *(a_wish(at, "needs_review") for at in range(20)),
        *(a_wish(at, "failed") for at in range(10)),
    ],
    "needs_you_counts": {"needs_review": 30, "failed": 400},
}


def test_on_a_low_screen_running_work_stays_before_all_that_is_old():
    lines = page(BUSY, 0.0, 23)
    assert len(lines) <= 23
    for name in ("run0", "run1", "run2"):
        at = next(at for at, line in enumerate(lines) if f" {name} " in line)
        assert "implement → conflict → resolve" in lines[at + 1]
    assert lines[at + 2].startswith("└─ · after") or "└─ · after" in "\n".join(lines)
    assert "  needs_review0  old" in lines
    assert lines[-1] == "  and 400 failed: toryo task list --status failed"
    assert lines[-2] == "  and 29 more needs_review: toryo task list --status needs_review"
    assert any(line.startswith("… and ") and "ready" in line for line in lines)


def test_on_a_high_screen_and_in_a_pipe_all_parts_are_there_and_what_needs_a_person_comes_last():
    for lines in (page(BUSY, 0.0), page(BUSY, 0.0, 300)):
        at = [lines.index(line) for line in ("shop  main  /src/shop", "needs you")]
        assert at == sorted(at)
        assert any("a8" in line for line in lines[: at[0]])
        assert sum("✔ done" in line for line in lines) == 6


@pytest.mark.parametrize("rows", range(4, 60, 5))
def test_the_page_never_has_more_lines_than_the_screen(rows):
    assert len(page(BUSY, 0.0, rows)) <= rows


def test_what_depends_on_another_stands_below_it_and_a_long_chain_stays_narrow():
    chain = [a_task("t0", "running")]
    chain += [
        a_task(f"t{at}", "blocked", reason="dependency", dependencies=[f"t{at - 1}"]) for at in range(1, 9)
    ]
    lines = page({**BUSY, "work": chain, "counts": {}, "needs_you": [], "needs_you_counts": {}}, 0.0)
    begun = [line.index("t") for line in lines if line.lstrip("│├└─ ").startswith(("● t", "· t"))]
    assert begun[:4] == [5, 8, 11, 14]
    assert set(begun[4:]) == {14}


@pytest.mark.parametrize("columns", [60, 80])
def test_what_one_task_waits_for_at_length_takes_no_titles_away(peer, toryo_home, columns):
    waits = {"what": "room on the machine: 3 of 3 runs (max_concurrent in coordinator.yaml)"}
    tasks = [a_task("run0", "running"), a_task("wait0", "ready", waits_for=waits)]
    work = [{**one, "title": "Mend the gate"} for one in tasks]
    peer(get_status={**BUSY, "work": work, "needs_you": [], "needs_you_counts": {}})
    lines = lines_on_a_terminal(toryo_home, columns, "status", rows=30)
    assert sum("Mend the gate" in line for line in lines) == 2
    assert any("room on the machine" in line for line in lines)


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_line_of_the_tree_is_wider_than_the_terminal(peer, toryo_home, columns):
    long = {**BUSY, "work": [{**one, "title": "長い題名 of a task " * 8} for one in BUSY["work"]]}
    peer(get_status=long)
    lines = lines_on_a_terminal(toryo_home, columns, "status", rows=30)
    assert [line for line in lines if output.width(line) > columns] == []
    assert any("run0" in line for line in lines)
    assert len(lines) <= 29
