"""Where Claude Code's screen finds its configuration, so that no dialog waits for a person; for claude.py.

With `-p` there are no dialogs. On its screen the CLI asks about onboarding, trust and API key, and keeps the
answers in `.claude.json` beside the login. Where the login comes from the environment, the run gets a
configuration folder of its own with those answers and links to the user's own files. Where the login lives in
the home or a keychain, such a folder would lose it: then the user's own folder is used, and must know the
repository already.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from toryo.workbench.clients.calls import Call, CannotCall
from toryo.workbench.clients.run_files import read_json

READY = ("? for shortcuts", "bypass permissions on", "accept edits on", "shift+tab to cycle")

LOGIN_BY_ENVIRONMENT = (
    *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    *("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"),
)
LINKED = (
    *(
        "settings.json",
        "CLAUDE.md",
        "agents",
        "commands",
        "skills",
        "rules",
        "output-styles",
        "plugins",
        "hooks",
    ),
    # the conversations: what was begun in exec style can be gone on with here, and the other way round
    "projects",
)


def environment(call: Call) -> dict[str, str]:
    """What to add to the run's environment; CannotCall where a dialog could not be answered for the user."""
    if any(call.env.get(name) for name in LOGIN_BY_ENVIRONMENT):
        return {"CLAUDE_CONFIG_DIR": str(_own_folder(call))}
    known = read_json(_answers(call), "Claude Code's .claude.json")
    if known.get("hasCompletedOnboarding") is True and _trusts(known, call.repo):
        return {}
    raise CannotCall(
        f"Claude Code would ask on its screen whether it may work in {call.repo}",
        hint=f"cd {shlex.quote(str(call.repo))} && claude   # accept the folder once, then leave with /exit",
    )


def _own_folder(call: Call) -> Path:
    folder = call.run_dir / "claude-config"
    folder.mkdir(mode=0o700, exist_ok=True)
    theirs = _config_dir(call)
    for name in LINKED:
        link = folder / name
        if (theirs / name).exists() and not link.is_symlink():
            link.symlink_to(theirs / name)
    answers: dict[str, Any] = {
        "hasCompletedOnboarding": True,
        "projects": {str(path): {"hasTrustDialogAccepted": True} for path in {call.repo, call.worktree}},
    }
    key = call.env.get("ANTHROPIC_API_KEY", "")
    if key:  # the CLI knows an approved key by its last characters
        answers["customApiKeyResponses"] = {"approved": [key[-20:]], "rejected": []}
    file = folder / ".claude.json"
    file.touch(mode=0o600)
    file.write_text(json.dumps(answers))
    return folder


def _config_dir(call: Call) -> Path:
    named = call.env.get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else Path(call.env.get("HOME", "/")) / ".claude"


def _answers(call: Call) -> Path:
    named = call.env.get("CLAUDE_CONFIG_DIR")
    return Path(named or call.env.get("HOME", "/")) / ".claude.json"


def _trusts(known: dict[str, Any], repo: Path) -> bool:
    """The CLI's own rule: the main repository or a folder above it was accepted."""
    projects = known.get("projects")
    if not isinstance(projects, dict):
        return False
    return any(
        isinstance(one := projects.get(str(path)), dict) and one.get("hasTrustDialogAccepted") is True
        for path in (repo, *repo.parents)
    )
