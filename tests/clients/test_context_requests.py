"""The request the model got: system prompt, rules and skills, each exactly once (S0-25, S3-49). Real CLIs.

Those of `.ci/clients`, called as a run calls them; the model is the scripted one of the rehearsal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from called_clients import Scripted, make_run, make_worktree

from repositories import git
from toryo.workbench.contexts.profiles import SubordinateProfile

SYSTEM = "You are SYSTEM-PROMPT, and @nobody else."
SKILL = "---\nname: sweeping\ndescription: SKILL-TEXT how to sweep\n---\nSweep.\n"
AGENTS, CLAUDE, GEMINI = "RULE-OF-AGENTS holds.\n", "RULE-OF-CLAUDE holds.\n", "RULE-OF-GEMINI holds.\n"
STYLE = "RULE-OF-STYLE holds.\n"
PROFILE = SubordinateProfile("dev", SYSTEM, {"sweeping": SKILL})

TREES: dict[str, dict[str, str]] = {
    "three files": {"AGENTS.md": AGENTS, "CLAUDE.md": CLAUDE, "GEMINI.md": GEMINI},
    "only AGENTS.md": {"AGENTS.md": AGENTS},
    "only CLAUDE.md": {"CLAUDE.md": CLAUDE},
    "imports": {"AGENTS.md": AGENTS, "CLAUDE.md": f"{CLAUDE}@AGENTS.md\n@docs/s.md\n", "docs/s.md": STYLE},
    "pointers": {"AGENTS.md": AGENTS, "CLAUDE.md": "-> AGENTS.md", "GEMINI.md": "@./AGENTS.md\n"},
    "one text": {"AGENTS.md": AGENTS, "CLAUDE.md": AGENTS, "GEMINI.md": AGENTS},
}
MARKS = ("RULE-OF-AGENTS", "RULE-OF-CLAUDE", "RULE-OF-GEMINI", "RULE-OF-STYLE")

CASES = [
    *(("claude", tree) for tree in TREES),
    *(("codex", tree) for tree in TREES),
    # seconds each, so only where they differ
    *(("gemini", tree) for tree in ("three files", "imports", "pointers")),
    *(("opencode", tree) for tree in ("three files", "only CLAUDE.md")),
]


@pytest.fixture
def model(tmp_path: Path) -> Iterator[Scripted]:
    made = Scripted(tmp_path)
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize(("client", "tree"), CASES)
def test_the_model_reads_system_prompt_rules_and_skills_exactly_once(tmp_path, model, client, tree):
    worktree = make_worktree(tmp_path, TREES[tree])
    request = make_run(client, worktree, tmp_path, model, PROFILE).ask(model)
    expected = {mark: int(any(mark in text for text in TREES[tree].values())) for mark in MARKS}
    counted = {mark: request.count(mark) for mark in (*MARKS, "SYSTEM-PROMPT", "SKILL-TEXT")}
    assert counted == {**expected, "SYSTEM-PROMPT": 1, "SKILL-TEXT": 1}
    assert "@nobody" in request, "words that look like an import stay"
    assert "Import failed" not in request
    assert "OF-THE-MAIN-CHECKOUT" not in request
    assert git(worktree, "status", "--short", "--untracked-files=all") == ""


@pytest.mark.slow
def test_claude_reads_each_text_once_also_where_a_person_allowed_imports(tmp_path, model):
    """Then the CLI follows them from the context directory too, unless its settings name the files."""
    worktree = make_worktree(tmp_path, TREES["imports"])
    run = make_run("claude", worktree, tmp_path, model, PROFILE)
    known = tmp_path / "home" / ".claude.json"
    allowed = {"hasTrustDialogAccepted": True, "hasClaudeMdExternalIncludesApproved": True}
    known.write_text(
        json.dumps({**json.loads(known.read_text()), "projects": {str(worktree.parents[1]): allowed}})
    )
    settings = Path(run.command.argv[run.command.argv.index("--settings") + 1])
    excluded = {"claudeMdExcludes": [str(path) for path in run.context.carried]}
    settings.write_text(json.dumps({**json.loads(settings.read_text()), **excluded}))
    request = run.ask(model)
    assert [request.count(mark) for mark in MARKS] == [1, 1, 0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("client", ["claude", "gemini"])
def test_without_a_context_directory_the_model_still_reads_everything(tmp_path, model, client):
    """S0-21."""
    worktree = make_worktree(tmp_path, TREES["three files"])
    (worktree / ".aiagent").write_text("in the way")
    run = make_run(client, worktree, tmp_path, model, SubordinateProfile("dev", SYSTEM))
    assert run.cwd == worktree
    request = run.ask(model)
    assert [request.count(mark) for mark in (*MARKS[:3], "SYSTEM-PROMPT")] == [1, 1, 1, 1]
