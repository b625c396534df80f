"""The verbs of `toryo worker`: the prompt for a worker that somebody else starts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import verb
from toryo.fronts.text.output import plain, print_json

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.cli.parsing import Declare, Group
    from toryo.fronts.client import Desk
    from toryo.protocol.views.sessions import WorkerPrompt


def _declare(name: str) -> Declare:
    def declare(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("task", metavar="TASK", help="a task, or the beginning of its id")
        parser.add_argument("--agent", metavar="NAME", help="for this agent (default: the task's)")
        verb(
            parser,
            prompt,
            f"toryo worker {name} t3kd92m1 > prompt.md",
            f"toryo worker {name} t3kd92m1 --agent coder",
            json=True,
        )

    return declare


VERBS: Group = {
    "command": ("print the prompt that a worker for the task gets, and nothing else", _declare("command")),
    "run": ("the same as `command`; it starts nothing", _declare("run")),
}


def prompt(args: argparse.Namespace, desk: Desk) -> int:
    answer: WorkerPrompt = desk.call("worker_prompt", {"task": args.task, "agent": args.agent})
    if args.json:
        print_json(answer)
        return 0
    text = str(answer["prompt"])
    sys.stdout.write(plain(text) + "\n" * (not text.endswith("\n")) if sys.stdout.isatty() else text)
    return 0
