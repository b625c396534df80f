"""The verb `status`: what runs, what waits, and what needs a person, with the command to type."""

from __future__ import annotations

from toryo.domain.words import TaskStatus
from toryo.fronts.cli.parsing import verb
from toryo.fronts.cli.showing import duration, one_line, paint, plain, print_json, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.desk import Desk

ORDER = tuple(TaskStatus)
"""As the glossary lists them."""


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument("--project", help="only this project")
    verb(parser, status, "toryo status", "toryo status --json", reads=True)


def status(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("get_status", {"project": args.project})
    if args.json:
        print_json(answer)
    else:
        print(render(answer))
    return 0


def render(answer: dict[str, Any]) -> str:
    blocks = [_processes(answer), _projects(answer), _agents(answer), _moving(answer), _needs_you(answer)]
    return "\n\n".join(block for block in blocks if block)


def _processes(answer: dict[str, Any]) -> str:
    daemon = answer["daemon"]
    lines = [f"daemon {daemon['version']} (pid {daemon['pid']}), up {duration(float(daemon['uptime_s']))}"]
    for one in answer.get("coordinators") or ():
        name = str(one.get("name") or one.get("id"))
        state = "there" if one.get("live") else paint("not heard of", "yellow")
        lines.append(f"coordinator {plain(name)} (pid {one.get('pid')}), {state}")
    if not answer.get("coordinators"):
        lines.append(paint("no coordinator: nothing starts until `toryo up`", "yellow"))
    counts = answer.get("counts") or {}
    known = [f"{counts[name]} {name}" for name in ORDER if counts.get(name)]
    lines.append("tasks: " + (", ".join(known) or "none"))
    return "\n".join(lines)


def _projects(answer: dict[str, Any]) -> str:
    rows = [
        (one["name"], one["id"], one["status"], one["base"], one.get("settings_from"), one["path"])
        for one in answer.get("projects") or ()
    ]
    heads = ("project", "id", "status", "lands on", "settings", "path")
    return table(heads, rows, widest=80) if rows else "no projects: `toryo init` in a repository makes one"


def _agents(answer: dict[str, Any]) -> str:
    rows = [
        (one["id"], one.get("client") or "none", f"{len(one['runs'])} of {one['slots']}", one["status"])
        for one in answer.get("agents") or ()
    ]
    return table(("agent", "client", "busy", "status"), rows) if rows else ""


def _moving(answer: dict[str, Any]) -> str:
    rows = [
        (one["id"], one["status"], one.get("agent"), one["title"], one.get("detail") or one.get("reason"))
        for one in answer.get("moving") or ()
    ]
    return table(("task", "status", "agent", "title", ""), rows) if rows else ""


def _needs_you(answer: dict[str, Any]) -> str:
    lines = []
    for one in answer.get("needs_you") or ():
        lines.append(f"  {one['task']}  {one_line(str(one['why']))}")
        if one.get("type"):
            lines.append(f"    {plain(str(one['type']))}")
    return "\n".join([paint("needs you:", "yellow"), *lines]) if lines else ""
