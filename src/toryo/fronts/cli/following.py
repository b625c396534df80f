"""The verbs `log` and `events`: what an agent printed and what happened, once or as it comes (-f)."""

from __future__ import annotations

import sys

from toryo.fronts.cli.parsing import count, place, verb
from toryo.fronts.cli.showing import columns, cut, one_line, plain, print_json, print_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.desk import Desk

WAIT_S = 20.0
PAGE = 500


def declare(parser: argparse.ArgumentParser, name: str) -> None:
    if name == "log":
        parser.add_argument("id", metavar="ID", help="a run, or a task (its newest run)")
        parser.add_argument("-f", "--follow", action="store_true", help="go on until the run ends")
        parser.add_argument("--raw", action="store_true", help="every line as the agent's client printed it")
        examples = ("toryo log t3kd92m1", "toryo log -f r8w2kq0z", "toryo log t3kd92m1 --raw")
        verb(parser, log, *examples, reads=True, hands=True)
        return
    parser.add_argument("-f", "--follow", action="store_true", help="go on until Ctrl-C")
    parser.add_argument("--after", type=place, metavar="SEQ", help="only what came later")
    parser.add_argument("--limit", type=count, default=50, help="so many of the newest (default: 50)")
    parser.add_argument("--task", metavar="ID", help="only this task's")
    parser.add_argument("--project", help="only this project's")
    verb(parser, events, "toryo events", "toryo events -f --json", "toryo events --task t3kd92m1", reads=True)


def log(args: argparse.Namespace, desk: Desk) -> int:
    which = {"run": args.id}
    offset = 0
    parts: list[str] = []
    while True:
        wait_s = WAIT_S if args.follow else 0.0
        asked = {**which, "offset": offset, "wait_s": wait_s, "raw": args.raw or None}
        ask = desk.call_through if args.follow else desk.call
        answer = ask("read_log", asked, timeout_s=wait_s + 30)
        which = {"run": answer["run"]}  # of a task its newest: a later run must not be read on from here
        text, after = str(answer["text"]), int(answer["next_offset"])
        parts.append(text)
        if not args.json:
            sys.stdout.write(plain(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text)
            sys.stdout.flush()
        moved, offset = after > offset, after
        if answer["ended"] and not moved:
            break
        if not moved and not args.follow:
            break
    if not any(parts) and not args.json:
        said = "printed nothing" if answer["ended"] else "has printed nothing yet"
        print(f"{answer['run']} {said}.", file=sys.stderr)
    if args.json:
        print_json({**which, "text": "".join(parts), "next_offset": offset})
    return 0


def events(args: argparse.Namespace, desk: Desk) -> int:
    about = {"project": args.project, "task": args.task}
    after, listed = _first_page(args, desk, about)
    _print_events(args, listed)
    while args.follow:
        asked = {**about, "after": after, "limit": PAGE, "wait_s": WAIT_S}
        answer = desk.call_through("list_events", asked, timeout_s=WAIT_S + 15)
        if answer.get("resync"):
            print("Some events were thinned out before this place.", file=sys.stderr)
        _print_events(args, answer["events"])
        after = int(answer["next_after"])
    return 0


def _first_page(
    args: argparse.Namespace, desk: Desk, about: dict[str, Any]
) -> tuple[int, list[dict[str, Any]]]:
    """With `--after` the next ones, without it the newest ones."""
    if args.after is not None:
        answer = desk.call("list_events", {**about, "after": args.after, "limit": args.limit})
        return int(answer["next_after"]), answer["events"]
    filtered = bool(args.task or args.project)
    after = 0 if filtered else _place(args, desk)
    listed: list[dict[str, Any]] = []
    while True:
        answer = desk.call("list_events", {**about, "after": after, "limit": PAGE})
        listed = (listed + answer["events"])[-args.limit :]
        after = int(answer["next_after"])
        if len(answer["events"]) < PAGE:
            return after, listed


def _place(args: argparse.Namespace, desk: Desk) -> int:
    """So far before the newest event as was asked for."""
    newest = int(desk.call("list_events", {"limit": 1})["newest"])
    return max(0, newest - int(args.limit))


def _print_events(args: argparse.Namespace, listed: list[dict[str, Any]]) -> None:
    for one in listed:
        if args.json:
            print_json_line(one)
        else:
            print(_line(one, columns()), flush=True)


def _line(one: dict[str, Any], room: int) -> str:
    """On a terminal of `room` columns one line of it, with the time of day; for a pipe everything."""
    about = one.get("run") or one.get("task") or one.get("project") or ""
    told = {name: value for name, value in (one.get("body") or {}).items() if value not in (None, "", [], {})}
    body = " ".join(f"{name}={_short(value)}" for name, value in told.items())
    at = str(one["at"])
    line = f"{f'{at[5:10]} {at[11:19]}' if room else at}  {one['kind']:<16}  {about:<9}  {one_line(body)}"
    return cut(line.rstrip(), room) if room else line.rstrip()


def _short(value: Any) -> str:
    text = one_line(str(value))
    return text if len(text) <= 60 else text[:59] + "…"
