"""Other git processes in a checkout: the user's own are waited for, and their locks left alone."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from toryo import processes
from toryo.workbench.git.door import batch_git

PATIENCE_S = 2
"""How long they are waited for in one go."""
SWITCHES = frozenset({"switch", "checkout", "branch"})
"""They may put another branch into HEAD without a look at the index; of `branch` a rename alone, in whose
middle HEAD names what is not there. An alias runs each by its own name."""
REWRITERS = frozenset({"merge", "pull", "rebase", "stash", "reset", "cherry-pick", "revert", "am"})
"""They read index and HEAD, and write them later as if nobody else had."""
_READERS = frozenset({"log", "diff", "show", "blame", "grep", "reflog", "shortlog", "status", "branch"})
"""They may stay in a pager for hours, and hold no lock meanwhile."""
_READ = {("stash", "list"), ("stash", "show"), ("checkout", "-p"), ("checkout", "--patch")}
"""As those, or asking a person piece by piece."""
_RENAMES = re.compile(r"--move|-[A-Za-z]*[mM][A-Za-z]*")
_WITH_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"})


@dataclass(frozen=True)
class AtWork:
    verb: str
    process: psutil.Process


def at_work(checkout: Path, verbs: frozenset[str] = SWITCHES | REWRITERS) -> tuple[AtWork, ...]:
    """The gits in this very checkout that do one of these."""
    found = []
    for process in _named_git():
        try:
            verb, then = _asked(process.cmdline())
            if verb not in verbs or any((verb, word) in _READ for word in then):
                continue
            if verb == "branch" and not any(_RENAMES.fullmatch(word) for word in then):
                continue
            if _top_around(Path(process.cwd())) == checkout.resolve():
                found.append(AtWork(verb, process))
        except (psutil.Error, OSError):
            continue  # gone meanwhile, or another user's
    return tuple(found)


def have_ended(seen: tuple[AtWork, ...]) -> bool:
    """Whether they are all gone, after a while if need be."""
    end = time.monotonic() + PATIENCE_S
    while any(_lives(one.process) for one in seen):
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


def _asked(words: list[str]) -> tuple[str, list[str]]:
    """What a git is to do, and what with: behind its own options."""
    name = Path(words[0]).name if words else ""
    if name.startswith("git-"):
        return name.removeprefix("git-"), words[1:]
    rest = iter(enumerate(words[1:], 2))
    for after, word in rest:
        if word in _WITH_VALUE:
            next(rest, None)
        elif not word.startswith("-"):
            return word, words[after:]
    return "", []


def somebody_holds(lock: Path, checkout: Path) -> bool:
    """Whether a process has the lock open, or is a git at work in that checkout.

    git closes the lock while its editor is open, so an open file alone would not tell."""
    real_lock, real_checkout = str(lock.resolve()), checkout.resolve()
    for process in psutil.process_iter():
        try:
            if any(file.path == real_lock for file in process.open_files()):
                return True
            words = process.cmdline()
            if not process.name().startswith("git") or _only_answers(words) or _asked(words)[0] in _READERS:
                continue
            if Path(process.cwd()).is_relative_to(real_checkout):
                return True
        except (psutil.Error, OSError):
            continue
    return False


def has_session(leader: int) -> bool:
    """Whether a process lives in the session that this one began."""
    for pid in psutil.pids():
        try:
            if os.getsid(pid) == leader and _lives(psutil.Process(pid)):
                return True
        except (psutil.Error, OSError):
            continue
    return False


def _named_git() -> Iterator[psutil.Process]:
    """Every publication asks for these: a name is read where it stands, which is quicker than to ask for all
    that is known of a process."""
    for pid in psutil.pids():
        try:
            if not processes.HAS_PROC or _comm(pid).startswith(b"git"):
                process = psutil.Process(pid)
                if process.name().startswith("git"):
                    yield process
        except (psutil.Error, OSError):
            continue


def _comm(pid: int) -> bytes:
    handle = os.open(f"/proc/{pid}/comm", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(handle, 16)
    finally:
        os.close(handle)


def _top_around(folder: Path) -> Path | None:
    """The checkout that a folder is in: the innermost, as a linked worktree may be inside another."""
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), None)


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _only_answers(words: list[str]) -> bool:
    """A git that stays and locks nothing: it watches files, or answers a coordinator (ADR 18)."""
    stays = any(words[-len(ours) :] == [*ours] for ours in (batch_git.WORDS, batch_git.MOVES))
    return stays or any("--daemon" in word for word in words)
