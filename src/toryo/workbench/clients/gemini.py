"""The client `gemini`: Gemini CLI's command lines and settings for one run. Its record: gemini_record.py.

MCP server and hook can come only from a settings file. The context folder is the CLI's project, so the file
there is ours to write; the user's home and the repository's own settings are not touched.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from toryo.domain.advice import INSTALL
from toryo.protocol.kinds.run import Said
from toryo.workbench.clients import gemini_record
from toryo.workbench.clients.calls import Call, Command, Interactive, Versions
from toryo.workbench.clients.run_files import (
    ASKS,
    TURN_END,
    asks_hook,
    goes_on_hook,
    private,
    read_json,
    turn_end_hook,
    unless_set,
    with_added,
    written_json,
)
from toryo.workbench.contexts.entering import enter_command
from toryo.workbench.runs.hearing import hook_command

SERVER = "toryo"
HEARS = ("AfterTool", "AfterAgent")
"""When words of a person can be given to it: after a tool call, and instead of the end of its turn."""
FOLDERS = "GEMINI_CLI_TRUSTED_FOLDERS_PATH"
READY = ("Gemini CLI v",)
"""Of the banner: the place for words is drawn long before it takes any."""


class GeminiClient:
    name = "gemini"
    program = "gemini"
    usage_counts: Literal["run", "conversation"] = "run"
    versions = Versions(argv=("gemini", "--version"), tested=("0.61.0",), install=INSTALL["gemini"])

    def argv(self, call: Call) -> Command:
        hooks = {event: _hook(event, hook_command(call.run_dir, event)) for event in HEARS}
        hears = _settings(call, hooks)
        return Command(
            argv=("gemini", "--output-format", "stream-json", *_common(call)),
            # added text is taken from GEMINI.md only: with no context folder it comes before the prompt
            stdin=with_added(call),
            cwd=_cwd(call),
            env=_environment(call),
            hears=hears,
        )

    def interactive(self, call: Call) -> Interactive:
        done, asks = call.run_dir / TURN_END, call.run_dir / ASKS
        question = [{"matcher": "ask_user", **one} for one in _hook("asks", asks_hook(asks))]
        goes_on = _hook("goes-on", goes_on_hook(asks))
        hooks = {
            "AfterAgent": [*_hook("turn-end", turn_end_hook(done)), *goes_on],
            "BeforeTool": question,  # the notification does not say what is asked
            "Notification": _hook("asks", asks_hook(asks)),
            "AfterTool": goes_on,
            "BeforeAgent": goes_on,
        }
        is_told = _settings(call, hooks)
        return Interactive(
            command=Command(
                argv=("gemini", *_common(call)), cwd=_cwd(call), env=_environment(call) | _trust(call)
            ),
            ready=READY,
            leave="/quit",
            done_file=done if is_told else None,
            asks_file=asks if is_told else None,
            prompt=with_added(call),
        )

    def read(self, lines: Iterable[str], now: datetime | None = None) -> Said:
        return gemini_record.read(lines, now)

    def shown(self, line: str) -> str | None:
        return gemini_record.shown(line)


def _hook(name: str, line: str) -> list[Any]:
    return [{"hooks": [{"name": f"toryo-{name}", "type": "command", "command": line, "timeout": 10_000}]}]


def _common(call: Call) -> tuple[str, ...]:
    argv = ["--yolo", "--skip-trust", "--include-directories", str(call.worktree)]
    # the only server: in a sealed run there is none of that name, so there is none at all
    argv += ["--allowed-mcp-server-names", SERVER]
    argv += ["--model", call.model] if call.model else []
    argv += ["--resume", call.resume] if call.resume else []
    return tuple(argv)


def _environment(call: Call) -> dict[str, str]:
    return unless_set(call, {"GEMINI_CLI_TRUST_WORKSPACE": "true"})


def _trust(call: Call) -> dict[str, str]:
    """On the screen, folders of --include-directories are asked about unless they are in such a file."""
    theirs = call.env.get(FOLDERS) or Path(call.env.get("HOME", "/")) / ".gemini" / "trustedFolders.json"
    known = read_json(Path(theirs), "Gemini CLI's trusted folders")
    known |= {str(path): "TRUST_FOLDER" for path in (call.context, call.worktree) if path is not None}
    return {FOLDERS: str(written_json(call, "gemini-trusted-folders.json", known))}


def _settings(call: Call, hooks: dict[str, Any]) -> bool:
    """Written anew for each run, so that nothing of an earlier one stays. False: there is no place for it."""
    if call.context is None:
        return False
    enter = _hook("enter", enter_command(call.worktree))
    hooks = {**hooks, "BeforeTool": [*hooks.get("BeforeTool", ()), *enter]}
    settings: dict[str, Any] = {"general": {"enableAutoUpdate": False}}
    if call.bridge:
        server = {"command": call.bridge[0], "args": list(call.bridge[1:]), "trust": True}
        settings["mcpServers"] = {SERVER: server}
    settings |= {"hooks": hooks, "ui": {"hideBanner": False}}
    folder = call.context / ".gemini"
    folder.mkdir(parents=True, exist_ok=True)
    private(folder / "settings.json", json.dumps(settings, indent=1, ensure_ascii=False) + "\n")
    return True


def _cwd(call: Call) -> Literal["worktree", "context"]:
    return "context" if call.context is not None else "worktree"
