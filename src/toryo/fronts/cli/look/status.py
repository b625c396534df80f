"""The verb `status`: what runs, what waits, and what needs a person, with the command to type."""

from __future__ import annotations

import os
import stat
import sys
import time
from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import seconds, verb
from toryo.fronts.text.output import print_json
from toryo.protocol.wire import ToolFailed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from toryo.fronts.client import Desk


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
        from toryo.fronts.cli.look.status_watch import watch

        return watch(args, desk)
    answer = only_its_own(args, newest(args.project, desk.call))
    if args.json:
        print_json(answer)
    else:
        from toryo.fronts.cli.look.status_page import page, rows_left

        print("\n".join(page(with_page(answer, desk), time.time(), rows_left())))
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


def with_page(answer: dict[str, Any], desk: Desk) -> dict[str, Any]:
    """Also where the page is, which no daemon knows."""
    from toryo.fronts.processes.started import page_origin

    return {**answer, "page": page_origin(desk.home)}


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
