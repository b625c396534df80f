"""Settings file of a coordinator, `coordinator.yaml`: how it works on its machine (S1-31…35). On what, the
daemon says.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PositiveInt,
    SecretStr,
    ValidationError,
)

from toryo import settings
from toryo.domain.errors import UserError
from toryo.domain.naming import client_name
from toryo.yaml import complaints

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


Seconds = Annotated[float, Field(gt=0, le=86400, allow_inf_nan=False)]


class ConfigWrong(UserError):
    """coordinator.yaml cannot be used."""


def _nothing_is_empty(value: object) -> object:
    return {} if value is None else value


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Provider(_Section):
    """How this machine calls one client's program."""

    cli_command: str = ""
    cli_args: tuple[str, ...] = ()


class AgentEntry(_Section):
    passkey: SecretStr = SecretStr("")


class Config(_Section):
    polling_interval: Seconds = 10
    max_concurrent: PositiveInt = Field(default=3, le=1000)
    mcp_socket_path: Path
    silent_after: Seconds = 60
    """Seconds without output after which an agent CLI's log is asked whether it waits for its service."""
    ai_providers: dict[str, Annotated[Provider, BeforeValidator(_nothing_is_empty)]] = Field(
        default_factory=dict
    )
    agents: dict[str, Annotated[AgentEntry, BeforeValidator(_nothing_is_empty)]] | None = None
    """None: serve every agent. Otherwise an allow-list."""

    def serves(self, agent: str) -> bool:
        return self.agents is None or agent in self.agents

    def limits(self) -> dict[str, Any]:
        """What the daemon is told, which says to people what a task waits for."""
        return {
            "max_concurrent": self.max_concurrent,
            **({} if self.agents is None else {"serves": sorted(self.agents)}),
        }


_MODELS: dict[str, type[_Section]] = {"": Config, "ai_providers": Provider, "agents": AgentEntry}

_GONE = {
    "mcp_server_command": "Remove it: a coordinator never starts the daemon; `toryo up` does.",
    "mcp_database_path": "Remove it: only the daemon opens the database; name its socket in mcp_socket_path.",
    "ai_type": "Remove it: the daemon knows an agent's client (`toryo agent add NAME --client …`).",
    "system_prompt": "Remove it: the daemon knows an agent's system prompt (.toryo/agents/).",
    "working_directory": "Remove it: the working directory comes from the project.",
}


def read_config(path: Path, default_socket: Path, env: Mapping[str, str] | None = None) -> Config:
    """The file's settings, or the defaults where there is no file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return Config(mcp_socket_path=default_socket)
    except (OSError, UnicodeDecodeError) as unreadable:
        why = "is no text in UTF-8" if isinstance(unreadable, UnicodeDecodeError) else unreadable.strerror
        raise ConfigWrong(f"{path}: cannot be read: {why}.", hint=f"Mend {path}.") from None
    try:
        raw = complaints.load(str(path), text)
    except complaints.Malformed as broken:
        raise ConfigWrong(f"{broken}.", hint=f"Mend {path}.") from None
    if raw is None:
        raw = {}
    if not isinstance(raw, dict):
        raise ConfigWrong(f"{path}: a mapping is expected.", hint="Write lines such as `max_concurrent: 3`.")
    found: dict[str, Any] = {"mcp_socket_path": str(default_socket), **raw}
    if isinstance(found["mcp_socket_path"], str):
        found["mcp_socket_path"] = str(Path(found["mcp_socket_path"]).expanduser())
    if isinstance(found.get("ai_providers"), dict):
        found["ai_providers"] = {client_name(str(name)): one for name, one in found["ai_providers"].items()}
    found["agents"] = _expanded(path, found.get("agents"), settings.environment() if env is None else env)
    try:
        return Config.model_validate(found)
    except ValidationError as wrong:
        raise _in_words(path, text, wrong) from None  # it would print the value, which may be a passkey


def _expanded(path: Path, agents: object, env: Mapping[str, str]) -> object:
    """`${NAME}` in passkeys, from the environment; any other shape is left for the model to refuse."""
    if not isinstance(agents, dict):
        return agents
    out: dict[Any, Any] = {}
    for name, entry in agents.items():
        passkey = entry.get("passkey") if isinstance(entry, dict) else None
        if isinstance(passkey, str):
            missing = [found for found in _VARIABLE.findall(passkey) if found not in env]
            if missing:
                raise ConfigWrong(
                    f"{path}: agents.{name}.passkey: the environment has no {missing[0]}.",
                    hint=f"Set {missing[0]} before the coordinator starts.",
                )
            entry = {**entry, "passkey": _VARIABLE.sub(lambda found: env[found[1]], passkey)}
        out[name] = entry
    return out


def _in_words(path: Path, text: str, wrong: ValidationError) -> ConfigWrong:
    # the value itself is left out: it may be a passkey
    first = wrong.errors(include_input=False, include_url=False)[0]
    where = [str(part) for part in first["loc"]]
    key = ".".join(where)
    if first["type"] == "extra_forbidden":
        line = complaints.line_of(text, first["loc"])
        return ConfigWrong(f"{path}, line {line}: unknown key {key}.", hint=_hint(where))
    told = complaints.wrong_keys(str(path), text, wrong, Config)
    return ConfigWrong(f"{told}.", hint=f"Mend {key} in {path}.")


def _hint(where: list[str]) -> str:
    last = where[-1]
    if last in _GONE:
        return _GONE[last]
    known = list(_MODELS[where[0] if len(where) > 1 else ""].model_fields)
    close = difflib.get_close_matches(last, known, n=1)
    return f"Did you mean {close[0]}?" if close else f"Known keys: {', '.join(known)}."
