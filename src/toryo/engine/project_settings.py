"""Project settings, `.toryo/config.yaml`: parsed once where they enter, complaints with file and key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toryo.domain.errors import UserError
from toryo.domain.scopes import matches, problem_of
from toryo.yaml import complaints

DEFAULT_EXCLUDE = (".env", "secrets/")
LONGEST_S = 7 * 86400
"""A week, as for a task; what is endless could not even be told to a coordinator."""


MOST_RUNS = 100
"""Of one attempt: an endless loop of an agent and its checks would cost without end."""


class SettingsWrong(UserError):
    """The project's settings cannot be read."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScopeSettings(_Part):
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    strict: bool = False
    """What a plan predicts that a task writes is all that it may write."""


class PlannerWishes(_Part):
    """What a repository may say of the model that plans; where keys go is the home's to say.

    base_url, api_key_env and via are a proposal here, that a person confirms once."""

    model: str = Field(default="", max_length=200)
    window: int = Field(default=0, ge=0, le=10_000_000)
    language: str = Field(default="", max_length=40)
    base_url: str = Field(default="", max_length=2000)
    api_key_env: str = Field(default="", max_length=200)
    via: str = Field(default="", max_length=40)


class MissionSettings(_Part):
    at_once: int = Field(default=1, ge=1, le=100)


class UnitSettings(_Part):
    """Limits of a tree of units; the root's depth is 1."""

    depth: int = Field(default=4, ge=1, le=12)
    children: int = Field(default=8, ge=1, le=100)
    total: int = Field(default=50, ge=1, le=10_000)
    fruitless: int = Field(default=25, ge=1, le=10_000)
    """So many units without one that has landed stop the tree."""


class ReviewSettings(_Part):
    limit: int = Field(default=0, ge=0, le=10_000)
    """So many tasks may wait for a review before nothing new starts; 0: any number."""


class SpecSettings(_Part):
    naming: Literal["spec-id", "numbered"] = "spec-id"
    write: Literal["always", "normal", "never"] = "normal"
    """normal: a small mission writes no files."""


class Budget(_Part):
    """Limits of one mission; 0: none. Of these and the home's the smaller one counts."""

    turns: float = Field(default=0, ge=0, allow_inf_nan=False)
    tokens: float = Field(default=0, ge=0, allow_inf_nan=False)
    minutes: float = Field(default=0, ge=0, allow_inf_nan=False)
    usd: float = Field(default=0, ge=0, allow_inf_nan=False)


class Check(_Part):
    type: str = "check"
    command: str
    timeout: float | None = Field(default=None, gt=0, le=LONGEST_S)
    reads: Literal["tree", "history"] = "tree"


class DefinitionOfDone(_Part):
    timeout: float = Field(default=300, gt=0, le=LONGEST_S)
    flaky: Literal["land", "review"] = "land"
    checks: tuple[Check, ...] = ()


TEST_ADDED: Final = "test_added"
"""The goal that is met by an added file or added lines only; the other one by any changed file."""


class Goal(_Part):
    type: Literal["test_added", "files_changed"]
    pattern: str


class TaskType(_Part):
    goals: tuple[Goal, ...] = ()


class RunSettings(_Part):
    timeout: float = Field(default=3600, gt=0, le=LONGEST_S)


class LimitSettings(_Part):
    """Runs of one attempt before a person looks; a run keeps those that were in force when it was claimed."""

    fix_runs: int = Field(default=3, ge=0, le=MOST_RUNS)
    resolve_runs: int = Field(default=3, ge=0, le=MOST_RUNS)
    lost_runs: int = Field(default=1, ge=0, le=MOST_RUNS)
    runs_per_attempt: int = Field(default=12, ge=1, le=MOST_RUNS)


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
    limits: LimitSettings = LimitSettings()
    worktrees: str = ".worktrees"
    default_agent: str = ""
    dispatch: Literal["auto", "hold"] = "auto"
    """`hold`: no coordinator starts work by itself; an orchestrator does, or a person releases it."""
    planner: PlannerWishes = PlannerWishes()
    approval: Literal["", "auto", "plan", "each"] = ""
    """Only a stricter one than the home's counts."""
    missions: MissionSettings = MissionSettings()
    units: UnitSettings = UnitSettings()
    worktree_files: tuple[str, ...] = ()
    """Untracked files of the checkout that are copied into every worktree."""
    specs: SpecSettings = SpecSettings()
    land: Literal["auto", "review"] = "auto"
    """`review`: green work waits for a person's yes before it lands."""
    review: ReviewSettings = ReviewSettings()
    budget: Budget = Budget()


def parse_settings(text: str, where: str = ".toryo/config.yaml") -> ProjectSettings:
    try:
        raw = complaints.load(where, text) or {}
    except complaints.Malformed as error:
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
    _refuse_worktree_files(where, text, read)
    return read


def _refuse_blank_commands(where: str, text: str, read: ProjectSettings) -> None:
    """A shell takes them, and all is green. Only here: what is in the store since before can be read on."""
    commands: list[tuple[tuple[str | int, ...], str]] = [
        *((("setup", number), command) for number, command in enumerate(read.setup)),
        *((("dod", "checks", number, "command"), one.command) for number, one in enumerate(read.dod.checks)),
    ]
    for path, command in commands:
        if not command.strip():
            told = complaints.wrong_value(where, text, path, "is blank")
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
    told = complaints.wrong_value(where, text, ("worktrees",), problem)
    raise SettingsWrong(
        told, hint=f"Mend {where}, for example `worktrees: .worktrees` or `worktrees: ../trees`."
    )


def _refuse_worktree_files(where: str, text: str, read: ProjectSettings) -> None:
    """Files of the checkout by their paths; what agents may not see is not copied to them either."""
    for number, name in enumerate(read.worktree_files):
        path = PurePosixPath(name)
        if matches(read.scope.exclude, name):
            problem = f"{name!r} is what scope.exclude keeps from agents"
        elif (
            path.is_absolute()
            or ".." in path.parts
            or not name.strip()
            or any(sign in name for sign in "*?[")
        ):
            problem = f"{name!r} is no path of a file inside the repository"
        else:
            continue
        told = complaints.wrong_value(where, text, ("worktree_files", number), problem)
        raise SettingsWrong(told, hint=f"Mend {where}, for example `worktree_files: [.env.local]`.")


def refuse_patterns(where: str, text: str, path: tuple[str, ...], patterns: Sequence[str]) -> None:
    """A pattern that matches nothing protects nothing, but its author relies on it. Only here, as above."""
    for number, pattern in enumerate(patterns):
        if problem := problem_of(pattern):
            told = complaints.wrong_value(where, text, (*path, number), problem)
            hint = f"Mend {where}: patterns begin at the repository's root, as `secrets/` or `**/*.pem`."
            raise SettingsWrong(told, hint=hint)


def complaint(where: str, text: str, error: ValidationError, kind: type[BaseModel]) -> SettingsWrong:
    """Every wrong key in one sentence, in words for people."""
    told = complaints.wrong_keys(where, text, error, kind)
    return SettingsWrong(told, hint=f"Mend {where}; docs/contracts.md has all keys.")


_newest: dict[str, tuple[Mapping[str, Any], ProjectSettings]] = {}


def settings_of(stored: Mapping[str, Any]) -> ProjectSettings:
    """From the store, where they were put after parsing: mostly the same as the last ones."""
    known = _newest.get("it")
    if known is None or known[0] != stored:
        known = _newest["it"] = stored, ProjectSettings.model_validate(stored)
    return known[1]


def first_settings(
    base: str,
    checks: tuple[tuple[str, str], ...],
    setup: tuple[str, ...],
    inputs: tuple[str, ...],
    worktrees: str = "",
    offered: tuple[tuple[str, str], ...] = (),
) -> str:
    """The config.yaml that `init` writes: what was found, with a comment where nothing was.

    What was offered and not chosen stands there as comments: red on the target, it would stop every task."""
    lines = [
        "# What Toryo must know about this repository. Commit it: settings in force are the target commit's.",
        f"base: {_quoted(base)}",
        "scope:",
        "  exclude: [" + ", ".join(DEFAULT_EXCLUDE) + "]",
    ]
    if setup:
        lines += ["setup:", *(f"  - {_quoted(command)}" for command in setup)]
        lines += ["setup_inputs:", *(f"  - {_quoted(path)}" for path in inputs)] if inputs else []
    if worktrees:
        lines.append(
            f"worktrees: {_quoted(worktrees)}   # beside the repository, out of its test runner's sight"
        )
    lines += ["dod:", "  timeout: 300"]
    if checks:
        lines += ["  checks:", *(f"    - {_check(*one)}" for one in checks)]
    else:
        lines.append("  checks: []   # none found: work lands unchecked until you name a command here")
    if offered:
        lines.append(
            "  # Found too, and not in force. One that fails on the target stops every task: try it first."
        )
        lines += [] if checks else ["  # checks:"]
        lines += [f"  #   - {_check(*one)}" if not checks else f"    # - {_check(*one)}" for one in offered]
    return "\n".join(lines) + "\n"


def _check(kind: str, command: str) -> str:
    return f"{{type: {kind}, command: {_quoted(command)}}}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
