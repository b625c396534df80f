"""One attempt of one check on one commit, from a slot to a fact; how many attempts is the reconciler's.

Called again with the same work directory it attaches to the command that runs, or answers from its record.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from toryo import disks
from toryo.domain.errors import ToryoError
from toryo.domain.words import CheckResult
from toryo.processes import TimeLimit
from toryo.protocol.kinds.gate import Checked, CheckInputs
from toryo.steps import step
from toryo.workbench.gates import checkout, commands, slots, verdicts
from toryo.workbench.gates.environment import check_environment, fingerprint, setup_environment
from toryo.workbench.gates.setup import set_up, setup_key
from toryo.workbench.git.door import locks
from toryo.workbench.git.door.git import Git, GitFailed
from toryo.workbench.runs import records
from toryo.workbench.runs.records import Kind
from toryo.workbench.runs.stop import stop

SLOTS = 2
"""Gates of one project side by side on one machine."""


class GateInsideRepository(ToryoError):
    """The gates' folder lies inside the repository, where checks would find its ignored files."""

    way_out = "Set TORYO_HOME to a directory outside of every repository."


def check(
    inputs: CheckInputs,
    gates_root: Path,
    work_dir: Path,
    keep_running: Callable[[], bool] | None = None,
    *,
    slot_limit: int = SLOTS,
) -> tuple[Checked, str]:
    """The fact, and the whole output (bounded) whose sha256 is `Checked.output`."""
    goes_on = keep_running or _for_ever
    work_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        with _alone(work_dir, goes_on):
            checked, text = _check(inputs, gates_root, work_dir, goes_on, slot_limit)
            if checked.result is not CheckResult.PASSED and _has_no_room(work_dir, gates_root):
                # whatever it says, the tree may not be to blame: from the start, once there is room
                _put_aside(work_dir)
                raise disks.full(gates_root)
            return _finish(checked, text, work_dir)
    except locks.LockHeld:
        if goes_on():
            raise
        return _finish(verdicts.interrupted("nobody waits for this check"), "", work_dir)
    except slots.NoSlot:
        return _finish(verdicts.interrupted("nobody waits for this check"), "", work_dir)
    except (GitFailed, GateInsideRepository) as problem:
        return _finish(verdicts.could_not_run(f"gate: {problem}"), str(problem), work_dir)
    except TimeLimit as problem:
        return _finish(verdicts.could_not_run(f"gate: {problem}"), "", work_dir)
    except OSError as problem:
        disks.insist_on_space(problem, gates_root)
        raise


def _check(
    inputs: CheckInputs, gates_root: Path, work_dir: Path, goes_on: Callable[[], bool], slot_limit: int
) -> tuple[Checked, str]:
    last = _last_entry(work_dir)
    if last is not None:
        run_dir = last / "check"
        if _has_begun(run_dir):
            return verdicts.of_check(commands.wait(run_dir, goes_on), commands.output(run_dir))
        _forbid(last)
    entry = work_dir / str(1 if last is None else int(last.name) + 1)
    entry.mkdir(mode=0o700)
    return _from_the_start(inputs, gates_root, entry, goes_on, slot_limit)


def _from_the_start(
    inputs: CheckInputs, gates_root: Path, entry: Path, goes_on: Callable[[], bool], slot_limit: int
) -> tuple[Checked, str]:
    source = Git(inputs.repo)
    repo = _root(source)
    if gates_root.resolve().is_relative_to(repo):
        raise GateInsideRepository(hint="Set TORYO_HOME to a folder outside the repository.")
    tree = source.tree_of(inputs.commit)
    if inputs.tree not in ("", tree):
        return verdicts.could_not_run(f"gate: the commit's tree is {tree}, not {inputs.tree}"), ""
    here = fingerprint()
    key = setup_key(source, inputs.commit, inputs.setup, inputs.setup_inputs, here)
    note = os.open(entry.parent / "gate.json", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(note, "w") as file:
        json.dump({"setup_key": key, "fingerprint": here}, file)
    wanted = checkout.Wanted(Path(inputs.repo), inputs.commit, key, inputs.exclude)
    with slots.acquire(gates_root, inputs.project, slot_limit, prefer=key, keep_waiting=goes_on) as slot:
        step("check.slot_taken")
        checkout.place(slot, wanted)
        step("check.placed")
        committed = source.do("ls-tree", "--full-tree", "--name-only", inputs.commit, ".venv")
        env = check_environment(slot.checkout, slot.home, slot.tmp, repo, venv=not committed)
        if slot.setup_key != key:
            failed = set_up(slot, inputs.setup, entry, setup_environment(env), inputs.setup_limit_s, goes_on)
            if failed is not None:
                return verdicts.of_setup(failed.command, failed.ended, commands.output(failed.run_dir))
            step("check.set_up")
            checkout.settle(slot, wanted)
        run_dir = entry / "check"
        slot.occupy(run_dir)
        step("check.occupied")
        commands.start(run_dir, inputs.command, slot.checkout, env, inputs.limit_s)
        step("check.launched")
        ended = commands.wait(run_dir, goes_on)
        step("check.ended")
        if ended.record is not None:
            slot.vacate()
        return verdicts.of_check(ended, commands.output(run_dir))


def _finish(checked: Checked, text: str, work_dir: Path) -> tuple[Checked, str]:
    try:
        gate = json.loads((work_dir / "gate.json").read_text())
    except (OSError, ValueError):
        gate = {}
    told = {
        "output": hashlib.sha256(text.encode()).hexdigest(),
        "tail": verdicts.tail(text),
        "setup_key": gate.get("setup_key", ""),
        "fingerprint": gate.get("fingerprint", ""),
    }
    return checked.model_copy(update=told), text


def _has_begun(run_dir: Path) -> bool:
    """Whether the command was, or may yet be, executed by an earlier call."""
    while (kind := records.state(run_dir).kind) is Kind.STARTING:
        time.sleep(0.02)
    return kind not in (Kind.RESERVED, Kind.ABSENT)


def _forbid(entry: Path) -> None:
    """A set-up that an earlier call left, or a launch that never began: ended, and never to begin."""
    for run_dir in sorted(entry.iterdir()):
        stop(run_dir, grace_s=1)
        commands.wait(run_dir, _for_ever)


def _last_entry(work_dir: Path) -> Path | None:
    numbers = [int(path.name) for path in work_dir.iterdir() if re.fullmatch(r"\d+", path.name)]
    return work_dir / str(max(numbers)) if numbers else None


def _has_no_room(work_dir: Path, gates_root: Path) -> bool:
    """Now, or when one of the last attempt's commands failed."""
    if disks.is_full(gates_root):
        return True
    last = _last_entry(work_dir)
    ends = [records.read_exit(run_dir) for run_dir in last.iterdir()] if last is not None else []
    return any(end is not None and end.disk_full for end in ends)


def _put_aside(work_dir: Path) -> None:
    """The attempt that was made last is not answered from any more."""
    last = _last_entry(work_dir)
    if last is not None and (last / "check").is_dir():
        (last / "check").rename(last / "aside")


def _root(source: Git) -> Path:
    """The repository's outermost folder: of its main checkout, not of a linked worktree."""
    common = Path(source.do("rev-parse", "--path-format=absolute", "--git-common-dir")).resolve()
    return common.parent if common.name == ".git" else common


@contextmanager
def _alone(work_dir: Path, goes_on: Callable[[], bool]) -> Iterator[None]:
    """Two calls for one work directory: the second waits and then answers from the first one's record."""
    with locks.held(work_dir / "lock", goes_on):
        yield


def _for_ever() -> bool:
    return True
