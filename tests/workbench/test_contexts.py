"""The context directory of an agent: its files, what is kept, and how a start goes on without it (S0)."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path

import pytest
from contexts_made import SKILL, make_worktree, prepare, telling

from repositories import git
from toryo.protocol.wire import ToolFailed, WireError
from toryo.workbench.contexts.environment import bridge_argv
from toryo.workbench.contexts.preparing import Context
from toryo.workbench.contexts.profiles import SubordinateProfile

GOLDEN = """\
# Agent Context

You are a careful reviewer.

---

## Working Directory

Your working directory is: `{worktree}`

All file operations should be performed in this directory, NOT in the current context directory.

## Restrictions

**DO NOT** modify any files within `.aiagent/`. This directory is managed by Toryo.
"""


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    return make_worktree(tmp_path)


def folder_of(context: Context) -> Path:
    assert context.directory is not None
    return context.directory


def test_a_context_directory_stands_in_the_worktree_and_leaves_it_clean(worktree):
    """S0-01 with C-9, S0-15."""
    context = prepare(worktree)
    assert context.directory == worktree / ".aiagent" / "agents" / "dev"
    assert git(worktree, "status", "--short", "--untracked-files=all") == ""


@pytest.mark.parametrize(
    ("client", "files", "absent"),
    [
        ("claude", [".claude/CLAUDE.md"], ".gemini"),
        ("gemini", ["GEMINI.md", ".gemini/GEMINI.md"], ".claude"),
    ],
)
def test_each_provider_gets_its_own_files_from_one_template(worktree, client, files, absent):
    """S0-03, S0-04, S0-23; GEMINI.md twice, since the CLI does not load the one in `.gemini/`."""
    context = prepare(worktree, client)
    folder = folder_of(context)
    for name in files:
        assert (folder / name).read_text() == GOLDEN.format(worktree=worktree)
    assert not (folder / absent).exists()
    assert context.added == ""


def test_claude_settings_hold_the_worktree_and_nothing_else(worktree):
    """S0-08."""
    settings = json.loads((folder_of(prepare(worktree)) / ".claude/settings.json").read_text())
    assert settings == {"permissions": {"additionalDirectories": [str(worktree)]}}


def test_gemini_settings_name_our_bridge_in_connected_runs_only(worktree, tmp_path):
    """S0-09 as resolved: own stdio bridge, the server's name is `toryo`; no includeDirectories."""
    bridge = bridge_argv(tmp_path / "credential.json")
    assert bridge[:3] == (sys.executable, "-I", "-S")
    assert Path(bridge[3]).is_file()
    path = folder_of(prepare(worktree, "gemini", bridge=bridge)) / ".gemini/settings.json"
    server = {"command": bridge[0], "args": list(bridge[1:]), "trust": True}
    assert json.loads(path.read_text()) == {"mcpServers": {"toryo": server}}
    prepare(worktree, "gemini")
    assert json.loads(path.read_text()) == {}


@pytest.mark.parametrize("client", ["claude", "gemini"])
def test_every_start_writes_anew_and_keeps_what_others_left(worktree, client):
    """S0-05, S0-19."""
    folder = folder_of(prepare(worktree, client))
    main = folder / ("GEMINI.md" if client == "gemini" else ".claude/CLAUDE.md")
    (folder / "notes.txt").write_text("mine")
    settings = folder / f".{client}" / "settings.json"
    settings.write_text("{broken")
    prepare(worktree, client, profile=telling("You are another one."))
    assert "You are another one." in main.read_text()
    assert "careful reviewer" not in main.read_text()
    assert isinstance(json.loads(settings.read_text()), dict)
    assert (folder / "notes.txt").read_text() == "mine"


def test_the_profile_is_asked_once_per_start(worktree):
    """S0-06."""
    asked = []

    def profile() -> SubordinateProfile:
        asked.append((worktree / ".aiagent/agents/dev/.claude").is_dir())
        return SubordinateProfile("dev", "x")

    prepare(worktree, profile=profile)
    assert asked == [True], "after the folders were made (S0-13)"


@pytest.mark.parametrize(
    "error", [WireError("gone"), ToolFailed({"error": "no such agent"}), OSError("disk")]
)
@pytest.mark.parametrize("client", ["claude", "gemini", "codex"])
def test_without_a_profile_the_start_goes_on_without_a_system_prompt(worktree, client, error, caplog):
    """S0-20."""

    def profile() -> SubordinateProfile:
        raise error

    context = prepare(worktree, client, profile=profile)
    assert "without a system prompt" in caplog.text
    if client == "codex":
        assert context == Context()
    else:
        main = folder_of(context) / ("GEMINI.md" if client == "gemini" else ".claude/CLAUDE.md")
        assert main.read_text().startswith("# Agent Context\n\n---\n")


def block_with_file(worktree: Path, elsewhere: Path) -> None:
    (worktree / ".aiagent").write_text("a file")


def block_with_link(worktree: Path, elsewhere: Path) -> None:
    (worktree / ".aiagent").symlink_to(elsewhere)


def block_agent_with_link(worktree: Path, elsewhere: Path) -> None:
    (worktree / ".aiagent/agents").mkdir(parents=True)
    (worktree / ".aiagent/agents/dev").symlink_to(elsewhere)


def block_provider_with_file(worktree: Path, elsewhere: Path) -> None:
    (worktree / ".aiagent/agents/dev").mkdir(parents=True)
    (worktree / ".aiagent/agents/dev/.claude").write_text("a file")


def block_by_tracking(worktree: Path, elsewhere: Path) -> None:
    theirs = worktree / ".aiagent/agents/dev/.claude/CLAUDE.md"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("theirs")
    git(worktree, "add", "-f", str(theirs))


@pytest.mark.parametrize(
    "block",
    [block_with_file, block_with_link, block_agent_with_link, block_provider_with_file, block_by_tracking],
)
def test_where_no_context_directory_can_be_made_the_worktree_is_the_cwd(worktree, tmp_path, block, caplog):
    """S0-21; nothing is written through a link, and what is tracked stays the user's."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    block(worktree, elsewhere)
    before = git(worktree, "status", "--short", "--untracked-files=all")
    context = prepare(worktree, profile=telling(tidy=SKILL))
    assert context.directory is None
    assert "You are a careful reviewer." in context.added
    assert "started in the worktree" in caplog.text
    assert list(elsewhere.iterdir()) == []
    assert git(worktree, "status", "--short", "--untracked-files=all") == before
    tracked = worktree / ".aiagent/agents/dev/.claude/CLAUDE.md"
    assert not tracked.is_file() or tracked.read_text() == "theirs"


@pytest.mark.parametrize("agent", ["", "..", "../evil", "a/b"])
def test_a_name_that_leads_elsewhere_gets_no_directory(worktree, agent):
    assert prepare(worktree, agent=agent).directory is None
    assert git(worktree, "status", "--short", "--untracked-files=all") == ""


@pytest.mark.parametrize("client", ["claude", "gemini"])
def test_settings_that_cannot_be_written_are_logged_and_the_start_goes_on(worktree, client, caplog):
    """S0-22."""
    folder = worktree / ".aiagent/agents/dev" / f".{client}"
    (folder / "settings.json").mkdir(parents=True)
    with caplog.at_level(logging.WARNING):
        context = prepare(worktree, client)
    assert context.directory == folder.parent
    assert "settings.json" in str([vars(record) for record in caplog.records])


def test_a_context_text_that_cannot_be_written_is_given_in_words(worktree):
    (worktree / ".aiagent/agents/dev/.claude/CLAUDE.md").mkdir(parents=True)
    context = prepare(worktree)
    assert context.directory is not None
    assert "You are a careful reviewer." in context.added


def test_two_agents_share_no_file(worktree):
    """S0-24."""
    one = folder_of(prepare(worktree, profile=telling("I am one.")))
    two = folder_of(prepare(worktree, agent="other", profile=telling("I am two.")))
    texts = {folder.name: (folder / ".claude/CLAUDE.md").read_text() for folder in (one, two)}
    assert ["I am one." in texts["dev"], "I am two." in texts["dev"]] == [True, False]
    assert ["I am one." in texts["other"], "I am two." in texts["other"]] == [False, True]


@pytest.mark.parametrize("client", ["codex", "opencode", "command", "scripted"])
def test_other_clients_are_started_in_the_worktree_with_the_text_in_words(worktree, client):
    """S0-12."""
    context = prepare(worktree, client)
    assert context.directory is None
    assert context.added == "You are a careful reviewer.\n"
    assert not (worktree / ".aiagent").exists()


def test_the_ignore_file_keeps_what_is_there_and_gains_what_is_missing(worktree):
    """S0-15."""
    path = worktree / ".aiagent/.gitignore"
    path.parent.mkdir()
    path.write_text("mine/\nlogs/")
    prepare(worktree)
    assert path.read_text() == "mine/\nlogs/\nagents/\n"
    path.unlink()
    prepare(worktree)
    assert path.read_text().splitlines()[0].startswith("# Generated by Toryo")
    assert path.read_text().splitlines()[1:] == ["logs/", "agents/"]


def test_a_tracked_ignore_file_stays_as_it_is(tmp_path):
    worktree = make_worktree(tmp_path, {".aiagent/.gitignore": "agents/\n"})
    prepare(worktree)
    assert (worktree / ".aiagent/.gitignore").read_text() == "agents/\n"
    assert git(worktree, "status", "--short", "--untracked-files=all") == ""


def test_nothing_but_the_aiagent_folder_is_written(worktree, unreachable_home):
    """S0-17, and the user's home is never edited."""
    before = {path.name for path in worktree.iterdir()}
    for client in ("claude", "gemini", "codex", "opencode"):
        prepare(worktree, client, profile=telling(tidy=SKILL), bridge=("b", "f"))
    assert {path.name for path in worktree.iterdir()} == before | {".aiagent"}
    assert git(worktree, "status", "--short", "--untracked-files=all") == ""
    assert list(unreachable_home.iterdir()) == []
