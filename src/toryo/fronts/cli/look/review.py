"""The verb `review`: what a task changed, hunk by hunk; marks fall with the hunk, comments are sent once."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import verb
from toryo.fronts.text.output import one_line, paint, plain, print_json

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.client import Desk

WITHIN_S = 90.0
PLACE = re.compile(r"^(?P<path>.+?):(?P<first>\d+)(?:-(?P<last>\d+))?$")
COLOURS = {"+": "green", "-": "red"}
WORDS = ("comment", "send", "mark")
SENT_AS = {"fix": "the agent works them in", "said": "the agent gets them when its run has ended"}


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument("words", metavar="ID", nargs="+", help="a task; or comment, send, mark and a task")
    parser.add_argument("--since-last", action="store_true", help="only what you have not marked as seen")
    parser.add_argument("--unmark", action="store_true", help="with mark: not seen after all")
    examples = (
        "toryo review t3kd92m1 --since-last",
        "toryo review mark t3kd92m1 4f1c 9ab2",
        "toryo review comment t3kd92m1 src/a.py:3-5 'call it count'",
        "toryo review send t3kd92m1",
    )
    verb(parser, review, *examples, reads=True, hands=True)


def review(args: argparse.Namespace, desk: Desk) -> int:
    word, rest = args.words[0], args.words[1:]
    if word not in WORDS:
        return _show(args, desk, word)
    if not rest:
        return _usage(f"{word} which task?")
    if word == "comment":
        return _comment(args, desk, rest)
    if word == "send":
        answer = desk.call("send_review", {"task": rest[0]}, timeout_s=WITHIN_S)
        told = f"{answer['sent']} comments of {answer['task']} were sent: {_sent_as(answer['sent_as'])}"
    else:
        asked = {"task": rest[0], "hunks": rest[1:], "seen": not args.unmark}
        answer = desk.call("mark_hunks", asked, timeout_s=WITHIN_S)
        how = "seen" if answer["seen"] else "new"
        told = f"{len(answer['marked'])} hunks of {answer['task']} are {how}"
    if args.json:
        print_json(answer)
    else:
        print(told)
    return 0


def _comment(args: argparse.Namespace, desk: Desk, rest: list[str]) -> int:
    place = PLACE.match(rest[1]) if len(rest) > 2 else None
    if place is None:
        return _usage("toryo review comment ID PATH:FIRST-LAST 'words'")
    first = int(place["first"])
    last = int(place["last"] or first)
    asked = {
        "task": rest[0],
        "path": place["path"],
        "first": first,
        "last": last,
        "text": " ".join(rest[2:]),
        "excerpt": _excerpt(desk, rest[0], place["path"], first, last),
    }
    answer = desk.call("comment_review", asked, timeout_s=WITHIN_S)
    if args.json:
        print_json(answer)
    else:
        print(f"kept as a draft ({answer['comment']['id']}); `toryo review send {rest[0]}` sends all of them")
    return 0


def _excerpt(desk: Desk, task: str, path: str, first: int, last: int) -> str:
    """The new lines that the comment is about, as far as the change shows them."""
    found = desk.call("get_review", {"task": task}, timeout_s=WITHIN_S)
    lines = []
    for file in found["files"]:
        for hunk in file["hunks"] if file["path"] == path else ():
            number = int(hunk["new_start"])
            for line in hunk["lines"]:
                if line[:1] == "-":
                    continue
                if first <= number <= last:
                    lines.append(line[1:])
                number += 1
    return "\n".join(lines)


def _show(args: argparse.Namespace, desk: Desk, task: str) -> int:
    answer = desk.call("get_review", {"task": task, "since_last": args.since_last}, timeout_s=WITHIN_S)
    if args.json:
        print_json(answer)
        return 0
    from toryo.fronts.text.pager import page

    page("\n".join(shown(answer)))
    return 0


def shown(answer: dict[str, Any]) -> list[str]:
    """The page: each hunk with its id and a sign whether it was seen, then the comments."""
    of = f"{answer['seen']} of {answer['hunks']} hunks seen"
    lines = [f"{answer['task']}  {one_line(answer['title'])}  {answer['status']}  {of}"]
    for file in answer["files"]:
        renamed = f" (was {one_line(file['old_path'])})" if file["old_path"] else ""
        lines += ["", paint(f"{one_line(file['path'])}  {file['kind']}{renamed}", "bold")]
        for hunk in file["hunks"]:
            sign = "✔" if hunk["seen"] else "·"
            lines.append(paint(f"{sign} {hunk['id']}  {plain(hunk['header'])}", "cyan"))
            lines += [_line(line) for line in hunk["lines"]]
    for one in answer["comments"]:
        lines += ["", *_shown_comment(one)]
    if answer["cut"]:
        lines += ["", "The change is larger than this: `toryo diff` has all of it."]
    return lines


def _line(line: str) -> str:
    colour = COLOURS.get(line[:1], "")
    text = plain(line)
    return paint(text, colour) if colour else text


def _shown_comment(one: dict[str, Any]) -> list[str]:
    lines = f"{one['first']}" if one["first"] == one["last"] else f"{one['first']}-{one['last']}"
    how = _sent_as(one["sent_as"]) if one["sent_at"] else "draft"
    quoted = [f"  > {plain(line)}" for line in str(one["excerpt"]).splitlines()]
    return [f"{one['id']}  {one_line(one['path'])}:{lines}  {how}", *quoted, f"  {plain(one['text'])}"]


def _sent_as(how: str) -> str:
    if how.startswith("task:"):
        return f"a new task, {how.removeprefix('task:')}"
    return SENT_AS.get(how, how)


def _usage(told: str) -> int:
    print(told, file=sys.stderr)
    print("See `toryo review --help`.", file=sys.stderr)
    return 2
