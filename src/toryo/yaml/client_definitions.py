"""Client definitions of users, `{home}/clients/NAME.yaml`: their fields; mistakes are named here.

The head refuses an agent whose client's file is wrong; what the keys mean is left to the hands.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from toryo.domain.errors import UserError
from toryo.yaml import complaints

HOLES = ("prompt", "prompt_file", "worktree", "model", "resume", "bridge")
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


def read_definition(path: Path) -> Definition:
    """The keys of one file; BadDefinition names file, key and mistake."""
    if not NAME.fullmatch(path.stem):
        raise _bad(path, "the file's name is the client's: small letters, digits, - and _")
    try:
        text = path.read_text(encoding="utf-8")
        raw = complaints.load(str(path), text)
    except UnicodeDecodeError as error:
        raise _bad(path, "is no text in UTF-8") from error
    except OSError as error:
        raise _bad(path, str(error.strerror)) from error
    except complaints.Malformed as error:
        raise BadDefinition(str(error), hint=_edit(path)) from error
    if not isinstance(raw, dict):
        raise _bad(path, "a definition is a mapping with the keys program and argv")
    try:
        keys = Definition.model_validate(raw)
    except ValidationError as error:
        told = complaints.wrong_keys(str(path), text, error, Definition)
        raise BadDefinition(told, hint=_edit(path)) from error
    if keys.name not in ("", path.stem):
        raise _bad(path, f"name: {keys.name!r} is not the file's name")
    return keys


def _bad(path: Path, mistake: str) -> BadDefinition:
    return BadDefinition(f"{path}: {mistake}", hint=_edit(path))


def _edit(path: Path) -> str:
    return f"${{EDITOR:-vi}} {path}"
