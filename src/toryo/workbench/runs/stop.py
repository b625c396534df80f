"""Asking a run to end: through its shim, or, where that is gone, the recorded processes themselves."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path

from toryo.protocol.kinds.run import Stopped
from toryo.workbench.runs import records, survivors
from toryo.workbench.runs.records import Kind

_SETTLE_S = 2.0
"""How long the kernel is given to take away what was killed."""


def stop(run_dir: Path, grace_s: float = 5) -> Stopped:
    """Ask, also a run that was not begun yet; `gone` says whether nothing of the run lives any more.

    With its shim alive this returns at once, the exit record follows. An orphaned run is ended here, which
    takes up to `grace_s`."""
    found = records.state(run_dir)
    if found.ended:
        return Stopped(asked=False, gone=True)
    run_dir.mkdir(parents=True, exist_ok=True, mode=0o700)  # of a run that is still to begin: it never will
    # written before anybody is signalled: a shim that is still starting reads it before it opens the barrier
    unwritten = _write_request(run_dir, grace_s)
    found = records.state(run_dir)
    if unwritten is not None and found.kind not in (Kind.RUNNING, Kind.ORPHANED):
        raise unwritten
    if found.kind is Kind.RUNNING and found.alive is not None:
        if survivors.send(found.alive, signal.SIGUSR1):
            return Stopped(asked=True, gone=False)
        found = records.state(run_dir)
    if found.kind is Kind.ORPHANED and found.started is not None:
        return Stopped(asked=True, gone=_end(found.started.agent, records.marker(run_dir), grace_s))
    return Stopped(asked=True, gone=found.ended or found.kind is Kind.RESERVED)


def _end(agent: survivors.Identity, marker: str, grace_s: float) -> bool:
    """TERM, grace, KILL over everything that is left; whether it is all gone."""
    everybody = survivors.of(agent, marker)
    for one in everybody:
        survivors.send(one, signal.SIGTERM)
    if _gone(everybody, grace_s) and not survivors.of(agent, marker):
        return True
    end = time.monotonic() + _SETTLE_S
    while time.monotonic() < end:
        everybody = survivors.of(agent, marker)
        if not everybody:
            return True
        for one in everybody:
            survivors.send(one, signal.SIGKILL)
        _gone(everybody, 0.2)
    return not survivors.of(agent, marker)


def _gone(everybody: tuple[survivors.Identity, ...], within_s: float) -> bool:
    end = time.monotonic() + within_s
    while any(one.is_alive() for one in everybody):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _write_request(run_dir: Path, grace_s: float) -> OSError | None:
    """Why it could not be written: on a full disk a run that can be signalled is stopped all the same."""
    new = ""
    try:
        fd, new = tempfile.mkstemp(dir=run_dir, prefix=records.STOP)
        with os.fdopen(fd, "w") as file:
            file.write(f"{grace_s:f}")
        Path(new).replace(run_dir / records.STOP)
    except OSError as unwritten:
        if new:
            Path(new).unlink(missing_ok=True)
        return unwritten
    return None
