"""`toryo project …`: the project is the one here unless it is named; a moved repository is found again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PROJECT = {
    "id": "p1",
    "name": "door",
    "path": "/src/door",
    "status": "active",
    "base": "main",
    "settings_from": "commit",
    "checks": ["make test"],
    "agents": ["coder"],
    "targets": [{"name": "main", "tip": "aaa", "published": "bbb", "waiting": ["x.txt"], "stopped": ""}],
}


def test_list_shows_every_project_with_where_it_lands_and_lies(peer, typed):
    peer(list_projects={"projects": [PROJECT]})
    assert typed("project", "list").out.splitlines()[1].split() == [
        *("door", "p1", "active", "main", "commit", "/src/door")
    ]
    assert json.loads(typed("project", "list", "--json").out) == {"projects": [PROJECT]}


def test_show_is_about_the_one_here_or_the_one_that_is_named(peer, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    there = peer(get_project={"project": PROJECT})
    out = typed("project", "show").out
    assert there.arguments_of("get_project") == {"path": str(tmp_path)}
    assert out.startswith("door (p1)  active\npath      /src/door\n")
    assert "branch main\n  tip        aaa\n  published  bbb\n  waits for  x.txt\n" in out
    assert json.loads(typed("project", "show", "door", "--json").out) == PROJECT
    assert there.arguments_of("get_project") == {"project": "door"}


@pytest.mark.parametrize(
    ("verb", "outcome"),
    [("archive", "is archived: nothing new starts, everything is kept"), ("activate", "is worked on again")],
)
def test_archive_and_activate_take_the_one_here_or_a_name(peer, typed, verb, outcome):
    there = peer(**{f"{verb}_project": {"project": PROJECT}})
    assert typed("project", verb).out == f"door {outcome}.\n"
    assert there.calls[-1] == (f"{verb}_project", {"path": str(Path.cwd())})
    assert json.loads(typed("project", verb, "door", "--json").out) == {"project": PROJECT}
    assert there.calls[-1] == (f"{verb}_project", {"project": "door"})


def removal(asked: dict[str, object]) -> dict[str, object]:
    told = {
        "removed": ["4 refs under refs/toryo/"],
        "kept": ["branch agent/a: `git branch -D agent/a` removes it"],
    }
    return {"project": PROJECT, **told, "done": not asked.get("dry_run")}


def test_remove_shows_what_it_would_do_and_does_it_only_when_told(peer, typed):
    there = peer(remove_project=removal)
    out = typed("project", "remove", "--dry-run").out
    assert out.startswith("would go:\n  4 refs under refs/toryo/\nwould stay:\n  branch agent/a: `git branch")
    assert there.calls == [("remove_project", {"path": str(Path.cwd()), "dry_run": True})]
    refused = typed("project", "remove")
    assert (refused.code, "--yes" in refused.err, len(there.calls)) == (1, True, 2)
    out = typed("project", "remove", "--yes").out
    assert out.splitlines()[0] == "gone:"
    assert out.endswith("door is no project any more; its record is kept.\n")
    assert there.calls[-1] == ("remove_project", {"project": "p1"})
    assert json.loads(typed("project", "remove", "door", "--yes", "--json").out)["done"] is True
    assert there.calls[-1] == ("remove_project", {"project": "door"})


def test_move_asks_the_repository_which_project_it_is(peer, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    moved = {"project": {**PROJECT, "path": str(tmp_path / "new")}}
    there = peer(survey_path={"survey": {"project": "p1"}}, move_project=moved)
    assert typed("project", "move", "new").out == f"door is at {tmp_path / 'new'} now.\n"
    assert there.calls == [
        ("survey_path", {"path": str(tmp_path / "new")}),
        ("move_project", {"project": "p1", "path": str(tmp_path / "new")}),
    ]


def test_move_without_a_place_means_the_repository_here(peer, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    there = peer(survey_path={"survey": {"project": "p1"}}, move_project={"project": PROJECT})
    assert typed("project", "move").out.startswith("door is at ")
    assert there.calls[-1] == ("move_project", {"project": "p1", "path": str(tmp_path)})


def test_move_of_a_named_project_asks_nothing_else(peer, typed):
    there = peer(move_project={"project": PROJECT})
    assert json.loads(typed("project", "move", "door", "/src/door", "--json").out) == {"project": PROJECT}
    assert there.calls == [("move_project", {"project": "door", "path": "/src/door"})]


def test_move_to_a_repository_that_was_never_a_project_says_so(peer, typed, tmp_path):
    there = peer(survey_path={"survey": {"project": ""}})
    result = typed("project", "move", str(tmp_path))
    assert result.code == 1
    assert result.err.splitlines() == [
        f"Error: The repository in {tmp_path} was never a project.",
        f"Hint: `cd {tmp_path} && toryo init` makes it one.",
    ]
    assert [tool for tool, _ in there.calls] == ["survey_path"]


@pytest.mark.parametrize(
    ("verb", "tool", "said"),
    [
        ("assign", "assign_agent", "coder works in the project here now.\n"),
        ("unassign", "unassign_agent", "coder works in the project here no more.\n"),
    ],
)
def test_agents_are_assigned_to_the_project_here_or_a_named_one(peer, typed, verb, tool, said):
    there = peer(**{tool: {"agent": "coder", "project": "p1"}})
    assert typed("agent", verb, "coder").out == said
    assert there.calls[-1] == (tool, {"agent": "coder", "path": str(Path.cwd())})
    typed("agent", verb, "coder", "--project", "door")
    assert there.calls[-1] == (tool, {"agent": "coder", "project": "door"})


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("enable", "coder may be started.\n"),
        ("disable", "coder is started no more; what it is doing goes on.\n"),
    ],
)
def test_agents_are_enabled_and_disabled_as_the_project_here_means_them(peer, typed, verb, said):
    there = peer(**{f"{verb}_agent": {"agent": {"id": "coder", "status": "x"}}})
    assert typed("agent", verb, "coder").out == said
    assert there.calls == [(f"{verb}_agent", {"agent": "coder", "path": str(Path.cwd())})]
    as_json = typed("agent", verb, "coder", "--json").out
    assert json.loads(as_json) == {"agent": {"id": "coder", "status": "x"}}


def test_agent_sync_says_what_came_of_the_files(peer, typed):
    told = {"added": ["a"], "changed": ["b", "c"], "unchanged": [], "settings_from": "uncommitted"}
    there = peer(sync_agents=told)
    assert typed("agent", "sync").out == "added: a\nchanged: b, c\nsettings: uncommitted\n"
    assert there.calls == [("sync_agents", {"path": str(Path.cwd())})]
    there.answers["sync_agents"] = {"added": [], "changed": [], "unchanged": [], "settings_from": "none"}
    assert typed("agent", "sync", "--project", "door").out.startswith("There are no agent files: ")
    assert json.loads(typed("agent", "sync", "--json").out)["settings_from"] == "none"


def test_in_a_repository_that_was_moved_the_hint_says_whose_it_is(peer, typed, tmp_path, monkeypatch):
    folder = tmp_path / "there" / "src"
    folder.mkdir(parents=True)
    refused = {"success": False, "error": "not here", "hint": "toryo init", "kind": "not_a_project"}
    known = [{"id": "p2", "name": "repo2", "path": "/old/repo2", "status": "active"}]
    peer(list_tasks=refused, list_projects={"projects": known})
    monkeypatch.chdir(folder)
    assert typed("task", "list").err.splitlines()[-1] == "Hint: toryo init"
    mark = tmp_path / "there" / ".git" / "toryo" / "project"
    mark.parent.mkdir(parents=True)
    mark.write_text("p2\n")
    hint = typed("task", "list").err.splitlines()[-1]
    assert hint == "Hint: This is repo2, which was at /old/repo2: type `toryo project move`."
