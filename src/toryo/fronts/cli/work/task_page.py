"""A task on one page: what it is, why it is so, its runs, and what a person may type next."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from toryo.fronts.cli.choices import BY_HAND
from toryo.fronts.cli.look.diff import changed, checking
from toryo.fronts.cli.work.own_path import mended
from toryo.fronts.text.output import ago, facts, folded, one_line, paint, plain, table, width, word

if TYPE_CHECKING:
    from typing import Any


WITH_WORKTREE = ("running", "verifying", "needs_review", "failed")


def print_page(task: dict[str, Any]) -> None:
    print(headline(task))
    print(
        facts(
            [
                ("because", mended(str(task.get("detail") or ""))),
                ("waits for", _waits_for(task)),
                ("silent", _silent(task)),
                ("agent", task.get("agent") or "nobody yet"),
                ("type", task.get("type")),
                ("priority", task.get("priority")),
                ("after", task.get("dependencies")),
                ("parent", task.get("parent")),
                ("may write", task.get("write")),
                ("checks", task.get("checks")),
                ("branch", task.get("branch")),
                ("worktree", task.get("worktree") if task.get("status") in WITH_WORKTREE else None),
                ("lands on", task.get("target_branch")),
                ("base", task.get("base_commit")),
                ("accepted as", None if task.get("landed_commit") else task.get("accepted_commit")),
                ("landed as", task.get("landed_commit")),
                ("changed", changed(task)),
                ("checking", checking(task.get("checking"))),
            ]
        )
    )
    if task.get("description"):
        print("\n" + plain(task["description"].strip("\n")))
    _print_children(task.get("children") or [])
    print_runs(task.get("runs") or [])
    for run in task.get("runs") or ():
        for line in words(run):
            print(f"said to {run['id']} {folded(line, 4)}")
    if task.get("reason") == "asked":
        print("\nits last words\n" + plain(_last_words(task)))
    for claim in task.get("claims") or ():
        print(_claim(claim))
    for line in verbs(task):
        print(line)
    for line in next_steps(task):
        print(line)


def _print_children(children: list[dict[str, Any]]) -> None:
    """The tasks that are a part of it."""
    if children:
        rows = [(one["id"], one["status"], one.get("reason"), one["title"]) for one in children]
        print("\n" + table(("child", "status", "because", "title"), rows, elastic=3))


def _waits_for(task: dict[str, Any]) -> str:
    waits = task.get("waits_for") or {}
    return str(waits.get("what") or task.get("waiting_for") or "")


def _silent(task: dict[str, Any]) -> str:
    """How long its live run has printed nothing."""
    live = [run for run in task.get("runs") or () if run.get("live")]
    silent = ago(live[-1].get("silent_since"), time.time()) if live else ""
    return f"for {silent}" if silent else ""


def headline(task: dict[str, Any]) -> str:
    """Which, how it stands and why, and its title, which goes on below its beginning."""
    status = str(task.get("status") or "")
    why = because(task)
    shown = f" ({one_line(why)})" if why else ""
    before = width(f"{task['id']}  {status}{shown}  ")
    title = folded(one_line(str(task.get("title") or "")), before)
    return f"{task['id']}  {word(status)}{shown}  {title}".rstrip()


def because(task: dict[str, Any]) -> str:
    """Its reason; of a done task where its work is not any more, or that no check is green on it."""
    if task.get("status") != "done":
        return str(task.get("reason") or "")
    verdict = str(task.get("verdict") or "")
    return str(task.get("detail") or task.get("reason") or ("" if verdict == "green" else verdict))


WORDS = {
    "heard": "and heard",
    "waiting": "and waiting for its next step",
    "unheard": "but unheard: the run ended before",
    "unknown": "but whether it was heard is not known",
}


def words(run: dict[str, Any]) -> list[str]:
    """What a person said to the agent while it worked, and what became of it."""
    now, lines = time.time(), []
    for one in run.get("words") or ():
        state = WORDS.get(str(one["state"])) or f"but not given: {one_line(str(one.get('detail') or ''))}"
        past = ago(one.get("said_at"), now)
        lines.append(f"{f'{past} ago ' if past else ''}{state}: {one_line(str(one['text']))}")
    return lines


def _last_words(task: dict[str, Any]) -> str:
    runs = task.get("runs") or [{}]
    return str(runs[-1].get("last_words") or "")


def _claim(claim: dict[str, Any]) -> str:
    said = " ".join(str(claim.get(key) or "") for key in ("result", "summary"))
    return f"claim of {claim.get('run', '?')}: {one_line(said)}" + (" (late)" if claim.get("late") else "")


def verbs(task: dict[str, Any]) -> list[str]:
    """What people said about it: `approve (scope_violation): looked at it`."""
    lines = []
    for one in task.get("verbs") or ():
        because = f" ({one_line(str(one['reason']))})" if one.get("reason") else ""
        note = f": {one_line(str(one['note']))}" if one.get("note") else ""
        lines.append(folded(f"a person said {one['verb']}{because}{note}", 2))
    return lines


def next_steps(task: dict[str, Any]) -> list[str]:
    """What a person may want to type now."""
    name, status, runs = task["id"], task.get("status"), task.get("runs") or []
    steps = {
        "needs_review": [f"toryo evidence {name}", *_rescue(task), *_answers(task), *_finish(task)],
        "failed": [*_looks(task), *_rescue(task), f"toryo task retry {name}", *_finish(task)],
        "cancelled": [*_rescue(task), f"toryo task retry {name}"],
        "running": [_while_running(task)] if runs else [],
        "verifying": [f"toryo evidence -f {name}"] if task.get("checking") else [],
        "done": [f"toryo evidence {name}", *([f"toryo diff {name}"] if task.get("changed_files") else [])],
        "open": [f"toryo task approve {name}"] if task.get("reason") == "held" else [],
        "ready": [str(line) for line in [(task.get("waits_for") or {}).get("type")] if line],
    }.get(str(status), [])
    # what the daemon knows to help, with real names; then what is only to look at
    steps += [mended(step) for step in task.get("next") or () if step not in steps]
    if not steps:
        return []
    return ["", paint("next", "dim"), *(f"  {paint(step, 'cyan')}" for step in steps)]


def _looks(task: dict[str, Any]) -> list[str]:
    """Where the failure can be read: of checks in the evidence, of a run in its log."""
    if task.get("reason") == "checks_failed" or task.get("verdict") in ("red", "could_not_run"):
        return [f"toryo evidence {task['id']}"]
    return [f"toryo log {task['id']}"] if task.get("runs") else []


def _rescue(task: dict[str, Any]) -> list[str]:
    """What the last run left and nobody committed can be had back."""
    runs = task.get("runs") or []
    return [f"toryo restore {task['id']}"] if runs and runs[-1].get("uncommitted") else []


def _finish(task: dict[str, Any]) -> list[str]:
    """A person may go on where the agent stopped."""
    return [f"toryo task submit {task['id']}"] if task.get("worktree") else []


def _while_running(task: dict[str, Any]) -> str:
    if task.get("reason") == "waiting_for_input":
        return f'toryo task say {task["id"]} "…"'
    if task.get("reason") == "outside":
        return f"toryo session end {task['runs'][-1]['id']} --exit-code N"
    return f"toryo log -f {task['id']}"


def _answers(task: dict[str, Any]) -> list[str]:
    """Of a daemon that says nothing of it itself: nothing to approve where nothing was committed."""
    if task.get("next") is not None or task.get("reason") == "asked":
        return []
    name, runs = task["id"], task.get("runs") or []
    brought = bool(runs and runs[-1].get("commits"))
    return [f"toryo task {verb} {name}" for verb in (["approve"] if brought else []) + ["retry", "reject"]]


def print_runs(runs: list[dict[str, Any]]) -> None:
    if runs:
        heads = ("run", "purpose", "agent", "outcome", "exit", "commits", "files", "began")
        print("\n" + table(heads, [run_row(run) for run in runs], elastic=2, spare=(6, 4, 1)))


def run_row(run: dict[str, Any]) -> tuple[object, ...]:
    """As `print_runs` shows it; `run list` takes its cells from here."""
    ended = run.get("signal") or run.get("exit_code")
    files = run.get("changed_files")
    began = ago(run.get("started_at"), time.time())
    return (
        run["id"],
        run.get("purpose"),
        "a person" if run.get("purpose") in BY_HAND else run.get("agent"),
        run.get("outcome"),
        ended,
        run.get("commits"),
        len(files) if isinstance(files, list) else files,
        f"{began} ago" if began else None,
    )
