"""A user who does something in their checkout at a chosen moment of a publication.

Before the Nth git of it, or while git writes the files: the program is the real one either way.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from toryo.workbench.git.door.git import Git

GIT = shutil.which("git") or "git"
DATE = {"GIT_AUTHOR_DATE": "@1900000000 +0000", "GIT_COMMITTER_DATE": "@1900000000 +0000"}
"""Commits of the user have the same id in every order of events."""

_WRAPPER = """#!/bin/sh
count=$(($(cat {folder}/count) + 1))
echo $count > {folder}/count
echo "$@" >> {folder}/log
case "$count $*" in
"{at} "* | *{before}*) [ -e {folder}/acted ] || {{ touch {folder}/acted; env -i sh {folder}/act; }} ;;
esac
exec {git} "$@"
"""
_ACT = """export PATH={path} HOME={home} {dates}
cd {repo}
exec > {folder}/said 2>&1
{act}
code=$?
echo $code > {folder}/code
exit $code
"""


class Meddler:
    """`git` on PATH of this process: the user acts before the Nth call."""

    def __init__(self, folder: Path, repo: Path, act: str, at: int, before: str = "nothing") -> None:
        """Before the call of that number, or the first one with these words."""
        self.folder = folder
        folder.mkdir()
        path = os.environ["PATH"]
        dates = " ".join(f"{name}='{value}'" for name, value in DATE.items())
        home = os.environ["HOME"]
        text = _ACT.format(repo=repo, path=path, home=home, folder=folder, act=act, dates=dates)
        (folder / "act").write_text(text)
        (folder / "count").write_text("0")
        wrapper = folder / "git"
        wrapper.write_text(_WRAPPER.format(folder=folder, at=at, before=before, git=GIT))
        wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)

    def watch(self, patch: pytest.MonkeyPatch) -> None:
        patch.setenv("PATH", f"{self.folder}:{os.environ['PATH']}")

    def act(self) -> bool:
        """Now; False: git refused it, as somebody else was at work there."""
        done = subprocess.run(["env", "-i", "sh", str(self.folder / "act")], check=False, timeout=60)
        return done.returncode == 0

    def was_refused(self) -> bool:
        """Somebody else was at work there, as git said: a user would type it again."""
        code = self.folder / "code"
        return code.exists() and code.read_text() != "0\n"

    def calls(self) -> list[str]:
        """What git was asked, without the settings of the door."""
        lines = (self.folder / "log").read_text().splitlines()
        return [line.rsplit(" protocol.file.allow=always ", 1)[-1] for line in lines]


def state(repo: Path) -> dict[str, object]:
    """What the user sees of their repository, in words that do not depend on when it happened."""
    git = Git(repo)
    return {
        "HEAD": git.run("symbolic-ref", "-q", "HEAD").text or git.do("rev-parse", "HEAD"),
        "refs": git.do("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/stash"),
        "index": git.do("ls-files", "-s"),
        "status": git.do("status", "--porcelain=v2", "--untracked-files=all", "--ignored"),
    }
