"""The registration lock: one holder at a time, for all worktrees of a repository."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from toryo.workbench.git import locks


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
