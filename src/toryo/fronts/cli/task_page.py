"""A task on one page: what it is, why it is so, its runs, and what a person may type next."""

from __future__ import annotations

import time

from toryo.fronts.cli.showing import ago, facts, one_line, paint, plain, table, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def print_page(task: dict[str, Any]) -> None:
    print(f"{task['id']}  {_state(task)}  {one_line(task['title'])}")
    print(
        facts(
            [
                ("because", task.get("detail")),
                ("waits for", task.get("waiting_for")),
                ("agent", task.get("agent") or "nobody yet"),
                ("type", task.get("type")),
                ("priority", task.get("priority")),
                ("after", task.get("dependencies")),
                ("parent", task.get("parent")),
                ("may write", task.get("write")),
                ("checks", task.get("checks")),
                ("branch", task.get("branch")),
                ("lands on", task.get("target_branch")),
                ("base", task.get("base_commit")),
                ("landed as", task.get("landed_commit")),
            ]
        )
    )
    if task.get("description"):
        print("\n" + plain(task["description"].strip("\n")))
    print_runs(task.get("runs") or [])
    for claim in task.get("claims") or ():
        print(_claim(claim))
    for line in next_steps(task):
        print(line)


def _state(task: dict[str, Any]) -> str:
    status = str(task.get("status") or "")
    reason = task.get("reason") or ""
    return word(status) + (f" ({plain(reason)})" if reason else "")


def _claim(claim: dict[str, Any]) -> str:
    said = " ".join(str(claim.get(key) or "") for key in ("result", "summary"))
    return f"claim of {claim.get('run', '?')}: {one_line(said)}" + (" (late)" if claim.get("late") else "")


def next_steps(task: dict[str, Any]) -> list[str]:
    """What a person may want to type now."""
    name, status, runs = task["id"], task.get("status"), task.get("runs") or []
    steps = {
        "needs_review": [f"toryo evidence {name}", *_answers(task)],
        "failed": [f"toryo log {name}", f"toryo task retry {name}"] if runs else [f"toryo task retry {name}"],
        "cancelled": [f"toryo task retry {name}"],
        "running": [_while_running(task)] if runs else [],
        "done": [f"toryo evidence {name}"],
        "open": [f"toryo task approve {name}"] if task.get("reason") == "held" else [],
        "ready": [f"toryo task retry {name}"] if task.get("reason") == "parked" else [],
    }.get(str(status), [])
    if not steps:
        return []
    return ["", paint("next", "dim"), *(f"  {paint(step, 'cyan')}" for step in steps)]


def _while_running(task: dict[str, Any]) -> str:
    if task.get("reason") == "outside":
        return f"toryo session end {task['runs'][-1]['id']} --exit-code N"
    return f"toryo log -f {task['id']}"


def _answers(task: dict[str, Any]) -> list[str]:
    """Nothing to approve where nothing was committed."""
    name, runs = task["id"], task.get("runs") or []
    brought = bool(runs and runs[-1].get("commits"))
    return [f"toryo task {verb} {name}" for verb in (["approve"] if brought else []) + ["retry", "reject"]]


def print_runs(runs: list[dict[str, Any]]) -> None:
    if runs:
        heads = ("run", "purpose", "agent", "outcome", "exit", "commits", "files", "began")
        print("\n" + table(heads, [run_row(run) for run in runs], elastic=2))


def run_row(run: dict[str, Any]) -> tuple[object, ...]:
    """As `print_runs` shows it; `run list` takes its cells from here."""
    ended = run.get("signal") or run.get("exit_code")
    files = run.get("changed_files")
    began = ago(run.get("started_at"), time.time())
    return (
        run["id"],
        run.get("purpose"),
        run.get("agent"),
        run.get("outcome"),
        ended,
        run.get("commits"),
        len(files) if isinstance(files, list) else files,
        f"{began} ago" if began else None,
    )
