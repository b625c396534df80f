"""The verbs of `toryo task`: what people want done, and what became of it."""

from __future__ import annotations

from toryo.domain.words import Priority
from toryo.fronts.cli.desk import inner, whose
from toryo.fronts.cli.parsing import count, group, seconds, verb
from toryo.fronts.cli.showing import facts, one_line, plain, print_json, status_word, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from toryo.fronts.cli.desk import Desk

JUDGEMENTS = {
    "retry": ("retry_task", "start a failed, cancelled or reviewed task again", "will be tried again"),
    "cancel": ("cancel_task", "stop a task for good", "is cancelled"),
    "approve": ("approve_task", "let a task that needs review go on", "was approved"),
    "reject": ("reject_task", "refuse what a task that needs review brought", "was rejected"),
}


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    from toryo.fronts.cli.waiting import declare_wait

    add = group(parser)
    _declare_add(add("add", "say what you want done"))
    _declare_list(add("list", "the tasks of the project here"))
    one = add("show", "everything about a task")
    one.add_argument("task", metavar="ID", help="a task, or the beginning of its id")
    verb(one, show, "toryo task show t3kd92m1", "toryo task show t3k --json", reads=True)
    declare_wait(add("wait", "block until the tasks are at rest; exit 0 only if all are done"))
    for name, (tool, about, outcome) in JUDGEMENTS.items():
        judged = add(name, about)
        judged.add_argument("task", metavar="ID", help="a task, or the beginning of its id")
        judged.add_argument("--note", default=None, help="why; kept with the task")
        judged.add_argument("--json", action="store_true", help="print JSON")
        example = f'toryo task {name} t3kd92m1 --note "looked at it"'
        verb(judged, _judge(tool, outcome), f"toryo task {name} t3kd92m1", example, hands=name != "cancel")


def _declare_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("title", metavar="TITLE", help="one line")
    parser.add_argument(
        "-d", "--description", default="", metavar="TEXT", help="all that the agent must know"
    )
    parser.add_argument("-t", "--type", default="task", help="feature, bug, … (default: task)")
    parser.add_argument("-p", "--priority", default="medium", choices=[str(one) for one in Priority])
    parser.add_argument("--agent", help="who does it (default: the project's default agent)")
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
        "--timeout", type=seconds, metavar="S", help="time limit of a run in seconds (default: 3600)"
    )
    parser.add_argument("--hold", action="store_true", help="do not start it before `toryo task approve`")
    parser.add_argument("--project", help="another project than the one here")
    parser.add_argument("--json", action="store_true", help="print JSON")
    verb(
        parser,
        add_task,
        'toryo task add "mend the login form"',
        'toryo task add "add a --quiet flag" -t feature -p high --check "make smoke"',
        'toryo task add "write the docs" --after t3kd92m1 --write "docs/**" --json',
        hands=True,
    )


def _declare_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--status", help="only those: open, blocked, ready, running, …")
    parser.add_argument("--limit", type=count, default=50, help="so many (default: 50)")
    parser.add_argument("--after", type=int, metavar="SEQ", help="go on where the last page ended")
    parser.add_argument("--project", help="another project than the one here")
    parser.add_argument("--all", action="store_true", help="of every project")
    verb(parser, list_tasks, "toryo task list", "toryo task list --status needs_review --json", reads=True)


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
        (one["id"], one["status"], one.get("reason", ""), one.get("agent", ""), one["title"])
        for one in answer["tasks"]
    ]
    print(table(("id", "status", "reason", "agent", "title"), rows) if rows else "No tasks.")
    if answer.get("more"):
        print(f"… more: toryo task list --after {answer['next_after']}")
    return 0


def show(args: argparse.Namespace, desk: Desk) -> int:
    task = inner(desk.call("get_task", {"task": args.task}), "task")
    if args.json:
        print_json(task)
        return 0
    print(f"{task['id']}  {_state(task)}  {one_line(task['title'])}")
    print(
        facts(
            [
                ("detail", task.get("detail")),
                ("agent", task.get("agent")),
                ("type", task.get("type")),
                ("priority", task.get("priority")),
                ("after", task.get("dependencies")),
                ("parent", task.get("parent")),
                ("may write", task.get("write")),
                ("checks", task.get("checks")),
                ("branch", task.get("branch")),
                ("lands on", task.get("target_branch")),
                ("base", task.get("base_commit")),
                ("landed", task.get("landed_commit")),
                ("waits for", task.get("waiting_for")),
            ]
        )
    )
    if task.get("description"):
        print("\n" + plain(task["description"]))
    print_runs(task.get("runs") or [])
    for claim in task.get("claims") or ():
        said = " ".join(str(claim.get(key) or "") for key in ("result", "summary"))
        print(
            f"claim of {claim.get('run', '?')}: {one_line(said)}" + (" (late)" if claim.get("late") else "")
        )
    return 0


def print_runs(runs: list[dict[str, Any]]) -> None:
    if runs:
        heads = ("run", "purpose", "agent", "outcome", "exit", "commits", "files", "started")
        print("\n" + table(heads, [run_row(run) for run in runs]))


def run_row(run: dict[str, Any]) -> tuple[object, ...]:
    ended = run.get("signal") or run.get("exit_code")
    files = run.get("changed_files")
    return (
        run["id"],
        run.get("purpose"),
        run.get("agent"),
        run.get("outcome"),
        ended,
        run.get("commits"),
        len(files) if isinstance(files, list) else files,
        run.get("started_at"),
    )


def _judge(tool: str, outcome: str) -> Callable[[argparse.Namespace, Desk], int]:
    def judge(args: argparse.Namespace, desk: Desk) -> int:
        answer = desk.call(tool, {"task": args.task, "note": args.note})
        if args.json:
            print_json(answer)
            return 0
        print(f"{answer['id']} {outcome}.")
        return 0

    return judge


def _state(task: dict[str, Any]) -> str:
    status = str(task.get("status") or "")
    reason = task.get("reason") or ""
    return status_word(status) + (f" ({plain(reason)})" if reason else "")
