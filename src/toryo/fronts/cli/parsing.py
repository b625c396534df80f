"""argparse as this command line wants it: usage errors are raised, every verb shows examples."""

from __future__ import annotations

import argparse

from toryo.domain.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from toryo.fronts.cli.desk import Desk

    Act = Callable[[argparse.Namespace, Desk], int]


class Parser(argparse.ArgumentParser):
    """Raises `UsageError` instead of printing and exiting; knows no abbreviated options."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        settings.setdefault("allow_abbrev", False)
        super().__init__(**settings)

    def error(self, message: str) -> NoReturn:
        raise UsageError(message[:1].upper() + message[1:] + ".", hint=f"`{self.prog} --help` shows how.")


def verb(
    parser: argparse.ArgumentParser, act: Act, *examples: str, reads: bool = False, hands: bool = False
) -> None:
    """Say what the parsed words do.

    `reads`: it changes nothing, so it prints `--json` and may be asked inside a run.
    `hands`: it needs a coordinator besides the daemon."""
    parser.set_defaults(act=act, reads=reads, hands=hands)
    parser.epilog = "examples:\n" + "\n".join(f"  {line}" for line in examples)
    if reads:
        parser.add_argument("--json", action="store_true", help="print JSON")


def group(parser: argparse.ArgumentParser) -> Callable[[str, str], argparse.ArgumentParser]:
    """The parser becomes a group of verbs; gives a function (name, help) → the verb's parser."""
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True, dest="verb")

    def add(name: str, about: str) -> argparse.ArgumentParser:
        return verbs.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")

    return add


def seconds(text: str) -> float:
    """A time limit: more than nothing."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return value


def count(text: str) -> int:
    """A whole number of at least one."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)
