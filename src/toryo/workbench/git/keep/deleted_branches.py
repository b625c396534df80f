"""Refs that hold the branches which a person deleted through Toryo."""

from __future__ import annotations

from urllib.parse import quote

from toryo.workbench.git.door.git import Git

SPACE = "refs/toryo/deleted"


def kept_at(branch: str, commit: str) -> str:
    """Quoted: `a` and `a/b` may both have been deleted."""
    return f"{SPACE}/{quote(branch, safe='')}/{commit}"


def is_kept(git: Git, branch: str, commit: str) -> bool:
    return git.commit_of(kept_at(branch, commit)) == commit
