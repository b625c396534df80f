"""The verbs `task submit` and `task revert`, and the question before a retry drops a person's own work."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import verb
from toryo.fronts.cli.work.judge import for_each
from toryo.fronts.text.output import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from toryo.fronts.client import Desk
    from toryo.protocol.views.tasks import BuiltOn, HandWork

MOST_NAMED = 5
WITHIN_S = 60.0


def declare_submit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tasks", nargs="+", metavar="ID", help="tasks, or the beginnings of their ids")
    parser.add_argument("--note", default=None, metavar="TEXT", help="why; kept with the task")
    parser.description = (
        "Finish a task yourself: what its worktree and branch hold now, your own commits included,\n"
        "is checked and lands like an agent's work. Files that you did not commit are committed first."
    )
    examples = ("toryo task submit t3kd92m1", 'toryo task submit t3kd92m1 --note "mended the test by hand"')
    verb(parser, submit, *examples, hands=True, json=True)


def declare_revert(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tasks", nargs="+", metavar="ID", help="done tasks, or the beginnings of their ids")
    parser.add_argument("--note", default=None, metavar="TEXT", help="why; kept with the task")
    parser.description = (
        "Take back what a done task brought: a new task lands the reverse of it through the same\n"
        "checks. Tasks that build on it are named."
    )
    examples = ("toryo task revert t3kd92m1", "toryo task revert t3kd92m1 t5xh71pa")
    verb(parser, revert, *examples, hands=True, json=True)


def submit(args: argparse.Namespace, desk: Desk) -> int:
    return for_each(args, args.tasks, _asked(args, desk, "submit_task"), _submitted)


def revert(args: argparse.Namespace, desk: Desk) -> int:
    return for_each(args, args.tasks, _asked(args, desk, "revert_task"), _reverted)


def _asked(args: argparse.Namespace, desk: Desk, tool: str) -> Callable[[str], dict[str, Any]]:
    return lambda task: desk.call(tool, {"task": task, "note": args.note}, timeout_s=WITHIN_S)


def _submitted(answer: dict[str, Any]) -> str:
    return f"{answer['id']} was submitted; `toryo task wait {answer['id']}` waits for its checks."


def _reverted(answer: dict[str, Any]) -> str:
    built = [f"note: {_built(one)}" for one in answer.get("builds_on_it") or ()]
    return "\n".join([f"{answer['id']}  {one_line(str(answer['title']))}", *built])


def _built(one: BuiltOn) -> str:
    files = [one_line(str(path)) for path in one.get("files") or ()]
    named = ", ".join(files[:MOST_NAMED]) + (" …" if len(files) > MOST_NAMED else "")
    why = "depends on it" if one.get("depends") else ""
    why = " and ".join(part for part in (why, f"changed {named}" if named else "") if part)
    return f"{one['id']} was done later and {why}: {one_line(str(one['title']))}"


def may_discard(args: argparse.Namespace, task: str, desk: Desk) -> bool:
    """Whether the retry may leave a person's own work behind: said by a flag, or asked on a terminal."""
    if args.discard or args.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return bool(args.discard)
    left: HandWork = desk.call("get_hand_work", {"task": task}, timeout_s=WITHIN_S)
    if not left.get("holds"):
        return False
    print(f"The worktree of {task} holds work that was made after its run ended: {left['what']}.")
    print(f"`toryo task submit {task}` would land it. A retry starts over without it; it is kept.")
    try:
        return input("Start over? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
