"""First commit of a repository, and the repository itself, where a person asked for both."""

from __future__ import annotations

from pathlib import Path

from toryo.workbench.git.door.git import Git

MESSAGE = "Begin"


def make(path: Path) -> None:
    """Files that lie there stay uncommitted; where there is a commit already, nothing is done."""
    git = Git(path)
    if git.run("rev-parse", "--git-dir").code != 0:
        git.do("init", "--quiet", "-b", "main")
    if git.run("rev-parse", "--verify", "-q", "HEAD").code != 0:
        git.do("commit", "--quiet", "--allow-empty", "--no-verify", "-m", MESSAGE)
