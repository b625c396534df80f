"""The verbs `evidence`, `verify` and `restore`: what stands behind a status, and what a run left behind."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from toryo.domain.errors import Refused, UserError
from toryo.fronts.cli.choices import BY_HAND, MAY_LAND
from toryo.fronts.cli.look.diff import changed, checking, follow_checks
from toryo.fronts.cli.look.runs import usage, violation
from toryo.fronts.cli.parsing import verb
from toryo.fronts.cli.work.task_page import headline, next_steps, verbs, words
from toryo.fronts.client import inner
from toryo.fronts.text.output import duration, folded, one_line, paint, plain, print_json, table, word

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.client import Desk

CHECKS_WITHIN_S = 3600
MOST_OUTPUT_LINES = 15
MOST_NAMED = 5
RESTORED = ".aiagent/restored"
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
            "--to",
            metavar="DIR",
            help="a directory that does not exist yet (default: .aiagent/restored/RUN in the project)",
        )
        parser.add_argument(
            "--worktree", action="store_true", help="its worktree, branch and index, where they were"
        )
        examples = (
            "toryo restore t3kd92m1",
            "toryo restore r8w2kq0z --to ../rescued",
            "toryo restore t3kd92m1 --worktree",
        )
        verb(parser, restore, *examples, hands=True, json=True)
        return
    parser.add_argument("task", metavar="ID", help="a task, or the beginning of its id")
    if name == "evidence":
        parser.add_argument(
            "-f", "--follow", action="store_true", help="what the checks print, until none runs any more"
        )
        verb(parser, evidence, "toryo evidence t3kd92m1", "toryo evidence t3kd92m1 --json", reads=True)
    else:
        verb(parser, verify, "toryo verify t3kd92m1", "toryo verify t3k --json", hands=True, json=True)


def evidence(args: argparse.Namespace, desk: Desk) -> int:
    if args.follow and not args.json:
        follow_checks(args.task, desk)
    answer = inner(desk.call("get_evidence", {"task": args.task}), "evidence")
    if args.json:
        print_json(answer)
        return 0
    print(headline({**answer, "id": answer["task"]}))
    _print_verdict(answer)
    for name, told in (("checking", checking(answer.get("checking"))), ("changed", changed(answer))):
        if told:
            print(f"\n{name}  {folded(told, len(name) + 2)}")
    _print_runs(answer.get("runs") or [])
    for one in answer.get("violations") or ():
        print(f"violation: {one_line(violation(one))}")
    for one in answer.get("foreign") or ():
        was = f"; as it was: git show {one_line(str(one['kept']))}" if one.get("kept") else ""
        told = f"{one['what']} {one_line(str(one['name']))}{was}"
        print(f"changed while it ran, by you or by the agent: {told}")
    for line in verbs(answer):
        print(line)
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
    if answer.get("settings_problem"):
        print(f"settings: {one_line(str(answer['settings_problem']))}")
    base = answer.get("base") or {}
    if base:
        print(f"\nthe base itself: {base.get('verdict') or 'not checked yet'}")
        _print_checks(base)


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
        if run.get("purpose") in BY_HAND:  # nobody's process: there is no agent, and nothing that exited
            agent, ended = " by a person", "without an agent"
        outcome = str(run.get("outcome") or "")
        line = folded(f"run {run['id']}{purpose}{agent}: {outcome}, {ended}, {commits} {noun}", 2)
        print(line.replace(f" {outcome},", f" {word(outcome)},", 1))  # colour would count as width
        for line in _said(run):
            print(f"  {folded(one_line(line), 2)}")
        for name in ("children_killed", "uncommitted"):
            for line in run.get(name) or ():
                print(f"  {name.replace('_', ' ')}: {one_line(line)}")
        if run.get("kept_worktree"):
            kept = f"{run.get('worktree')} is kept: {run['kept_worktree']}"
            print(f"  {folded(one_line(kept), 2)}")
        if run.get("uncommitted"):
            print("  get it back: " + paint(f"toryo restore {run['id']}", "cyan"))


def _said(run: dict[str, Any]) -> list[str]:
    """What its client says of a run, by which prompt it was started, and what it was told on the way."""
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
    return lines + [f"said {line}" for line in words(run)]


def verify(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call(
        "verify_task", {"task": args.task}, timeout_s=CHECKS_WITHIN_S, what="running the checks"
    )
    if args.json:
        print_json(answer)
    else:
        if answer.get("what"):
            print(f"checked  {one_line(str(answer['what']))}")
        _print_verdict(answer)
    return 0 if answer["verdict"] in MAY_LAND else 1


def restore(args: argparse.Namespace, desk: Desk) -> int:
    if args.to and args.worktree:
        raise UserError("--to and --worktree exclude each other.", hint="The worktree goes where it was.")
    run = _run_that_left(args.id, desk)
    where = {"worktree": True} if args.worktree else {"destination": _destination(args, desk, run)}
    answer = desk.call(
        "restore_snapshot", {"run": run["id"], **where}, timeout_s=CHECKS_WITHIN_S, what="restoring"
    )
    left = [str(one) for one in run.get("uncommitted") or ()]
    if args.json:
        print_json({**answer, "run": run["id"], "uncommitted": left})
        return 0
    files, branch = answer["files"], answer.get("branch")
    on = f", on {one_line(str(branch))}" if branch else ""
    print(f"{files} {'file is' if files == 1 else 'files are'} in {plain(str(answer['path']))}{on}")
    named = ", ".join(one_line(one) for one in left[:MOST_NAMED]) + (", …" if left[MOST_NAMED:] else "")
    print(
        f"{run['id']} left "
        + (f"{len(left)} of them uncommitted: {named}" if left else "nothing uncommitted.")
    )
    return 0


def _run_that_left(name: str, desk: Desk) -> dict[str, Any]:
    """The run itself, or of a task the newest that a snapshot was made of."""
    if name.startswith("r"):
        run: dict[str, Any] = inner(desk.call("get_run", {"run": name}), "run")
        return run
    task = inner(desk.call("get_task", {"task": name}), "task")
    kept = [run for run in task.get("runs") or () if run.get("snapshot_commit")]
    if not kept:
        raise UserError(f"No run of {task['id']} left anything.", hint=f"`toryo task show {task['id']}`")
    found: dict[str, Any] = kept[-1]
    return found


def _destination(args: argparse.Namespace, desk: Desk, run: dict[str, Any]) -> str:
    """Beside the other things that git does not look at: a checkout shows nothing untracked by it."""
    if args.to:
        return os.path.join(desk.path, os.path.expanduser(args.to))  # noqa: PTH111, PTH118 - pathlib costs 4 ms
    project = inner(desk.call("get_project", {"project": run["project"]}), "project")
    name = run["id"]
    folder = f"{project['path']}/{RESTORED}/{name}"
    if os.path.isdir(folder):  # noqa: PTH112
        hint = f"`toryo restore {name} --to ../{name}-restored` writes it once more."
        raise Refused(f"What {name} left is in {folder} already.", hint=hint)
    return folder
