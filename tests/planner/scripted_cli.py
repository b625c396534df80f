"""An executable in the place of an agent CLI: writes down how it was called, prints what it is to print."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = """#!{python}
import json, os, sys, time, subprocess
told = sys.stdin.read()
call = dict(argv=sys.argv[1:], stdin=told, cwd=os.getcwd(), files=os.listdir(), env=dict(os.environ))
with open({calls!r}, "a") as file:
    file.write(json.dumps(call) + "\\n")
plan = json.load(open({plan!r}))
if plan.get("child"):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
    open({calls!r} + ".child", "w").write(str(child.pid))
time.sleep(plan.get("sleep", 0))
for line in plan.get("lines", []):
    print(json.dumps(line))
sys.stderr.write(plan.get("stderr", ""))
sys.exit(plan.get("code", 0))
"""


@dataclass(frozen=True)
class Cli:
    program: Path
    _calls: Path

    def calls(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._calls.read_text().splitlines()]

    @property
    def child(self) -> Path:
        return self._calls.with_name(self._calls.name + ".child")


def scripted_cli(folder: Path, *lines: dict[str, Any], name: str = "claude", **plan: Any) -> Cli:
    folder.mkdir(exist_ok=True)
    calls, said = folder / "calls.jsonl", folder / "plan.json"
    said.write_text(json.dumps({"lines": lines, **plan}))
    program = folder / name
    program.write_text(PROGRAM.format(python=sys.executable, calls=str(calls), plan=str(said)))
    program.chmod(0o755)
    return Cli(program, calls)


def claude_lines(text: str, **result: Any) -> tuple[dict[str, Any], ...]:
    """What Claude Code prints of one answer."""
    usage = {"input_tokens": 70, "cache_read_input_tokens": 30, "output_tokens": 9}
    spoken = {
        "content": [{"type": "text", "text": text}],
        "stop_reason": result.pop("stop_reason", "end_turn"),
    }
    return (
        {"type": "system", "subtype": "init", "session_id": "s", "model": "tea-large"},
        {"type": "assistant", "message": spoken},
        {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "result": text,
            "usage": usage,
            "total_cost_usd": 0.25,
            "num_turns": 1,
            **result,
        },
    )


def codex_lines(text: str) -> tuple[dict[str, Any], ...]:
    return (
        {"type": "thread.started", "thread_id": "t"},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"type": "agent_message", "text": text}},
        {"type": "turn.completed", "usage": {"input_tokens": 50, "output_tokens": 5}},
    )
