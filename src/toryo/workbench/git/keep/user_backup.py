"""Backup of the user's own settings, hooks, stashes, refs and uncommitted files before a run; pinned only
where something changed.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

from toryo.protocol.kinds.work import Foreign
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import ZERO, Git, GitFailed
from toryo.workbench.git.inspect.private_index import PrivateIndex
from toryo.workbench.git.keep import fingerprint, snapshot_ignored

SPACE = "refs/toryo/foreign"
FOLDER = "before"
MOST_FILES = 500
MOST_BYTES = 20_000_000
SMALL, MOST_SMALL = 8192, 20
"""Bytes of a file whose copy stands in the fingerprint itself, and how many do: as a rule no file is made."""


def save(repo: Path, run_dir: Path, before: dict[str, Any]) -> dict[str, Any]:
    """Copies, so that no process is needed at a launch, and nothing of the user's is in anybody's way.

    Those of the first small files, by name: to be kept with the fingerprint."""
    small: dict[str, Any] = {}
    common = layout.common_dir(repo)
    room = MOST_BYTES
    wanted = [(common / name, f"git/{name}") for name in fingerprint.SETTINGS]
    wanted += [(common / "hooks" / name, f"git/hooks/{name}") for name in before["hooks"]]
    wanted += [(repo / path, f"checkout/{path}") for path in before["status"] if not path.endswith("/")]
    for source, name in wanted[:MOST_FILES]:
        with contextlib.suppress(OSError):  # what cannot be read cannot be kept; the fact will say it changed
            size = source.lstat().st_size
            if (
                source.is_symlink()
                or not source.is_file()
                or size > min(snapshot_ignored.LARGEST_IGNORED, room)
            ):
                continue
            if size <= SMALL and len(small) < MOST_SMALL:
                mode = 0o700 if source.stat().st_mode & 0o100 else 0o600
                small[name] = {"mode": mode, "bytes": source.read_bytes().decode("latin-1")}
                continue
            target = _room_for(run_dir / FOLDER, name)
            shutil.copy2(source, target)
            target.chmod(0o700 if target.stat().st_mode & 0o100 else 0o600)
            room -= size
    return small


def _lay_out(folder: Path, small: dict[str, Any]) -> None:
    """Beside the copies that were too large."""
    for name, kept in small.items():
        target = _room_for(folder, name)
        target.write_bytes(kept["bytes"].encode("latin-1"))
        target.chmod(kept["mode"])


def _room_for(folder: Path, name: str) -> Path:
    """A place below the folder, for the owner alone."""
    folder.mkdir(exist_ok=True, mode=0o700)
    *above, last = name.split("/")
    for part in above:
        folder /= part
        folder.mkdir(exist_ok=True, mode=0o700)
    return folder / last


def pin(
    common: Path,
    run_dir: Path,
    run: str,
    found: tuple[Foreign, ...],
    before: dict[str, Any],
    after: dict[str, Any],
) -> tuple[Foreign, ...]:
    """The same changes, each with what git can show of it as it was."""
    folder = run_dir / FOLDER
    if not found:
        shutil.rmtree(folder, ignore_errors=True)
        return ()
    _lay_out(folder, before.get("small", {}))
    git = layout.git_on(common)
    files = _pin_files(git, folder, f"{SPACE}/{run}/files")
    dropped = [one for one in before.get("stashes", ()) if one not in after["stashes"]]
    stashes = {one: f"{SPACE}/{run}/stash-{number}" for number, one in enumerate(dropped, 1)}
    for stash, ref in stashes.items():
        git.move_ref(ref, stash, ZERO, "toryo: a stash that was dropped")
    return tuple(_with_kept(git, run, change, files, folder, before, stashes) for change in found)


def _with_kept(
    git: Git,
    run: str,
    change: Foreign,
    files: str,
    folder: Path,
    before: dict[str, Any],
    stashes: dict[str, str],
) -> Foreign:
    kept = ""
    match change.what:
        case "ref" if change.before:
            ref = f"{SPACE}/{run}/{change.name}"
            git.move_ref(ref, change.before, ZERO, "toryo: moved by another")
            kept = ref if git.run("rev-parse", "-q", "--verify", ref).code == 0 else ""
        case "stash":
            kept = next(iter(stashes.values()), "")
        case "config" | "hooks" | "checkout":
            place = {"config": "git", "hooks": "git/hooks", "checkout": "checkout"}[change.what]
            if files and (folder / place / change.name).is_file():
                kept = f"{files}:{place}/{change.name}"
            elif change.what == "checkout" and change.name not in before["status"]:
                committed = f"{before['head']['commit']}:{change.name}"
                kept = committed if git.run("rev-parse", "-q", "--verify", committed).code == 0 else ""
    return change.model_copy(update={"kept": kept})


def _pin_files(git: Git, folder: Path, ref: str) -> str:
    """One commit of all copies; empty if there are none."""
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    if not paths:
        return ""
    with tempfile.TemporaryDirectory(prefix="toryo-before-") as private:
        env = {"GIT_DIR": str(git.where), "GIT_WORK_TREE": str(folder)}
        index = PrivateIndex(Git(folder, env), Path(private) / "index")
        index.add_raw(paths)
        made = git.do("commit-tree", index.tree(), "-m", "The user's own, before a run")
    if not git.move_ref(ref, made, ZERO, "toryo: before a run") and git.commit_of(ref) is None:
        raise GitFailed(("update-ref", ref), 1, "it could not be written")
    return ref
