"""Checkouts of a repository, read from the files of gitrepository-layout(5): fronts run no git.

A linked worktree may lie anywhere; its project is the one around the main checkout.
"""

from __future__ import annotations

import os

# ruff: noqa: PTH118, PTH119, PTH120
# importing pathlib would cost every command 4 ms


def top_of(path: str) -> str:
    """The checkout around a path; the path itself where there is none."""
    folder = path
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return path
        folder = above
    return folder


def main_checkout(path: str) -> str:
    """The top of the main checkout for a path in a linked worktree; any other path as it is."""
    top = top_of(path)
    named = _read(os.path.join(top, ".git"))
    if not named.startswith("gitdir:"):
        return path
    git_dir = os.path.join(top, named.removeprefix("gitdir:").strip())
    shared = _read(os.path.join(git_dir, "commondir"))
    common = os.path.realpath(os.path.join(git_dir, shared)) if shared else ""
    # a submodule or a separate git directory has no `commondir`, and is found by its own path
    return os.path.dirname(common) if os.path.basename(common) == ".git" else path


def top_of_project(project: str, here: str) -> str:
    """The checkout around a path if it is one of that repository; else its main checkout."""
    return top_of(here) if main_checkout(here) == project else project


def _read(file: str) -> str:
    """A small file's text; empty where there is none to read."""
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as opened:
            return opened.read(4096).strip()
    except OSError:
        return ""
