"""The clients by name: an explicit table. Each client is a file beside this one."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from toryo.domain.errors import NotFound
from toryo.workbench.clients.calls import Call, CannotCall, Client, Command
from toryo.workbench.clients.command import CommandClient
from toryo.workbench.clients.scripted import ScriptedClient

__all__ = ["CLIENTS", "Call", "Client", "Command", "client", "known_on_path"]


@dataclass(frozen=True)
class Announced:
    """A CLI that is known by name and looked for on PATH; driving it comes later."""

    name: str
    program: str

    def argv(self, call: Call) -> Command:
        raise CannotCall(
            f"the client {self.name} cannot be driven yet",
            hint=f"Use it as a command: --client command --command '{self.program} … {{prompt}}'.",
        )


CLIENTS: dict[str, Client] = {
    one.name: one
    for one in (
        CommandClient(),
        ScriptedClient(),
        Announced("claude", "claude"),
        Announced("codex", "codex"),
        Announced("gemini", "gemini"),
        Announced("opencode", "opencode"),
    )
}


def client(name: str) -> Client:
    """Unknown is an error, never a fallback to another one."""
    try:
        return CLIENTS[name]
    except KeyError:
        raise NotFound(
            f"no client is called {name!r}", hint=f"Known: {', '.join(sorted(CLIENTS))}."
        ) from None


def known_on_path(environ: Mapping[str, str]) -> dict[str, str]:
    """The clients whose program is installed: name → absolute path."""
    found: dict[str, str] = {}
    for one in CLIENTS.values():
        where = shutil.which(one.program, path=environ.get("PATH", "")) if one.program else None
        if where is not None:
            found[one.name] = where
    return found
