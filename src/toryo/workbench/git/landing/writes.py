"""Writes: a commit on a target's tip that holds texts at paths, made without a checkout.

Whether it may land is left to the daemon and the gate, as for any other work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from toryo.processes import TimeLimit
from toryo.protocol.base import Problem
from toryo.protocol.kinds.files import WriteInputs, Written, path_fault
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git, GitFailed
from toryo.workbench.git.landing import candidates, kept_paths
from toryo.workbench.git.landing.kept_paths import Entry

REGULAR = "100644"


def write(inputs: WriteInputs, bench_root: Path, words: Callable[[str], str]) -> Written:
    """Make it and pin it, or say why it cannot be made. Repeated, it is the same commit.

    `words` gives the text of a blob of the daemon's."""
    for file in inputs.files:
        if fault := path_fault(file.path):
            return _problem("bad_path", f"{layout.shown(file.path)} {fault}")
    try:
        common = layout.common_dir(inputs.repo)
    except FileNotFoundError as missing:
        return _problem("no_repository", str(missing))
    texts = {file.path: words(file.blob) if file.blob else None for file in inputs.files}
    try:
        return _write(inputs, common, layout.git_on(common), bench_root, texts)
    except (GitFailed, TimeLimit) as failed:
        return _problem("git_failed", str(failed))


def _write(
    inputs: WriteInputs, common: Path, git: Git, bench_root: Path, texts: Mapping[str, str | None]
) -> Written:
    if git.commit_of(inputs.base) is None:
        return _problem("unknown_commit", f"{inputs.base} is not in the hub")
    tree = git.tree_of(inputs.base)
    listing = git.do("ls-tree", "-r", "-z", "--full-tree", inputs.base, limit_s=candidates.LIST_S)
    there = _entries(listing)
    if way := _in_the_way(set(there), texts):
        return _problem("path_taken", way)
    with candidates.laid_out(bench_root, common, git, listing) as bench:
        wanted = {
            path: None if text is None else (_mode(there.get(path)), _blob(bench, common, path, text))
            for path, text in texts.items()
        }
    changed = {path: entry for path, entry in wanted.items() if there.get(path) != entry}
    if not changed:
        return Written(commit=inputs.base, tree=tree, changed=False)
    made = kept_paths.with_entries(git, tree, changed)
    commit = candidates.commit_tree(git, made, (inputs.base,), inputs.message, inputs.date)
    if not candidates.pin(git, commit):
        return _problem("ref_locked", f"could not write {candidates.candidate_ref(commit)}")
    return Written(commit=commit, tree=made)


def _entries(listing: str) -> dict[str, Entry]:
    found = {}
    for line in filter(None, listing.split("\0")):
        about, path = line.split("\t", 1)
        mode, _, thing = about.split(" ")
        found[path] = (mode, thing)
    return found


def _in_the_way(there: set[str], texts: Mapping[str, str | None]) -> str:
    """A file where a folder is needed, or the other way round: to write there would take away another's."""
    folders = {"/".join(path.split("/")[:depth]) for path in there for depth in range(1, path.count("/") + 1)}
    for path in (path for path, text in texts.items() if text is not None):
        above = ["/".join(path.split("/")[:depth]) for depth in range(1, path.count("/") + 1)]
        for taken in (one for one in above if one in there and texts.get(one, "") is not None):
            return f"{layout.shown(taken)} is a file, and {layout.shown(path)} needs a folder there"
        if path in folders:
            return f"{layout.shown(path)} is a folder"
    return ""


def _mode(entry: Entry | None) -> str:
    """A file keeps its mode; a link or a repository in its place gives way to it."""
    return entry[0] if entry and entry[0].startswith("100") else REGULAR


def _blob(bench: Path, common: Path, path: str, text: str) -> str:
    """As git would add it there: through the filters that the base's attributes name."""
    env = {"GIT_DIR": str(common), "GIT_WORK_TREE": str(bench)}
    content = text.encode("utf-8", "surrogateescape")
    return Git(bench).do("hash-object", "-w", "--stdin", f"--path={path}", stdin=content, env=env)


def _problem(code: str, message: str) -> Written:
    return Written(problem=Problem(code=code, message=message))
