"""The client `opencode`: OpenCode's command lines and settings for one run. Its record: opencode_record.py.

Settings come as JSON in the environment, which the CLI joins with the user's own files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

from toryo.domain.advice import INSTALL
from toryo.protocol.kinds.run import Said
from toryo.workbench.clients import opencode_record
from toryo.workbench.clients.calls import Call, CannotCall, Command, Interactive, Versions
from toryo.workbench.clients.run_files import joined, unless_set, written

SERVER = "toryo"
CONTENT = "OPENCODE_CONFIG_CONTENT"


class OpencodeClient:
    name = "opencode"
    program = "opencode"
    usage_counts: Literal["run", "conversation"] = "run"
    versions = Versions(argv=("opencode", "--version"), tested=("1.18.33",), install=INSTALL["opencode"])

    def argv(self, call: Call) -> Command:
        """The prompt on standard input: as an argument it would reach the model in quotes."""
        # its errors on standard error: else it waits for a limited service for hours without a word
        argv = ("opencode", "run", "--format", "json", "--print-logs", "--log-level", "ERROR", *_common(call))
        return Command(argv=argv, stdin=call.prompt, env=_environment(call))

    def interactive(self, call: Call) -> Interactive:
        """No turn-end file: that needs a plugin, and any plugin makes the CLI fetch packages at its start."""
        command = Command(argv=("opencode", *_common(call)), env=_environment(call))
        return Interactive(command=command, ready=READY, leave="/exit")

    def read(self, lines: Iterable[str], now: datetime | None = None) -> Said:
        return opencode_record.read(lines, now)

    def shown(self, line: str) -> str | None:
        return opencode_record.shown(line)


READY = ("Ask anything",)


def _common(call: Call) -> tuple[str, ...]:
    argv = ["--auto"]
    argv += ["--model", call.model] if call.model else []
    argv += ["--session", call.resume] if call.resume else []
    return tuple(argv)


def _environment(call: Call) -> dict[str, str]:
    ours: dict[str, Any] = {"autoupdate": False, "share": "disabled"}
    if call.added.strip():
        ours["instructions"] = [str(written(call, "added.md", call.added))]
    if call.bridge:
        ours["mcp"] = {SERVER: {"type": "local", "command": list(call.bridge), "enabled": True}}
    content = json.dumps(joined(_theirs(call), ours), ensure_ascii=False)
    return {CONTENT: content} | unless_set(call, {"OPENCODE_DISABLE_AUTOUPDATE": "1"})


def _theirs(call: Call) -> dict[str, Any]:
    text = call.env.get(CONTENT, "").strip()
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise CannotCall(
            f"{CONTENT} of your environment is no plain JSON object, so Toryo cannot add to it",
            hint=f"unset {CONTENT}",
        )
    return found
