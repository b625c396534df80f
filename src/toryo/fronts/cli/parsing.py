"""Argument parser of this command line: quick to build, usage errors raised, examples with every verb."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from toryo.domain.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn

    from toryo.fronts.client import Desk

    Act = Callable[[argparse.Namespace, Desk], int]
    Declare = Callable[[argparse.ArgumentParser], None]
    Group = dict[str, tuple[str, Declare]]
    """The verbs of a group: name → (one line of help, what fills its parser)."""

# We have no translations: looking for them would cost every command 2 ms.
argparse._ = str  # type: ignore[attr-defined]

UNKNOWN = "unrecognized arguments: "
LONGEST_S = 7 * 86400
MOST = 1000
LARGEST = 2**62


class Help(argparse.RawDescriptionHelpFormatter):
    """argparse makes one for each argument it is told of: asking shutil for the width would cost 4 ms."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=_columns())


def _columns() -> int:
    try:
        return max(40, min(100, os.get_terminal_size(sys.stdout.fileno()).columns)) - 2
    except (OSError, ValueError):
        return 98


class Parser(argparse.ArgumentParser):
    """Raises `UsageError` instead of printing and exiting; knows no abbreviated options."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", Help)
        settings.setdefault("allow_abbrev", False)
        super().__init__(**settings)

    def error(self, message: str) -> NoReturn:
        hint = f"`{self.prog} --help` shows how."
        if message.startswith(UNKNOWN):
            hint = f"{self._meant(message.removeprefix(UNKNOWN))}{hint}"
        raise UsageError(message[:1].upper() + message[1:] + ".", hint=hint)

    def _meant(self, words: str) -> str:
        """What somebody probably wanted who typed words too many."""
        word = words.split()[0].partition("=")[0]
        if word.startswith("-"):
            near = nearest(word, self._option_string_actions)
            return f"Did you mean `{near}`? " if near else ""
        return "Put the title in quotes. " if any(one.dest == "title" for one in self._actions) else ""


def make_parser(words: str, about: str) -> Parser:
    """For `words`, as `task add`."""
    return Parser(prog=f"toryo {words}", description=sentence(about))


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def nearest(word: str, known: Iterable[str]) -> str:
    """What was probably meant; empty if nothing is near."""
    import difflib

    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return near[0] if near else ""


def verb(
    parser: argparse.ArgumentParser,
    act: Act,
    *examples: str,
    reads: bool = False,
    in_run: bool = False,
    hands: bool = False,
    json: bool | None = None,
) -> None:
    """Say what the parsed words do.

    `reads`: it changes nothing, so it may be asked inside a run, and prints JSON if `json` says nothing else.
    `in_run`: inside a run it speaks for that run, with its token, to the tools of agents.
    `hands`: it needs a coordinator besides the daemon."""
    parser.set_defaults(act=act, reads=reads or in_run, hands=hands)
    parser.epilog = "examples:\n" + "\n".join(f"  {line}" for line in examples)
    if reads if json is None else json:
        parser.add_argument("--json", action="store_true", help="print JSON")


def project_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--project", metavar="NAME", help="another project than the one here")


def seconds(text: str) -> float:
    """A time limit: more than nothing."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return value


def time_limit(text: str) -> float:
    """Of a run: at most a week."""
    value = seconds(text)
    if value > LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text!r} is more than a week ({LONGEST_S} seconds)")
    return value


def count(text: str) -> int:
    """A whole number of at least one; nothing that is counted here is ever more than a thousand."""
    value = _whole(text)
    if not value:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    if value > MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is more than {MOST}")
    return value


def _whole(text: str) -> int:
    """0 for what is none; a very long number is one, and its value does not matter."""
    digits = text if text.isascii() and text.isdecimal() else "0"
    return int(digits) if len(digits) < 19 else LARGEST + 1


def place(text: str) -> int:
    """Where to go on: the number of an event, or what ended the last page."""
    if not (text.isascii() and text.isdecimal()) or _whole(text) > LARGEST:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number of an event or a page")
    return int(text)
