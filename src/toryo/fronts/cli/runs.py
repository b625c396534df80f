"""The verbs of `toryo run`: executions of agents on tasks."""

from __future__ import annotations

from toryo.fronts.cli.desk import inner
from toryo.fronts.cli.parsing import count, group, verb
from toryo.fronts.cli.showing import facts, one_line, print_json, table
from toryo.fronts.cli.tasks import run_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.desk import Desk


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    add = group(parser)
    listed = add("list", "runs, the newest first")
    listed.add_argument("--task", metavar="ID", help="only this task's")
    listed.add_argument("--project", help="only this project's")
    listed.add_argument("--limit", type=count, default=50, help="so many (default: 50)")
    verb(listed, list_runs, "toryo run list", "toryo run list --task t3kd92m1 --json", reads=True)
    shown = add("show", "everything about a run")
    shown.add_argument("run", metavar="ID", help="a run, or the beginning of its id")
    verb(shown, show, "toryo run show r8w2kq0z", "toryo run show r8w --json", reads=True)
    stopped = add("stop", "ask an agent to leave; its work so far is kept")
    stopped.add_argument("run", metavar="ID", help="a run, or the beginning of its id")
    verb(stopped, stop, "toryo run stop r8w2kq0z", hands=True)
    released = add("release", "give a run up whose end nobody can see; you know that nothing of it runs")
    released.add_argument("run", metavar="ID", help="a run, or the beginning of its id")
    verb(released, release, "toryo run release r8w2kq0z")


def list_runs(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("list_runs", {"task": args.task, "project": args.project, "limit": args.limit})
    if args.json:
        print_json(answer)
        return 0
    rows = [(*run_row(run)[:1], run.get("task"), *run_row(run)[1:]) for run in answer["runs"]]
    heads = ("run", "task", "purpose", "agent", "outcome", "exit", "commits", "files", "started")
    print(table(heads, rows) if rows else "No runs.")
    return 0


def show(args: argparse.Namespace, desk: Desk) -> int:
    run = inner(desk.call("get_run", {"run": args.run}), "run")
    if args.json:
        print_json(run)
        return 0
    print(
        facts(
            [
                ("run", run["id"]),
                ("task", run.get("task")),
                ("purpose", run.get("purpose")),
                ("generation", run.get("generation")),
                ("agent", run.get("agent")),
                ("client", run.get("client")),
                ("coordinator", run.get("coordinator")),
                ("outcome", run.get("outcome")),
                ("because", run.get("reason")),
                ("exit code", run.get("exit_code")),
                ("signal", run.get("signal")),
                ("started", run.get("started_at")),
                ("ended", run.get("ended_at")),
                ("commits", run.get("commits")),
                ("worktree", run.get("worktree")),
                ("log", f"toryo log {run['id']}"),
            ]
        )
    )
    _print_list("changed", run.get("changed_files"))
    _print_list("violation", [_violation(one) for one in run.get("violations") or ()])
    return 0


def _violation(one: Any) -> str:
    return f"{one['path']} ({one['rule']})" if isinstance(one, dict) else str(one)


def _print_list(word: str, lines: list[str] | None) -> None:
    for line in lines or ():
        print(f"{word}: {one_line(line)}")


def stop(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("stop_run", {"run": args.run})
    print(f"{answer['run']} was asked to leave.")
    return 0


def release(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("release_run", {"run": args.run})
    print(f"{answer['run']} is given up; its slot and its task are free.")
    return 0
