"""Skills are placed where each client looks for them, or named in words (S0-18)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml
from contexts_made import SKILL, make_worktree, prepare, telling

from repositories import git


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    return make_worktree(tmp_path)


@pytest.mark.parametrize("client", ["claude", "gemini"])
def test_a_skill_stands_in_its_own_folder_beside_the_settings(worktree, client):
    context = prepare(worktree, client, profile=telling(tidy=SKILL))
    skills = context.directory / f".{client}" / "skills"
    assert (skills / "tidy/SKILL.md").read_text() == SKILL
    assert context.added == ""


@pytest.mark.parametrize("client", ["codex", "opencode", "command"])
def test_a_client_that_looks_elsewhere_is_told_the_file(worktree, client):
    """`.agents/skills` of the worktree is the user's: writing there would be in the agent's next commit."""
    context = prepare(worktree, client, profile=telling("Be kind.", tidy=SKILL))
    place = worktree / ".aiagent/agents/dev/skills/tidy/SKILL.md"
    assert place.read_text() == SKILL
    assert context.added.startswith("Be kind.\n\n## Skills\n")
    assert context.added.count(f"- tidy: How to tidy up. (file: `{place}`)") == 1
    assert "Sweep." not in context.added
    assert git(worktree, "status", "--short", "--untracked-files=all") == ""


def test_a_skill_without_a_head_gets_one(worktree):
    """CLIs pass over a skill that says neither its name nor what it is for."""
    text = "# How to: sweep\n\nSweep.\n"
    context = prepare(worktree, profile=telling(sweep=text))
    written = (context.directory / ".claude/skills/sweep/SKILL.md").read_text()
    _, head, body = written.split("---\n", 2)
    assert yaml.safe_load(head) == {"name": "sweep", "description": "How to: sweep"}
    assert body == text


def test_a_skill_that_is_no_longer_assigned_goes_and_one_of_somebody_else_stays(worktree):
    context = prepare(worktree, profile=telling(tidy=SKILL, sweep=SKILL))
    skills = context.directory / ".claude/skills"
    (skills / "own").mkdir()
    (skills / "own/SKILL.md").write_text("mine")
    (skills / "sweep/extra.txt").write_text("mine too")
    prepare(worktree, profile=telling())
    assert sorted(str(path.relative_to(skills)) for path in skills.rglob("*") if path.is_file()) == [
        ".placed.json",
        "own/SKILL.md",
        "sweep/extra.txt",
    ]


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".hidden", "x" * 65])
def test_a_name_that_is_no_folder_is_logged_and_the_others_are_placed(worktree, name, caplog):
    context = prepare(worktree, profile=telling(tidy=SKILL, **{name: SKILL}))
    skills = context.directory / ".claude/skills"
    assert [path.parent.name for path in skills.rglob("SKILL.md")] == ["tidy"]
    assert "A skill was not placed" in caplog.text


def test_a_link_in_the_place_of_a_skill_is_not_followed(worktree, tmp_path, caplog):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    skills = worktree / ".aiagent/agents/dev/.claude/skills"
    skills.mkdir(parents=True)
    (skills / "tidy").symlink_to(elsewhere)
    os.link(make_file(elsewhere / "kept"), skills / "other")
    prepare(worktree, profile=telling(tidy=SKILL))
    assert "is a link" in str([vars(record) for record in caplog.records])
    assert [path.name for path in elsewhere.iterdir()] == ["kept"]


def make_file(path: Path) -> Path:
    path.write_text("kept")
    return path
