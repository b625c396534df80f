"""Log answers: a page of what a run printed, from its end at once, and the lines in it that hold a text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from toryo.coordinator.answers.pieces import not_here, piece_of_file, room
from toryo.coordinator.runs.client_records import Records
from toryo.coordinator.runs.log_search import Wanted, matches
from toryo.coordinator.runs.readable_logs import (
    Lines,
    Piece,
    page_before,
    program_lines,
    readable,
    screen_piece,
    tail_offset,
)
from toryo.coordinator.runs.runs import Runs
from toryo.protocol.asks import AskAnswer, LogRead, SearchRead
from toryo.protocol.base import Problem
from toryo.workbench.clients import streams
from toryo.workbench.runs import records, word_places
from toryo.workbench.terminals import spool
from toryo.workbench.terminals.screen_replay import with_colours


@dataclass(frozen=True)
class _Log:
    path: Path
    ended: bool
    """Asked before its bytes are read: what is written in between is then read by the next ask."""
    how: Lines
    is_screen: bool


def page(read: LogRead, runs: Runs, clients: Records) -> AskAnswer:
    found = _find(read, runs, clients)
    if isinstance(found, AskAnswer):
        return found
    try:
        return _raw(read, found) if read.raw else _readable(read, found)
    except FileNotFoundError:
        return _gone(found, read.run)


def search(read: SearchRead, runs: Runs, clients: Records) -> AskAnswer:
    found = _find(read, runs, clients)
    if isinstance(found, AskAnswer):
        return found
    try:
        size = found.path.stat().st_size
        start = min(read.offset, size)
        lines, after = matches(found.path, Wanted(read.text, read.any_case), start, read.limit, found.how)
    except FileNotFoundError:
        return _gone(found, read.run)
    body = {"matches": [{"start": start, "text": text} for start, text in lines]}
    return AskAnswer(next_offset=after, size=size, ended=found.ended and after >= size, body=body)


def _find(read: LogRead | SearchRead, runs: Runs, clients: Records) -> _Log | AskAnswer:
    note = runs.note(read.run)
    run_dir = runs.directory(read.run)
    if note is None or not note.log:
        if run_dir.is_dir():
            return _not_started(read.run)
        return not_here(f"The run {read.run} was not started here.", _shown_by(read.run))
    client = read.client or note.client
    said = word_places.read(run_dir)
    colours = isinstance(read, LogRead) and read.colours
    how = program_lines(said)
    if clients.reader(client) is not None:
        how = Lines(lambda line: clients.shown(client, line), streams.moment_of, said)
    screen = spool.read_screen(run_dir)
    is_screen = screen is not None and screen.style == "interactive"
    if is_screen:
        how = program_lines()
    if colours:
        how = replace(how, codes=with_colours)
    return _Log(Path(note.log), records.state(run_dir).ended, how, is_screen)


def _raw(read: LogRead, log: _Log) -> AskAnswer:
    start, limit = read.offset, read.limit
    if read.tail:
        start = tail_offset(log.path, read.tail, program_lines())
    elif read.before:
        end = min(read.before, log.path.stat().st_size)
        start = max(0, end - room(limit))
        limit = end - start
    return piece_of_file(log.path, start, limit, ended=log.ended)


def _readable(read: LogRead, log: _Log) -> AskAnswer:
    offset = min(read.offset, log.path.stat().st_size)
    if log.is_screen:
        return _answer(log, offset, screen_piece(log.path, offset, log.ended))
    if read.before:
        start, piece = page_before(log.path, read.before, room(read.limit), log.how)
        return _answer(log, start, piece)
    start = tail_offset(log.path, read.tail, log.how) if read.tail else offset
    return _answer(log, start, readable(log.path, start, room(read.limit), log.ended, log.how))


def _answer(log: _Log, start: int, piece: Piece) -> AskAnswer:
    size = log.path.stat().st_size
    return AskAnswer(
        text=piece.text,
        start=start,
        next_offset=piece.next_offset,
        size=size,
        ended=piece.ended,
        body={"times": piece.times, "said": piece.said},
    )


def _not_started(run: str) -> AskAnswer:
    problem = Problem(
        code="not_started",
        message=f"The run {run} has no log: it did not start.",
        hint=f"`toryo run show {run}` shows why.",
    )
    return AskAnswer(problem=problem, ended=True)


def _gone(log: _Log, run: str) -> AskAnswer:
    return not_here(f"The log {log.path} is gone.", _shown_by(run))


def _shown_by(run: str) -> str:
    return f"`toryo run show {run}` has what is known of it."
