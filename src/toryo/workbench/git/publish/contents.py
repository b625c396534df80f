"""File contents on a landing's paths: compared through git's filters, kept in a snapshot, removed,
rewritten.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import ZERO, Git
from toryo.workbench.git.publish import landing_paths
from toryo.workbench.git.publish.landing_paths import ABSENT, LINK, Change, On

_NO_FILTER = ("unspecified", "unset", "set")


def snapshot_ref(commit: str) -> str:
    return f"refs/toryo/snapshots/publish/{commit}"


def in_index(git: Git, paths: set[str]) -> dict[str, tuple[str, str]]:
    """Mode and blob of the paths that the index holds; one in conflict equals no side."""
    found: dict[str, tuple[str, str]] = {}
    for line in git.do("ls-files", "-s", "-z").split("\0"):
        about, _, path = line.partition("\t")
        if path in paths:
            mode, blob, stage = about.split(" ")
            found[path] = (mode, blob if stage == "0" else f"stage {stage}")
    return found


def clean_ids(git: Git, present: list[tuple[Change, On]]) -> dict[str, str]:
    """The blob each path would become if it were added now."""
    files = [change.path for change, on in present if on is On.FILE]
    ids = dict(zip(files, _hash(git, files), strict=True))
    for change, on in present:
        if on is On.LINK:
            target = os.fsencode((git.where / change.path).readlink())
            ids[change.path] = (
                _blob_id(target, change.new) if LINK in (change.old_mode, change.new_mode) else ""
            )
    return ids


def same(git: Git, landing: tuple[Change, ...]) -> tuple[str, ...]:
    """Paths at which the disk holds the landing's content already, though no commit of the checkout does."""
    paths = {change.path for change in landing}
    index = in_index(git, paths)
    touched, _ = landing_paths.touched_and_unmerged(git)
    present: list[tuple[Change, On]] = []
    for change in landing:
        staged = index.get(change.path, ABSENT)
        if change.is_submodule or change.after == ABSENT or staged not in (change.before, change.after):
            continue
        if staged != ABSENT and change.path not in touched:
            continue  # as HEAD has it: git writes it
        seen = landing_paths.look(git.where, change.path, paths)
        if not seen.strangers and _mode(git.where / change.path, seen.on) == change.new_mode:
            present.append((change, seen.on))
    held = clean_ids(git, present)
    return tuple(change.path for change, _ in present if held[change.path] == change.new)


def take_up(git: Git, landing: tuple[Change, ...], paths: Collection[str]) -> None:
    """Enter what lies there into the index as the landing has it: git then leaves the file itself alone.

    Not where the user staged anything else meanwhile: git refuses such a path."""
    index = in_index(git, set(paths)) if paths else {}
    taken = [one for one in landing if one.path in paths]
    fits = (one for one in taken if index.get(one.path, ABSENT) in (one.before, one.after))
    if entries := {one.path: one.after for one in fits}:
        stage(git, entries)


def is_beginning(git: Git, change: Change, on: On) -> bool:
    """Whether the file is what a git killed in mid-write leaves: the new content or a beginning of it.

    The old content is compared once more as git would write it, for filters that do not go both ways."""
    if on is not On.FILE:
        return False
    if begins(git, change):
        return True
    before = change.before[1]
    return bool(before) and written(git, change.path, before) == (git.where / change.path).read_bytes()


def begins(git: Git, change: Change) -> bool:
    """Whether the file is a beginning of the new content."""
    after, holds = change.after[1], (git.where / change.path).read_bytes()
    return bool(after) and written(git, change.path, after).startswith(holds)


def snapshot(
    git: Git, parent: str, paths: tuple[str, ...], what: str = "what an interrupted publication left"
) -> str:
    """Keep the bytes at these paths in a commit under refs/toryo/snapshots/; its id, empty if no path."""
    if not paths:
        return ""
    links = [path for path in paths if (git.where / path).is_symlink()]
    files = [path for path in paths if path not in set(links)]
    entries = []
    for path, blob in zip(files, _hash(git, files, "-w", "--no-filters"), strict=True):
        executable = (git.where / path).stat().st_mode & stat.S_IXUSR
        entries.append(f"{'100755' if executable else '100644'} {blob}\t{path}\0")
    for path in links:
        target = os.fsencode((git.where / path).readlink())
        entries.append(f"{LINK} {git.do('hash-object', '-w', '--stdin', stdin=target)}\t{path}\0")
    with tempfile.TemporaryDirectory() as folder:
        env = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        listing = "".join(entries).encode("utf-8", "surrogateescape")
        git.do("update-index", "-z", "--index-info", stdin=listing, env=env)
        tree = git.do("write-tree", env=env)
    message = f"toryo: {what} on its paths\n".encode()
    commit = git.do("commit-tree", tree, "-p", parent, stdin=message)
    git.move_ref(snapshot_ref(commit), commit, ZERO, "toryo: snapshot")
    return commit


def put_away(root: Path, paths: Iterable[str]) -> None:
    """Remove the files, and the directories they leave empty: git meets nothing where it will write."""
    for path in paths:
        (root / path).unlink(missing_ok=True)
        for folder in Path(path).parents[:-1]:
            try:
                (root / folder).rmdir()
            except OSError:
                break


def clear_hollow(root: Path, paths: Iterable[str]) -> None:
    """Folders without a file in the place of these: a git that died while a file became a folder left them,
    and the next one would take them for the user's change of that file."""
    for path in paths:
        if (root / path).is_dir() and not (root / path).is_symlink():
            for folder, _, _ in os.walk(root / path, topdown=False):
                with contextlib.suppress(OSError):  # not hollow
                    Path(folder).rmdir()


def unwritable(git: Git, landing: tuple[Change, ...]) -> str:
    """A path whose new content a filter of the user's cannot write, with the filter's complaint; else empty.

    git would notice in the middle, with the old file gone: Git LFS without its program or the network."""
    new = {change.path: change.new for change in landing if change.new_mode.startswith("100")}
    asked = "\0".join(new).encode("utf-8", "surrogateescape")
    fields = git.do("check-attr", "-z", "--stdin", "filter", stdin=asked).split("\0") if new else []
    for path, value in zip(fields[::3], fields[2::3], strict=False):
        if value in _NO_FILTER or not git.succeeds("config", "--bool", f"filter.{value}.required"):
            continue
        done = git.run("cat-file", "--filters", f"--path={path}", new[path], limit_s=600)
        if done.code != 0:
            return f"{layout.shown(path)}: {done.complaint}"
    return ""


def stage(git: Git, entries: Mapping[str, tuple[str, str]]) -> None:
    """Set paths of the index to these modes and blobs; `ABSENT` takes one out."""
    nothing = "0" * len(git.do("hash-object", "--stdin", stdin=b""))
    lines = "".join(f"{mode} {blob or nothing}\t{path}\0" for path, (mode, blob) in entries.items())
    git.do("update-index", "-z", "--index-info", stdin=lines.encode("utf-8", "surrogateescape"))


def write_out(git: Git, paths: tuple[str, ...]) -> None:
    """Write paths to the disk as the index has them."""
    if paths:
        asked = "\0".join(paths).encode("utf-8", "surrogateescape")
        git.do("checkout-index", "-f", "-u", "-z", "--stdin", stdin=asked)


def _hash(git: Git, paths: list[str], *flags: str) -> list[str]:
    if not paths:
        return []
    asked = "".join(f"{_line(path)}\n" for path in paths).encode("utf-8", "surrogateescape")
    return git.do("hash-object", *flags, "--stdin-paths", stdin=asked).split("\n")


def _mode(place: Path, on: On) -> str:
    """As an index would hold it; empty for what is neither file nor link."""
    if on is On.LINK:
        return LINK
    if on is not On.FILE:
        return ""
    return "100755" if place.stat().st_mode & stat.S_IXUSR else "100644"


def _line(path: str) -> str:
    """hash-object reads lines, and takes one that begins with a quote as a C string."""
    if not path.startswith('"') and "\n" not in path:
        return path
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def written(git: Git, path: str, blob: str) -> bytes:
    """A blob as git would write it there, through the user's filters."""
    return git.run("cat-file", "--filters", f"--path={path}", blob).out


def _blob_id(content: bytes, like: str) -> str:
    name = "sha256" if len(like) == 64 else "sha1"
    return hashlib.new(name, b"blob %d\0" % len(content) + content).hexdigest()
