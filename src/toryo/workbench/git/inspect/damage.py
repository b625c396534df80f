"""Repository damage: how its files and git's complaints show it, and the way out. It mends nothing."""

from __future__ import annotations

from pathlib import Path

from toryo.domain.errors import ToryoError
from toryo.protocol.base import Problem
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.refusals import Refusal

CODE = "damaged_repository"
PARTS = ("HEAD", "objects", "refs")
"""Without each of these a directory is no repository to git."""
MOST_LINKS = 5

_WORDS = (
    "missing object",
    "bad object",
    "bad tree object",
    "not a tree object",
    "is corrupt",
    "Could not read",
    "could not read",
    "unable to read",
    "unable to unpack",
    "unable to parse",
    "broken ref",
    "bad ref",
    "invalid object",
)


class Damaged(ToryoError):
    """The repository is damaged."""


def way_out(where: Path | str) -> str:
    return (
        f"`git -C {where} fsck --full` names what is lost: fetch it from a clone that has it, or clone anew."
    )


def is_told(complaint: str) -> bool:
    """Whether git complains about what it keeps, and not about what it was asked."""
    return any(words in complaint for words in _WORDS)


def told(where: Path | str, complaint: str) -> str:
    """One sentence out of git's, which may say the same five times."""
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    last = next((line for line in lines if line.startswith("fatal: ")), lines[-1] if lines else "")
    said = last.removeprefix("fatal: ").removeprefix("error: ").rstrip(".")
    return f"The repository {where} is damaged: {said}." if said else f"The repository {where} is damaged."


def problem_of_reading(where: Path | str, complaint: str) -> Problem:
    """Why git could not even read there."""
    if is_told(complaint):
        return Problem(code=CODE, message=told(where, complaint), hint=way_out(where))
    message = f"git cannot read {where}: {complaint[:2000]}"
    return Problem(code="unreadable_repository", message=message, hint=way_out(where))


def refusal(where: Path | str, complaint: str, code: str = CODE) -> Refusal:
    return Refusal(code, told(where, complaint), way_out(where))


def refuse_broken(where: Path | str, common: Path, ref: str) -> None:
    """Of a ref that names no commit: one that is there all the same is damaged, or what it names is lost."""
    if is_there(common, ref):
        raise Refusal(CODE, told(where, _broken(ref)), way_out(where))


def insist_whole(where: Path | str, common: Path, ref: str) -> None:
    """As `refuse_broken`, for a look that nobody ordered."""
    if is_there(common, ref):
        raise Damaged(told(where, _broken(ref)), hint=way_out(where))


def is_there(common: Path, ref: str) -> bool:
    """Whether a ref is written down, whatever it holds."""
    for _ in range(MOST_LINKS):
        if not (common / ref).is_file():
            packed = layout.read(common / "packed-refs").split("\n")
            return any(line.endswith(f" {ref}") for line in packed)
        text = layout.read(common / ref)
        if not text.startswith("ref:"):
            return True
        ref = text.removeprefix("ref:").strip()  # another name: that one may be missing
    return False


def refuse_git_directory(path: Path, complaint: str) -> None:
    """Of a path that git takes for no repository: what is at its top may be the rest of one."""
    if "not a git repository" not in complaint:
        return
    for top in _upwards(path):
        entry = top / ".git"
        if entry.is_file():
            named = layout.read(entry).removeprefix("gitdir:").strip()
            hint = f"Did its repository move? Type there: `git worktree repair {top}`."
            raise Refusal(CODE, f"{entry} is damaged: it names no git directory ({named[:200]}).", hint)
        present = [name for name in PARTS if (entry / name).exists()]
        if present:
            raise _rest_of_one(top, entry, [name for name in PARTS if name not in present])


def refuse_outer(path: Path, git_dir: Path) -> None:
    """Of the repository that git found: it looks past the rest of one, and takes the one around it."""
    for top in _upwards(path):
        entry = top / ".git"
        if entry.is_file() or git_dir.is_relative_to(top):
            return
        present = [name for name in PARTS if (entry / name).exists()]
        if present:
            raise _rest_of_one(top, entry, [name for name in PARTS if name not in present])


def _upwards(path: Path) -> tuple[Path, ...]:
    """As git goes: by the real folders, whatever links led here."""
    real = path.resolve()
    return (real, *real.parents)


def _rest_of_one(top: Path, entry: Path, missing: list[str]) -> Refusal:
    if missing and missing != ["HEAD"]:
        lost = " and ".join(str(entry / name) for name in missing)
        hint = f"Put {entry} back from a backup, or clone the repository anew."
        return Refusal(CODE, f"{entry} is damaged: {lost} is not there.", hint)
    hint = (
        f"Name the branch that was checked out: `echo 'ref: refs/heads/BRANCH' > {entry / 'HEAD'}`; "
        f"then `git -C {top} fsck --full` says what else is lost."
    )
    return Refusal(CODE, f"{entry} is damaged: {entry / 'HEAD'} names no branch and no commit.", hint)


def _broken(ref: str) -> str:
    return f"{ref} is no commit that can be read: it is broken, or its commit is lost"
