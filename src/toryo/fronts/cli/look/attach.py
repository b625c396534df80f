"""The verb `attach`: become the terminal of a running agent. Which command that is, the coordinator says."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from toryo import settings
from toryo.domain.errors import UserError
from toryo.fronts.cli.parsing import verb
from toryo.fronts.text.output import print_json

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.client import Desk
    from toryo.protocol.views.runs import AttachedRun


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument("id", metavar="ID", help="a run or a task, or the beginning of its id")
    verb(parser, attach, "toryo attach t3kd92m1", "toryo attach r8w --json", hands=True, json=True)


def attach(args: argparse.Namespace, desk: Desk) -> int:
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not args.json and not is_terminal:
        raise UserError(
            "An agent's screen needs a terminal to be shown on.",
            hint=f"`toryo log -f {args.id}` follows it, `toryo attach {args.id} --json` says the command.",
        )
    answer: AttachedRun = desk.call("attach_run", {"id": args.id}, what="looking for its window")
    if args.json:
        print_json(answer)
        return 0
    argv = [str(word) for word in answer["argv"]]
    # inside a person's own tmux, ours would refuse to be nested
    env = {name: value for name, value in settings.environment().items() if name not in ("TMUX", "TMUX_PANE")}
    sys.stdout.flush()
    try:
        os.execvpe(argv[0], argv, env)
    except OSError as failed:
        raise UserError(
            f"{argv[0]} could not be started: {failed.strerror}",
            hint=f"The agent may be on another machine; `toryo log -f {args.id}` follows it from here.",
        ) from failed
