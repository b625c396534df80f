"""Fixtures of the command line's tests: a home, a peer that answers, and a way to type a command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from wire_peer import Answer, Peer

from toryo import processes
from toryo.fronts.cli.entry import run


@dataclass(frozen=True)
class Typed:
    code: int
    out: str
    err: str


Type = Callable[..., Typed]


@pytest.fixture
def toryo_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    # a short path of its own: a socket's address has room for about a hundred characters
    home = tmp_path_factory.mktemp("h") / "t"
    monkeypatch.setenv("TORYO_HOME", str(home))
    return home


@pytest.fixture
def peer(toryo_home: Path) -> Iterator[Callable[..., Peer]]:
    """`peer(tool=answer, …)`: a daemon that is up, with a coordinator that is this very process."""
    made: list[Peer] = []

    def make(**answers: Answer) -> Peer:
        there = Peer(toryo_home, answers)
        made.append(there)
        own = processes.own_pid()
        (toryo_home / "up.json").write_text(f'{{"coordinator": [{own}, "{processes.start_time(own)}"]}}')
        return there

    yield make
    for one in made:
        one.close()


@pytest.fixture
def typed(toryo_home: Path, capfd: pytest.CaptureFixture[str]) -> Type:
    """`typed("task", "list")` runs the command here and gives its exit code and outputs."""

    def type_(*words: str) -> Typed:
        capfd.readouterr()
        code = run(words, {})
        out, err = capfd.readouterr()
        return Typed(code, out, err)

    return type_
