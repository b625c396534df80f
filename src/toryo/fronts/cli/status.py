"""The verb `status`: what runs, what waits, and what needs a person, with the command to type."""

from __future__ import annotations

import os
import stat
import sys
import time

from toryo.fronts.cli.choices import STATUSES
from toryo.fronts.cli.own_path import mended
from toryo.fronts.cli.parsing import seconds, verb
from toryo.fronts.cli.showing import (
    ago,
    columns,
    duration,
    folded,
    one_line,
    paint,
    plain,
    print_json,
    table,
    word,
)
from toryo.protocol.wire import ToolFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from toryo.fronts.cli.desk import Desk


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument("--project", metavar="NAME", help="only this project")
    parser.add_argument("-w", "--watch", action="store_true", help="stay open and follow; Ctrl-C ends it")
    parser.add_argument(
        "-n",
        "--every",
        type=seconds,
        default=1.0,
        metavar="S",
        help="with --watch: let the clocks tick every S seconds (default and least: 1)",
    )
    verb(
        parser,
        status,
        "toryo status",
        "toryo status --watch",
        "toryo status --project shop --json",
        reads=True,
    )


def status(args: argparse.Namespace, desk: Desk) -> int:
    if args.watch and not args.json and sys.stdout.isatty():
        from toryo.fronts.cli.watching import watch

        return watch(args, desk)
    answer = only_its_own(args, newest(args.project, desk.call))
    if args.json:
        print_json(answer)
    else:
        print(render(answer, time.time()))
    return 0


def newest(project: str | None, call: Callable[[str, dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """What is going on; settings that were edited since anybody read them are read first."""
    asked = {"project": project} if project else {}
    answer = call("get_status", asked)
    edited = [one["id"] for one in answer.get("projects") or () if _edited(one)]
    if not edited or not any(one.get("live") for one in answer.get("coordinators") or ()):
        return answer
    try:
        for project in edited:
            call("look_at_settings", {"project": project})
    except ToolFailed:
        return answer  # nobody can look now; why is on the page
    return call("get_status", asked)


def _edited(project: dict[str, Any]) -> bool:
    """Whether this machine has a checkout with settings that are newer than the last look at them."""
    if "settings_looked_at" not in project or project.get("status") != "active":
        return False
    folder = f"{project['path']}/.toryo"
    changed_at = max(_changed_at(f"{folder}/config.yaml"), _changed_at(f"{folder}/agents"))
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(changed_at))
    return changed_at > 0 and moment >= str(project["settings_looked_at"])[:19]


def _changed_at(path: str) -> float:
    """Of a file, or of the newest in a folder; 0 where nothing is."""
    try:
        itself = os.stat(path)  # noqa: PTH116 - importing pathlib would cost every command 4 ms
        inside = os.scandir(path) if stat.S_ISDIR(itself.st_mode) else ()
        return max([itself.st_ctime, *(entry.stat().st_ctime for entry in inside)])
    except OSError:
        return 0


def only_its_own(args: argparse.Namespace, answer: dict[str, Any]) -> dict[str, Any]:
    """Of one project that was named, without the agents that do not work in it."""
    known = [one.get("agents") for one in answer.get("projects") or ()]
    if not args.project or None in known:
        return answer
    its_own = {agent for agents in known for agent in agents or ()}
    return {**answer, "agents": [one for one in answer.get("agents") or () if one["id"] in its_own]}


def render(answer: dict[str, Any], now: float) -> str:
    return "\n\n".join(blocks(answer, now).values())


def blocks(answer: dict[str, Any], now: float, elapsed: float = 0.0) -> dict[str, str]:
    """The page in parts, by name; `elapsed` is how old the answer is."""
    parts = {
        "processes": _processes(answer, elapsed),
        "projects": _projects(answer),
        "agents": _agents(answer),
        "moving": _moving(answer, now),
        "parked": _parked(answer),
        "needs you": _needs_you(answer),
        "removed": _removed(answer),
    }
    return {name: text for name, text in parts.items() if text}


def _processes(answer: dict[str, Any], elapsed: float) -> str:
    daemon = answer["daemon"]
    up = duration(int(float(daemon["uptime_s"]) + elapsed))
    hands = [_coordinator(one) for one in answer.get("coordinators") or ()]
    hands = hands or [("no coordinator: nothing starts until `toryo up`", "yellow")]
    counts = answer.get("counts") or {}
    known = [f"{counts[name]} {word(name)}" for name in STATUSES if counts.get(name)]
    first = f"daemon {plain(str(daemon['version']))}, up {up}"
    wide = len(first) + sum(len(text) + 2 for text, _ in hands) + 1
    between = " · " if not columns() or wide <= columns() else "\n"
    told = f"{first}{between}{', '.join(paint(text, colour) for text, colour in hands)}"
    return f"{told}\ntasks  {', '.join(known) or _first_task(answer)}"


def _first_task(answer: dict[str, Any]) -> str:
    return 'none yet: toryo task add "what you want done"' if answer.get("projects") else "none"


def _coordinator(one: dict[str, Any]) -> tuple[str, str]:
    """Text and colour."""
    name = f"coordinator {plain(str(one.get('name') or one.get('id')))}"
    return (name, "") if one.get("live") else (f"{name} does not answer: `toryo up`", "yellow")


def _projects(answer: dict[str, Any]) -> str:
    rows = [
        (one["name"], one["status"], one["base"], one.get("settings_from"), one["path"])
        for one in answer.get("projects") or ()
    ]
    if not rows:
        return "no projects yet: type `toryo init` in a repository"
    return table(("project", "status", "lands on", "settings", "path"), rows, spare=(3,))


def _agents(answer: dict[str, Any]) -> str:
    rows = [
        (one["id"], one.get("client") or "none yet", f"{len(one['runs'])} of {one['slots']}", one["status"])
        for one in answer.get("agents") or ()
    ]
    return table(("agent", "client", "busy", "status"), rows) if rows else ""


def _moving(answer: dict[str, Any], now: float) -> str:
    rows = [
        (
            one["id"],
            one["status"],
            one.get("agent"),
            ago(one.get("changed_at"), now),
            _doing(one, now),
            one["title"],
        )
        for one in answer.get("moving") or ()
    ]
    return table(("task", "status", "agent", "for", "doing", "title"), rows) if rows else ""


def _doing(one: dict[str, Any], now: float) -> str:
    """What it is at; silence is told and not judged."""
    silent = ago(one.get("silent_since"), now)
    doing = str(one.get("detail") or one.get("reason") or "")
    return f"{doing}, silent for {silent}" if silent else doing


def _parked(answer: dict[str, Any]) -> str:
    """Accounts that wait for a limit to end: nothing new of them starts."""
    lines = []
    for one in answer.get("parked") or ():
        why = str(one.get("why") or "").replace("_", " ")
        tasks = ", ".join(str(task) for task in one.get("tasks") or ())
        until = str(one.get("until") or "")[:16].replace("T", " ")
        lines.append(one_line(f"{one.get('client')}: {why} until {until} UTC, {tasks}"))
        lines.append("  " + paint(f"toryo run release {one.get('run')}", "cyan") + "  ends the waiting")
    return "\n".join([paint("parked", "yellow"), *(f"  {line}" for line in lines)]) if lines else ""


def _removed(answer: dict[str, Any]) -> str:
    """Done, and taken off the target by a person since."""
    listed = answer.get("removed") or ()
    return "\n".join(one_line(f"{one['id']}  done, {one['detail']}  {one['title']}") for one in listed)


def _needs_you(answer: dict[str, Any]) -> str:
    lines = []
    for one in answer.get("problems") or ():
        what = one_line(f"{one['project']}: {one['what']}")
        lines.append(f"  {folded(what, 2)}")
        if one.get("type"):
            lines.append("    " + paint(plain(mended(str(one["type"]))), "cyan"))
    for one in answer.get("needs_you") or ():
        indent = len(one["task"]) + 4
        title = folded(one_line(str(one.get("title") or "")), indent)
        title += f"\n{' ' * indent}" if title else ""
        lines.append(f"  {one['task']}  {title}{folded(one_line(mended(str(one['why']))), indent)}")
        if one.get("type"):
            lines.append(" " * indent + paint(plain(mended(str(one["type"]))), "cyan"))
    failed = (answer.get("counts") or {}).get("failed")
    if failed:
        noun = "task has" if failed == 1 else "tasks have"
        lines.append(f"  {failed} {noun} failed: {paint('toryo task list --status failed', 'cyan')}")
    return "\n".join([paint("needs you", "yellow"), *lines]) if lines else ""
