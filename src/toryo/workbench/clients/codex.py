"""The client `codex`: Codex CLI's command lines for one run. Its record is read in codex_record.py."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

from toryo.protocol.parts import Said
from toryo.workbench.clients import codex_record
from toryo.workbench.clients.calls import Call, Command, Interactive, Versions
from toryo.workbench.clients.run_files import TURN_END, with_added

SERVER = "toryo"

ALWAYS = (
    # approvals would be asked of nobody, and the sandbox makes .git read-only
    "--dangerously-bypass-approvals-and-sandbox",
    # both speak to hosts that the work does not need, and stall at the end where those do not answer
    *("--disable", "plugins"),
    *("--disable", "apps"),
    # with it the CLI waits for ever for a service that refuses connections
    *("--disable", "unbounded_connection_retries"),
    *("-c", "analytics.enabled=false"),
    *("-c", "check_for_update_on_startup=false"),
)


class CodexClient:
    name = "codex"
    program = "codex"
    usage_counts: Literal["run", "conversation"] = "conversation"
    versions = Versions(
        argv=("codex", "--version"), tested=("0.166.0",), install="npm install -g @openai/codex"
    )

    def argv(self, call: Call) -> Command:
        """`-`: the prompt is on standard input, after the added text, which no option takes from a file."""
        resume = ("resume", call.resume) if call.resume else ()
        argv = ("codex", "exec", "--json", "--color", "never", *self._common(call), *resume, "-")
        return Command(argv=argv, stdin=with_added(call))

    def interactive(self, call: Call) -> Interactive:
        done = call.run_dir / TURN_END
        # `notify` gets one more argument, the turn's JSON; it needs no trust as hooks would
        notify = ["sh", "-c", 'printf "%s\\n" "$2" >> "$1"', "toryo", str(done)]
        trust = {str(path): {"trust_level": "trusted"} for path in dict.fromkeys((call.repo, call.worktree))}
        resume = ("resume", call.resume) if call.resume else ()
        argv = (
            # --no-daemon: the shared daemon outlives the screen; --no-alt-screen: the words above stay
            *("codex", *resume, "--no-daemon", "--no-alt-screen", *self._common(call)),
            *("-c", f"notify={toml(notify)}", "-c", f"projects={toml(trust)}"),
        )
        return Interactive(
            command=Command(argv=argv), ready=READY, leave="/exit", done_file=done, prompt=with_added(call)
        )

    def read(self, lines: Iterable[str], now: datetime | None = None) -> Said:
        return codex_record.read(lines, now)

    def shown(self, line: str) -> str | None:
        return codex_record.shown(line)

    def _common(self, call: Call) -> tuple[str, ...]:
        argv = [*ALWAYS]
        argv += ["-m", call.model] if call.model else []
        if call.bridge:
            server = f"mcp_servers.{SERVER}"
            argv += ["-c", f"{server}.command={toml(call.bridge[0])}"]
            argv += ["-c", f"{server}.args={toml(list(call.bridge[1:]))}"]
            # without it a server that cannot be started is passed over, and the run goes on without a word
            argv += ["-c", f"{server}.required=true"]
            argv += ["-c", f'{server}.default_tools_approval_mode="approve"']
        return tuple(argv)


READY = ("permissions: YOLO mode",)


def toml(value: Any) -> str:
    """Text, lists and tables as TOML in one line; JSON's text is a basic string of TOML."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{toml(key)}={toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(toml(inner) for inner in value) + "]"
    return json.dumps(value, ensure_ascii=False)
