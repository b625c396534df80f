"""The client `codex`: Codex CLI's command lines for one run. Its record is read in codex_record.py."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

from toryo.domain.advice import INSTALL
from toryo.protocol.kinds.run import Said
from toryo.workbench.clients import codex_record
from toryo.workbench.clients.calls import Call, Command, Interactive, Versions
from toryo.workbench.clients.run_files import TURN_END, with_added
from toryo.workbench.runs.hearing import hook_command

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
    versions = Versions(argv=("codex", "--version"), tested=("0.166.0",), install=INSTALL["codex"])

    def argv(self, call: Call) -> Command:
        """`-`: the prompt is on standard input, after the added text, which no option takes from a file."""
        resume = ("resume", call.resume) if call.resume else ()
        argv = ("codex", "exec", "--json", "--color", "never", *self._common(call), *_hears(call))
        return Command(argv=(*argv, *resume, "-"), stdin=with_added(call), hears=True)

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


HEARS = {"PostToolUse": "post_tool_use", "Stop": "stop"}
"""When words of a person can be given to it: after a tool call, and instead of the end of its turn."""

READY = ("permissions: YOLO mode",)


def _hears(call: Call) -> tuple[str, ...]:
    """Hooks of this call alone, and the trust in them: one that nobody trusts is passed over in silence, and
    the flag that trusts all would let untrusted hooks of the user and the repository run, too."""
    argv, trust = [], {}
    for event, label in HEARS.items():
        line = hook_command(call.run_dir, event)
        hook = {"type": "command", "command": line, "timeout": 10, "async": False}
        argv += ["-c", f"hooks.{event}={toml([{'hooks': [hook]}])}"]
        trust[f"/<session-flags>/config.toml:{label}:0:0"] = {"trusted_hash": _hash(label, hook)}
    return (*argv, "-c", f"hooks.state={toml(trust)}")


def _hash(label: str, hook: dict[str, Any]) -> str:
    """As the CLI itself makes it of a hook without a matcher: sorted, compact JSON."""
    identity = {"event_name": label, "hooks": [hook]}
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def toml(value: Any) -> str:
    """Text, lists and tables as TOML in one line; JSON's text is a basic string of TOML."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{toml(key)}={toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(toml(inner) for inner in value) + "]"
    return json.dumps(value, ensure_ascii=False)
