"""Which line of the script a request gets. The rules are few and the same each time:

1. A request that offers no tool is a side request (titles, classifiers): a harmless answer, no line is used
   up; unless a part for such requests (`tools: false`) matches.
2. The part is the first whose `when` is found in the newest prompt that any part knows; else the first part
   without `when`, for the whole conversation.
3. The reply is the one after as many answers as the conversation holds since that prompt: asking again gives
   the same. Troubles leave no trace there, so they are counted: each is played `times` times, for everybody
   whose prompt matched with the same words.
4. After the last reply comes "Done."; but a trouble that stands last goes on for ever.
5. A limit holds for all of that dialect until its time has come.
6. A request of Toryo's planner is taken by parts of its purpose only, and those take no other.
7. `{{name}}` in a reply is what the group `(?P<name>…)` of the part's `when` found in the request.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from toryo.rehearsal.conversations import Asked, Speaker, model_turns
from toryo.rehearsal.scripts import Part, Reply, Script

BLANK = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
DONE = Reply("say", "Done.")
NOBODYS = Reply("say", "No part of the script is for this request.")
ALIVE = Reply("answer", {"alive": True})


@dataclass(frozen=True)
class Chosen:
    reply: Reply
    part: int | None = None
    """Its place in the script, from 1; None: a side request, or nobody's."""
    line: int | None = None
    """The reply's place in the part, from 1; None: what comes after the last."""
    limited_s: float | None = None
    """A limit holds for so long yet."""


@dataclass
class Playing:
    script: Script
    _played: dict[tuple[int, str, int], int] = field(default_factory=dict)
    _limits: dict[str, tuple[float, Chosen]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def choose(self, dialect: str, asked: Asked, now: float) -> Chosen:
        with self._lock:
            until, limit = self._limits.get(dialect, (0.0, None))
            if limit is not None and now < until:
                return replace(limit, limited_s=until - now)
            found = self._part(asked)
            if found is None:
                return Chosen(_of_nobody(asked))
            number, words, after = found
            chosen = self._line(number, "\n".join(words.values()), after)
            chosen = replace(chosen, reply=_filled(chosen.reply, words))
            if chosen.reply.verb != "limit":
                return chosen
            self._limits[dialect] = (now + chosen.reply.value, chosen)
            return replace(chosen, limited_s=chosen.reply.value)

    def _part(self, asked: Asked) -> tuple[int, Words, int] | None:
        """Its number, the words that matched, and the answers given since."""
        parts = [(number, part) for number, part in enumerate(self.script.parts, 1) if _takes(part, asked)]
        for place in range(len(asked.turns) - 1, -1, -1):
            turn = asked.turns[place]
            if turn.speaker is not Speaker.USER:
                continue
            for number, part in parts:
                words = _matched(part, turn.text)
                if words:
                    return number, words, model_turns(asked.turns[place + 1 :])
        whole = next((number for number, part in parts if not part.when), None)
        return None if whole is None else (whole, {}, asked.model_turns)

    def _line(self, number: int, words: str, after: int) -> Chosen:
        replies = self.script.parts[number - 1].replies
        turns = [index for index, reply in enumerate(replies) if reply.is_turn]
        after = min(after, len(turns))
        begin = turns[after - 1] + 1 if after else 0
        end = turns[after] if after < len(turns) else len(replies)
        troubles = [index for index in range(begin, end) for _ in range(replies[index].times)]
        key = (number, words, after)
        played = self._played.get(key, 0)
        if played < len(troubles):
            self._played[key] = played + 1
            line = troubles[played]
        elif end < len(replies):
            line = end
        elif troubles:
            line = troubles[-1]
        else:
            return Chosen(DONE, number)
        return Chosen(replies[line], number, line + 1)


Words = dict[str, str]
"""What a part's patterns found, by their place; and what their named groups did, by name."""


def _takes(part: Part, asked: Asked) -> bool:
    if asked.purpose or part.purpose:
        return part.purpose == asked.purpose
    return part.with_tools == bool(asked.tools)


def _matched(part: Part, text: str) -> Words:
    found = [pattern.search(text) for pattern in part.when]
    words: Words = {}
    for place, one in enumerate(found):
        if one is None:
            return {}
        words |= {str(place): one[0], **{name: value or "" for name, value in one.groupdict().items()}}
    return words


def _filled(reply: Reply, words: Words) -> Reply:
    return replace(reply, value=_with_words(reply.value, words), say=_with_words(reply.say, words))


def _with_words(value: Any, words: Words) -> Any:
    if isinstance(value, str):
        return BLANK.sub(lambda blank: words.get(blank[1], blank[0]), value)
    if isinstance(value, list):
        return [_with_words(one, words) for one in value]
    if isinstance(value, dict):
        return {key: _with_words(one, words) for key, one in value.items()}
    return value


def _of_nobody(asked: Asked) -> Reply:
    """`check` only asks whether somebody is there; whatever else the planner asks needs its own answer."""
    if asked.purpose:
        return ALIVE if asked.purpose == "check" else NOBODYS
    return Reply("say", harmless(asked.schema))


def harmless(schema: Mapping[str, Any] | None) -> str:
    """An answer for a side request: the smallest thing that fits its schema, if it has one."""
    return "OK" if schema is None else json.dumps(_smallest(schema))


def _smallest(schema: Mapping[str, Any]) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    for name in ("anyOf", "oneOf"):
        if schema.get(name):
            return _smallest(schema[name][0])
    kind = schema.get("type", "string")
    match str(kind[0] if isinstance(kind, list) else kind).lower():
        case "object":
            inner = schema.get("properties", {})
            return {name: _smallest(inner[name]) for name in schema.get("required", inner) if name in inner}
        case "array":
            return []
        case "boolean":
            return False
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "null":
            return None
    return "OK"
