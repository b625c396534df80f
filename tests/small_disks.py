"""Small disks that a test can fill and empty: tmpfs, mounted by root or in a namespace of one's own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest

INSIDE = "TORYO_TEST_NAMESPACE"
PAGE = 4096
UNSHARE = ("unshare", "--user", "--map-root-user", "--mount")


@dataclass
class SmallDisk:
    path: Path
    megabytes: int = 24

    def mount(self) -> SmallDisk:
        self.path.mkdir(parents=True, exist_ok=True)
        size = f"size={self.megabytes}m"
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", size, "none", str(self.path)],
            check=True,
            capture_output=True,
            timeout=30,
        )
        return self

    def unmount(self) -> None:
        subprocess.run(["umount", "-l", str(self.path)], check=False, capture_output=True, timeout=30)

    def fill(self, leave: int = 0) -> None:
        """To the last byte, or so many before it."""
        handle = os.open(self.path / "filler", os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            share = 1  # others write at the same time: what is free may be gone before we have it
            while (free := (self.free_bytes() - leave) // PAGE) > 0:
                try:
                    size = max(1, free // share) * PAGE
                    os.posix_fallocate(handle, os.fstat(handle).st_size, size)
                except OSError:
                    if free <= share:
                        break
                    share *= 2
        finally:
            os.close(handle)

    def empty(self) -> None:
        (self.path / "filler").unlink(missing_ok=True)

    def free_bytes(self) -> int:
        found = os.statvfs(self.path)
        return found.f_bavail * found.f_frsize


@lru_cache(maxsize=1)
def can_mount(folder: str) -> bool:
    try:
        SmallDisk(Path(folder) / "try", 1).mount().unmount()
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def need_mounts(folder: Path) -> None:
    """Skips where a namespace does this test's work, or where no small disk can be made at all."""
    if not can_mount(str(folder)):
        pytest.skip(
            "mounting a tmpfs is not allowed here: these tests run in a namespace, if there can be one"
        )


def run_in_a_namespace(file: str, folder: Path) -> None:
    """Run a test file where we are allowed to mount; nothing to do where we are anyway."""
    if os.environ.get(INSIDE) or can_mount(str(folder)):
        return
    if subprocess.run([*UNSHARE, "true"], check=False, capture_output=True, timeout=30).returncode != 0:
        pytest.skip("neither mounting nor user namespaces are allowed here: a disk cannot be filled honestly")
    argv = [*UNSHARE, sys.executable, "-m", "pytest", file, "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(
        argv, env={**os.environ, INSIDE: "1"}, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
