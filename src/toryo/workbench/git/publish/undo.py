"""Undo of an interrupted publication: what it wrote into a checkout that a person moved on meanwhile.

Each path of the landing that holds what our git left there gets back what it had before, in the index and on
the disk; everything else is the user's. The bytes are snapshotted first.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from toryo.steps import step
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.publish import contents, landing_paths
from toryo.workbench.git.publish.landing_paths import ABSENT, Change, On

Entry = tuple[str, str]
"""Mode and blob, as an index holds them."""


def may_be_left(git_dir: Path, ref: str, old: str, new: str) -> bool:
    """Whether the last thing the user did was to switch back from the published commit to the one before.

    A `git switch -c` that began before the publication and ended after it touches no file: HEAD is where it
    was before, index and files are what was published. After any other switch there is nothing to undo."""
    left = f"checkout: moving from {ref.removeprefix('refs/heads/')} to "
    last = layout.read(git_dir / "logs" / "HEAD").rpartition("\n")[2]
    about, _, why = last.partition("\t")
    return about.split(" ")[:2] == [new, old] and why.startswith(left)


def undo(git: Git, old: str, new: str, same: Collection[str] = ()) -> None:
    """The way from `old` to `new` was begun, and HEAD is somewhere else now.

    `same`: files of the user's that held the new content before; they stay on the disk."""
    landing = tuple(one for one in landing_paths.changes(git, old, new) if not one.is_submodule)
    _take_back(git, old, landing, same)
    renew(git, old, {one.path for one in landing})


def _take_back(git: Git, old: str, landing: tuple[Change, ...], same: Collection[str]) -> None:
    wanted = _wanted(git, old, landing)
    ours = _ours(git, landing, wanted)
    if not ours:
        return
    written = [(one, on) for one, on in ours if one.path not in same]
    present = tuple(one.path for one, on in written if on is not On.NOTHING)
    contents.snapshot(git, old, present)
    step("publish.snapshotted")
    contents.put_away(git.where, present)
    step("publish.put_away")
    contents.stage(git, {one.path: wanted[one.path] for one, _ in ours})
    contents.write_out(git, tuple(one.path for one, _ in written if wanted[one.path] != ABSENT))


def renew(git: Git, old: str, landing: Collection[str] = ()) -> None:
    """The index on all paths but these gets what HEAD has, where it still has what `old` had: whoever wrote
    it had read it before HEAD moved. Only where the disk has it too, and nobody staged anything else."""
    moved = landing_paths.changes(git, old, _head(git))
    theirs = {one.path: one for one in moved if not one.is_submodule and one.path not in landing}
    index = contents.in_index(git, set(theirs)) if theirs else {}
    fresh: dict[str, Entry] = {}
    present: list[tuple[Change, On]] = []
    for path, change in theirs.items():
        if index.get(path, ABSENT) != change.before:
            continue
        seen = landing_paths.look(git.where, path, set(theirs))
        if seen.on in (On.FILE, On.LINK):
            present.append((change, seen.on))
        elif change.after == ABSENT and not seen.strangers:
            fresh[path] = ABSENT
    held = contents.clean_ids(git, present)
    fresh |= {change.path: change.after for change, _ in present if held[change.path] == change.after[1]}
    if fresh:
        contents.stage(git, fresh)


def _head(git: Git) -> str:
    """What is checked out; the empty tree where HEAD names a branch that has no commit yet."""
    return git.commit_of("HEAD") or git.do("hash-object", "-t", "tree", "--stdin", stdin=b"")


def _wanted(git: Git, old: str, landing: tuple[Change, ...]) -> dict[str, Entry]:
    """What each path had before; the new content where the user has committed it as their own."""
    theirs = {one.path: one.after for one in landing_paths.changes(git, old, _head(git))}
    return {one.path: one.after if theirs.get(one.path) == one.after else one.before for one in landing}


def _ours(git: Git, landing: tuple[Change, ...], wanted: dict[str, Entry]) -> list[tuple[Change, On]]:
    """Paths that our git left, and that are not as they should be."""
    paths = {one.path for one in landing}
    index = contents.in_index(git, paths)
    touched, _ = landing_paths.touched_and_unmerged(git)
    gone: list[tuple[Change, On]] = []
    present: list[tuple[Change, On]] = []
    for change in landing:
        staged, want = index.get(change.path, ABSENT), wanted[change.path]
        if staged not in (want, change.after) or (staged == want != ABSENT and change.path not in touched):
            continue
        seen = landing_paths.look(git.where, change.path, paths)
        if seen.strangers:
            continue
        if seen.on in (On.FILE, On.LINK):
            present.append((change, seen.on))
        elif staged != ABSENT or want != ABSENT:
            gone.append((change, On.NOTHING))
    held = contents.clean_ids(git, present)
    return gone + [
        (change, on)
        for change, on in present
        if held[change.path] in _ids(change, wanted[change.path])
        or (on is On.FILE and contents.begins(git, change))
    ]


def _ids(change: Change, want: Entry) -> tuple[str, ...]:
    """Contents that are no loss: the landing's, and what is to be there anyway."""
    return tuple(blob for blob in (change.after[1], want[1]) if blob)
