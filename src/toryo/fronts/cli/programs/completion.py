"""The verb `completion`: a script for the shell, made from the very parsers that read the words.

It completes verbs, options, fixed choices, the names of agents, projects and targets and the ids of tasks,
runs and missions; nothing is started to find those.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import verb

if TYPE_CHECKING:
    from toryo.fronts.client import Desk

SHELLS = ("bash", "zsh", "fish")
ASKED_WITHIN_S = 2.0
MOST = 1000
NAMES = {
    "agents": ("list_agents", "id"),
    "tasks": ("list_tasks", "id"),
    "missions": ("list_missions", "id"),
    "runs": ("list_runs", "id"),
    "projects": ("list_projects", "name"),
    "targets": ("list_targets", "name"),
}
"""What the shell asks for: the tool that answers, and the field with the name."""


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument("shell", choices=SHELLS, nargs="?", metavar="SHELL", help="bash, zsh or fish")
    parser.add_argument("--names", choices=NAMES, default="", help=argparse.SUPPRESS)
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
    if args.names:
        return _print_names(args.names, desk)
    if not args.shell:
        from toryo.domain.errors import UsageError

        raise UsageError("For which shell?", hint="`toryo completion bash`, or zsh, or fish.")
    from toryo.fronts.cli.overviews import whole_tree
    from toryo.fronts.cli.programs.completion_scripts import script

    print(script(args.shell, whole_tree()))
    return 0


def _print_names(kind: str, desk: Desk) -> int:
    """One name a line for the shell; silent if the daemon is not there."""
    from toryo.domain.errors import ToryoError

    tool, name = NAMES[kind]
    asked = {"limit": MOST} if kind in ("tasks", "runs", "missions") else {}
    try:
        answer = desk.call_if_there(tool, asked, timeout_s=ASKED_WITHIN_S)
    except ToryoError:
        return 0
    for one in answer[kind]:
        if kind != "projects" or one.get("status") != "removed":
            print(one[name])
    return 0
