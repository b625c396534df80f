"""`toryo do` and `toryo mission …`: what is asked of the daemon, what is printed, and the exit code."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from shown_missions import LIMIT, STORE, message, mission, plan, task

ASKING = mission(
    "questioning", reason="questions", questions=[STORE, LIMIT], messages=[message(1, "person", "limits")]
)
PLANNED = mission(
    "awaiting_approval", reason="plan_ready", plan=plan(), messages=[message(2, "planner", "A plan.")]
)
DONE = mission("completed", plan=plan(approved_at="x"), messages=[message(3, "progress", "T001 is done")])
STARTED = {
    "mission": "n1",
    "status": "questioning",
    "reason": "",
    "project": "p1",
    "target": "main",
    "notes": ["nothing is committed"],
}
PROJECT = {"project": {"id": "p1", "name": "shop", "status": "active", "path": "/src/shop"}}


class Story:
    """A mission that goes from one state to the next as it is spoken with."""

    def __init__(self, peer: Any, *states: dict[str, Any], at_rest: bool = False, **answers: Any) -> None:
        self.states, self.at_rest = list(states), at_rest
        verbs = ("answer_mission", "approve_mission", "say_mission", "reject_mission")
        told: dict[str, Any] = {verb: self.said(verb) for verb in verbs}
        told["list_config"] = {"settings": []}
        told |= {"start_mission": STARTED, "get_project": PROJECT, "wait_mission": lambda _: self.waited()}
        self.there = peer(**{**told, "show_mission": lambda _: {"mission": self.states[0]}, **answers})

    def waited(self) -> dict[str, Any]:
        return {"mission": self.states[0], "at_rest": self.at_rest or self.states[0]["status"] != "active"}

    def said(self, verb: str) -> Any:
        def answer(_: dict[str, Any]) -> dict[str, Any]:
            self.states = self.states[1:]
            said = verb.removesuffix("_mission")
            return {"mission": "n1", "said": said, "status": "", "reason": "", "already": False, "by": ""}

        return answer

    @property
    def calls(self) -> list[str]:
        return [name for name, _ in self.there.calls]


def test_do_without_a_terminal_prints_its_questions_with_the_line_to_type_and_exits_1(peer, typed):
    story = Story(peer, ASKING)
    told = typed("do", "add rate limiting")
    assert (told.code, told.err) == (1, "")
    assert told.out.startswith("n1  lands on main\nnote: nothing is committed\n")
    assert "1. Where are counters kept?" in told.out
    assert "→ toryo mission answer n1 --defaults" in told.out
    assert story.there.arguments_of("start_mission") == {"path": str(Path.cwd()), "text": "add rate limiting"}


def test_questions_are_shown_once_also_where_the_planner_said_them(peer, typed):
    said = [message(1, "planner", "Where are counters kept? [memory]"), message(2, "system", "asking")]
    Story(peer, {**ASKING, "messages": said})
    told = typed("do", "add rate limiting")
    assert told.out.count("Where are counters kept?") == 1
    assert "asking\n" in told.out


def test_do_without_a_terminal_prints_the_plan_with_the_line_to_type_and_exits_1(peer, typed):
    story = Story(peer, ASKING, PLANNED)
    told = typed("do", "add rate limiting", "--defaults")
    assert told.code == 1
    assert "A counter in memory." in told.out
    assert "└─ · T002  Refuse too many" in told.out
    assert "→ toryo mission approve n1" in told.out
    assert story.there.arguments_of("answer_mission") == {"mission": "n1", "answers": {}, "defaults": True}


def test_do_with_defaults_and_yes_asks_nothing_and_exits_0_when_it_is_completed(peer, typed):
    story = Story(peer, ASKING, PLANNED, DONE)
    told = typed("do", "add rate limiting", "--defaults", "--yes")
    assert (told.code, told.err) == (0, "")
    assert story.there.arguments_of("approve_mission") == {"mission": "n1", "version": 1}
    assert (
        told.out.index("A counter in memory.") < told.out.index("T001 is done") < told.out.index("completed")
    )


def test_a_mission_that_failed_exits_1(peer, typed):
    Story(peer, mission("failed", reason="given_up"))
    told = typed("do", "x")
    assert told.code == 1
    assert "n1  failed (given up)" in told.out


def test_do_as_json_prints_one_object_and_what_to_type_beside_it(peer, typed):
    Story(peer, PLANNED)
    told = typed("do", "x", "--json")
    assert told.code == 1
    said = json.loads(told.out)
    assert list(said) == ["mission", "status", "reason", "spec", "tasks"]
    assert (said["mission"], said["status"], said["spec"]) == ("n1", "awaiting_approval", "specs/SPEC-1")
    assert [one["id"] for one in said["tasks"]] == ["T001", "T002"]
    assert "toryo mission approve n1" in told.err


def test_no_wait_comes_back_as_soon_as_the_request_is_stored(peer, typed):
    story = Story(peer, ASKING)
    told = typed("do", "x", "--no-wait")
    assert told.code == 0
    assert "toryo mission wait n1" in told.out
    assert "wait_mission" not in story.calls


@pytest.mark.parametrize("words", ["--no-wait --yes", "--no-wait --defaults", "--follow n0 --new"])
def test_wishes_that_exclude_each_other_are_refused_before_anything_is_stored(peer, typed, words):
    story = Story(peer, ASKING)
    told = typed("do", "x", *words.split())
    assert told.code == 2
    assert story.calls == []


def test_what_is_wanted_may_come_from_a_file_or_standard_input(peer, typed, tmp_path, monkeypatch):
    story = Story(peer, DONE)
    (tmp_path / "request.md").write_text("two\nlines\n")
    assert typed("do", "--file", str(tmp_path / "request.md")).code == 0
    assert story.there.arguments_of("start_mission")["text"] == "two\nlines\n"
    monkeypatch.setattr("sys.stdin", io.StringIO("from a pipe"))
    assert typed("do", "-").code == 0
    assert story.there.arguments_of("start_mission")["text"] == "from a pipe"


@pytest.mark.parametrize("words", [(), ("  ",), ("x", "--file", "request.md")])
def test_nothing_or_twice_the_same_is_no_request(peer, typed, words):
    story = Story(peer, DONE)
    assert typed("do", *words).code == 2
    assert story.calls == []


def test_every_wish_reaches_the_daemon(peer, typed, tmp_path, monkeypatch):
    story = Story(peer, DONE, get_project={"project": {**PROJECT["project"], "path": str(tmp_path)}})
    (tmp_path / "specs" / "001").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    words = (
        "--onto",
        "next",
        "--follow",
        "n0",
        "--budget",
        "turns=9",
        "--from",
        "specs/001",
        "--project",
        "shop",
    )
    assert typed("do", "x", *words).code == 0
    assert story.there.arguments_of("start_mission") == {
        "project": "shop",
        "text": "x",
        "onto": "next",
        "follow": "n0",
        "budget": {"turns": 9.0},
        "taken_from": "specs/001",
    }


def test_plan_only_writes_the_files_and_exits_0_when_it_is_planned(peer, typed, tmp_path):
    files = [{"path": f"specs/SPEC-1/{name}.md", "text": name} for name in ("spec", "plan", "tasks")]
    story = Story(
        *(peer, PLANNED),
        get_project={"project": {**PROJECT["project"], "path": str(tmp_path)}},
        export_mission={"mission": "n1", "directory": "specs/SPEC-1", "files": files},
    )
    told = typed("do", "x", "--plan-only")
    assert told.code == 0
    assert (tmp_path / "specs/SPEC-1/tasks.md").read_text() == "tasks"
    assert told.out.index("A counter in memory.") < told.out.index("wrote ")
    assert "toryo mission approve n1" in told.out
    assert story.there.arguments_of("start_mission")["plan_only"] is True
    assert "approve_mission" not in story.calls


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_plan_only_with_a_faulty_plan_exits_1_with_its_faults_and_what_may_be_typed(peer, typed, options):
    faulty = plan(faults=["T001 and T002 wait for each other"])
    story = Story(peer, mission("awaiting_approval", reason="plan_faulty", plan=faulty))
    told = typed("do", "x", "--plan-only", *options)
    assert told.code == 1
    assert "T001 and T002 wait for each other" in (told.err if options else told.out)
    assert "toryo mission reject n1" in told.out + told.err
    assert "mission approve" not in told.out + told.err
    assert "export_mission" not in story.calls


def test_a_refusal_of_the_daemon_is_printed_with_its_way_out(peer, typed):
    refused = {"success": False, "error": "AI settings are required.", "hint": "`toryo planner use claude`"}
    peer(get_project=PROJECT, start_mission=refused)
    told = typed("do", "x")
    assert (told.code, told.out) == (1, "")
    assert told.err == "Error: AI settings are required.\nHint: `toryo planner use claude`\n"


def test_a_repository_that_is_no_project_is_made_one_first_and_it_is_said(peer, typed, tmp_path):
    made = {"project": {"id": "p1", "name": "shop", "base": "main", "checks": ["make test"]}, "notes": []}
    survey = {
        "survey": {"root": str(tmp_path), "problem": None},
        "files": {".toryo/config.yaml": "checks: []\n"},
    }
    story = Story(
        *(peer, DONE),
        get_project={"success": False, "error": "not known", "hint": ""},
        survey_path=survey,
        register_project=made,
    )
    told = typed("do", "x", "--json")
    assert told.code == 0
    assert json.loads(told.out)["status"] == "completed"
    assert "`toryo init --yes` first" in told.err
    assert "make test" in told.err
    assert (tmp_path / ".toryo/config.yaml").exists()
    assert story.calls[:4] == ["get_project", "survey_path", "register_project", "start_mission"]


def test_a_project_that_was_named_and_is_not_known_is_not_made(peer, typed):
    story = Story(peer, DONE, get_project={"success": False, "error": "not known", "hint": ""})
    assert typed("do", "x", "--project", "shop").code == 1
    assert story.calls == ["get_project"]


def test_list_shows_missions_and_the_line_for_more(peer, typed):
    one = {**mission("active"), "detail": "2 of 3 tasks are done"}
    there = peer(list_missions={"missions": [one], "more": True, "next_after": 7})
    told = typed("mission", "list", "--status", "active")
    assert told.out.splitlines()[1].split(maxsplit=2)[:2] == ["n1", "active"]
    assert "2 of 3 tasks are done" in told.out
    assert told.out.endswith("… more: toryo mission list --status active --after 7\n")
    assert there.calls == [("list_missions", {"path": str(Path.cwd()), "status": "active", "limit": 50})]


def test_show_prints_the_page_or_the_mission_as_json(peer, typed):
    peer(show_mission={"mission": PLANNED})
    assert "A counter in memory." in typed("mission", "show", "n1").out
    assert json.loads(typed("mission", "show", "n1", "--json").out) == PLANNED


def test_wait_follows_and_tells_only_what_is_new(peer, typed):
    old, new = message(1, "planner", "old news"), message(2, "progress", "T001 is done")
    states = [mission("active", messages=[old]), mission("completed", messages=[old, new])]
    there = peer(
        show_mission={"mission": states[0]},
        wait_mission=lambda asked: {"mission": states[bool(asked["seen"])], "at_rest": bool(asked["seen"])},
    )
    told = typed("mission", "wait", "n1")
    assert (told.code, told.out) == (0, "T001 is done\nn1  completed\n")
    assert there.arguments_of("wait_mission")["seen"] == "active::1"


def test_wait_says_what_to_type_where_a_person_is_waited_for(peer, typed):
    Story(peer, PLANNED)
    told = typed("mission", "wait", "n1")
    assert told.code == 1
    assert "→ toryo mission approve n1" in told.out


def test_wait_gives_up_after_its_time(peer, typed):
    Story(peer, mission("active"))
    told = typed("mission", "wait", "n1", "--timeout", "0.1")
    assert told.code == 1
    assert "n1  active" in told.out


@pytest.mark.parametrize(
    ("words", "tool", "asked"),
    [
        ("answer n1 Q1=Redis --defaults", "answer", {"answers": {"Q1": "Redis"}, "defaults": True}),
        ("approve n1", "approve", {}),
        ("approve n1 --version 2", "approve", {"version": 2}),
        ("reject n1 smaller", "reject", {"reason": "smaller"}),
        ("say n1 faster", "say", {"text": "faster"}),
        ("set n1 --parallelism 3", "set", {"parallelism": 3}),
        ("pause n1 --now", "pause", {"now": True}),
        ("resume n1", "resume", {}),
        ("cancel n1", "cancel", {}),
        ("budget n1 tokens=5 usd=0", "budget", {"budget": {"tokens": 5.0, "usd": 0.0}}),
    ],
)
def test_a_word_to_a_mission_is_passed_on(peer, typed, words, tool, asked):
    said = {"mission": "n1", "said": tool, "status": "", "reason": "", "already": False, "by": ""}
    there = peer(**{f"{tool}_mission": said})
    told = typed("mission", *words.split())
    assert (told.code, told.out[:3]) == (0, "n1 ")
    assert there.calls == [(f"{tool}_mission", {"mission": "n1", **asked})]
    assert json.loads(typed("mission", *words.split(), "--json").out) == said


def test_who_was_second_is_told_who_was_first(peer, typed):
    said = {
        "mission": "n1",
        "said": "approve",
        "status": "",
        "reason": "",
        "already": True,
        "by": "version 1",
    }
    peer(approve_mission=said)
    told = typed("mission", "approve", "n1")
    assert (told.code, told.out) == (0, "n1: nothing changed, somebody was first: version 1\n")


def test_answer_without_a_terminal_and_without_answers_names_the_line(peer, typed):
    Story(peer, ASKING)
    told = typed("mission", "answer", "n1")
    assert told.code == 2
    assert "toryo mission answer n1 --defaults" in told.err


EXPORTED = {"mission": "n1", "directory": "specs/SPEC-1", "files": [{"path": "spec.md", "text": "# New\n"}]}


def test_export_writes_into_the_missions_directory_of_the_project(peer, typed, tmp_path):
    where = {"project": {**PROJECT["project"], "path": str(tmp_path)}}
    there = peer(show_mission={"mission": DONE}, export_mission=EXPORTED, get_project=where)
    told = typed("mission", "export", "n1")
    assert told.code == 0
    assert (tmp_path / "specs/SPEC-1/spec.md").read_text() == "# New\n"
    assert there.arguments_of("get_project") == {"project": "p1"}
    assert typed("mission", "export", "n1", "--json").code == 0


def test_after_some_answers_it_is_said_what_is_still_open(peer, typed):
    left = mission("questioning", reason="questions", questions=[{**STORE, "answer": "Redis"}, LIMIT])
    Story(peer, ASKING, left)
    told = typed("mission", "answer", "n1", "Q1=Redis")
    assert told.code == 0
    assert told.out.startswith("n1 has your answers.\nStill open: Q2\n")
    assert "→ toryo mission answer n1 --defaults" in told.out


def test_there_is_nothing_to_export_before_there_is_a_plan(peer, typed):
    there = peer(show_mission={"mission": ASKING}, export_mission={**EXPORTED, "files": []})
    told = typed("mission", "export", "n1")
    assert (told.code, told.out) == (1, "")
    assert told.err.startswith("Error: n1 has no plan yet.\nHint: `toryo mission wait n1`")
    assert "export_mission" not in [name for name, _ in there.calls]


def test_export_never_writes_over_other_text_without_force(peer, typed, tmp_path):
    two = {**EXPORTED, "files": [{"path": "plan.md", "text": "p"}, *EXPORTED["files"]]}
    peer(show_mission={"mission": DONE}, export_mission=two)
    (tmp_path / "spec.md").write_text("mine\n")
    told = typed("mission", "export", "n1", "--to", str(tmp_path))
    assert told.code == 1
    assert "--force" in told.err
    assert ((tmp_path / "spec.md").read_text(), (tmp_path / "plan.md").exists()) == ("mine\n", False)
    assert typed("mission", "export", "n1", "--to", str(tmp_path), "--force").code == 0
    assert (tmp_path / "spec.md").read_text() == "# New\n"


def test_export_replaces_an_earlier_export_that_nobody_changed(peer, typed, tmp_path):
    known = hashlib.sha256(b"# Old\n").hexdigest()
    files = [{"path": "specs/SPEC-1/spec.md", "text": "# New\n", "hashes": [known]}]
    peer(show_mission={"mission": DONE}, export_mission={**EXPORTED, "files": files})
    (tmp_path / "spec.md").write_text("# Old\n")
    assert typed("mission", "export", "n1", "--to", str(tmp_path)).code == 0
    assert (tmp_path / "spec.md").read_text() == "# New\n"
    (tmp_path / "spec.md").write_text("# Old\nand mine\n")
    assert typed("mission", "export", "n1", "--to", str(tmp_path)).code == 1


@pytest.mark.parametrize("path", ["../out.md", "/tmp/out.md"])
def test_export_writes_nothing_outside_of_its_folder(peer, typed, tmp_path, path):
    peer(show_mission={"mission": DONE}, export_mission={**EXPORTED, "files": [{"path": path, "text": "x"}]})
    assert typed("mission", "export", "n1", "--to", str(tmp_path / "in")).code == 1
    assert list(tmp_path.iterdir()) == []


def test_the_shell_is_given_the_ids_of_missions(peer, typed):
    peer(list_missions={"missions": [mission(), mission(id="n2")]})
    assert typed("completion", "--names", "missions").out == "n1\nn2\n"


def test_tasks_that_exist_are_named_at_the_end(peer, typed):
    tasks = plan(task("T001", "Count", task="t9", status="done"), approved_at="x")
    Story(peer, mission("completed", plan=tasks))
    assert "  T001 t9  Count  done\n" in typed("do", "x").out


def test_a_mission_that_needs_a_person_names_its_tasks_that_do(peer, typed):
    tasks = plan(
        task("T001", "Count", task="t9", status="needs_review", reason="scope_violation"),
        task("T002", "Refuse", task="t8", status="done"),
        approved_at="x",
    )
    Story(peer, mission("active", reason="needs_you", plan=tasks), at_rest=True)
    told = typed("do", "x")
    assert told.code == 1
    assert "→ toryo why t9" in told.out
    assert "why t8" not in told.out


def test_of_blocked_tasks_the_first_for_each_reason_is_named(peer, typed):
    blocked = [
        task(f"T00{number}", "Count", task=f"t{number}", status="blocked", reason=reason)
        for number, reason in enumerate(("no_client", "no_client", "dependency", "agent_disabled"), 1)
    ]
    Story(peer, mission("active", reason="needs_you", plan=plan(*blocked, approved_at="x")), at_rest=True)
    told = typed("do", "x")
    assert [line.split()[-1] for line in told.out.splitlines() if "toryo why" in line] == ["t1", "t4"]
