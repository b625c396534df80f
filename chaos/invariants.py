"""What must hold whoever died: one start of each run, a green target, no file lost, statuses from facts."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from chaos.place import Place


def git(where: Path, *argv: str) -> str:
    done = subprocess.run(["git", *argv], cwd=where, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"git {' '.join(argv)}: {done.stderr or done.stdout}")
    return done.stdout.rstrip("\n")


def broken(place: Place) -> list[str]:
    """Every invariant that does not hold, in words."""
    told = [*started_twice(place), *red_targets(place), *lost_files(place), *differences(place)]
    return [*told, *uncollected(place)]


def started_twice(place: Place) -> list[str]:
    starts = Counter(place.starts.read_text().split() if place.starts.exists() else ())
    return [f"run {run} was started {count} times" for run, count in starts.items() if count > 1]


def red_targets(place: Place) -> list[str]:
    """The check on every commit that the target ever stood on, in an empty folder each."""
    commits = git(place.repo, "rev-list", "--first-parent", "main").split()
    tip = git(place.repo, "for-each-ref", "--format=%(objectname)", "refs/toryo/tips").split()
    return [
        f"the target was red at {commit[:12]}" for commit in {*commits, *tip} if not _green(place, commit)
    ]


def _green(place: Place, commit: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", commit], cwd=place.repo, capture_output=True, check=True, timeout=60
        )
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True, timeout=60)
        done = subprocess.run(
            ["sh", "-c", "touch made; sh check.sh"], cwd=folder, capture_output=True, check=False, timeout=60
        )
    return done.returncode == 0


def written_files(place: Place) -> list[list[str]]:
    """Run, blob and path of each file that an agent wrote whole."""
    return (
        [line.split(" ", 2) for line in place.wrote.read_text().splitlines()] if place.wrote.exists() else []
    )


def lost_files(place: Place) -> list[str]:
    """Everything that an agent wrote whole is in some commit that a ref holds, or still in a worktree."""
    written = written_files(place)
    if not written:
        return []
    kept = {line.split()[0] for line in git(place.repo, "rev-list", "--objects", "--all").splitlines()}
    kept |= _in_bundles(place)
    lost = [one for one in written if one[1] not in kept]
    if lost:
        kept |= _on_the_disk(place, {path for _, _, path in lost})
    return [f"{run} wrote {path}, and nobody has it" for run, blob, path in lost if blob not in kept]


def _in_bundles(place: Place) -> set[str]:
    """Ids of what comes back from the bundles of projects that were removed."""
    bundles = list((place.home.path / "removed").glob("*.bundle"))
    with tempfile.TemporaryDirectory() as folder:
        back = Path(folder) / "back.git"
        for number, bundle in enumerate(bundles):
            if not back.exists():
                git(place.repo, "clone", "-q", "--bare", str(place.repo), str(back))
            git(back, "fetch", "-q", str(bundle), f"refs/toryo/*:refs/restored/{number}/*")
        listed = git(back, "rev-list", "--objects", "--all") if bundles else ""
    return {line.split()[0] for line in listed.splitlines()}


def _on_the_disk(place: Place, paths: set[str]) -> set[str]:
    """Ids of those files as they lie in worktrees, retired ones too."""
    retired = place.repo / ".git" / "toryo" / "trash" / "node_modules"
    folders = [*(place.repo / ".worktrees").glob("*"), *retired.glob("*")]
    files = [folder / path for folder in folders for path in paths if (folder / path).is_file()]
    return {git(place.repo, "hash-object", str(file)) for file in files}


def uncollected(place: Place) -> list[str]:
    """Every lost run was collected all the same: what it wrote is committed, or a person can restore it."""
    told = []
    lost = "select id, collected from runs where outcome = 'lost' and worktree != ''"
    for run, collected in place.rows(lost):
        known = json.loads(collected) if collected else None
        if not known or known.get("problem"):
            told.append(f"{run} was lost and not collected: {known}")
            continue
        kept = {line.split()[2] for line in git(place.repo, "ls-tree", "-r", known["head"]).splitlines()}
        if (known.get("snapshot") or {}).get("commit"):
            kept |= _restored(place, run)
        files = [(blob, path) for writer, blob, path in written_files(place) if writer == run]
        told += [f"{run} was lost, and {path} is not restored" for blob, path in files if blob not in kept]
    return told


def _restored(place: Place, run: str) -> set[str]:
    """Ids of the files that `toryo restore` brings back."""
    with tempfile.TemporaryDirectory(dir=place.here) as folder:
        back = Path(folder) / "back"
        place.call("restore_snapshot", run=run, destination=str(back))
        files = [str(path) for path in back.rglob("*") if path.is_file()]
        return set(git(place.repo, "hash-object", "--", *files).split()) if files else set()


def differences(place: Place) -> list[str]:
    """Statuses that the facts do not support."""
    return [f"recomputed: {one}" for one in place.call("recompute")["differences"]]
