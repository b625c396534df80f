"""Agent definitions: which fields there are, and what is validated before one is stored."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toryo.domain.client_names import AGENT_CLIS, OUTSIDE, PROGRAMS
from toryo.domain.errors import UserError
from toryo.domain.naming import client_name
from toryo.domain.scopes import problem_of
from toryo.domain.words import Access, Style, Terminal
from toryo.engine.context import HeadContext
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow
from toryo.store.tables import coordinators
from toryo.yaml.client_definitions import read_definition

PLACEHOLDERS = ("prompt", "prompt_file", "worktree")
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
LONGEST_SKILL = 100_000


@dataclass(frozen=True)
class NewAgent:
    name: str
    client: str = ""
    command: str = ""
    role: str = ""
    model: str = ""
    system_prompt: str = ""
    prompt: str = ""
    scope: Mapping[str, Any] = field(default_factory=dict)
    slots: int = 0
    """Runs at once in a project; 0: as many as the coordinators' `max_concurrent` allows."""
    access: Access = Access.SEALED
    style: Style = Style.EXEC
    terminal: Terminal = Terminal.PLAIN
    start_in: str = ""
    """`context` or `worktree`; empty: where its client does best."""
    skills: Mapping[str, str] = field(default_factory=dict)
    """Name → text of its SKILL.md."""


FIELDS = tuple(name for name in NewAgent.__dataclass_fields__ if name != "name")


def columns(wish: NewAgent) -> dict[str, Any]:
    return {name: getattr(wish, name) for name in FIELDS}


def changed(known: AgentRow | None, name: str, said: Mapping[str, Any]) -> NewAgent:
    """The definition with what was said; everything else stays as it is."""
    before = {one: getattr(known, one) for one in FIELDS} if known else {}
    whole = {**before, **said}
    if "scope" in said:
        whole["scope"] = {**before.get("scope", {}), **said["scope"]}
    if "client" in said:
        whole["client"] = client_name(said["client"])
    if said.get("style") == Style.INTERACTIVE and "terminal" not in said:
        whole["terminal"] = Terminal.TMUX  # the only one that has a screen
    return NewAgent(name=name, **whole)


def known_clients(context: HeadContext, tx: Tx) -> list[str]:
    """Those that are built in, and those that users of any machine have defined."""
    told = {name for row in coordinators.listing(tx) for name in coordinators.clients_of(row)}
    files = {file.stem for file in (context.home.path / "clients").glob("*.yaml")}
    built_in = (*AGENT_CLIS, *PROGRAMS, OUTSIDE)
    return [*built_in, *sorted((told | files) - set(built_in))]


def refuse_wrong_client(context: HeadContext, client: str) -> None:
    """Of a user's own client: what is wrong with its file is told now, not by the first run."""
    file = context.home.path / "clients" / f"{client}.yaml"
    if client not in ("", *AGENT_CLIS, *PROGRAMS, OUTSIDE) and file.exists():
        read_definition(file)


def refuse_missing_script(wish: NewAgent) -> None:
    """A path without holes that is not the worktree's: nobody else will put a file there."""
    script = wish.command.strip()
    if wish.client != "scripted" or not script.startswith("/") or "{" in script or Path(script).is_file():
        return
    raise UserError(
        f"The script {script} is not there.",
        hint=f"Write it first, or name another: toryo agent add {wish.name} --client scripted --command PATH",
    )


def look_over(wish: NewAgent, clients: Collection[str]) -> None:
    if not NAME.fullmatch(wish.name):
        raise UserError(f"{wish.name!r} is no agent name.", hint="Use lower case letters, digits, - and _.")
    if wish.client and wish.client not in clients:
        raise UserError(f"There is no client {wish.client!r}.", hint=f"There are: {', '.join(clients)}.")
    _look_over_command(wish)
    for pattern in [one for patterns in wish.scope.values() for one in patterns or ()]:
        problem = problem_of(pattern)
        if problem:
            raise UserError(f"The scope: {problem}.", hint="For example 'src/**'.")
    if wish.slots < 0:
        raise UserError("An agent cannot have fewer than no slots.", hint="Give --slots 1 or more, or none.")
    _look_over_style(wish)
    if (wish.client, wish.start_in, wish.access) == ("gemini", "worktree", Access.CONNECTED):
        raise UserError(
            "Started in its worktree, gemini would not find Toryo's tools.",
            hint="Leave --start-in at context, or give --access sealed.",
        )
    for name, text in wish.skills.items():
        if not NAME.fullmatch(name):
            raise UserError(
                f"{name!r} is no name of a skill.", hint="Use lower case letters, digits, - and _."
            )
        if len(text) > LONGEST_SKILL:
            raise UserError(f"The skill {name} is longer than 100 kB.", hint="Let it name files to read.")


def _look_over_style(wish: NewAgent) -> None:
    if wish.style != Style.INTERACTIVE:
        return
    if wish.client in (*PROGRAMS, OUTSIDE):
        raise UserError(
            f"The client {wish.client} has no screen to work on.",
            hint="Leave --style at exec, or use another client.",
        )
    if wish.terminal != Terminal.TMUX:
        raise UserError("An interactive agent needs a terminal with a screen.", hint="Add --terminal tmux.")


def _look_over_command(wish: NewAgent) -> None:
    if wish.client not in PROGRAMS:
        return
    if not wish.command.strip():
        example = "'sh agent.sh {prompt_file}'" if wish.client == "command" else "script.yaml"
        raise UserError(f"The client {wish.client} needs a command.", hint=f"Add --command {example}.")
    if wish.client != "command":
        return
    try:
        words = shlex.split(wish.command)
    except ValueError as wrong:
        raise UserError(f"The command cannot be read: {wrong}.", hint="Look at its quotes.") from wrong
    for word in re.findall(r"\{([a-z_]+)\}?", " ".join(words)):
        near = difflib.get_close_matches(word, PLACEHOLDERS, 1, cutoff=0.75)
        whole = f"{{{word}}}" in wish.command
        if (near and word not in PLACEHOLDERS) or (word in PLACEHOLDERS and not whole):
            meant = near[0] if near else word
            raise UserError(f"The command has {{{word}, which is no placeholder.", hint=f"Write {{{meant}}}.")


def instructions(agent: AgentRow) -> str:
    """What the prompt itself must tell of the agent: an agent CLI finds its system prompt in its context."""
    texts = (
        (agent.prompt,)
        if agent.client not in ("", *PROGRAMS, OUTSIDE)
        else (agent.system_prompt, agent.prompt)
    )
    return "\n\n".join(text for text in texts if text)
