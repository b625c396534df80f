"""Runs with windows as the daemon orders them: driven, spoken to, looked at, and found after a restart."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crew import Crew

from stage_of_windows import PATIENCE_S, TUI
from toryo.protocol.kinds.run import Said
from toryo.workbench.clients import registry
from toryo.workbench.clients.calls import Command, Interactive, Versions
from toryo.workbench.terminals.door import NoWindow, own_server
from toryo.workbench.terminals.windows import windows
from waiting import eventually


class TuiClient:
    """The little TUI as an agent CLI."""

    name, program, versions, usage_counts = "tui", None, Versions((), ()), "run"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def argv(self, call):
        raise AssertionError("not in this style")

    def read(self, lines, now=None):
        return Said(result="success" if list(lines) else "none")

    def shown(self, line):
        return line

    def interactive(self, call):
        file, done = self.folder / "tui.json", call.run_dir / "done"
        settings = {"received": str(self.folder / "received"), "done_file": str(done)}
        file.write_text(json.dumps(settings | json.loads(call.command or "{}")))
        argv = (sys.executable, "-I", str(TUI), str(file))
        return Interactive(Command(argv), ("? for shortcuts",), "/exit", done)


@pytest.fixture
def windowed(crew: Crew, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Crew]:
    monkeypatch.setitem(registry.CLIENTS, "tui", TuiClient(tmp_path))
    crew.daemon.start()
    yield crew
    for loop, _ in crew.hands:
        loop.lifecycle.end()
    with contextlib.suppress(NoWindow):
        own_server(crew.home.coordinator("main")).do("kill-server")


def order(crew: Crew, repo: Path, command: str = "", **inputs: str) -> dict[str, Any]:
    ordered = crew.run_order("r1", repo, command, prompt="mend it")
    ordered["inputs"] |= {"client": "tui", "style": "interactive", "terminal": "tmux"} | inputs
    return ordered


def told(crew: Crew, kind: str, order_id: str) -> dict[str, Any]:
    return eventually(lambda: crew.daemon.about(kind, order_id), within_s=PATIENCE_S, what=kind)[0]


def received(folder: Path, number: int = 1) -> str:
    file = folder / "received" / f"{number}.txt"
    eventually(file.exists, within_s=PATIENCE_S, what=f"message {number}")
    return file.read_text()


def test_an_interactive_run_is_driven_to_its_end_and_told(windowed, repo, tmp_path):
    windowed.start()
    windowed.daemon.give(order(windowed, repo))
    fact = told(windowed, "exited", "or1")
    assert (fact["exit_code"], fact["terminal_lost"], fact["stopped"]) == (0, False, False)
    assert received(tmp_path) == "mend it"


def test_a_restarted_coordinator_goes_on_with_the_screen(windowed, repo, tmp_path):
    first = windowed.start()
    windowed.daemon.give(order(windowed, repo, '{"work_s": 3}'))
    received(tmp_path)
    windowed.leave(first)
    windowed.start()
    assert told(windowed, "exited", "or1")["exit_code"] == 0
    assert [file.name for file in (tmp_path / "received").iterdir()] == ["1.txt"]


def test_words_are_ordered_typed_and_told(windowed, repo, tmp_path):
    windowed.start()
    windowed.daemon.give(order(windowed, repo, '{"work_s": 60}'))
    received(tmp_path)
    windowed.daemon.texts["words"] = "hurry up"
    inputs = {"run": "r1", "message": "m1", "text": "words"}
    windowed.daemon.give(windowed.order("osay", "say", inputs, run="r1"))
    fact = told(windowed, "spoken", "osay")
    assert (fact["problem"], fact["delivered"], fact["seen"]) == (None, True, True)
    assert received(tmp_path, 2) == "hurry up"


def test_who_asks_for_a_window_gets_the_command_that_shows_it(windowed, repo, tmp_path):
    windowed.start()
    windowed.daemon.give(order(windowed, repo, '{"work_s": 60}'))
    received(tmp_path)
    argv = windowed.read("k1", what="window", run="r1")["body"]["argv"]
    assert argv[-3:] == ["attach-session", "-t", "=r1"]
    assert windowed.read("k2", what="window", run="r9")["problem"]["code"] == "no_window"


def test_who_asks_for_a_screen_gets_its_text_its_size_and_its_colours_if_wanted(windowed, repo, tmp_path):
    windowed.start()
    windowed.daemon.give(order(windowed, repo, '{"work_s": 60}'))
    received(tmp_path)
    plain = windowed.read("k1", what="screen", run="r1")
    assert (plain["body"]["columns"], plain["body"]["rows"]) == (160, 50)
    assert plain["text"].strip()
    assert "\x1b" not in plain["text"]
    assert windowed.read("k2", what="screen", run="r1", colours=True)["problem"] is None
    assert windowed.read("k3", what="screen", run="r9")["problem"]["code"] == "no_window"


def test_a_run_in_the_background_with_a_window_leaves_no_window_behind(windowed, repo, tmp_path):
    windowed.start()
    command = f"sh -c 'echo hello; while [ ! -e {tmp_path}/go ]; do sleep 0.05; done'"
    windowed.daemon.give(order(windowed, repo, command, client="command", style="exec"))
    tmux = own_server(windowed.home.coordinator("main"))
    eventually(lambda: windows(tmux) == {"r1"}, within_s=PATIENCE_S)
    (tmp_path / "go").touch()
    assert told(windowed, "exited", "or1")["exit_code"] == 0
    eventually(lambda: windows(tmux) == frozenset(), within_s=PATIENCE_S)


def test_a_lost_tmux_server_is_a_fact_of_the_run(windowed, repo, tmp_path):
    windowed.start()
    windowed.daemon.give(order(windowed, repo, '{"work_s": 60}'))
    received(tmp_path)
    own_server(windowed.home.coordinator("main")).do("kill-server")
    fact = told(windowed, "exited", "or1")
    assert (fact["terminal_lost"], fact["signal"]) == (True, "SIGHUP")
