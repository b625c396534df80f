"""The verbs of `toryo task`: what people want done, and what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.cli.choices import PRIORITIES, STATUSES
from toryo.fronts.cli.parsing import count, place, project_option, time_limit, verb
from toryo.fronts.cli.work.descriptions import HELP as DESCRIPTION_HELP
from toryo.fronts.cli.work.descriptions import asked, given
from toryo.fronts.cli.work.judge import verbs_of_judgement
from toryo.fronts.cli.work.own_path import mended
from toryo.fronts.client import inner, whose
from toryo.fronts.text.output import one_line, print_json, table

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk

TASK_HELP = "a task, or the beginning of its id"


def _declare_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("title", nargs="?", metavar="TITLE", help="one line; without it your editor opens")
    parser.add_argument("-d", "--description", default="", metavar="TEXT", help=DESCRIPTION_HELP)
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
    parser.add_argument("--onto", default="", metavar="BRANCH", help="land on it (default: the project's)")
    project_option(parser)
    verb(
        parser,
        add_task,
        'toryo task add "mend the login form"',
        'toryo task add "add a --quiet flag" -t feature -p high --check "make smoke"',
        'toryo task add "move to the new API" -d @notes/api.md',
        'toryo task add "write the docs" --after t3kd92m1 --write "docs/**" --json',
        hands=True,
        json=True,
    )


def _declare_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--status", choices=STATUSES, metavar="S", help=f"only those: {', '.join(STATUSES)}")
    parser.add_argument("--limit", type=count, default=50, metavar="N", help="so many (default: 50)")
    parser.add_argument("--after", type=place, metavar="SEQ", help="go on where the last page ended")
    parser.add_argument("--parent", metavar="ID", help="only the tasks that are a part of this one")
    project_option(parser)
    parser.add_argument("--all", action="store_true", help="of every project")
    verb(
        parser,
        list_tasks,
        "toryo task list",
        "toryo task list --status needs_review --json",
        "toryo task list --parent t3kd92m1",
        reads=True,
    )


def _declare_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", metavar="ID", help=TASK_HELP)
    verb(parser, show, "toryo task show t3kd92m1", "toryo task show t3k --json", reads=True)


def _declare_wait(parser: argparse.ArgumentParser) -> None:
    from toryo.fronts.cli.work.wait import declare_wait

    declare_wait(parser)


def _declare_update(parser: argparse.ArgumentParser) -> None:
    from toryo.fronts.cli.work.update import declare_update

    declare_update(parser)


def _declare_say(parser: argparse.ArgumentParser) -> None:
    from toryo.fronts.cli.work.say import declare_say

    declare_say(parser)


def _declare_submit(parser: argparse.ArgumentParser) -> None:
    from toryo.fronts.cli.work.finish import declare_submit

    declare_submit(parser)


def _declare_revert(parser: argparse.ArgumentParser) -> None:
    from toryo.fronts.cli.work.finish import declare_revert

    declare_revert(parser)


VERBS: Group = {
    "add": ("say what you want done", _declare_add),
    "list": ("the tasks of the project here", _declare_list),
    "show": ("everything about a task", _declare_show),
    "wait": ("block until the tasks are at rest; exit 0 only if all are done", _declare_wait),
    "update": ("change a task, or ask whether it is done", _declare_update),
    "say": ("tell a running agent something, or answer one that asks", _declare_say),
    **verbs_of_judgement(),
    "submit": ("finish a task yourself: what its worktree holds now is checked and lands", _declare_submit),
    "revert": ("take a done task back: the reverse of it is checked and lands", _declare_revert),
}


def add_task(args: argparse.Namespace, desk: Desk) -> int:
    title, description = args.title, given(args.description)
    if title is None:
        title, description = asked(description)
    made = desk.call(
        "add_task",
        {
            **whose(args, desk),
            "title": title,
            "description": description,
            "type": args.type,
            "priority": args.priority,
            "agent": args.agent,
            "after": args.after,
            "parent": args.parent,
            "write": args.write,
            "checks": args.check,
            "timeout_s": args.timeout,
            "held": args.hold,
            "onto": args.onto,
        },
    )
    if args.json:
        print_json(made)
        return 0
    print(f"{made['id']}  {one_line(title)}")
    for note in made.get("notes") or ():
        print(f"note: {one_line(mended(str(note)))}")
    return 0


def list_tasks(args: argparse.Namespace, desk: Desk) -> int:
    # a task named is a task of its own project, wherever one stands
    where = {} if args.all or (args.parent and not args.project) else whose(args, desk)
    wanted = {"status": args.status, "parent": args.parent, "limit": args.limit, "after_seq": args.after}
    answer = desk.call("list_tasks", {**where, **wanted})
    if args.json:
        print_json(answer)
        return 0
    from toryo.fronts.cli.work.task_page import because

    rows = [
        (one["id"], one["status"], because(one), one.get("agent") or "nobody", one["title"])
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
    if args.parent:
        return f"{what.rstrip('.')} that are a part of {args.parent}."
    return what if args.status else f'{what} Add one: toryo task add "what you want done"'


def _same_list(args: argparse.Namespace) -> str:
    """What was typed, for the next page."""
    words = ["toryo task list"]
    words += [f"--status {args.status}"] if args.status else []
    words += [f"--parent {args.parent}"] if args.parent else []
    words += [f"--project {args.project}"] if args.project else []
    words += ["--all"] if args.all else []
    words += [f"--limit {args.limit}"] if args.limit != 50 else []
    return " ".join(words)


def show(args: argparse.Namespace, desk: Desk) -> int:
    task = inner(desk.call("get_task", {"task": args.task}), "task")
    if args.json:
        print_json(task)
        return 0
    from toryo.fronts.cli.work.task_page import print_page

    print_page(task)
    return 0
