"""The verb `task update`: change what a task says, open or cancel it, or ask whether it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.domain.errors import UsageError, UserError
from toryo.fronts.cli.choices import PRIORITIES
from toryo.fronts.cli.parsing import time_limit, verb
from toryo.fronts.cli.work.descriptions import HELP as DESCRIPTION_HELP
from toryo.fronts.cli.work.descriptions import given
from toryo.fronts.cli.work.own_path import mended
from toryo.fronts.text.output import plain, print_json, word

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.client import Desk
    from toryo.protocol.views.tasks import UpdatedTask

STATUSES = ("open", "in_progress", "done", "failed", "cancelled")
"""As outside orchestrators know them; the daemon refuses those that only facts can bring about."""
FIELDS = (
    "status",
    "title",
    "description",
    "priority",
    "agent",
    "type",
    "after",
    "write",
    "checks",
    "timeout_s",
)
NAMES = {"write": "scope", "timeout_s": "time limit", "checks": "list of checks"}
TOLD_APART = ("status", "agent", "after")


def declare_update(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", metavar="ID", help="a task, or the beginning of its id")
    parser.add_argument(
        "--status",
        choices=STATUSES,
        metavar="S",
        help="open: retry or release it; cancelled: stop it; "
        "done: only look whether it is, and say what is missing",
    )
    parser.add_argument("--title", help="another title")
    parser.add_argument(
        "-d", "--description", metavar="TEXT", help=f"another description: {DESCRIPTION_HELP}"
    )
    parser.add_argument("-p", "--priority", choices=PRIORITIES, metavar="P", help=", ".join(PRIORITIES))
    parser.add_argument("--agent", metavar="NAME", help="who does it")
    parser.add_argument("-t", "--type", help="feature, bug, …")
    _declare_lists(parser)
    parser.add_argument(
        "--timeout", dest="timeout_s", type=time_limit, metavar="S", help="time limit of a run in seconds"
    )
    waits = parser.add_mutually_exclusive_group()
    waits.add_argument(
        "--after",
        action="append",
        metavar="ID",
        help="start after this task, and no longer after those it waited for; repeatable",
    )
    waits.add_argument(
        "--no-after", dest="after", action="store_const", const=[], help="wait for no other task"
    )
    verb(
        parser,
        update,
        "toryo task update t3kd92m1 --status done",
        "toryo task update t3kd92m1 --status open --agent coder",
        'toryo task update t3kd92m1 --title "mend both login forms" -p high',
        "toryo task update t3kd92m1 --after t8wq40zc --after t5xh71pa",
        "toryo task update t3kd92m1 --check 'make smoke' --write 'src/**' --timeout 600",
        hands=True,
        json=True,
    )


def _declare_lists(parser: argparse.ArgumentParser) -> None:
    for name, dest, metavar, about, none in (
        (
            "check",
            "checks",
            "CMD",
            "must pass besides the project's, instead of those before",
            "no check of its own",
        ),
        (
            "write",
            "write",
            "GLOB",
            "it may change only these, instead of those before",
            "no scope of its own",
        ),
    ):
        either = parser.add_mutually_exclusive_group()
        either.add_argument(
            f"--{name}", dest=dest, action="append", metavar=metavar, help=f"{about}; repeatable"
        )
        either.add_argument(f"--no-{name}", dest=dest, action="store_const", const=[], help=none)


def update(args: argparse.Namespace, desk: Desk) -> int:
    wished = {name: getattr(args, name) for name in FIELDS if getattr(args, name) is not None}
    if args.description is not None:
        wished["description"] = given(args.description)
    if not wished:
        raise UsageError("Nothing to change was named.", hint="`toryo task update --help` shows what can be.")
    if not wished.get("title", "-").strip():
        raise UserError(
            "A task needs a title.", hint=f'Type: toryo task update {args.task} --title "what is wanted"'
        )
    for name in ("agent", "type"):  # to the daemon an empty word is one that was not said
        if not wished.get(name, "-").strip():
            raise UsageError(f"--{name} needs a word.", hint="`toryo task update --help` shows what can be.")
    answer: UpdatedTask = desk.call("update_task", {"task": args.task, **wished})
    status = str(answer["status"])
    missing = [str(one) for one in answer.get("missing") or ()] if args.status == "done" else []
    if args.json:
        print_json(answer)
    else:
        changed = _changed(wished)
        if changed:
            print(f"{answer['id']} {changed}{_next(answer, wished)}")
        if args.status or not changed:
            reason = f" ({plain(str(answer['reason']))})" if answer.get("reason") else ""
            print(f"{answer['id']} is {word(status)}{reason}.")
        for one in missing:
            print(f"missing: {plain(one)}")
        for note in answer.get("notes") or ():
            print(f"note: {plain(mended(str(note)))}")
    return 1 if args.status == "done" and status != "done" else 0


def _changed(wished: dict[str, Any]) -> str:
    """What is different now, in words; a status is told apart."""
    owner = f"is {plain(wished['agent'])}'s now" if "agent" in wished else ""
    before = ", ".join(map(plain, wished.get("after") or ())) or "no other task"
    order = f"comes after {before} now" if "after" in wished else ""
    fields = [NAMES.get(name, name) for name in FIELDS if name in wished and name not in TOLD_APART]
    named = " and ".join([", ".join(fields[:-1]), fields[-1]] if fields[1:] else fields)
    return ", and ".join(part for part in (owner, order, f"has a new {named}" if fields else "") if part)


def _next(answer: UpdatedTask, wished: dict[str, Any]) -> str:
    """A task at rest does nothing by itself, however it is changed."""
    steps = {"failed": "retry", "cancelled": "retry", "needs_review": "retry", "open": "approve"}
    step = "" if "status" in wished else steps.get(str(answer["status"]), "")
    return f"; next: toryo task {step} {answer['id']}" if step else "."
