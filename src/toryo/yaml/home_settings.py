"""Settings of the home: `{home}/config.yaml`, and `TORYO_…` variables over it. Never from a repository.

One schema for all of them; a new key is a field here. Who reads and writes the file is left to the use cases.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from toryo import settings as environment
from toryo.domain.errors import UserError
from toryo.protocol.model_addresses import address_fault
from toryo.yaml import complaints

Seconds = Annotated[float, Field(gt=0, le=7 * 86400, allow_inf_nan=False)]
Kind = Literal["needs_you", "failed", "done"]


class HomeSettingsWrong(UserError):
    """The settings of this installation cannot be used."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SessionLimits(_Part):
    """How long an agent's session lasts without a call of it or a heartbeat for it, and at the longest."""

    default_timeout: Seconds = 3600
    max_timeout: Seconds = 86400
    cleanup_interval: Seconds = 300


def _endpoint(value: str) -> str:
    if value and (fault := address_fault(value)):
        raise ValueError(fault)
    return value


class PlannerSettings(_Part):
    """Which model plans. Who pays for it is the home's or the environment's to say, never a repository's."""

    base_url: Annotated[str, AfterValidator(_endpoint)] = Field(default="", max_length=2000)
    """Of an OpenAI-compatible endpoint."""
    model: str = Field(default="", max_length=200)
    api_key_env: str = Field(default="", pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$")
    """The variable that holds the key; empty: TORYO_PLANNER_API_KEY, or the key that was given to Toryo."""
    via: Literal["", "http", "claude", "codex"] = ""
    """An installed CLI as the model; empty: the endpoint, if one is named."""
    window: int = Field(default=0, ge=0, le=10_000_000)
    """Tokens that the model takes at once; 0: not known."""
    language: str = Field(default="", max_length=40)
    """Empty: as the person writes."""

    @property
    def is_set(self) -> bool:
        return self.via in ("claude", "codex") or bool(self.base_url and self.model)


class BudgetSettings(_Part):
    """Limits of one mission; 0: none."""

    turns: float = Field(default=0, ge=0, allow_inf_nan=False)
    tokens: float = Field(default=0, ge=0, allow_inf_nan=False)
    minutes: float = Field(default=0, ge=0, allow_inf_nan=False)
    usd: float = Field(default=0, ge=0, allow_inf_nan=False)


def _listed(value: object) -> object:
    """`needs_you, done` as a list: that is how it is typed."""
    return [word.strip() for word in value.split(",")] if isinstance(value, str) else value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("is blank")
    return value


class HomeSettings(_Part):
    notify: Annotated[str, AfterValidator(_not_blank), Field(max_length=10_000)] | None = None
    """A command for the shell."""
    notify_on: Annotated[tuple[Kind, ...], BeforeValidator(_listed), Field(min_length=1)] = (
        "needs_you",
        "failed",
    )
    ask_silent: float = Field(default=600, ge=0, le=7 * 86400, allow_inf_nan=False)
    """Seconds without output after which an agent on a screen is asked once whether it is done; 0: never."""
    session: SessionLimits = SessionLimits()
    planner: PlannerSettings = PlannerSettings()
    approval: Literal["auto", "plan", "each"] = "plan"
    """Who starts a mission's tasks: nobody asks, one yes to the plan, or one to each task."""
    budget: BudgetSettings = BudgetSettings()


ABOUT = {
    "notify": "the command that tells you; it gets one line of JSON on its standard input",
    "notify_on": "of what it tells: needs_you, failed, done",
    "ask_silent": "seconds of silence before an agent without an end of turn is asked once; 0: never",
    "session.default_timeout": "seconds that an agent's session lasts after its last call",
    "session.max_timeout": "seconds that one lasts at the longest, however often it is renewed",
    "session.cleanup_interval": "seconds between looks for sessions that are over",
    "planner.base_url": "the OpenAI-compatible endpoint whose model plans missions",
    "planner.model": "the name of the model that plans missions",
    "planner.api_key_env": "the variable that holds the key of that endpoint",
    "planner.via": "claude or codex: that installed CLI plans, with its own login; http: the endpoint",
    "planner.window": "tokens that the model takes at once; 0: not known",
    "planner.language": "the language of plans; nothing: as you write",
    "approval": "who starts the tasks of a plan: auto (nobody is asked), plan (one yes), each (one a task)",
    "budget.turns": "model calls and agents' turns that a mission may take; 0: no limit",
    "budget.tokens": "tokens that a mission may take; 0: no limit",
    "budget.minutes": "minutes of agents' work that a mission may take; 0: no limit",
    "budget.usd": "known money that a mission may cost; 0: no limit",
}
"""Every key that can be set → what it means."""
TEXTS = ("notify",)
"""Keys whose value is text whatever it looks like."""


@dataclass(frozen=True)
class Value:
    key: str
    value: Any
    source: Literal["environment", "home", "default"]
    about: str
    variable: str


def variable_of(key: str) -> str:
    return "TORYO_" + key.replace(".", "_").upper()


def parse(where: str, text: str, env: Mapping[str, str]) -> HomeSettings:
    """The file's text with the environment over it; every mistake names file and line, or the variable."""
    raw = read(where, text)
    named = {key: env[variable_of(key)] for key in ABOUT if env.get(variable_of(key), "")}
    found = _validated(where, text, raw)
    for key, value in named.items():
        raw = with_value(raw, key, from_text(key, value))
        try:
            found = HomeSettings.model_validate(raw)
        except ValidationError as wrong:
            told = complaints.wrong_keys(variable_of(key), "", wrong, HomeSettings)
            raise HomeSettingsWrong(f"{told}.", hint=f"unset {variable_of(key)}") from None
    return found


def of(file: Path) -> HomeSettings:
    """For who only reads them: the defaults where the file is wrong, which `status` tells."""
    try:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        return parse(str(file), text, environment.environment())
    except (OSError, UnicodeDecodeError, HomeSettingsWrong):
        return HomeSettings()


def read(where: str, text: str) -> dict[str, Any]:
    """What the file says, whether or not that can be used."""
    try:
        raw = complaints.load(where, text)
    except complaints.Malformed as broken:
        raise HomeSettingsWrong(f"{broken}.", hint=f"Mend {where}.") from None
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise HomeSettingsWrong(
            f"{where}: a mapping is expected.", hint="Write lines such as `ask_silent: 600`."
        )
    return raw


def _validated(where: str, text: str, raw: dict[str, Any]) -> HomeSettings:
    try:
        return HomeSettings.model_validate(raw)
    except ValidationError as wrong:
        told = complaints.wrong_keys(where, text, wrong, HomeSettings)
        raise HomeSettingsWrong(
            f"{told}.",
            hint=f"Mend {where}; `toryo config` lists the keys, `toryo config unset KEY` removes one.",
        ) from None


def values(settings: HomeSettings, raw: Mapping[str, Any], env: Mapping[str, str]) -> Iterator[Value]:
    """Each key with its value in force and where that comes from."""
    for key, about in ABOUT.items():
        variable = variable_of(key)
        source: Literal["environment", "home", "default"] = "default"
        if env.get(variable, ""):
            source = "environment"
        elif _has(raw, key):
            source = "home"
        yield Value(key, _value(settings, key), source, about, variable)


def insist(key: str) -> str:
    """The key, or what was probably meant."""
    if key in ABOUT:
        return key
    near = difflib.get_close_matches(key, ABOUT, 1)
    hint = f"Did you mean {near[0]}?" if near else f"Known keys: {', '.join(ABOUT)}."
    raise HomeSettingsWrong(f"There is no setting {key[:80]!r}.", hint=hint)


def from_text(key: str, text: str) -> Any:
    """As typed: a mapping or a list is YAML, all else is the text itself."""
    if key in TEXTS or text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return complaints.load(key, text)
    except complaints.Malformed:
        return text


def with_value(raw: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    """A copy in which the key has that value."""
    first, _, rest = key.partition(".")
    if not rest:
        return {**raw, first: value}
    inner = raw.get(first)
    return {**raw, first: with_value(inner if isinstance(inner, dict) else {}, rest, value)}


def without(raw: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A copy without the key, and without what it leaves empty."""
    first, _, rest = key.partition(".")
    inner = raw.get(first)
    if rest and isinstance(inner, dict):
        left = without(inner, rest)
        if left:
            return {**raw, first: left}
    return {name: value for name, value in raw.items() if name != first}


def _has(raw: Mapping[str, Any], key: str) -> bool:
    found: Any = raw
    for part in key.split("."):
        if not isinstance(found, dict) or part not in found:
            return False
        found = found[part]
    return True


def _value(settings: HomeSettings, key: str) -> Any:
    found: Any = settings.model_dump(mode="json")
    for part in key.split("."):
        found = found[part]
    return found
