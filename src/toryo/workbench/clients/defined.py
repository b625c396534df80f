"""Clients that a user defines: one YAML file each, `{home}/clients/NAME.yaml`. Its keys and their
mistakes are `protocol.client_files`'s."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from toryo.protocol.kinds.run import Said, Usage
from toryo.workbench.clients import streams
from toryo.workbench.clients.calls import Call, CannotCall, Command, Interactive, Versions
from toryo.workbench.clients.command import LONGEST_ARGUMENT
from toryo.workbench.clients.limits import error_code, limited
from toryo.workbench.clients.run_files import spool_variable, with_added
from toryo.yaml.client_definitions import HOLES, Definition, ResultKeys, read_definition

_HOLE = re.compile(r"\{(" + "|".join(HOLES) + r")\}")


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
        return self._noted(lines, now).said()

    def _noted(self, lines: Iterable[str], now: datetime | None = None) -> streams.Notes:
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
        return notes

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
            return streams.end_shown(self._noted([line]))
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
    keys = read_definition(path)
    return DefinedClient(path.stem, keys) if keys.result is None else DefinedCli(path.stem, keys, keys.result)
