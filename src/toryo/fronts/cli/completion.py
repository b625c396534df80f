"""The verb `completion`: a script for the shell, made from the very parsers that read the words.

It completes verbs, options, fixed choices and the names of agents; nothing is started to find those.
"""

from __future__ import annotations

import argparse

from toryo.fronts.cli.parsing import verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toryo.fronts.cli.desk import Desk

SHELLS = ("bash", "zsh", "fish")
ASKED_WITHIN_S = 2.0


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument("shell", choices=SHELLS, nargs="?", metavar="SHELL", help="bash, zsh or fish")
    parser.add_argument("--agents", action="store_true", help=argparse.SUPPRESS)
    verb(
        parser,
        completion,
        'eval "$(toryo completion bash)"                 # in ~/.bashrc',
        'eval "$(toryo completion zsh)"                  # in ~/.zshrc, after compinit',
        "toryo completion fish > ~/.config/fish/completions/toryo.fish",
        reads=True,
        json=False,
    )


def completion(args: argparse.Namespace, desk: Desk) -> int:
    if args.agents:
        return _print_agents(desk)
    if not args.shell:
        from toryo.domain.errors import UsageError

        raise UsageError("For which shell?", hint="`toryo completion bash`, or zsh, or fish.")
    from toryo.fronts.cli.completion_scripts import script
    from toryo.fronts.cli.overviews import whole_tree

    print(script(args.shell, whole_tree()))
    return 0


def _print_agents(desk: Desk) -> int:
    """One name a line for the shell; silent if the daemon is not there."""
    from toryo.domain.errors import ToryoError

    try:
        answer = desk.call_if_there("list_agents", {}, timeout_s=ASKED_WITHIN_S)
    except ToryoError:
        return 0
    for one in answer["agents"]:
        print(one["id"])
    return 0
