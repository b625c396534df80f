"""`.toryo/config.yaml`: parsed once where it enters, with file and key in every complaint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toryo.domain.errors import UserError
from toryo.domain.scopes import problem_of
from toryo.protocol import yaml_files

DEFAULT_EXCLUDE = (".env", "secrets/")
LONGEST_S = 7 * 86400
"""A week, as for a task; what is endless could not even be told to a coordinator."""


class SettingsWrong(UserError):
    """The project's settings cannot be read."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScopeSettings(_Part):
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE


class Check(_Part):
    type: str = "check"
    command: str
    timeout: float | None = Field(default=None, gt=0, le=LONGEST_S)
    reads: Literal["tree", "history"] = "tree"


class DefinitionOfDone(_Part):
    timeout: float = Field(default=300, gt=0, le=LONGEST_S)
    flaky: Literal["land", "review"] = "land"
    checks: tuple[Check, ...] = ()


class Goal(_Part):
    type: Literal["test_added", "files_changed"]
    pattern: str


class TaskType(_Part):
    goals: tuple[Goal, ...] = ()


class RunSettings(_Part):
    timeout: float = Field(default=3600, gt=0, le=LONGEST_S)


class ProjectSettings(_Part):
    base: str = ""
    scope: ScopeSettings = ScopeSettings()
    setup: tuple[str, ...] = ()
    setup_inputs: tuple[str, ...] = ()
    setup_timeout: float = Field(default=900, gt=0, le=LONGEST_S)
    worktree_setup: bool = True
    dod: DefinitionOfDone = DefinitionOfDone()
    task_types: dict[str, TaskType] = Field(default_factory=dict)
    protected: tuple[str, ...] = ()
    runs: RunSettings = RunSettings()
    worktrees: str = ".worktrees"
    default_agent: str = ""


def parse_settings(text: str, where: str = ".toryo/config.yaml") -> ProjectSettings:
    try:
        raw = yaml_files.load(where, text) or {}
    except yaml_files.Malformed as error:
        raise SettingsWrong(str(error), hint=f"Mend {where}.") from error
    if not isinstance(raw, dict):
        raise SettingsWrong(f"{where}: the top level must be a mapping", hint="See docs/contracts.md.")
    try:
        read = ProjectSettings.model_validate(raw)
    except ValidationError as error:
        raise complaint(where, text, error, ProjectSettings) from error
    _refuse_blank_commands(where, text, read)
    _refuse_worktrees(where, text, read.worktrees)
    refuse_patterns(where, text, ("scope", "exclude"), read.scope.exclude)
    refuse_patterns(where, text, ("protected",), read.protected)
    return read


def _refuse_blank_commands(where: str, text: str, read: ProjectSettings) -> None:
    """A shell takes them, and all is green. Only here: what is in the store since before can be read on."""
    commands: list[tuple[tuple[str | int, ...], str]] = [
        *((("setup", number), command) for number, command in enumerate(read.setup)),
        *((("dod", "checks", number, "command"), one.command) for number, one in enumerate(read.dod.checks)),
    ]
    for path, command in commands:
        if not command.strip():
            told = yaml_files.wrong_value(where, text, path, "is blank")
            raise SettingsWrong(told, hint=f"Write a command there, or take the entry out of {where}.")


def _refuse_worktrees(where: str, text: str, setting: str) -> None:
    parts = PurePosixPath(setting).parts
    if not setting.strip() or not parts or not setting.isprintable():
        problem = "is no folder of its own"
    elif parts[0] in (".git", ".toryo", ".aiagent"):
        problem = f"is inside {parts[0]}"
    elif parts[0].startswith("~") and parts[0] != "~":
        problem = "is in another user's home"
    else:
        return
    told = yaml_files.wrong_value(where, text, ("worktrees",), problem)
    raise SettingsWrong(
        told, hint=f"Mend {where}, for example `worktrees: .worktrees` or `worktrees: ../trees`."
    )


def refuse_patterns(where: str, text: str, path: tuple[str, ...], patterns: Sequence[str]) -> None:
    """One that matches nothing hides nothing, and whoever wrote it relies on it. Only here, as above."""
    for number, pattern in enumerate(patterns):
        if problem := problem_of(pattern):
            told = yaml_files.wrong_value(where, text, (*path, number), problem)
            hint = f"Mend {where}: patterns begin at the repository's root, as `secrets/` or `**/*.pem`."
            raise SettingsWrong(told, hint=hint)


def complaint(where: str, text: str, error: ValidationError, kind: type[BaseModel]) -> SettingsWrong:
    """Every wrong key in one sentence, in words for people."""
    told = yaml_files.wrong_keys(where, text, error, kind)
    return SettingsWrong(told, hint=f"Mend {where}; docs/contracts.md has all keys.")


_newest: dict[str, tuple[Mapping[str, Any], ProjectSettings]] = {}


def settings_of(stored: Mapping[str, Any]) -> ProjectSettings:
    """From the store, where they were put after parsing: mostly the same as the last ones."""
    known = _newest.get("it")
    if known is None or known[0] != stored:
        known = _newest["it"] = stored, ProjectSettings.model_validate(stored)
    return known[1]


def first_settings(
    base: str, checks: tuple[tuple[str, str], ...], setup: tuple[str, ...], inputs: tuple[str, ...]
) -> str:
    """The config.yaml that `init` writes: what was found, with a comment where nothing was."""
    lines = [
        "# What Toryo must know about this repository. Commit it: settings in force are the target commit's.",
        f"base: {_quoted(base)}",
        "scope:",
        "  exclude: [" + ", ".join(DEFAULT_EXCLUDE) + "]",
    ]
    if setup:
        lines += ["setup:", *(f"  - {_quoted(command)}" for command in setup)]
        lines += ["setup_inputs:", *(f"  - {_quoted(path)}" for path in inputs)] if inputs else []
    lines += ["dod:", "  timeout: 300"]
    if checks:
        lines.append("  checks:")
        for kind, command in checks:
            lines.append(f"    - {{type: {kind}, command: {_quoted(command)}}}")
    else:
        lines.append("  checks: []   # none found: work lands unchecked until you name a command here")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
