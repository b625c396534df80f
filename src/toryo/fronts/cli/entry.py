"""The command line's entry: finds the verb's file, runs it, and prints every error in one place.

Standard library only, and only the chosen verb's file is imported: a command must start in milliseconds.
"""

from __future__ import annotations

import importlib
import sys

from toryo import __version__
from toryo.domain.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    from toryo.settings import Home

    Process = Callable[[Home, str, bool], int]
    """Runs one of the long-lived processes: (home, name, foreground) → exit code."""

VERBS: dict[str, tuple[str, str]] = {
    "init": ("projects", "make the repository here a project"),
    "up": ("life", "start the daemon and a coordinator"),
    "down": ("life", "stop them; running agents go on"),
    "status": ("status", "what runs, what waits, what needs you"),
    "doctor": ("doctor", "look for what is wrong, and say how to mend it"),
    "task": ("tasks", "add, list, show, wait, retry, cancel, approve, reject"),
    "run": ("runs", "list, show, stop, release"),
    "agent": ("agents", "add, list, show"),
    "evidence": ("proofs", "what a task's status stands on"),
    "verify": ("proofs", "run a done task's checks again"),
    "restore": ("proofs", "put back what a run left behind"),
    "log": ("following", "what an agent printed"),
    "events": ("following", "everything that happened, in order"),
    "daemon": ("life", "be the daemon (`toryo up` starts it for you)"),
    "coordinator": ("life", "be a coordinator (`toryo up` starts it for you)"),
}
"""Verb → (its file, one line of help). A new verb is a line here and a file beside."""

INTERRUPTED = 130


def run(argv: Sequence[str], processes: Mapping[str, Process]) -> int:
    """Parse, act, print; the exit code: 0 fine, 1 the user can mend it, 2 usage, 255 a bug."""
    if list(argv) in (["--version"], ["-V"]):
        print(f"toryo {__version__}")
        return 0
    try:
        code = _act(argv, processes)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_left()
    except Exception as error:  # noqa: BLE001 - the front's outermost edge: printed once, with an exit code
        from toryo.fronts.cli.complaints import complain

        return complain(error, argv)
    return code


def _act(argv: Sequence[str], processes: Mapping[str, Process]) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        if argv[1:] and argv[1] in VERBS:
            return _act([argv[1], "--help"], processes)
        print(overview())
        return 0 if argv else 2
    if argv[0] not in VERBS:
        raise UsageError(f"There is no verb `{argv[0]}`.", hint=_nearest(argv[0]))
    args = _parse(argv)
    from toryo.fronts.cli.desk import Desk

    with Desk(processes, reads=args.reads, hands=args.hands) as desk:
        code: int = args.act(args, desk)
        return code


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    from toryo.fronts.cli.parsing import Parser

    file, about = VERBS[argv[0]]
    parser = Parser(prog=f"toryo {argv[0]}", description=about[0].upper() + about[1:] + ".")
    importlib.import_module(f"toryo.fronts.cli.{file}").declare(parser, argv[0])
    return parser.parse_args(list(argv[1:]))


def overview() -> str:
    width = max(len(verb) for verb in VERBS) + 2
    lines = [f"  {verb:<{width}}{about}" for verb, (_, about) in VERBS.items()]
    return "\n".join(
        [
            "usage: toryo VERB …",
            "",
            "Toryo runs a crew of AI coding agents and merges only what it has verified itself.",
            "",
            *lines,
            "",
            "`toryo VERB --help` shows options and examples; with `--json` every reading verb prints JSON.",
            "Exit codes: 0 fine, 1 you can mend it, 2 usage, 255 a bug. TORYO_HOME selects the installation.",
        ]
    )


def _nearest(word: str) -> str:
    import difflib

    near = difflib.get_close_matches(word, VERBS, n=1)
    return f"`toryo {near[0]}`" if near else "`toryo --help` lists the verbs."


def _reader_left() -> int:
    import os

    # `toryo log … | head`: nobody reads any more, and the interpreter must not complain about it at its end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
