"""The verbs `evidence`, `verify` and `restore`: what stands behind a status, and what a run left behind."""

from __future__ import annotations

from pathlib import Path

from toryo.fronts.cli.desk import inner
from toryo.fronts.cli.parsing import verb
from toryo.fronts.cli.showing import duration, facts, one_line, paint, plain, print_json, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.desk import Desk

CHECKS_WITHIN_S = 3600
MAY_LAND = ("green", "flaky", "unchecked")


def declare(parser: argparse.ArgumentParser, name: str) -> None:
    if name == "restore":
        parser.add_argument("id", metavar="ID", help="a run, or a task (its newest run)")
        parser.add_argument(
            "--to", metavar="DIR", help="a directory that does not exist yet (default: ./ID-restored)"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")
        verb(parser, restore, "toryo restore t3kd92m1", "toryo restore r8w2kq0z --to ../rescued", hands=True)
        return
    parser.add_argument("task", metavar="ID", help="a task, or the beginning of its id")
    if name == "evidence":
        verb(parser, evidence, "toryo evidence t3kd92m1", "toryo evidence t3kd92m1 --json", reads=True)
    else:
        parser.add_argument("--json", action="store_true", help="print JSON")
        verb(parser, verify, "toryo verify t3kd92m1", hands=True)


def evidence(args: argparse.Namespace, desk: Desk) -> int:
    answer = inner(desk.call("get_evidence", {"task": args.task}), "evidence")
    if args.json:
        print_json(answer)
        return 0
    _print_verdict(answer)
    for run in answer.get("runs") or ():
        _print_run(run)
    for one in answer.get("violations") or ():
        text = f"{one['path']} ({one['rule']})" if isinstance(one, dict) else str(one)
        print(f"violation: {one_line(text)}")
    print(f"Run the checks again: toryo verify {answer.get('task', args.task)}")
    return 0


def _print_verdict(answer: dict[str, Any]) -> None:
    verdict = str(answer.get("verdict") or "none yet")
    colour = "green" if verdict == "green" else "yellow" if verdict in MAY_LAND else "red"
    print(facts((name, answer.get(name)) for name in ("task", "status", "reason", "commit", "tree")))
    print(f"verdict  {paint(verdict, colour)}")
    _print_checks(answer)


def _print_checks(answer: dict[str, Any]) -> None:
    rows = [
        (one["result"], one.get("exit_code"), duration(float(one.get("duration_s") or 0)), one["command"])
        for one in answer.get("checks") or ()
    ]
    if rows:
        print(table(("check", "exit", "took", "command"), rows, widest=100))


def _print_run(run: dict[str, Any]) -> None:
    ended = run.get("signal") or f"exit {run.get('exit_code')}"
    print(f"run {run['id']}: {run.get('outcome', '')}, {ended}, {run.get('commits', 0)} commits")
    for word in ("children_killed", "uncommitted"):
        for line in run.get(word) or ():
            print(f"  {word.replace('_', ' ')}: {one_line(line)}")
    if run.get("uncommitted"):
        print(f"  get it back: toryo restore {run['id']}")


def verify(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call(
        "verify_task", {"task": args.task}, timeout_s=CHECKS_WITHIN_S, what="running the checks"
    )
    if args.json:
        print_json(answer)
    else:
        _print_verdict(answer)
        for one in answer["checks"]:
            said = one.get("output") or one.get("reason")
            if one["result"] not in ("passed", "flaky") and said:
                print(f"\n$ {one_line(one['command'])}\n{plain(said)}")
    return 0 if answer["verdict"] in MAY_LAND else 1


def restore(args: argparse.Namespace, desk: Desk) -> int:
    kind = "run" if args.id.startswith("r") else "task"
    destination = Path(desk.path) / (args.to or f"{args.id}-restored")
    answer = desk.call(
        "restore_snapshot",
        {kind: args.id, "destination": str(destination)},
        timeout_s=CHECKS_WITHIN_S,
        what="restoring",
    )
    if args.json:
        print_json(answer)
        return 0
    print(f"{answer.get('files', 'All')} files are in {plain(str(answer.get('path') or destination))}")
    return 0
