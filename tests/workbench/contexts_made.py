"""Worktrees of an adopted repository, profiles, and one preparation of a context in a line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from repositories import git, make_repository
from toryo.workbench.contexts.preparing import Context, prepare_context
from toryo.workbench.contexts.profiles import SubordinateProfile

SKILL = "---\nname: tidy\ndescription: How to tidy up.\n---\nSweep.\n"


def make_worktree(root: Path, files: dict[str, str] | None = None) -> Path:
    """Linked to a repository that was adopted: `.aiagent/` and `.worktrees/` are excluded there."""
    repo = make_repository(root / "repo", files)
    (repo / ".git" / "info" / "exclude").write_text(".aiagent/\n.worktrees/\n")
    git(repo, "worktree", "add", "-q", "-b", "agent/w", ".worktrees/w")
    return repo / ".worktrees" / "w"


def telling(prompt: str = "You are a careful reviewer.", **skills: str) -> Callable[[], SubordinateProfile]:
    return lambda: SubordinateProfile("dev", prompt, skills)


def prepare(worktree: Path, client: str = "claude", agent: str = "dev", **more: object) -> Context:
    profile = more.pop("profile", telling())
    return prepare_context(worktree, agent, client, profile, **more)  # type: ignore[arg-type]
