"""Lines of an agent CLI's structured output: one JSON object each, among plain text. Meaning is elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from toryo.domain.times import iso
from toryo.protocol.kinds.run import Limited, Said, Usage

Record = dict[str, Any]
LONGEST_SHOWN = 500
LONGEST_MESSAGE = 400
LONGEST_WORDS = 2000
ERROR_HEAD, ERROR_TAIL = 2, 20
"""Lines that are shown of what a tool that failed answered."""


def record(line: str) -> Record | None:
    text = line.strip()
    if not text.startswith("{"):
        return None
    try:
        found = json.loads(text)
    except ValueError:  # cut off, or a program's own output that looks like one
        return None
    return found if isinstance(found, dict) else None


def records(lines: Iterable[str]) -> Iterator[Record]:
    for line in lines:
        found = record(line)
        if found is not None:
            yield found


def at(value: Any, *path: str) -> Any:
    """What stands there, None where the way ends."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def text_at(value: Any, *path: str) -> str:
    found = at(value, *path)
    return found if isinstance(found, str) else ""


def count_at(value: Any, *path: str) -> int | None:
    found = at(value, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def price_at(value: Any, *path: str) -> float | None:
    found = at(value, *path)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found)


def moment_of(line: str) -> str:
    """When a record says that it was written; empty: it does not say."""
    found = record(line) if '"timestamp"' in line else None
    stamp = found.get("timestamp") if found else None
    try:
        if isinstance(stamp, str):
            moment = datetime.fromisoformat(stamp)
            return iso(moment.timestamp()) or "" if moment.tzinfo else ""
        if isinstance(stamp, int | float) and not isinstance(stamp, bool):
            return iso(stamp / 1000) or ""
    except (ValueError, OverflowError, OSError):
        return ""
    return ""


def items_at(value: Any, *path: str) -> list[Any]:
    found = at(value, *path)
    return found if isinstance(found, list) else []


def total(*counts: int | None) -> int | None:
    """None only where nothing is known at all."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


@dataclass
class Notes:
    """What was read so far."""

    version: str = ""
    model: str = ""
    conversation: str = ""
    result: Literal["success", "error", "none"] = "none"
    error: str = ""
    message: str = ""
    denied: list[str] = field(default_factory=list)
    usage: Usage | None = None
    limited: Limited | None = None

    def deny(self, tool: str) -> None:
        if tool and tool not in self.denied:
            self.denied.append(tool)

    def succeed(self, message: str) -> None:
        self.result, self.error, self.message, self.limited = "success", "", message, None

    def fail(self, error: str, message: str, limited: Limited | None = None) -> None:
        self.result, self.error, self.message, self.limited = "error", error, message, limited

    def said(self) -> Said:
        return Said(
            client_version=self.version,
            model=self.model,
            conversation=self.conversation,
            result=self.result,
            error=self.error,
            message=first_line(self.message),
            words=_end(self.message) if self.result == "success" else "",
            denied=tuple(self.denied),
            usage=self.usage,
            limited=self.limited,
        )


def _end(text: str) -> str:
    """A question stands at the end."""
    whole = text.strip()
    return whole if len(whole) <= LONGEST_WORDS else f"…{whole[1 - LONGEST_WORDS :]}"


def first_line(text: str) -> str:
    for line in text.splitlines():
        if line.strip():
            return cut(line.strip(), LONGEST_MESSAGE)
    return ""


def cut(text: str, most: int = LONGEST_SHOWN) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def call_shown(tool: str, inputs: Any) -> str:
    """A tool call in one line: what matters of its inputs is nearly always one of these."""
    if isinstance(inputs, Mapping):
        for key in ("command", "cmd", "file_path", "filePath", "path", "pattern", "url", "query", "prompt"):
            if isinstance(inputs.get(key), str):
                inputs = inputs[key]
                break
    text = inputs if isinstance(inputs, str) else compact(inputs) if inputs else ""
    return cut(f"→ {tool} {' '.join(text.split())}".rstrip())


def answer_shown(output: Any, *, failed: bool) -> str | None:
    """The beginning of what a tool answered; nothing where it went well and said nothing. Of a failure
    whole lines, and its end, where the reason stands."""
    text = output if isinstance(output, str) else "" if output is None else compact(output)
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if failed:
        return "\n    ".join(_failure(lines))
    if not lines:
        return None
    more = f" … {len(lines) - 1} more lines" if len(lines) > 1 else ""
    return f"  ← {cut(lines[0], 200)}{more}"


def _failure(lines: list[str]) -> list[str]:
    left_out = len(lines) - ERROR_HEAD - ERROR_TAIL
    if left_out > 0:
        lines = [*lines[:ERROR_HEAD], f"… {left_out} more lines", *lines[-ERROR_TAIL:]]
    first, *others = lines or ["failed"]
    return [f"  ✗ {first}", *others]


def end_shown(notes: Notes) -> str:
    """The last line of a run, from its final record; an error whole."""
    said = notes.said()
    message = notes.message.strip() if said.result == "error" else said.message
    parts = [f"{said.result}: {message}" if message else said.result]
    usage = said.usage
    if usage is not None:
        parts += [f"{usage.turns} turns"] if usage.turns else []
        parts += [f"{usage.input_tokens} tokens in"] if usage.input_tokens is not None else []
        parts += [f"{usage.output_tokens} out"] if usage.output_tokens is not None else []
        parts += [f"${usage.cost_usd:.4f}"] if usage.cost_usd is not None else []
    if said.denied:
        parts.append(f"denied: {', '.join(said.denied)}")
    return "■ " + " · ".join(parts)


def compact(value: Any) -> str:
    return cut(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def other_shown(line: str, found: Record | None) -> str | None:
    """A line that no client knows: text as it is, JSON in short."""
    if found is not None:
        return compact(found)
    return line.rstrip("\r\n") if line.strip() else None
