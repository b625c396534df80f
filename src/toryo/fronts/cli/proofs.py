"""The verbs `evidence`, `verify` and `restore`: what stands behind a status, and what a run left behind."""

from __future__ import annotations

from toryo.fronts.cli.choices import MAY_LAND
from toryo.fronts.cli.desk import inner
from toryo.fronts.cli.parsing import verb
from toryo.fronts.cli.runs import usage, violation
from toryo.fronts.cli.showing import duration, one_line, paint, plain, print_json, table, word
from toryo.fronts.cli.task_page import next_steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.desk import Desk

CHECKS_WITHIN_S = 3600
MOST_OUTPUT_LINES = 15
MEANING = {
    "green": "every check passed",
    "flaky": "a check failed and passed when it was repeated",
    "unchecked": "no check is configured",
    "red": "a check failed",
    "could_not_run": "a check could not be run",
}


def declare(parser: argparse.ArgumentParser, name: str) -> None:
    if name == "restore":
        parser.add_argument("id", metavar="ID", help="a run, or a task (its newest run)")
        parser.add_argument(
            "--to", metavar="DIR", help="a directory that does not exist yet (default: ./ID-restored)"
        )
        examples = ("toryo restore t3kd92m1", "toryo restore r8w2kq0z --to ../rescued")
        verb(parser, restore, *examples, hands=True, json=True)
        return
    parser.add_argument("task", metavar="ID", help="a task, or the beginning of its id")
    if name == "evidence":
        verb(parser, evidence, "toryo evidence t3kd92m1", "toryo evidence t3kd92m1 --json", reads=True)
    else:
        verb(parser, verify, "toryo verify t3kd92m1", "toryo verify t3k --json", hands=True, json=True)


def evidence(args: argparse.Namespace, desk: Desk) -> int:
    answer = inner(desk.call("get_evidence", {"task": args.task}), "evidence")
    if args.json:
        print_json(answer)
        return 0
    reason = f" ({one_line(str(answer['reason']))})" if answer.get("reason") else ""
    status = word(str(answer.get("status") or ""))
    print(f"{answer['task']}  {status}{reason}  {one_line(str(answer.get('title') or ''))}".rstrip())
    _print_verdict(answer)
    _print_runs(answer.get("runs") or [])
    for one in answer.get("violations") or ():
        print(f"violation: {one_line(violation(one))}")
    for one in answer.get("foreign") or ():
        print(f"foreign: {one['what']} {one_line(str(one['name']))}")
    for line in _next_steps(answer):
        print(line)
    return 0


def _next_steps(answer: dict[str, Any]) -> list[str]:
    """As for the task itself, without coming back here."""
    name = answer["task"]
    if answer.get("status") == "done":
        return ["", paint("next", "dim"), "  " + paint(f"toryo verify {name}", "cyan")]
    lines = [line for line in next_steps({**answer, "id": name}) if "toryo evidence" not in line]
    return lines if any("toryo" in line for line in lines) else []


def _print_verdict(answer: dict[str, Any]) -> None:
    verdict = str(answer.get("verdict") or "none yet")
    colour = "green" if verdict == "green" else "yellow" if verdict in MAY_LAND else "red"
    colour = "" if verdict == "none yet" else colour
    meaning = f" ({MEANING[verdict]})" if verdict in MEANING else ""
    print(f"verdict  {paint(verdict, colour)}{meaning}")
    for name in ("commit", "tree"):
        if answer.get(name):
            print(f"{name:<7}  {answer[name]}")
    _print_checks(answer)


def _print_checks(answer: dict[str, Any]) -> None:
    rows = [
        (one["result"], one.get("exit_code"), duration(float(one.get("duration_s") or 0)), one["command"])
        for one in answer.get("checks") or ()
    ]
    if rows:
        print("\n" + table(("check", "exit", "took", "command"), rows))
    for one in answer.get("checks") or ():
        said = str(one.get("output") or one.get("reason") or "")
        if one["result"] not in ("passed", "flaky", "not_run") and said.strip():
            print(f"\n$ {one_line(one['command'])}\n{_tail(said)}")


def _tail(text: str) -> str:
    lines = plain(text.rstrip("\n")).split("\n")
    left_out = len(lines) - MOST_OUTPUT_LINES
    if left_out <= 0:
        return "\n".join(lines)
    return "\n".join([f"… {left_out} lines before", *lines[left_out:]])


def _print_runs(runs: list[dict[str, Any]]) -> None:
    print()
    for run in runs:
        ended = run.get("signal") or f"exit {run.get('exit_code')}"
        commits = int(run.get("commits") or 0)
        noun = "commit" if commits == 1 else "commits"
        purpose = f", {run['purpose']}" if run.get("purpose") else ""
        agent = f" by {run['agent']}" if run.get("agent") else ""
        outcome = word(str(run.get("outcome") or ""))
        print(f"run {run['id']}{purpose}{agent}: {outcome}, {ended}, {commits} {noun}")
        for line in _said(run):
            print(f"  {one_line(line)}")
        for name in ("children_killed", "uncommitted"):
            for line in run.get(name) or ():
                print(f"  {name.replace('_', ' ')}: {one_line(line)}")
        if run.get("uncommitted"):
            print("  get it back: " + paint(f"toryo restore {run['id']}", "cyan"))


def _said(run: dict[str, Any]) -> list[str]:
    """What its client says of a run, and by which prompt it was started."""
    lines = []
    client = " ".join(str(run[name]) for name in ("client", "client_version") if run.get(name))
    driven = ", ".join(part for part in (client, str(run.get("model") or ""), usage(run)) if part)
    if run.get("client_version") or run.get("model") or run.get("usage"):
        lines.append(driven)
    if run.get("denied"):
        lines.append(f"denied: {', '.join(run['denied'])}")
    if run.get("conversation"):
        lines.append(f"conversation: {run['conversation']}")
    if run.get("prompt_hash"):
        lines.append(f"prompt: {str(run['prompt_hash'])[:16]}…")
    return lines


def verify(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call(
        "verify_task", {"task": args.task}, timeout_s=CHECKS_WITHIN_S, what="running the checks"
    )
    if args.json:
        print_json(answer)
    else:
        _print_verdict(answer)
    return 0 if answer["verdict"] in MAY_LAND else 1


def restore(args: argparse.Namespace, desk: Desk) -> int:
    from pathlib import Path

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
