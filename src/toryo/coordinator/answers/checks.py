"""Check answers: what a check that is carried out here has printed so far, of its newest try."""

from __future__ import annotations

from pathlib import Path

from toryo.coordinator.answers.pieces import piece_of_file
from toryo.protocol.asks import AskAnswer, CheckRead


def printed(read: CheckRead, folder: Path) -> AskAnswer:
    tries = [one for one in folder.glob("*/check/log") if one.parts[-3].isdigit()]
    newest = max(tries, key=lambda one: int(one.parts[-3]), default=None)
    if newest is None:
        return AskAnswer(next_offset=read.offset)
    try:
        return piece_of_file(newest, read.offset, read.limit, ended=False)
    except FileNotFoundError:  # it has ended meanwhile
        return AskAnswer(next_offset=read.offset)
