"""An agent CLI with a screen, for the campaign: a shell script that works, then the tests' little TUI."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Literal

from toryo.protocol.kinds.run import Said
from toryo.workbench.clients.calls import Call, CannotCall, Command, Interactive, Versions

TUI = Path(__file__).parents[1] / "tests" / "little_tui.py"


class LittleClient:
    """Its agent's command is the path of the script."""

    name = "little"
    program = None
    versions = Versions((), ())
    usage_counts: Literal["run", "conversation"] = "run"

    def argv(self, call: Call) -> Command:
        raise CannotCall("little has a screen only")

    def read(self, lines: Iterable[str], now: datetime | None = None) -> Said:
        return Said(result="success" if list(lines) else "none")

    def shown(self, line: str) -> str | None:
        return line

    def interactive(self, call: Call) -> Interactive:
        settings, done = call.run_dir / "tui.json", call.run_dir / "done"
        told = {"received": str(call.run_dir / "received"), "done_file": str(done)}
        go = Path(call.command).parents[1] / "go"
        settings.write_text(json.dumps(told | {"until": str(go)}))
        work = f'sh {call.command} && exec "$0" -I "$@"'
        argv = ("sh", "-c", work, sys.executable, str(TUI), str(settings))
        return Interactive(Command(argv), ("? for shortcuts",), "/exit", done)
