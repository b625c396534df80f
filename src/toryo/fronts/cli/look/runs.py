"""The verbs of `toryo run`: executions of agents on tasks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import count, verb
from toryo.fronts.cli.work.judge import for_each
from toryo.fronts.cli.work.task_page import run_row, words
from toryo.fronts.client import inner
from toryo.fronts.text.output import (
    ago,
    duration,
    facts,
    one_line,
    paint,
    print_json,
    seconds_since,
    table,
    word,
)

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk

RUN_HELP = "a run, or a task (its newest run); the beginning of an id is enough"


def _declare_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--task", metavar="ID", help="only this task's")
    parser.add_argument("--project", metavar="NAME", help="only this project's")
    parser.add_argument("--limit", type=count, default=50, metavar="N", help="so many (default: 50)")
    verb(parser, list_runs, "toryo run list", "toryo run list --task t3kd92m1 --json", reads=True)


def _declare_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="ID", help=RUN_HELP)
    verb(parser, show, "toryo run show r8w2kq0z", "toryo run show r8w --json", reads=True)


def _declare_stop(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="+", metavar="ID", help="runs or tasks, or the beginnings of their ids")
    verb(parser, stop, "toryo run stop r8w2kq0z", "toryo run stop t3kd92m1 t5xh71pa", hands=True, json=True)


def _declare_release(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="+", metavar="ID", help="runs or tasks, or the beginnings of their ids")
    verb(parser, release, "toryo run release r8w2kq0z", "toryo run release r8w2kq0z r5xh71pa", json=True)


VERBS: Group = {
    "list": ("runs, the newest first", _declare_list),
    "show": ("everything about a run", _declare_show),
    "stop": ("ask an agent to leave; its work so far is kept", _declare_stop),
    "release": (
        "give a run up whose end nobody can see, or end a parked one's waiting",
        _declare_release,
    ),
}


def list_runs(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("list_runs", {"task": args.task, "project": args.project, "limit": args.limit})
    if args.json:
        print_json(answer)
        return 0
    rows = [_row(run) for run in answer["runs"]]
    heads = ("run", "task", "purpose", "agent", "outcome", "exit", "commits", "began")
    print(table(heads, rows, elastic=3, spare=(5, 6, 2)) if rows else "No runs.")
    return 0


def _row(run: dict[str, Any]) -> tuple[object, ...]:
    name, purpose, agent, outcome, ended, commits, _, began = run_row(run)
    return (name, run.get("task"), purpose, agent, outcome, ended, commits, began)


def show(args: argparse.Namespace, desk: Desk) -> int:
    run = inner(desk.call("get_run", {"run": args.run}), "run")
    if args.json:
        print_json(run)
        return 0
    print(f"{run['id']}  {word(str(run.get('outcome') or ''))}{_because(run)}  {_what(run)}")
    print(
        facts(
            [
                ("task", run.get("task")),
                ("agent", _driven(run)),
                ("model", run.get("model")),
                ("used", usage(run)),
                ("denied", run.get("denied")),
                ("waits until", run.get("parked_until")),
                ("started", _moment(run.get("started_at"))),
                ("ended", _moment(run.get("ended_at"))),
                ("took", _took(run)),
                ("exit code", run.get("exit_code")),
                ("signal", run.get("signal")),
                ("commits", run.get("commits")),
                ("changed", run.get("changed_files")),
                ("uncommitted", run.get("uncommitted")),
                ("violations", [violation(one) for one in run.get("violations") or ()]),
                ("said", words(run)),
                ("worktree", run.get("worktree")),
                ("coordinator", run.get("coordinator")),
            ]
        )
    )
    print("\n" + paint("next", "dim"))
    for step in _next_steps(run):
        print(f"  {paint(step, 'cyan')}")
    return 0


def _because(run: dict[str, Any]) -> str:
    return f" ({one_line(str(run['reason']))})" if run.get("reason") else ""


def _what(run: dict[str, Any]) -> str:
    number = run.get("generation")
    return f"{run.get('purpose') or 'run'}" + (f", run {number} of its task" if number else "")


def _driven(run: dict[str, Any]) -> str:
    version = f" {run['client_version']}" if run.get("client_version") else ""
    client = f" ({run['client']}{version})" if run.get("client") else ""
    return f"{run.get('agent') or '?'}{client}"


def _moment(at: object) -> str:
    past = ago(at, time.time())
    return f"{at} ({past} ago)" if past else ""


def _took(run: dict[str, Any]) -> str:
    now = time.time()
    began, ended = (seconds_since(run.get(name), now) for name in ("started_at", "ended_at"))
    return "" if began is None or ended is None else duration(began - ended)


def _next_steps(run: dict[str, Any]) -> list[str]:
    steps = [f"toryo log {run['id']}"]
    if run.get("outcome") == "running":
        steps = [f"toryo log -f {run['id']}", f"toryo run stop {run['id']}"]
    if run.get("outcome") == "unknown" or run.get("parked_until"):
        steps.append(f"toryo run release {run['id']}")
    if run.get("uncommitted"):
        steps.append(f"toryo restore {run['id']}")
    return steps


def usage(run: dict[str, Any]) -> str:
    """`12300 tokens in (10000 cached), 450 out, 3 turns, $0.12`: what the client said of it."""
    told = run.get("usage") or {}
    parts = []
    if told.get("input_tokens") is not None:
        cached = f" ({told['cached_tokens']} cached)" if told.get("cached_tokens") else ""
        parts.append(f"{told['input_tokens']} tokens in{cached}")
    if told.get("output_tokens") is not None:
        parts.append(f"{told['output_tokens']} out")
    if told.get("turns") is not None:
        parts.append(f"{told['turns']} turn{'s' * (told['turns'] != 1)}")
    if told.get("cost_usd") is not None:
        parts.append(f"${told['cost_usd']:.2f}")
    return ", ".join(parts)


def violation(one: Any) -> str:
    return f"{one['path']} ({one['rule']})" if isinstance(one, dict) else str(one)


def stop(args: argparse.Namespace, desk: Desk) -> int:
    return for_each(args, args.runs, lambda run: desk.call("stop_run", {"run": run}), "was asked to leave")


def release(args: argparse.Namespace, desk: Desk) -> int:
    return for_each(args, args.runs, lambda run: desk.call("release_run", {"run": run}), _released)


def _released(answer: dict[str, Any]) -> str:
    given_up = f"{answer['run']} is given up; its slot and its task are free."
    return f"{answer['run']} waits no longer." if answer.get("waiting_ended") else given_up
