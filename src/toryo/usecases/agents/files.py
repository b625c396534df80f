"""Agent files, `.toryo/agents/*.yaml`: definitions that people keep with the project (S4-46)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toryo.domain.naming import client_name
from toryo.domain.words import Access, Style, Terminal
from toryo.engine.project_settings import SettingsWrong, complaint, refuse_patterns
from toryo.usecases.agents.definition import NewAgent
from toryo.yaml import complaints


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class _Scope(_File):
    exclude: tuple[str, ...] = ()
    read: tuple[str, ...] = ("**",)
    write: tuple[str, ...] | None = None


class AgentFile(_File):
    name: str
    description: str = ""
    role: str = ""
    client: str = ""
    command: str = ""
    model: str = ""
    system_prompt: str = ""
    prompt_file: str = Field(default="", alias="promptFile")
    """Relative to `.toryo/`, as `prompts/coder.md`."""
    scope: _Scope = _Scope()
    slots: int | None = Field(default=None, ge=1, le=1000)
    """Left out: as many runs at once as `max_concurrent` allows."""
    access: Access = Access.SEALED
    style: Style = Style.EXEC
    terminal: Terminal | None = None
    """Left out: what the style needs."""
    start_in: Literal["context", "worktree"] | None = None
    """Left out: where its client does best."""
    skills: tuple[str, ...] = ()
    """Names of folders below `.toryo/skills/`, each with a SKILL.md."""


def agents_in(files: Mapping[str, str]) -> list[NewAgent]:
    """All definitions among the settings files; a wrong one is an error with file and key."""
    found, places = [], dict[str, str]()
    for path, text in sorted(files.items()):
        if path.startswith("agents/") and path.endswith((".yaml", ".yml")):
            where = f".toryo/{path}"
            agent = _agent(where, text, files)
            if agent.name in places:
                problem = f"{agent.name!r} is the name in {places[agent.name]}, too"
                raise SettingsWrong(
                    complaints.wrong_value(where, text, ("name",), problem),
                    hint=f"Give one of them another name, or remove {where}.",
                )
            places[agent.name] = where
            found.append(agent)
    return found


def _agent(where: str, text: str, files: Mapping[str, str]) -> NewAgent:
    try:
        raw = complaints.load(where, text)
    except complaints.Malformed as error:
        raise SettingsWrong(str(error), hint=f"Mend {where}.") from error
    try:
        read = AgentFile.model_validate(raw)
    except ValidationError as error:
        raise complaint(where, text, error, AgentFile) from error
    for key, patterns in read.scope:
        refuse_patterns(where, text, ("scope", key), patterns or ())
    prompt = ""
    if read.prompt_file:
        path = read.prompt_file.removeprefix("./").removeprefix("../").removeprefix(".toryo/")
        if path not in files:
            raise SettingsWrong(
                f"{where}: promptFile: .toryo/{path} is not there", hint=f"Write .toryo/{path}."
            )
        prompt = files[path]
    return NewAgent(
        name=read.name,
        client=client_name(read.client),
        command=read.command,
        role=read.role or read.description,
        model=read.model,
        system_prompt=read.system_prompt,
        prompt=prompt,
        scope=read.scope.model_dump(mode="json"),
        slots=read.slots or 0,
        access=read.access,
        style=read.style,
        terminal=read.terminal or (Terminal.TMUX if read.style is Style.INTERACTIVE else Terminal.PLAIN),
        start_in=read.start_in or "",
        skills={name: _skill(where, name, files) for name in read.skills},
    )


def _skill(where: str, name: str, files: Mapping[str, str]) -> str:
    path = f"skills/{name}/SKILL.md"
    if path not in files:
        raise SettingsWrong(f"{where}: skills: .toryo/{path} is not there", hint=f"Write .toryo/{path}.")
    return files[path]
