"""Reading a rehearsal's YAML: what the model answers to whom, and what is rehearsed. playing.py plays it.

The form is told in docs/howto/rehearsing.md. What is not understood is refused, with its place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toryo.domain.errors import UserError
from toryo.yaml import complaints

ANSWERS = ("say", "answer", "run", "write", "edit", "commit", "call")
"""Verbs that become a turn of the model in the conversation."""
TROUBLES = ("error", "limit", "refuse", "deny")
"""Verbs that leave no trace in the conversation: the client asks the same again."""
HANG = "hang"
PURPOSES = ("question", "plan", "analyze", "judge", "impact", "summarise", "check")
"""What Toryo's planner asks for."""
MORE = ("times", "message", "cut")
HINT = "docs/howto/rehearsing.md shows every verb."


class BadScript(UserError):
    """The script cannot be followed."""

    def __init__(self, message: str) -> None:
        super().__init__(message, hint=HINT)


@dataclass(frozen=True)
class Reply:
    verb: str
    value: Any = None
    say: str = ""
    """Text before a tool call."""
    hang_s: float = 0
    """Waited before it is given."""
    times: int = 1
    message: str = ""
    """Of an error, instead of the provider's usual one."""
    cut: int | None = None
    """Characters after which a text ends as if it had come to the longest."""

    @property
    def is_turn(self) -> bool:
        return self.verb in ANSWERS


@dataclass(frozen=True)
class Part:
    """The lines of one kind of conversation."""

    when: tuple[re.Pattern[str], ...]
    """All are found in one prompt; none: any conversation."""
    replies: tuple[Reply, ...]
    with_tools: bool = True
    """False: it takes requests that offer no tool."""
    purpose: str = ""
    """Takes only the planner's requests for this, whatever tools they offer; empty: none of the planner's."""


@dataclass(frozen=True)
class Script:
    parts: tuple[Part, ...]
    plan: Mapping[str, Any]
    """Everything else, for whoever rehearses: tasks, agents, expectations."""


def load(path: Path) -> Script:
    try:
        text = path.read_text(encoding="utf-8")
        raw = complaints.load(str(path), text)
    except UnicodeDecodeError as error:
        raise BadScript(f"{path}: is no text in UTF-8.") from error
    except OSError as error:
        raise BadScript(f"{path}: {error.strerror}.") from error
    except complaints.Malformed as error:
        raise BadScript(f"{error}.") from error
    try:
        return parse(raw)
    except BadScript as wrong:
        raise BadScript(f"{path}: {wrong.message}") from None


def parse(raw: Any) -> Script:
    """A list of replies, or a mapping with `model`: such a list, or a list of parts."""
    if isinstance(raw, list):
        return Script(_parts(raw), {})
    if not isinstance(raw, dict) or "model" not in raw:
        raise BadScript("A script is a list of replies, or a mapping with `model`.")
    if not isinstance(raw["model"], list):
        raise BadScript("model: a list of replies, or of parts with `when` and `replies`.")
    return Script(_parts(raw["model"]), {name: value for name, value in raw.items() if name != "model"})


def _parts(raw: list[Any]) -> tuple[Part, ...]:
    if raw and all(isinstance(one, dict) and "replies" in one for one in raw):
        return tuple(_part(f"part {number}", one) for number, one in enumerate(raw, 1))
    return (Part((), _replies("", raw)),)


def _part(place: str, raw: dict[str, Any]) -> Part:
    unknown = set(raw) - {"when", "replies", "tools", "purpose"}
    if unknown:
        raise BadScript(f"{place}: {', '.join(sorted(map(str, unknown)))} is not known.")
    when = raw.get("when", [])
    texts = [when] if isinstance(when, str) else when
    if not isinstance(texts, list) or not isinstance(raw["replies"], list):
        raise BadScript(f"{place}: `when` is a text or a list of texts, `replies` a list.")
    try:
        patterns = tuple(re.compile(str(text), re.MULTILINE) for text in texts)
    except re.error as error:
        raise BadScript(f"{place}: `when` is no regular expression: {error}") from error
    purpose = str(raw.get("purpose", ""))
    if purpose not in ("", *PURPOSES):
        raise BadScript(f"{place}: no purpose is called {purpose}. Known: {', '.join(PURPOSES)}.")
    return Part(patterns, _replies(f"{place}, ", raw["replies"]), bool(raw.get("tools", True)), purpose)


def _replies(place: str, raw: list[Any]) -> tuple[Reply, ...]:
    return tuple(_reply(f"{place}reply {number}", one) for number, one in enumerate(raw, 1))


def _reply(place: str, raw: Any) -> Reply:
    """One verb a reply; `say` and `hang` may stand beside another."""
    if not isinstance(raw, dict):
        raise BadScript(f"{place}: a reply is a mapping such as `say: Hello`.")
    unknown = set(raw) - {*ANSWERS, *TROUBLES, HANG, *MORE}
    if unknown:
        raise BadScript(f"{place}: no reply is called {', '.join(sorted(map(str, unknown)))}.")
    verbs = [verb for verb in (*ANSWERS, *TROUBLES) if verb in raw]
    if len(verbs) > 1 and "say" in verbs and verbs[1] in ANSWERS:
        verbs.remove("say")
    if not verbs and HANG in raw:
        verbs = [HANG]
    if len(verbs) != 1:
        raise BadScript(f"{place}: one verb a reply, not {' and '.join(verbs) or 'none'}.")
    verb = verbs[0]
    try:
        reply = Reply(
            verb,
            _value(verb, raw[verb]),
            say=str(raw["say"]) if verb != "say" and "say" in raw else "",
            hang_s=float(raw.get(HANG, 0)),
            times=int(raw.get("times", 1)),
            message=str(raw.get("message", "")),
            cut=int(raw["cut"]) if "cut" in raw else None,
        )
    except (KeyError, TypeError, ValueError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise BadScript(f"{place} ({verb}): {why}.") from error
    if reply.times < 1 or (reply.times > 1 and reply.is_turn):
        raise BadScript(f"{place}: `times` is a number from 1, and for troubles only.")
    if reply.cut is not None and (verb not in ("say", "answer") or reply.cut < 0):
        raise BadScript(f"{place}: `cut` is a number of characters, beside `say` or `answer`.")
    return reply


def _value(verb: str, raw: Any) -> Any:
    match verb:
        case "say" | "run" | "commit":
            if not isinstance(raw, str | int | float):
                raise TypeError("it must be text")
            return str(raw)
        case "answer":
            if not isinstance(raw, dict):
                raise TypeError("it must be a mapping, which is told as JSON")
            return raw
        case "write":
            return {"path": str(raw["path"]), "text": str(raw["text"])}
        case "edit":
            return {name: str(raw[name]) for name in ("path", "old", "new")}
        case "call":
            given: dict[str, Any] = {"tool": raw} if isinstance(raw, str) else raw
            return {"tool": str(given["tool"]), "arguments": dict(given.get("arguments") or {})}
        case "error":
            return int(raw)
        case "limit":
            return float(raw["after_s"])
        case "hang":
            return float(raw)
    return bool(raw)
