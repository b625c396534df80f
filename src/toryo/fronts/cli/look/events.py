"""The verb `events`: what happened, in words for people, as JSON for programs; once or as it comes (-f)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toryo.fronts.cli.look.event_words import like, sentence
from toryo.fronts.cli.parsing import count, place, verb
from toryo.fronts.text.output import columns, cut, day_and_clock, one_line, print_json_line

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.client import Desk
    from toryo.protocol.views.status import EventPage, EventView

WAIT_S = 20.0
PAGE = 500
TITLE = 32
"""Columns of a task's title on a terminal."""


def declare(parser: argparse.ArgumentParser, _name: str) -> None:
    parser.add_argument("-f", "--follow", action="store_true", help="go on until Ctrl-C")
    parser.add_argument("--after", type=place, metavar="SEQ", help="only what came later")
    parser.add_argument("--limit", type=count, default=50, help="so many of the newest (default: 50)")
    parser.add_argument("--type", metavar="KIND", help="only this kind: task_status, check_finished …")
    parser.add_argument("--task", metavar="ID", help="only this task's")
    parser.add_argument("--project", help="only this project's")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="with Toryo's own plumbing: orders, coordinators …")
    which.add_argument("--no-plumbing", action="store_true", help="without it: for --json, which has it all")
    examples = ("toryo events", "toryo events -f --type task_status", "toryo events --task t3kd92m1 --all")
    verb(parser, events, *examples, "toryo events -f --json --no-plumbing", reads=True)


def events(args: argparse.Namespace, desk: Desk) -> int:
    # programs rely on getting everything; a kind that is named is meant, whatever it is
    everything = args.all or args.type or (args.json and not args.no_plumbing)
    about = {
        "project": args.project,
        "task": args.task,
        "kind": args.type,
        "plumbing": None if everything else False,
        "titles": None if args.json else True,
    }
    page = {"last": args.limit} if args.after is None else {"after": args.after, "limit": args.limit}
    answer: EventPage = desk.call("list_events", {**about, **page})
    cancelled: set[str] = set()
    _print_events(args, answer["events"], cancelled)
    near = like(args.type) if args.type and not answer["events"] else ""
    if near:
        print(f"There is no event of the kind {args.type!r}. Did you mean {near}?", file=sys.stderr)
    while args.follow:
        asked = {**about, "after": int(answer["next_after"]), "limit": PAGE, "wait_s": WAIT_S}
        answer = desk.call_through("list_events", asked, timeout_s=WAIT_S + 15)
        if answer.get("resync"):
            print("Some events were thinned out before this place.", file=sys.stderr)
        _print_events(args, answer["events"], cancelled)
    return 0


def _print_events(args: argparse.Namespace, listed: list[EventView], cancelled: set[str]) -> None:
    for one in listed:
        if args.json:
            print_json_line(one)
        elif args.type or not _is_told(one, cancelled):
            print(line(one, columns()), flush=True)


def _is_told(one: EventView, cancelled: set[str]) -> bool:
    """A status that only says again what a person has just said of that task."""
    task = str(one.get("task") or "")
    if one["kind"] == "task_cancel":
        cancelled.add(task)
    elif one["kind"] == "task_status" and task in cancelled:
        cancelled.discard(task)
        return (one.get("body") or {}).get("status") == "cancelled"
    return False


def line(one: EventView, room: int) -> str:
    """In local time; on a terminal of `room` columns one line of it."""
    at = day_and_clock(one["at"])
    about = str(one.get("task") or one.get("run") or "")
    title = one_line(str(one.get("title") or one.get("project_name") or ""))
    told = sentence(one)
    if not room:
        return f"{at}  {about:<9}  {f'{title}: {told}' if title else told}".rstrip()
    return cut(f"{at[5:]}  {about:<9}  {f'{cut(title, TITLE)}: {told}' if title else told}".rstrip(), room)
