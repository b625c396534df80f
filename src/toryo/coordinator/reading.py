"""Answers to `read` orders: what lies here and the daemon cannot see. Read only, never journalled."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from toryo import settings
from toryo.coordinator.readable_logs import readable
from toryo.coordinator.records import Records
from toryo.coordinator.runs import Runs
from toryo.coordinator.windows import Windows
from toryo.protocol.models import Problem, ReadAnswer, ReadInputs
from toryo.workbench.git import hand_work, places
from toryo.workbench.git.door import Git
from toryo.workbench.runs import records
from toryo.workbench.terminals.door import NoWindow

LARGEST = 131_072
"""Bytes of one answer; the rest by the next offset."""


def read_answer(
    inputs: ReadInputs, runs: Runs, clients: Records, windows: Windows, checks: Path
) -> ReadAnswer:
    """`checks`: where the checks that are carried out now have their folders."""
    match inputs.what:
        case "log":
            return _log(inputs, runs, clients)
        case "window":
            return _window(inputs.run, windows)
        case "diff":
            return _diff(inputs)
        case "commits":
            return _commits(inputs)
        case "left":
            return ReadAnswer(ended=True, body=hand_work.made_since(inputs))
        case "check":
            return _check(inputs, checks / inputs.order)
        case "health":
            return _health(inputs, runs, clients)


def _log(inputs: ReadInputs, runs: Runs, clients: Records) -> ReadAnswer:
    note = runs.note(inputs.run)
    if note is None or not note.log:
        if runs.directory(inputs.run).is_dir():
            return _not_started(inputs.run)
        return _not_here(f"The run {inputs.run} was not started here.")
    # asked before the bytes are read: what is written in between is then read by the next call
    ended = records.state(runs.directory(inputs.run)).ended
    client = inputs.client or note.client
    try:
        if not inputs.raw and clients.reader(client) is not None:
            room = min(inputs.limit, LARGEST)
            text, offset, is_last = readable(
                Path(note.log), inputs.offset, room, ended, lambda line: clients.shown(client, line)
            )
            return ReadAnswer(text=text, next_offset=offset, ended=is_last)
        with open(note.log, "rb") as file:
            file.seek(inputs.offset)
            found = file.read(min(inputs.limit, LARGEST) + 1)
    except FileNotFoundError:
        return _not_here(f"The log {note.log} is gone.")
    return _part(found, inputs, ended=ended)


def _part(found: bytes, inputs: ReadInputs, *, ended: bool) -> ReadAnswer:
    """As much as was asked for, cut between characters; `ended` only with the last of it."""
    room = min(inputs.limit, LARGEST)
    part = found[:room]
    whole = len(found) <= room
    if not (whole and ended):
        part = part[: _boundary(part)]
    return ReadAnswer(
        text=part.decode("utf-8", "replace"),
        next_offset=inputs.offset + len(part),
        ended=ended and whole,
    )


def _boundary(part: bytes) -> int:
    """Where the last whole character ends; a character has at most four bytes."""
    for back in range(1, min(4, len(part)) + 1):
        lead = part[-back]
        if lead < 0x80:
            break
        if lead >= 0xC0:
            length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            return len(part) if length <= back else len(part) - back
    return len(part)


def _diff(inputs: ReadInputs) -> ReadAnswer:
    plain = ("--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/")
    how = ("--stat=100",) if inputs.stat else ()
    try:
        git = places.git_on(places.common_dir(inputs.repo))
        missing = next((one for one in (inputs.base, inputs.head) if git.commit_of(one) is None), None)
        if missing is not None:
            return _not_here(f"The commit {missing[:12]} is not in {inputs.repo} any more.")
        text = git.run("diff", *plain, *how, inputs.base, inputs.head, "--").out
    except FileNotFoundError:
        return _not_here(f"The repository {inputs.repo} is not there.")
    return _part(text[inputs.offset :], inputs, ended=True)


def _check(inputs: ReadInputs, folder: Path) -> ReadAnswer:
    """What a check that is carried out here has printed so far: of its newest try."""
    tries = [one for one in folder.glob("*/check/log") if one.parts[-3].isdigit()]
    newest = max(tries, key=lambda one: int(one.parts[-3]), default=None)
    if newest is None:
        return ReadAnswer(next_offset=inputs.offset)
    try:
        with open(newest, "rb") as file:
            file.seek(inputs.offset)
            return _part(file.read(min(inputs.limit, LARGEST) + 1), inputs, ended=False)
    except FileNotFoundError:  # it has ended meanwhile
        return ReadAnswer(next_offset=inputs.offset)


def _commits(inputs: ReadInputs) -> ReadAnswer:
    told = Git(inputs.repo).do("log", "-z", "--format=%H %s", f"{inputs.base}..{inputs.head}", "--")
    lines = [line.partition(" ") for line in told.split("\0") if line]
    return ReadAnswer(
        ended=True, body={"commits": [{"id": one, "subject": subject} for one, _, subject in lines]}
    )


def _window(run: str, windows: Windows) -> ReadAnswer:
    try:
        argv = windows.window(run).attach_argv()
    except NoWindow as none:
        return ReadAnswer(problem=Problem(code="no_window", message=none.message, hint=none.hint), ended=True)
    return ReadAnswer(ended=True, body={"argv": list(argv)})


def _health(inputs: ReadInputs, runs: Runs, clients: Records) -> ReadAnswer:
    where = Path(inputs.repo) if inputs.repo else runs.folder
    path = settings.environment().get("PATH", "")
    body = {
        "git": Git(where).do("version"),
        "clients": clients.listing(),
        "programs": {name: shutil.which(name, path=path) or "" for name in inputs.programs},
        "uid": os.getuid(),
        "live_runs": sorted(runs.live()),
        "free_bytes": shutil.disk_usage(where).free,
    }
    return ReadAnswer(ended=True, body=body)


def _not_started(run: str) -> ReadAnswer:
    problem = Problem(
        code="not_started",
        message=f"The run {run} has no log: it did not start.",
        hint=f"`toryo run show {run}` shows why.",
    )
    return ReadAnswer(problem=problem, ended=True)


def _not_here(message: str) -> ReadAnswer:
    return ReadAnswer(problem=Problem(code="not_here", message=message), ended=True)
