"""The fingerprint of a repository: refs, config, hooks, stash and the main checkout, before and after a run.

What differs and is not our own doing is a foreign change; what follows from one is the daemon's to say.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toryo.domain.naming import PREFIX
from toryo.protocol.kinds.work import Foreign
from toryo.workbench.git.door import layout, packed_refs, reflogs
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.inspect import status
from toryo.workbench.git.keep import deleted_branches, trash

MOST = 200
"""Foreign changes that a fact names; the first ones say enough."""

SETTINGS = (
    "config",
    "config.worktree",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "objects/info/alternates",
)
"""Files of the git directory that change what git does for the user."""

_HEADS = "refs/heads/"
_AGENTS = f"{_HEADS}{PREFIX}"
_TIPS = "refs/toryo/tips/"
_OURS = ("refs/toryo/", _AGENTS, "refs/prefetch/", "refs/bisect/", "refs/rewritten/")
"""Refs that move without an agent: Toryo's, other tasks' branches (judged by their runs), git's own."""


NEVER_TOLD = frozenset(
    f"refs/toryo/{space}" for space in ("snapshots", "candidates", "kept", "foreign", "deleted")
)
"""Of `_OURS`, the spaces that grow with every task."""


def take(repo: str | Path, branch: str) -> dict[str, Any]:
    """All that a run on `branch` should leave alone, as plain data for JSON."""
    root, own = Path(repo), layout.head_ref(branch)
    git_dir = layout.git_dir_of(root)
    if git_dir is None:
        raise FileNotFoundError(f"no git directory at {root}")
    common = layout.common_of(git_dir)
    reading = status.begin(Git(root))  # git reads it, which takes longest, beside the rest
    try:
        refs = read_refs(common, leave_out=NEVER_TOLD)
        rest = _beside_the_checkout(common)
    finally:
        seen = reading.finish()
    stash = refs.pop("refs/stash", "")
    changed = {**seen.changed, **dict.fromkeys(seen.untracked, "??")}
    return {
        "refs": {ref: at for ref, at in refs.items() if ref != own and not ref.startswith(_OURS)},
        "tips": {ref.removeprefix(_TIPS): at for ref, at in refs.items() if ref.startswith(_TIPS)},
        "stash": stash,
        "head": {"branch": seen.branch, "commit": seen.commit},
        "branches": {ref: at for ref, at in refs.items() if ref.startswith(_AGENTS) and ref != own},
        "status": {path: f"{letters} {_stat(root / path)}" for path, letters in changed.items()},
        **rest,
    }


def without(detail: dict[str, Any], branch: str) -> dict[str, Any]:
    """A fingerprint that was taken before anybody knew whose run it would be for."""
    own = layout.head_ref(branch)
    branches = {ref: at for ref, at in detail["branches"].items() if ref != own}
    return {**detail, "branches": branches}


def _beside_the_checkout(common: Path) -> dict[str, Any]:
    return {
        "logs": reflogs.sizes(common),
        "stashes": layout.commits_in(common / "logs" / "refs" / "stash"),
        "config": {name: _hash_of(f"{common}/{name}") for name in SETTINGS},
        "hooks": _hooks(common / "hooks"),
        "worktrees": {admin.name: str(layout.registered_at(admin)) for admin in layout.admin_dirs(common)},
    }


def digest(detail: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(detail, sort_keys=True).encode()).hexdigest()


def read_refs(common: Path, leave_out: frozenset[str] = frozenset()) -> dict[str, str]:
    """Every ref and the object it names; from the files, since a process would cost each launch 2 ms.

    `leave_out`: folders that need not be read."""
    if (common / "reftable").is_dir():
        text = layout.git_on(common).do("for-each-ref", "--format=%(objectname) %(refname)")
        return {ref: at for at, ref in (line.split(" ", 1) for line in text.split("\n") if line)}
    loose: dict[str, str] = {}
    # loose before packed: a ref that is being packed is in both places for a moment, never in none
    for folder, below, names in os.walk(common / "refs"):
        ref = folder[len(str(common)) + 1 :]
        if leave_out:
            below[:] = [name for name in below if f"{ref}/{name}" not in leave_out]
        for name in names:
            held = layout.read(f"{folder}/{name}")
            if held and not name.endswith(".lock"):
                loose[f"{ref}/{name}"] = held
    return {**packed_refs.told(common, leave_out), **loose}


def compare(
    before: dict[str, Any],
    after: dict[str, Any],
    is_ours: Callable[[str, str, str], bool] | None = None,
) -> tuple[Foreign, ...]:
    """What changed and was not Toryo. `is_ours(branch, old, new)`: whether we published that move; by default
    where it ended at the branch's tip."""
    ours = is_ours or (lambda branch, _, new: bool(new) and after["tips"].get(branch) == new)
    found = _refs(before["refs"], after["refs"], ours)
    if before["stash"] != after["stash"]:
        found.append(Foreign(what="stash", name="refs/stash", before=before["stash"], after=after["stash"]))
    for name, old in before["config"].items():
        new = after["config"].get(name, "")
        if old != new:
            found.append(Foreign(what="config", name=name, before=old, after=new))
    for name in sorted(before["hooks"].keys() | after["hooks"].keys()):
        old, new = before["hooks"].get(name, ""), after["hooks"].get(name, "")
        if old != new:
            found.append(Foreign(what="hooks", name=name, before=old, after=new))
    found += _checkout(before, after)
    return tuple(found[:MOST])


def others(before: dict[str, Any], after: dict[str, Any], common: Path, own: str) -> tuple[Foreign, ...]:
    """Branches and worktrees of other tasks and of the user that went without us, and strange new ones;
    what became of the run's `own` branch and worktree is told by itself."""
    name_of_own = own.removeprefix(PREFIX)
    branches = [ref for ref in before.get("branches", {}) if ref != layout.head_ref(own)]
    gone = [ref for ref in branches if ref not in after["branches"]]
    if gone:
        git, held = layout.git_on(common), before["branches"]
        gone = [ref for ref in gone if not deleted_branches.is_kept(git, ref.removeprefix(_HEADS), held[ref])]
    known = before.get("worktrees", {})
    lost = [
        name for name in known if name not in after["worktrees"] and Path(known[name]).name != name_of_own
    ]
    names = {ref: ref.removeprefix(_AGENTS) for ref in gone} | {name: Path(known[name]).name for name in lost}
    retired = trash.holds(common, names.values()) if names else set()
    found = [
        Foreign(what="ref", name=layout.shown(ref), before=before["branches"][ref])
        for ref in gone
        if names[ref] not in retired
    ]
    found += [
        Foreign(what="worktree", name=layout.shown(name), before=known[name])
        for name in lost
        if names[name] not in retired
    ]
    for name, path in after["worktrees"].items():
        admin = common / "worktrees" / name
        if name not in known and not layout.lock_holder(admin) and not layout.is_opened(admin):
            found.append(Foreign(what="worktree", name=layout.shown(name), after=path))
    return tuple(found[:MOST])


def _refs(
    before: dict[str, str], after: dict[str, str], ours: Callable[[str, str, str], bool]
) -> list[Foreign]:
    found = []
    for ref in sorted(before.keys() | after.keys()):
        old, new = before.get(ref, ""), after.get(ref, "")
        if old == new or ref.startswith(_OURS):
            continue
        if ref.startswith(_HEADS) and ours(ref.removeprefix(_HEADS), old, new):
            continue
        found.append(Foreign(what="ref", name=layout.shown(ref), before=old, after=new))
    return found


def _checkout(before: dict[str, Any], after: dict[str, Any]) -> list[Foreign]:
    found = []
    old, new = before["head"], after["head"]
    # on one and the same branch a new commit is that branch's move, told above
    if old["branch"] != new["branch"] or (not new["branch"] and old["commit"] != new["commit"]):
        names = [head["branch"] or head["commit"] for head in (old, new)]
        found.append(Foreign(what="checkout", name="HEAD", before=names[0], after=names[1]))
    for path in sorted(before["status"].keys() | after["status"].keys()):
        was, now = before["status"].get(path, ""), after["status"].get(path, "")
        if was != now:
            found.append(Foreign(what="checkout", name=layout.shown(path), before=was, after=now))
    return found


def _hooks(folder: Path) -> dict[str, str]:
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return {}
    # the samples that git copies into every repository never run
    return {name: _hash_of(f"{folder}/{name}") for name in names if not name.endswith(".sample")}


def _hash_of(path: str) -> str:
    try:
        with open(path, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode & 0o111
            return hashlib.sha256(file.read() + str(mode).encode()).hexdigest()
    except OSError:
        return ""


def _stat(path: Path) -> str:
    """Tells an edit of a file that was dirty before."""
    try:
        seen = path.lstat()
    except OSError:
        return "-"
    # of a directory that is untracked as a whole only its presence counts: its time moves with every file
    return "dir" if path.is_dir() and not path.is_symlink() else f"{seen.st_size} {seen.st_mtime_ns}"
