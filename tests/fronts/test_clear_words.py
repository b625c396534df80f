"""What a stranger stumbled over: every answer says what was done, and what can be typed now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_reading_verbs import STATUS

RUN = {"id": "r8w2", "task": "t3kd", "project": "p1", "outcome": "cancelled", "snapshot_commit": "abc"}


@pytest.mark.parametrize(
    ("status", "next_"),
    [("failed", "; next: toryo task retry t3kd"), ("ready", ""), ("open", "; next: toryo task approve t3kd")],
)
def test_update_says_what_was_changed_and_what_comes_next(peer, typed, status, next_):
    peer(update_task={"id": "t3kd", "status": status, "reason": "exit:3", "missing": []})
    result = typed("task", "update", "t3", "--agent", "worker")
    assert (result.code, result.out) == (0, f"t3kd is worker's now{next_ or '.'}\n")
    result = typed("task", "update", "t3", "--title", "x", "-p", "low")
    assert result.out == f"t3kd has a new title and priority{next_ or '.'}\n"
    result = typed("task", "update", "t3", "--agent", "worker", "-d", "x")
    assert result.out == f"t3kd is worker's now, and has a new description{next_ or '.'}\n"


def test_saying_something_to_an_agent_without_a_screen_names_what_can_be_typed(peer, typed):
    problem = {
        "code": "no_screen",
        "message": "The agent of r8w2 has no screen.",
        "hint": "`toryo task update`",
    }
    task = {"id": "t3kd", "description": "Mend it."}
    peer(
        say={"run": "r8w2", "seen": False, "problem": problem}, get_run={"run": RUN}, get_task={"task": task}
    )
    result = typed("task", "say", "t3", "the tests are elsewhere")
    assert result.code == 1
    assert [line.strip() for line in result.err.splitlines()[2:]] == [
        "toryo run stop r8w2",
        "toryo task wait t3kd",
        "toryo task update t3kd -d 'Mend it.",
        "",
        "the tests are elsewhere'",  # a new description takes the old one's place
        "toryo task retry t3kd",
    ]
    assert "interactive" in result.err


@pytest.mark.parametrize("status", ["cancelled", "failed", "needs_review"])
def test_a_task_whose_last_run_left_files_offers_to_get_them_back(peer, typed, status):
    task = {"id": "t3kd", "title": "mend", "status": status, "runs": [{**RUN, "uncommitted": ["a.txt"]}]}
    there = peer(get_task={"task": task})
    assert "  toryo restore t3kd\n" in typed("task", "show", "t3kd").out
    there.answers["get_task"] = {"task": {**task, "runs": [RUN]}}
    assert "toryo restore" not in typed("task", "show", "t3kd").out


def test_a_task_that_failed_its_checks_points_to_the_evidence(peer, typed):
    task = {"id": "t3kd", "title": "mend", "status": "failed", "reason": "checks_failed", "runs": [RUN]}
    there = peer(get_task={"task": task})
    assert "next\n  toryo evidence t3kd\n" in typed("task", "show", "t3kd").out
    there.answers["get_task"] = {"task": {**task, "reason": "exit:3"}}
    assert "next\n  toryo log t3kd\n" in typed("task", "show", "t3kd").out


def test_restore_writes_where_git_does_not_look_and_says_what_the_agent_left(peer, typed):
    left = {**RUN, "uncommitted": ["a.txt", "b.txt"]}
    to = "/src/door/.aiagent/restored/r8w2"
    there = peer(
        get_run={"run": left},
        get_project={"project": {"id": "p1", "path": "/src/door"}},
        restore_snapshot={"path": to, "files": 14},
    )
    result = typed("restore", "r8")
    assert result.out == f"14 files are in {to}\nr8w2 left 2 of them uncommitted: a.txt, b.txt\n"
    assert there.arguments_of("restore_snapshot") == {"run": "r8w2", "destination": to}
    assert json.loads(typed("restore", "r8", "--json").out)["uncommitted"] == ["a.txt", "b.txt"]


def test_what_was_restored_already_is_named_and_not_asked_for_again(peer, typed, tmp_path):
    (tmp_path / ".aiagent/restored/r8w2").mkdir(parents=True)
    there = peer(get_run={"run": RUN}, get_project={"project": {"id": "p1", "path": str(tmp_path)}})
    err = typed("restore", "r8").err
    assert err == (
        f"Error: What r8w2 left is in {tmp_path}/.aiagent/restored/r8w2 already.\n"
        "Hint: `toryo restore r8w2 --to ../r8w2-restored` writes it once more.\n"
    )
    assert "restore_snapshot" not in [tool for tool, _ in there.calls]


def test_restore_of_a_task_takes_its_newest_run_and_goes_where_it_is_told(peer, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    there = peer(
        get_task={"task": {"id": "t3kd", "project": "p1", "runs": [RUN, {**RUN, "id": "r9"}]}},
        restore_snapshot={"path": str(tmp_path / "x"), "files": 1},
    )
    result = typed("restore", "t3", "--to", "x")
    assert result.out == f"1 file is in {tmp_path / 'x'}\nr9 left nothing uncommitted.\n"
    assert there.arguments_of("restore_snapshot") == {"run": "r9", "destination": str(tmp_path / "x")}


REGISTERED = {"project": {"id": "p1", "name": "door", "base": "main"}, "agent": {"id": "w", "client": "c"}}


def test_init_says_in_one_line_what_it_wrote_inside_git_and_speaks_json(peer, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notes = ["wrote toryo/owner", "wrote info/exclude: .aiagent/", "settings: uncommitted"]
    survey = {"survey": {"root": str(tmp_path)}, "files": {".toryo/config.yaml": "base: main\n"}, "notes": []}
    peer(survey_path=survey, register_project={**REGISTERED, "notes": notes})
    out = typed("init", "--yes").out
    assert "\nin .git   toryo/owner, info/exclude: .aiagent/\n" in out
    assert ("note: wrote" in out, "note: settings: uncommitted" in out) == (False, True)
    (tmp_path / ".toryo/config.yaml").unlink()
    told = json.loads(typed("init", "--yes", "--json").out)
    assert (told["project"]["id"], told["wrote"]) == ("p1", [".toryo/config.yaml"])
    asked = typed("init", "--json")
    assert (asked.code, asked.out, "`toryo init --yes --json`" in asked.err) == (2, "", True)


def test_down_speaks_json(typed):
    assert json.loads(typed("down", "--json").out) == {"stopped": [], "running": 0}


@pytest.mark.parametrize("words", ["", "--serve"])
def test_a_rehearsal_without_its_script_names_the_file_once_and_in_words(typed, words):
    result = typed("rehearse", *words.split(), "nofile.yaml")
    assert (result.code, result.out) == (1, "")
    assert (
        result.err == "Error: nofile.yaml: No such file or directory.\nHint: `ls -l .` shows what is there.\n"
    )


def test_a_file_that_cannot_be_read_has_a_hint(peer, typed, tmp_path):
    missing = tmp_path / "notes.md"
    peer()
    err = typed("memory", "add", "x", "--file", str(missing)).err
    assert err.splitlines()[0] == f"Error: {missing}: No such file or directory."
    assert err.splitlines()[1].startswith(f"Hint: `ls -l {tmp_path}`")


@pytest.mark.parametrize("words", ["events --after abc", "task list --after abc", "events --after -3"])
def test_a_place_that_is_no_number_is_said_in_words(peer, typed, words):
    peer()
    result = typed(*words.split())
    assert result.code == 2
    assert "is no number of an event or a page" in result.err


def test_status_of_one_project_lists_only_its_agents(peer, typed):
    stranger = {"id": "stranger", "client": "c", "slots": 1, "runs": [], "status": "active"}
    door = {**STATUS["projects"][0], "agents": ["coder"]}
    peer(get_status={**STATUS, "agents": [*STATUS["agents"], stranger], "projects": [door]})
    assert "stranger" in typed("status").out
    assert "stranger" not in typed("status", "--project", "door").out
    told = json.loads(typed("status", "--project", "door", "--json").out)
    assert [one["id"] for one in told["agents"]] == ["coder"]


@pytest.mark.parametrize(
    ("ended", "said"), [(True, "r8w2 printed nothing.\n"), (False, "r8w2 has printed nothing yet.\n")]
)
def test_an_empty_log_says_so_beside_the_output(peer, typed, ended, said):
    peer(read_log={"run": "r8w2", "text": "", "next_offset": 0, "ended": ended})
    result = typed("log", "r8w2")
    assert (result.code, result.out, result.err) == (0, "", said)
    assert typed("log", "r8w2", "--json").err == ""


def test_a_new_installation_from_a_relative_path_is_named(monkeypatch, tmp_path, capfd):
    from toryo import settings
    from toryo.fronts.processes.start import make_home

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TORYO_HOME", "state/here")
    make_home(settings.home())
    assert capfd.readouterr().err == (
        f"TORYO_HOME=state/here is a relative path: the new installation is {tmp_path}/state/here\n"
    )
    make_home(settings.home())
    monkeypatch.setenv("TORYO_HOME", str(tmp_path / "absolute"))
    make_home(settings.home())
    assert capfd.readouterr().err == ""
    assert Path("state/here/logs").is_dir()
