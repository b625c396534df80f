"""Requests for a mission as they are typed: words, a file, standard input, and limits `KEY=N`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from toryo.domain.errors import UsageError, UserError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

BUDGET_KEYS = ("turns", "tokens", "minutes", "usd")
BUDGET_HELP = f"a limit, {', '.join(BUDGET_KEYS)}; reaching it pauses; repeatable"


def text_of(args: argparse.Namespace) -> str:
    """What is wanted; with a folder that is taken in it may be empty."""
    from toryo.fronts.cli.files import read_stdin, read_text

    if args.file and args.text:
        raise UsageError("TEXT and --file say the same thing twice.", hint="Leave one of them out.")
    text = read_text(args.file) if args.file else read_stdin() if args.text == "-" else args.text or ""
    if not text.strip() and not args.taken_from:
        raise UsageError("What do you want done?", hint='`toryo do "add rate limiting to the API"`')
    return text


def budget_of(words: Sequence[str]) -> dict[str, float]:
    """`tokens=500000 minutes=90` as numbers; 0 takes a limit away."""
    found = {}
    for word in words:
        key, _, number = word.partition("=")
        if key not in BUDGET_KEYS:
            raise UsageError(f"There is no limit {key!r}.", hint=f"There are: {', '.join(BUDGET_KEYS)}.")
        found[key] = _number(word, number)
    return found


def _number(word: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < float("inf"):
        raise UsageError(f"{word!r} has no number behind the `=`.", hint="For example tokens=500000.")
    return value


def answers_of(words: Sequence[str]) -> dict[str, str]:
    """`Q1=Redis` as question and answer."""
    found = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not sign or not name.strip():
            raise UsageError(f"{word!r} is no QID=TEXT.", hint="For example Q1='in memory'.")
        found[name.strip()] = text.strip()
    return found


def folder_in(root: str, folder: str) -> str:
    """A folder that was named here, as a path inside the project."""
    inside = os.path.relpath(os.path.realpath(folder), os.path.realpath(root))
    if inside == "." or inside.startswith(".."):
        raise UserError(
            f"{folder} is no folder inside {root}.", hint="Name the folder that holds spec.md and tasks.md."
        )
    return inside
