"""Whether an agent's last words ask something: a run that brought nothing then waits for an answer. Pure."""

from __future__ import annotations

import re

from toryo.reconciler.subjects import RunFacts

LONGEST = 400
ASKING_TOOLS = frozenset({"AskUserQuestion", "ask_user"})
"""How agent CLIs ask a person; a client refuses them where nobody sits before it."""

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_LISTED = re.compile(r"(?:[-*•+]|\(?(?:\d{1,2}|[A-Za-z])[.)])\s")
_MARK = re.compile(r"""[?؟][)\]}"'*_~»”’]*(?:\s|$)|？|(?:ます|です|でしょう|せん)か[。．]?$""")
"""A question mark at the end of a sentence, not one inside a URL or code; or the way Japanese asks."""


def asks(run: RunFacts) -> bool:
    """From its client's record alone; whether it brought something is looked at elsewhere."""
    return bool(run.words) and (is_question(run.words) or not ASKING_TOOLS.isdisjoint(run.denied))


def is_question(words: str) -> bool:
    """Whether the last line asks; the answers to choose from may be listed behind it."""
    lines = [line.strip() for line in _CODE.sub("", words).splitlines()]
    told = [line for line in lines if line]
    while len(told) > 1 and _LISTED.match(told[-1]) and not _MARK.search(told[-1]):
        told.pop()
    return bool(told) and _MARK.search(told[-1]) is not None


def last_words(run: RunFacts) -> str:
    """Their end in one line."""
    line = " ".join(run.words.split())
    return line if len(line) <= LONGEST else f"…{line[1 - LONGEST :]}"
