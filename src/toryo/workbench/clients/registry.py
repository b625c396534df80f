"""The clients by name: an explicit table, and the user's own from a folder. Each is a file beside this."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeGuard

from toryo.domain.errors import NotFound, UserError
from toryo.workbench.clients.calls import AgentCli, Call, Client, Command
from toryo.workbench.clients.claude import ClaudeClient
from toryo.workbench.clients.codex import CodexClient
from toryo.workbench.clients.command import CommandClient
from toryo.workbench.clients.gemini import GeminiClient
from toryo.workbench.clients.opencode import OpencodeClient
from toryo.workbench.clients.scripted import ScriptedClient

__all__ = [
    "CLIENTS",
    "Call",
    "Client",
    "Command",
    "client",
    "has_record",
    "known_on_path",
    "looked_for",
    "mistakes",
    "names",
]

AGENT_CLIS: tuple[AgentCli, ...] = (ClaudeClient(), CodexClient(), GeminiClient(), OpencodeClient())
_PROGRAMS: tuple[Client, ...] = (CommandClient(), ScriptedClient())
CLIENTS: dict[str, Client] = {one.name: one for one in (*_PROGRAMS, *AGENT_CLIS)}


def client(name: str, folder: Path | None = None) -> Client:
    """Unknown is an error, never a fallback to another one. `folder`: where the user's definitions are."""
    if name in CLIENTS:
        return CLIENTS[name]
    file = _files(folder).get(name)
    if file is None:
        raise NotFound(f"no client is called {name!r}", hint=f"Known: {', '.join(names(folder))}.")
    from toryo.workbench.clients import defined  # YAML and its checks, only for those who define clients

    return defined.load(file)


def has_record(one: Client) -> TypeGuard[AgentCli]:
    """Whether it is an agent CLI: one with a record of its own, without which exit 0 is no success."""
    return hasattr(one, "read")


def names(folder: Path | None = None) -> list[str]:
    return sorted({*CLIENTS, *_files(folder)})


def known_on_path(environ: Mapping[str, str], folder: Path | None = None) -> dict[str, str]:
    """The clients whose program is installed: name → absolute path. Wrong definitions are passed over."""
    found: dict[str, str] = {}
    for one in _all(folder):
        where = shutil.which(one.program, path=environ.get("PATH", "")) if one.program else None
        if where is not None:
            found[one.name] = where
    return found


def looked_for(
    environ: Mapping[str, str], folder: Path | None = None, commands: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Each client with a program → its path, empty where that is not found; `commands`: other programs."""
    found: dict[str, str] = {}
    for one in _all(folder):
        program = (commands or {}).get(one.name) or one.program
        if program:
            found[one.name] = shutil.which(program, path=environ.get("PATH", "")) or ""
    return found


def mistakes(folder: Path | None) -> list[UserError]:
    """What is wrong with the user's definitions."""
    wrong: list[UserError] = []
    for name in _files(folder):
        try:
            client(name, folder)
        except UserError as error:
            wrong.append(error)
    if folder is not None:
        taken = [name for name in CLIENTS if _file(folder, name).exists()]
        wrong += [
            UserError(f"{_file(folder, name)}: {name} is built in", hint=f"rm {folder / name}.yaml")
            for name in taken
        ]
    return wrong


def _all(folder: Path | None) -> Iterator[Client]:
    yield from CLIENTS.values()
    for name in _files(folder):
        try:
            yield client(name, folder)
        except UserError:
            continue  # `mistakes` says which


def _files(folder: Path | None) -> dict[str, Path]:
    if folder is None:
        return {}
    return {path.stem: path for path in sorted(folder.glob("*.yaml")) if path.stem not in CLIENTS}


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.yaml"
