"""The verbs of `toryo task`: what people want done, and what became of it."""

from __future__ import annotations

from toryo.fronts.cli.choices import PRIORITIES, STATUSES
from toryo.fronts.cli.desk import inner, whose
from toryo.fronts.cli.own_path import mended
from toryo.fronts.cli.parsing import count, place, project_option, time_limit, verb
from toryo.fronts.cli.showing import one_line, print_json, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from toryo.fronts.cli.desk import Desk
    from toryo.fronts.cli.parsing import Declare, Group

JUDGEMENTS = {
    "retry": ("retry_task", "start a failed, cancelled or reviewed task again", "will be tried again"),
    "cancel": ("cancel_task", "stop a task for good; what it left is kept", "is cancelled"),
    "approve": ("approve_task", "let a task that is held or needs review go on", "was approved"),
    "reject": ("reject_task", "refuse what a task that needs review brought", "was rejected"),
}
TASK_HELP = "a task, or the beginning of its id"


def _declare_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("title", metavar="TITLE", help="one line")
    parser.add_argument(
        "-d", "--description", default="", metavar="TEXT", help="all that the agent must know"
    )
    parser.add_argument(
        "-t", "--type", default="task", metavar="TYPE", help="feature, bug, … (default: task)"
    )
    parser.add_argument(
        "-p",
        "--priority",
        default="medium",
        choices=PRIORITIES,
        metavar="P",
        help=f"{', '.join(PRIORITIES)} (default: medium)",
    )
    parser.add_argument("--agent", metavar="NAME", help="who does it (default: the project's default agent)")
    parser.add_argument(
        "--after", action="append", default=[], metavar="ID", help="start after this task; repeatable"
    )
    parser.add_argument("--parent", metavar="ID", help="the task it is a part of")
    parser.add_argument(
        "--write", action="append", metavar="GLOB", help="it may change only these; repeatable"
    )
    parser.add_argument(
        "--check",
        action="append",
        default=[],
        metavar="CMD",
        help="must pass besides the project's; repeatable",
    )
    parser.add_argument(
        "--timeout", type=time_limit, metavar="S", help="time limit of a run in seconds (default: 3600)"
    )
    parser.add_argument("--hold", action="store_true", help="do not start it before `toryo task approve`")
    project_option(parser)
    verb(
        parser,
        add_task,
        'toryo task add "mend the login form"',
        'toryo task add "add a --quiet flag" -t feature -p high --check "make smoke"',
        'toryo task add "write the docs" --after t3kd92m1 --write "docs/**" --json',
        hands=True,
        json=True,
    )


def _declare_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--status", choices=STATUSES, metavar="S", help=f"only those: {', '.join(STATUSES)}")
    parser.add_argument("--limit", type=count, default=50, metavar="N", help="so many (default: 50)")
    parser.add_argument("--after", type=place, metavar="SEQ", help="go on where the last page ended")
    project_option(parser)
    parser.add_argument("--all", action="store_true", help="of every project")
    verb(parser, list_tasks, "toryo task list", "toryo task list --status needs_review --json", reads=True)


def _declare_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", metavar="ID", help=TASK_HELP)
    verb(parser, show, "toryo task show t3kd92m1", "toryo task show t3k --json", reads=True)


def _declare_wait(parser: argparse.ArgumentParser) -> None:
    from toryo.fronts.cli.waiting import declare_wait

    declare_wait(parser)


def _declare_update(parser: argparse.ArgumentParser) -> None:
    from toryo.fronts.cli.updating import declare_update

    declare_update(parser)


def _declare_judgement(name: str) -> Declare:
    tool, _, outcome = JUDGEMENTS[name]

    def declare(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("task", metavar="ID", help=TASK_HELP)
        parser.add_argument("--note", default=None, metavar="TEXT", help="why; kept with the task")
        example = f'toryo task {name} t3kd92m1 --note "looked at it"'
        act = _judge(tool, outcome)
        verb(parser, act, f"toryo task {name} t3kd92m1", example, hands=name != "cancel", json=True)

    return declare


def _declare_say(parser: argparse.ArgumentParser) -> None:
    from toryo.fronts.cli.saying import declare_say

    declare_say(parser)


VERBS: Group = {
    "add": ("say what you want done", _declare_add),
    "list": ("the tasks of the project here", _declare_list),
    "show": ("everything about a task", _declare_show),
    "wait": ("block until the tasks are at rest; exit 0 only if all are done", _declare_wait),
    "update": ("change a task, or ask whether it is done", _declare_update),
    "say": ("tell a running agent something", _declare_say),
    **{name: (about, _declare_judgement(name)) for name, (_, about, _) in JUDGEMENTS.items()},
}


def add_task(args: argparse.Namespace, desk: Desk) -> int:
    made = desk.call(
        "add_task",
        {
            **whose(args, desk),
            "title": args.title,
            "description": args.description,
            "type": args.type,
            "priority": args.priority,
            "agent": args.agent,
            "after": args.after,
            "parent": args.parent,
            "write": args.write,
            "checks": args.check,
            "timeout_s": args.timeout,
            "held": args.hold,
        },
    )
    if args.json:
        print_json(made)
        return 0
    print(f"{made['id']}  {one_line(args.title)}")
    for note in made.get("notes") or ():
        print(f"note: {one_line(mended(str(note)))}")
    return 0


def list_tasks(args: argparse.Namespace, desk: Desk) -> int:
    where = {} if args.all else whose(args, desk)
    answer = desk.call(
        "list_tasks", {**where, "status": args.status, "limit": args.limit, "after_seq": args.after}
    )
    if args.json:
        print_json(answer)
        return 0
    rows = [
        (one["id"], one["status"], one.get("reason", ""), one.get("agent") or "nobody", one["title"])
        for one in answer["tasks"]
    ]
    if not rows:
        print(_none(args))
        return 0
    print(table(("id", "status", "because", "agent", "title"), rows, elastic=2))
    if answer.get("more"):
        print(f"… more: {_same_list(args)} --after {answer['next_after']}")
    return 0


def _none(args: argparse.Namespace) -> str:
    if args.after is not None:
        return "No more tasks."
    what = f"No tasks are {args.status}." if args.status else "No tasks."
    return what if args.status else f'{what} Add one: toryo task add "what you want done"'


def _same_list(args: argparse.Namespace) -> str:
    """What was typed, for the next page."""
    words = ["toryo task list"]
    words += [f"--status {args.status}"] if args.status else []
    words += [f"--project {args.project}"] if args.project else []
    words += ["--all"] if args.all else []
    words += [f"--limit {args.limit}"] if args.limit != 50 else []
    return " ".join(words)


def show(args: argparse.Namespace, desk: Desk) -> int:
    task = inner(desk.call("get_task", {"task": args.task}), "task")
    if args.json:
        print_json(task)
        return 0
    from toryo.fronts.cli.task_page import print_page

    print_page(task)
    return 0


def _judge(tool: str, outcome: str) -> Callable[[argparse.Namespace, Desk], int]:
    def judge(args: argparse.Namespace, desk: Desk) -> int:
        answer = desk.call(tool, {"task": args.task, "note": args.note})
        if args.json:
            print_json(answer)
            return 0
        print(f"{answer['id']} {outcome}.")
        return 0

    return judge
