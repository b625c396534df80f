"""`toryo memory …`: what is in force and what is only here are told apart; nothing is ever overwritten."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

IN_FORCE = {"path": ".toryo/memory/api.md", "title": "The API", "size": 11}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one memory in force and one that only its working copy has."""
    folder = tmp_path / ".toryo/memory"
    folder.mkdir(parents=True)
    (folder / "api.md").write_text("# The API\nx")
    (folder / "new.md").write_text("\n# A new one\ny")
    (folder / "notes.txt").write_text("not Markdown")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listing(root: Path, **more: object) -> dict[str, object]:
    return {"root": str(root), "files": [IN_FORCE], "settings_from": "commit", **more}


def project(root: Path) -> dict[str, object]:
    return {"project": {"id": "p1", "name": "door", "path": str(root), "base": "trunk"}}


def test_list_tells_what_is_in_force_from_what_is_only_in_the_working_copy(peer, typed, root):
    there = peer(list_memory=listing(root))
    lines = typed("memory", "list").out.splitlines()
    assert lines[1] == ".toryo/memory/api.md  in force                  The API"
    assert lines[2] == ".toryo/memory/new.md  only in the working copy  A new one"
    assert lines[-1] == "Agents read what is committed on the branch that work lands on."
    assert there.calls == [("list_memory", {"path": str(root)})]


def test_list_as_json_has_both_kinds_apart(peer, typed, root):
    peer(list_memory=listing(root))
    said = json.loads(typed("memory", "list", "--json").out)
    assert said["files"] == [IN_FORCE]
    assert said["working_copy"] == [{"path": ".toryo/memory/new.md", "title": "A new one", "size": 14}]


def test_list_says_what_was_changed_here_and_what_is_not_committed(peer, typed, root):
    there = peer(list_memory=listing(root))
    (root / ".toryo/memory/api.md").write_text("# The API\nlonger than before")
    assert "in force; changed here" in typed("memory", "list").out
    there.answers["list_memory"] = listing(root, settings_from="uncommitted")
    assert "api.md  not committed yet" in typed("memory", "list").out


def test_list_of_a_repository_on_another_machine_knows_only_what_is_in_force(peer, typed):
    peer(list_memory={"root": "/nowhere", "files": [IN_FORCE], "settings_from": "commit"})
    said = json.loads(typed("memory", "list", "--project", "p1", "--json").out)
    assert (said["files"], said["working_copy"]) == ([IN_FORCE], [])


def test_show_prints_the_text_in_force(peer, typed, root):
    there = peer(show_memory={"path": IN_FORCE["path"], "text": "# The API\nrest\n"})
    assert typed("memory", "show", "api").out == "# The API\nrest\n"
    assert there.calls == [("show_memory", {"path": str(root), "name": "api"})]


@pytest.mark.parametrize("name", ["new", "new.md", ".toryo/memory/new.md"])
def test_show_falls_back_to_the_working_copy_and_says_so(peer, typed, root, name):
    refusal = {"success": False, "error": "There is no such memory.", "hint": ""}
    peer(show_memory=refusal, list_memory=listing(root))
    result = typed("memory", "show", name)
    assert (result.code, result.out) == (0, "\n# A new one\ny\n")
    assert result.err == ".toryo/memory/new.md is not in force: it is only in the working copy.\n"


@pytest.mark.parametrize("name", ["other", "../../../etc/passwd", "../config"])
def test_show_of_what_is_nowhere_is_the_daemons_refusal(peer, typed, root, name):
    (root / ".toryo/config.md").write_text("secret")
    peer(
        show_memory={"success": False, "error": "There is none.", "hint": "x"},
        list_memory=listing(root),
    )
    result = typed("memory", "show", name)
    assert (result.code, result.out, result.err) == (1, "", "Error: There is none.\nHint: x\n")


def test_add_writes_a_new_file_and_says_when_it_comes_into_force(peer, typed, root):
    peer(get_project=project(root))
    result = typed("memory", "add", "Errors are  values!", "-d", "No exceptions.\n\nReally.")
    file = root / ".toryo/memory/errors-are-values.md"
    assert file.read_text() == "# Errors are values!\n\nNo exceptions.\n\nReally.\n"
    assert result.out.splitlines() == [
        f"wrote {file}",
        "It comes into force when it is committed on trunk: agents read it in their worktrees.",
        "Next: git add .toryo/memory/errors-are-values.md && git commit -m 'memory: Errors are values!'",
    ]


def test_add_takes_the_text_from_a_file_or_from_standard_input(peer, typed, root, monkeypatch):
    peer(get_project=project(root))
    (root / "notes.md").write_text("# Its own heading\n\nFrom a file.\n")
    assert typed("memory", "add", "One", "--file", "notes.md").code == 0
    assert (root / ".toryo/memory/one.md").read_text() == "# Its own heading\n\nFrom a file.\n"
    monkeypatch.setattr("sys.stdin", io.StringIO("From a pipe.\n"))
    said = json.loads(typed("memory", "add", "Two", "--json").out)
    assert (root / ".toryo/memory/two.md").read_text() == "# Two\n\nFrom a pipe.\n"
    assert (said["path"], said["in_force_when"]) == (".toryo/memory/two.md", "committed on trunk")


def test_add_never_overwrites(peer, typed, root):
    peer(get_project=project(root))
    result = typed("memory", "add", "API", "-d", "another")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("Error: .toryo/memory/api.md is there already, and nothing was changed.\n")
    assert (root / ".toryo/memory/api.md").read_text() == "# The API\nx"


def test_a_title_that_leaves_nothing_for_a_file_name_gets_a_number(peer, typed, root):
    peer(get_project=project(root))
    for text in ("一", "二"):
        assert typed("memory", "add", "扉について", "-d", text).code == 0
    texts = [(root / f".toryo/memory/note-{number}.md").read_text() for number in (1, 2)]
    assert texts == ["# 扉について\n\n一\n", "# 扉について\n\n二\n"]


def test_add_through_a_link_writes_nothing_outside_of_the_repository(peer, typed, tmp_path, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (tmp_path / ".toryo").mkdir()
    (tmp_path / ".toryo/memory").symlink_to(elsewhere)
    peer(get_project=project(tmp_path))
    result = typed("memory", "add", "x", "-d", "y")
    assert (result.code, "outside of" in result.err) == (1, True)
    assert list(elsewhere.iterdir()) == []


def test_add_without_any_text_asks_nothing_and_writes_nothing(peer, typed, root, monkeypatch):
    there = peer(get_project=project(root))
    monkeypatch.setattr("sys.stdin", io.StringIO(" \n"))
    result = typed("memory", "add", "x")
    assert (result.code, there.calls) == (2, [])
    assert result.err.startswith("Error: There is no text.\nHint: ")


def test_preview_is_the_section_as_prompts_get_it(peer, typed, root):
    there = peer(preview_memory={"text": "- .toryo/memory/api.md - The API\n"})
    assert typed("memory", "preview").out == "- .toryo/memory/api.md - The API\n"
    there.answers["preview_memory"] = {"text": ""}
    empty = typed("memory", "preview")
    assert (empty.code, empty.out, empty.err) == (0, "", "No memory is in force.\n")
    assert json.loads(typed("memory", "preview", "--json").out) == {"text": ""}
