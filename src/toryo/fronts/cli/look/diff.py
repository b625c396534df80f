"""The verb `diff`, and following the check that runs now: what a task changed, and what judges it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import verb
from toryo.fronts.text.output import one_line, paint, plain, print_json

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.client import Desk

WITHIN_S = 60.0
LOOK_S = 0.5
MOST_NAMED = 10
COLOURS = (("+++", ""), ("---", ""), ("@@", "cyan"), ("+", "green"), ("-", "red"))


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument("task", metavar="ID", help="a task, or the beginning of its id")
    parser.add_argument("--stat", action="store_true", help="only which files, and how many lines")
    examples = ("toryo diff t3kd92m1", "toryo diff t3kd92m1 --stat")
    verb(parser, diff, *examples, reads=True, hands=True)


def diff(args: argparse.Namespace, desk: Desk) -> int:
    parts: list[str] = []
    asked: dict[str, Any] = {"task": args.task, "stat": args.stat or None, "offset": 0}
    while True:
        answer = desk.call("read_diff", asked, timeout_s=WITHIN_S)
        parts.append(str(answer["text"]))
        if answer["ended"] or not answer["text"]:
            break
        asked["offset"] = answer["next_offset"]
    text = "".join(parts)
    if args.json:
        print_json({name: answer[name] for name in ("task", "base", "head")} | {"text": text})
        return 0
    if not text:
        print(f"{answer['task']} changed no file.", file=sys.stderr)
        return 0
    from toryo.fronts.text.pager import page

    # for a pipe as it is: a patch may be applied
    page("\n".join(_coloured(line) for line in plain(text).split("\n")) if sys.stdout.isatty() else text)
    return 0


def _coloured(line: str) -> str:
    colour = next((colour for start, colour in COLOURS if line.startswith(start)), "")
    return paint(line, colour) if colour else line


def changed(answer: dict[str, Any]) -> str:
    """`3 files: a.txt, b.txt, c.txt`, for the pages of a task and its evidence."""
    files = [one_line(str(path)) for path in answer.get("changed_files") or ()]
    if not files:
        return ""
    more = f" … (toryo diff {answer.get('id') or answer['task']} --stat)" if len(files) > MOST_NAMED else ""
    noun = "file" if len(files) == 1 else "files"
    return f"{len(files)} {noun}: {', '.join(files[:MOST_NAMED])}{more}"


def checking(check: dict[str, Any] | None) -> str:
    """`make test (2 of 3)`; with `waits` before somebody began it."""
    if not check:
        return ""
    place = f" ({check['number']} of {check['of']})" if int(check.get("of") or 1) > 1 else ""
    again = ", again" if int(check.get("attempt") or 1) > 1 else ""
    waits = "" if check.get("started") else ", waits for a free place"
    return f"{one_line(str(check['command']))}{place}{again}{waits}"


def follow_checks(task: str, desk: Desk) -> int:
    """What the checks of a task print, until none runs any more."""
    import time

    order, offset, seen = "", 0, False
    while True:
        asked = {"task": task, "order": order or None, "offset": offset}
        answer = desk.call_through("read_check", asked, timeout_s=WITHIN_S)
        check = answer.get("check")
        if check and check["order"] != order:
            order, offset, seen = str(check["order"]), 0, True
            print(paint(f"$ {checking(check)}", "dim"), flush=True)
            if not answer["text"]:
                continue
        text = str(answer["text"])
        sys.stdout.write(plain(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text)
        sys.stdout.flush()
        offset = int(answer["next_offset"])
        if not check and answer.get("status") != "verifying":
            break
        if not text:
            time.sleep(LOOK_S)
    if not seen:
        print(f"No check of {answer['task']} runs now.", file=sys.stderr)
    return 0
