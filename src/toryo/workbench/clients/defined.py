"""Clients that a user defines: one YAML file each, `{home}/clients/NAME.yaml`; mistakes are named here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from toryo.domain.errors import UserError
from toryo.protocol import yaml_files
from toryo.protocol.parts import Said, Usage
from toryo.workbench.clients import streams
from toryo.workbench.clients.calls import Call, CannotCall, Command, Interactive, Versions
from toryo.workbench.clients.command import LONGEST_ARGUMENT
from toryo.workbench.clients.limits import error_code, limited
from toryo.workbench.clients.run_files import spool_variable, with_added

HOLES = ("prompt", "prompt_file", "worktree", "model", "resume", "bridge")
_HOLE = re.compile(r"\{(" + "|".join(HOLES) + r")\}")
NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


class BadDefinition(UserError):
    """A client's definition is wrong."""


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class VersionKeys(Strict):
    argv: list[str] = Field(min_length=1)
    tested: list[str] = []


class ResultKeys(Strict):
    """The client's own record: JSON lines of which some say how it ended. A path is keys joined with dots."""

    stream: Literal["jsonl"] = "jsonl"
    success: dict[str, str | int | bool] = Field(min_length=1)
    """Path → value: a line where all of them hold is the record of success."""
    error: dict[str, str | int | bool] = {}
    message: str = ""
    conversation: str = ""
    model: str = ""
    input_tokens: str = ""
    output_tokens: str = ""
    cost_usd: str = ""


class Definition(Strict):
    name: str = ""
    program: str = Field(min_length=1)
    argv: list[str] = Field(min_length=1)
    model: list[str] = []
    """Words added where the agent names a model."""
    resume: list[str] = []
    """Words added where a conversation is gone on with."""
    mcp: list[str] = []
    """Words added in a connected run; {bridge} alone stands for the words that start the MCP server."""
    stdin: Literal["prompt", "none"] | None = None
    cwd: Literal["worktree", "context"] = "worktree"
    env: dict[str, str] = {}
    version: VersionKeys | None = None
    result: ResultKeys | None = None

    @field_validator("argv", "model", "resume", "mcp")
    @classmethod
    def _known_holes(cls, words: list[str]) -> list[str]:
        for word in words:
            for hole in re.findall(r"\{([a-z_]+)\}", word):
                if hole not in HOLES:
                    raise ValueError(f"{{{hole}}} is not known; known: {', '.join(HOLES)}")
        return words


@dataclass(frozen=True)
class DefinedClient:
    """A program whose exit code is all that is known of its success."""

    name: str
    keys: Definition

    @property
    def program(self) -> str:
        return self.keys.program

    def argv(self, call: Call) -> Command:
        keys = self.keys
        words = list(keys.argv)
        words += keys.model if call.model else []
        words += keys.resume if call.resume else []
        words += keys.mcp if call.bridge else []
        told = any(hole in ("prompt", "prompt_file") for word in words for hole in _HOLE.findall(word))
        by_stdin = keys.stdin == "prompt" if keys.stdin else not told
        prompt = with_added(call)
        return Command(
            argv=tuple(filled for word in words for filled in self._filled(word, call, prompt)),
            stdin=prompt if by_stdin else None,
            cwd="context" if keys.cwd == "context" and call.context is not None else "worktree",
            env=spool_variable(call) | keys.env,
            hears=True,
        )

    def _filled(self, word: str, call: Call, prompt: str) -> tuple[str, ...]:
        if word == "{bridge}":
            return call.bridge
        if "{model}" in word and not call.model:
            raise CannotCall(
                f"the client {self.name} needs a model", hint="toryo agent add NAME --model MODEL"
            )
        values = {
            "prompt": prompt,
            "prompt_file": str(call.prompt_file),
            "worktree": str(call.worktree),
            "model": call.model,
            "resume": call.resume,
            "bridge": " ".join(call.bridge),
        }
        whole = _HOLE.sub(lambda hole: values[hole[1]], word)
        if len(whole.encode("utf-8", "surrogateescape")) > LONGEST_ARGUMENT:
            raise CannotCall(
                "the prompt is too long for an argument",
                hint=f"Write {{prompt_file}} instead of {{prompt}} in {self.name}.yaml, or `stdin: prompt`.",
            )
        return (whole,)


@dataclass(frozen=True)
class DefinedCli(DefinedClient):
    """With a record of its own: exit 0 without the line of success is no success."""

    result: ResultKeys
    usage_counts: Literal["run", "conversation"] = "run"

    @property
    def versions(self) -> Versions:
        told = self.keys.version
        argv = tuple(told.argv) if told else (self.program, "--version")
        return Versions(argv=argv, tested=tuple(told.tested) if told else ())

    def read(self, lines: Iterable[str], now: datetime | None = None) -> Said:
        notes, keys = streams.Notes(), self.result
        for one in streams.records(lines):
            notes.conversation = _text(one, keys.conversation) or notes.conversation
            notes.model = _text(one, keys.model) or notes.model
            if _holds(one, keys.success):
                notes.succeed(_text(one, keys.message))
                notes.usage = self._usage(one)
            elif keys.error and _holds(one, keys.error):
                message = _text(one, keys.message)
                notes.fail(error_code(message), message, limited(message, now=now))
                notes.usage = self._usage(one)
        return notes.said()

    def _usage(self, one: streams.Record) -> Usage | None:
        keys = self.result
        if not (keys.input_tokens or keys.output_tokens or keys.cost_usd):
            return None
        return Usage(
            input_tokens=streams.count_at(one, *keys.input_tokens.split(".")),
            output_tokens=streams.count_at(one, *keys.output_tokens.split(".")),
            cost_usd=streams.price_at(one, *keys.cost_usd.split(".")),
        )

    def shown(self, line: str) -> str | None:
        one = streams.record(line)
        if one is not None and (
            _holds(one, self.result.success) or _holds(one, self.result.error or {"": ""})
        ):
            return streams.end_shown(self.read([line]))
        return streams.other_shown(line, one)

    def interactive(self, call: Call) -> Interactive:
        raise CannotCall(
            f"the client {self.name} has no screen that Toryo can drive",
            hint="toryo agent add NAME --style exec",
        )


def _text(one: streams.Record, path: str) -> str:
    return streams.text_at(one, *path.split(".")) if path else ""


def _holds(one: streams.Record, wanted: dict[str, str | int | bool]) -> bool:
    for path, value in wanted.items():
        found = streams.at(one, *path.split("."))
        if found != value or isinstance(found, bool) != isinstance(value, bool):
            return False
    return True


def load(path: Path) -> DefinedClient:
    """The client of one file; BadDefinition names file, key and mistake."""
    if not NAME.fullmatch(path.stem):
        raise _bad(path, "the file's name is the client's: small letters, digits, - and _")
    try:
        text = path.read_text(encoding="utf-8")
        raw = yaml_files.load(str(path), text)
    except UnicodeDecodeError as error:
        raise _bad(path, "is no text in UTF-8") from error
    except OSError as error:
        raise _bad(path, str(error.strerror)) from error
    except yaml_files.Malformed as error:
        raise BadDefinition(str(error), hint=_edit(path)) from error
    if not isinstance(raw, dict):
        raise _bad(path, "a definition is a mapping with the keys program and argv")
    try:
        keys = Definition.model_validate(raw)
    except ValidationError as error:
        told = yaml_files.wrong_keys(str(path), text, error, Definition)
        raise BadDefinition(told, hint=_edit(path)) from error
    if keys.name not in ("", path.stem):
        raise _bad(path, f"name: {keys.name!r} is not the file's name")
    return DefinedClient(path.stem, keys) if keys.result is None else DefinedCli(path.stem, keys, keys.result)


def _bad(path: Path, mistake: str) -> BadDefinition:
    return BadDefinition(f"{path}: {mistake}", hint=_edit(path))


def _edit(path: Path) -> str:
    return f"${{EDITOR:-vi}} {path}"
