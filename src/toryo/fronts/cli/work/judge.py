"""The verbs by which people judge one task or several: retry, cancel, approve, reject, dismiss."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toryo.domain.errors import UsageError
from toryo.fronts.cli.choices import STATUSES
from toryo.fronts.cli.parsing import project_option, verb
from toryo.fronts.client import whose
from toryo.fronts.text.output import one_line, print_json
from toryo.protocol.wire import ToolFailed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from typing import Any

    from toryo.fronts.cli.parsing import Declare, Group
    from toryo.fronts.client import Desk
    from toryo.protocol.views.tasks import ListedTasks

JUDGEMENTS = {
    "retry": ("retry_task", "start a failed, cancelled or reviewed task again", "will be tried again"),
    "cancel": ("cancel_task", "stop a task for good; what it left is kept", "is cancelled"),
    "approve": ("approve_task", "let a task that is held or needs review go on", "was approved"),
    "reject": ("reject_task", "refuse what a task that needs review brought", "was rejected"),
    "dismiss": ("dismiss_task", "take a failed task off what needs you; it stays failed", "is dismissed"),
}
WITHOUT_A_RUN = ("cancel", "dismiss")
"""Nothing is started after them."""
TASKS_HELP = "tasks, or the beginnings of their ids"
MOST = 1000


def verbs_of_judgement() -> Group:
    return {name: (about, _declare(name)) for name, (_, about, _) in JUDGEMENTS.items()}


def _declare(name: str) -> Declare:
    tool, _, outcome = JUDGEMENTS[name]

    def declare(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("tasks", nargs="*", metavar="ID", help=TASKS_HELP)
        parser.add_argument(
            "--status", choices=STATUSES, metavar="S", help="all tasks of the project that are in this state"
        )
        project_option(parser)
        told = "" if name in WITHOUT_A_RUN else ", and told to the agent of its next run"
        parser.add_argument("--note", default=None, metavar="TEXT", help=f"why; kept with the task{told}")
        if name == "retry":
            parser.add_argument(
                "--discard",
                action="store_true",
                help="also if you worked in its worktree; `toryo restore` finds that again",
            )
            parser.add_argument(
                "--allow", action="append", metavar="PATH", help="it may change this, too; several times"
            )
        examples = (
            f"toryo task {name} t3kd92m1",
            f'toryo task {name} t3kd92m1 --note "looked at it"',
            f"toryo task {name} t3kd92m1 t5xh71pa",
            f"toryo task {name} --status {'open' if name == 'approve' else 'failed'}",
        )
        act = _judge(tool, outcome)
        verb(parser, act, *examples, hands=name not in WITHOUT_A_RUN, json=True)

    return declare


def _judge(tool: str, outcome: str) -> Callable[[argparse.Namespace, Desk], int]:
    def judge(args: argparse.Namespace, desk: Desk) -> int:
        def ask(task: str) -> dict[str, Any]:
            said = {"task": task, "note": args.note}
            if hasattr(args, "discard"):
                from toryo.fronts.cli.work.finish import may_discard

                said["discard"] = may_discard(args, task, desk) or None
                said["allow"] = args.allow
            answer: dict[str, Any] = desk.call(tool, said)
            return answer

        return for_each(args, meant(args, desk), ask, outcome)

    return judge


def meant(args: argparse.Namespace, desk: Desk) -> list[str]:
    """The tasks that were named, or those of a status."""
    if bool(args.tasks) == bool(args.status):
        raise UsageError("Which tasks?", hint="Name their ids, or take all of a --status.")
    if args.tasks:
        return list(args.tasks)
    answer: ListedTasks = desk.call("list_tasks", {**whose(args, desk), "status": args.status, "limit": MOST})
    return [str(one["id"]) for one in answer["tasks"]]


def for_each(
    args: argparse.Namespace,
    wanted: Sequence[str],
    ask: Callable[[str], dict[str, Any]],
    outcome: str | Callable[[dict[str, Any]], str],
) -> int:
    """Ask about one after the other; what is refused of several does not keep the others from it."""
    answers, refused = [], 0
    for one in wanted:
        try:
            answer = ask(one)
        except ToolFailed as failed:
            if len(wanted) == 1:
                raise
            refused += 1
            hint = f" {failed.hint}" if failed.hint else ""
            named = "" if str(failed).startswith(one) else f"{one}: "
            print(one_line(f"{named}{failed}{hint}"), file=sys.stderr)
            continue
        answers.append({name: value for name, value in answer.items() if name != "success"})
        if not args.json:
            print(_told(answer, outcome) if isinstance(outcome, str) else outcome(answer))
    if args.json:
        print_json(answers[0] if len(wanted) == 1 else {"answers": answers, "refused": refused})
    elif not wanted:
        print("There are none.")
    return 1 if refused else 0


def _told(answer: dict[str, Any], outcome: str) -> str:
    told = f"was answered already: {answer['by']}" if answer.get("already") else f"{outcome}."
    return one_line(f"{answer.get('id') or answer.get('run')} {told}")
