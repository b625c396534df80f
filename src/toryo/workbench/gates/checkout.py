"""Puts a commit into a gate slot: tracked files exactly its tree, in a repository of its own without remotes.

Ignored files stay between gates of one set-up key, another key starts empty. A slot that git cannot work with
is put aside and made anew.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from toryo import disks
from toryo.domain.scopes import Scope
from toryo.processes import TimeLimit
from toryo.workbench.gates.environment import furnish
from toryo.workbench.gates.slots import Slot
from toryo.workbench.git.door.git import Git, GitFailed
from toryo.workbench.git.worktrees import sparse

_LIMIT_S = 600
_SETTINGS = (
    ("core.sparseCheckout", "true"),
    ("core.sparseCheckoutCone", "false"),
    # a person's choices here would make a changed file look unchanged, or a left-over look ignored
    ("core.trustctime", "true"),
    ("core.checkStat", "default"),
    ("core.excludesFile", "/dev/null"),
    ("core.attributesFile", "/dev/null"),
)


@dataclass(frozen=True)
class Wanted:
    """One commit of a repository as a gate is to see it."""

    repo: Path
    commit: str
    setup_key: str
    exclude: tuple[str, ...] = ()


def place(slot: Slot, wanted: Wanted) -> None:
    """Ready for set-up afterwards, or for the check where `slot.setup_key` is the wanted one."""
    if slot.setup_key != wanted.setup_key:
        _renew(slot)
    try:
        _place(slot, wanted)
    except (GitFailed, TimeLimit, OSError) as problem:
        disks.insist_on_space(problem, slot.path)
        _renew(slot)
        _place(slot, wanted)


def settle(slot: Slot, wanted: Wanted) -> None:
    """After set-up: what it made counts as ignored from now on, what it changed of the tree is put back."""
    git = _Ours(slot)
    made = git.do("ls-files", "-z", "--others", "--exclude-standard", "--directory").split("\0")
    lines = [f"/{_literally(name)}" for name in made if name and "\n" not in name]
    with (slot.git_dir / "info" / "exclude").open("a") as exclude:
        exclude.writelines(line + "\n" for line in lines)
    _tracked_files(git, slot, wanted)
    _copy_for_check(slot)
    slot.mark_set_up(wanted.setup_key)


class _Ours:
    """git with our own directory over the slot's checkout."""

    def __init__(self, slot: Slot) -> None:
        self._git = Git(slot.checkout)
        self._env = {
            "GIT_DIR": str(slot.git_dir),
            "GIT_WORK_TREE": str(slot.checkout),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def do(self, *argv: str) -> str:
        return self._git.do(*argv, env=self._env, config=_SETTINGS, limit_s=_LIMIT_S)


def _renew(slot: Slot) -> None:
    slot.set_aside()
    slot.path.mkdir(mode=0o700)


def _place(slot: Slot, wanted: Wanted) -> None:
    source = Git(wanted.repo)
    fmt = source.do("rev-parse", "--show-object-format")
    objects = _objects(source)
    slot.set_aside(slot.tmp)
    furnish(slot.home, slot.tmp)
    if not slot.git_dir.exists():
        _init(slot.path, "--bare", fmt, slot.git_dir)
        (slot.git_dir / "info").mkdir()
        (slot.git_dir / "info" / "exclude").touch()
    slot.checkout.mkdir(mode=0o700, exist_ok=True)
    # the slot is held: whoever made this lock is dead
    (slot.git_dir / "index.lock").unlink(missing_ok=True)
    slot.set_aside(slot.checkout / ".git")
    _write_alternates(slot.git_dir, objects)
    lines = sparse.patterns(Scope(exclude=wanted.exclude))
    text = "".join(f"{line}\n" for line in lines)
    (slot.git_dir / "info" / "sparse-checkout").write_text(text, "utf-8", "surrogateescape")
    git = _Ours(slot)
    _tracked_files(git, slot, wanted)
    git.do("clean", "-ffdq")
    _forget_bytecode(git, slot)
    _own_repository(slot, wanted, fmt, objects)


def _tracked_files(git: _Ours, slot: Slot, wanted: Wanted) -> None:
    git.do("read-tree", "--reset", "-u", wanted.commit)
    (slot.git_dir / "HEAD").write_text(wanted.commit + "\n")


def _forget_bytecode(git: _Ours, slot: Slot) -> None:
    """Python compares source and bytecode by size and whole seconds: two quick gates would mix."""
    names = git.do("ls-files", "-z", "--", "*.py").split("\0")
    for folder in {(slot.checkout / name).parent for name in names if name}:
        cache = folder / "__pycache__"
        if cache.is_dir() and not cache.is_symlink():
            shutil.rmtree(cache)


def _own_repository(slot: Slot, wanted: Wanted, fmt: str, objects: Path) -> None:
    """The `.git` that checks see; new for each gate, so an earlier check's tags and settings are gone."""
    _init(slot.path, "--initial-branch=main", fmt, slot.checkout)
    own = slot.checkout / ".git"
    _write_alternates(own, objects)
    with (own / "config").open("a") as config:
        config.write("[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = false\n[gc]\n\tauto = 0\n")
    (own / "info").mkdir(exist_ok=True)
    (own / "HEAD").write_text(wanted.commit + "\n")
    _copy_for_check(slot)


def _copy_for_check(slot: Slot) -> None:
    own = slot.checkout / ".git"
    for name in ("index", "info/exclude", "info/sparse-checkout"):
        shutil.copyfile(slot.git_dir / name, own / name)


def _init(where: Path, kind: str, fmt: str, directory: Path) -> None:
    Git(where).do("init", "-q", "--template=", f"--object-format={fmt}", kind, str(directory))


def _objects(source: Git) -> Path:
    common = Path(source.do("rev-parse", "--path-format=absolute", "--git-common-dir"))
    return common.resolve() / "objects"


def _write_alternates(git_dir: Path, objects: Path) -> None:
    info = git_dir / "objects" / "info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "alternates").write_text(f"{objects}\n")


def _literally(name: str) -> str:
    """A path as a pattern of .gitignore that matches nothing else."""
    escaped = "".join("\\" + sign if sign in "\\*?[" else sign for sign in name)
    return escaped[:-1] + "\\ " if escaped.endswith(" ") else escaped
