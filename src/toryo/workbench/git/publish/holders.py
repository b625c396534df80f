"""Branch holders: the checkouts it is out in, and the rebases and bisects that will come back to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git

_UNDERWAY = (
    ("MERGE_HEAD", "merge"),
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("sequencer", "cherry-pick"),
    ("BISECT_LOG", "bisect"),
    ("index.lock", "index.lock"),
)


@dataclass(frozen=True)
class Holders:
    checkouts: tuple[Path, ...] = ()
    away: tuple[Path, ...] = ()
    """Registered and locked, but not there: on a drive that will come back."""
    operation: str = ""
    """A rebase or bisect that began on the branch and has detached its checkout's HEAD."""
    operating: Path | None = None
    """The checkout of that operation."""


def find(git: Git, common: Path, main: Path, ref: str) -> Holders:
    """Every holder of the branch, in all checkouts; `main` is the repository's own. The caller holds the
    registration lock."""
    checkouts, away = [], []
    for place, locked in _standing_on(git, common, main, ref):
        if (place / ".git").exists():
            checkouts.append(place)
        elif locked:
            away.append(place)
    for folder in (common, *layout.admin_dirs(common)):
        if operation := _holds(folder, ref):
            where = main if folder == common else layout.registered_at(folder)
            return Holders(tuple(checkouts), tuple(away), operation, where)
    return Holders(tuple(checkouts), tuple(away))


def _standing_on(git: Git, common: Path, main: Path, ref: str) -> list[tuple[Path, bool]]:
    """The checkouts whose HEAD names the branch, and whether each is locked: from the files where they are
    what they usually are."""
    admins = list(layout.admin_dirs(common))
    plain = common == main / ".git" and not (common / "reftable").exists()
    if not plain or any((folder / "HEAD").is_symlink() for folder in (common, *admins)):
        return _listed(git, main, ref)
    found = [(main, False)] if layout.symbolic_head(common) == ref else []
    for admin in admins:
        place = layout.registered_at(admin)
        if place is not None and layout.symbolic_head(admin) == ref:
            found.append((place, (admin / "locked").exists()))
    return found


def _listed(git: Git, main: Path, ref: str) -> list[tuple[Path, bool]]:
    found = []
    listed = git.do("worktree", "list", "--porcelain", "-z").split("\0\0")
    for number, record in enumerate(listed):
        fields = dict(line.partition(" ")[::2] for line in record.split("\0") if line)
        if fields.get("branch") == ref:
            # of a submodule or a separate git directory git lists that directory, which is no checkout
            found.append((main if number == 0 else Path(fields["worktree"]), "locked" in fields))
    return found


def underway(git_dir: Path, but: str = "") -> str:
    """What is in progress in a checkout; empty if nothing is. `but`: that is no news to the caller."""
    return next((what for name, what in _UNDERWAY if what != but and (git_dir / name).exists()), "")


def _holds(git_dir: Path, ref: str) -> str:
    for folder in ("rebase-merge", "rebase-apply"):
        moved = _lines(git_dir / folder / "head-name") + _lines(git_dir / folder / "update-refs")
        if ref in moved:
            return "rebase"
    # BISECT_START names the branch to go back to, without refs/heads/
    return "bisect" if ref.removeprefix("refs/heads/") in _lines(git_dir / "BISECT_START") else ""


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []
