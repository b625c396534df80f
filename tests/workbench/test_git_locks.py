"""The registration lock: one holder at a time, for all worktrees of a repository."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from toryo.workbench.git.door import locks


def test_a_second_holder_waits_until_the_first_is_done(tmp_path: Path):
    with locks.registration(tmp_path), open(tmp_path / "toryo/registration.lock") as second:
        with pytest.raises(BlockingIOError):
            fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with open(tmp_path / "toryo/registration.lock") as second:
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_the_lock_is_given_back_when_its_holder_fails(tmp_path: Path):
    with pytest.raises(ZeroDivisionError), locks.registration(tmp_path):
        raise ZeroDivisionError
    with locks.registration(tmp_path):
        assert (tmp_path / "toryo/registration.lock").exists()


def test_a_stopped_holder_is_named_and_not_waited_for_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "PATIENCE_S", 0.2)
    with locks.registration(tmp_path):
        pass
    code = (
        "import fcntl, os, signal, sys; file = open(sys.argv[1]); fcntl.flock(file, fcntl.LOCK_EX);"
        "print('held', flush=True); os.kill(os.getpid(), signal.SIGSTOP)"
    )
    argv = [sys.executable, "-c", code, str(tmp_path / "toryo/registration.lock")]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            with pytest.raises(locks.LockHeld, match=f"The process {holder.pid} ") as held:
                locks.registration(tmp_path).__enter__()
            assert held.value.hint == f"kill -CONT {holder.pid}"
        finally:
            holder.kill()
    with locks.registration(tmp_path):
        pass
