"""The verb `log`: what an agent printed, with times and what was said to it, once or as it comes (-f)."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import count, verb
from toryo.fronts.text.output import clock, day_and_clock, duration, paint, plain, print_json, seconds_between
from toryo.fronts.text.pager import Paged

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from typing import Any

    from toryo.fronts.client import Desk

WAIT_S = 20.0
SEARCH_S = 60.0
NOT_HEARD = {
    "waiting": " (it has not taken it yet)",
    "unheard": " (not heard)",
    "undelivered": " (not heard)",
}


def declare(parser: argparse.ArgumentParser, _name: str) -> None:
    parser.add_argument("id", metavar="ID", help="a run, or a task (its newest run)")
    parser.add_argument("-f", "--follow", action="store_true", help="go on until the run ends")
    parser.add_argument("-n", "--tail", type=count, metavar="N", help="only the last N lines")
    parser.add_argument(
        "--raw", action="store_true", help="as the agent's client printed it, escape codes included"
    )
    parser.add_argument("--search", metavar="TEXT", help="only the lines that hold this text")
    parser.add_argument("-i", "--ignore-case", action="store_true", help="--search: in any case")
    examples = (
        "toryo log t3kd92m1",
        "toryo log t3kd92m1 -n 20",
        "toryo log -f r8w2kq0z",
        "toryo log r8w2kq0z --raw",
        "toryo log t3kd92m1 --search error -i",
    )
    verb(parser, log, *examples, reads=True, hands=True)


def log(args: argparse.Namespace, desk: Desk) -> int:
    if args.search:
        return _search(args, desk)
    pieces = _pieces(args, desk)
    if args.json:
        _print_json(_joined(pieces, args.tail))
        return 0
    shown = Transcript(is_raw=args.raw, has_head=not args.tail)
    if args.follow or not args.tail:
        with _output(args) as write:
            for piece in pieces:
                if not write(shown.text(piece)):
                    return 0
            write(shown.foot())
    else:
        with _output(args) as write:
            write(shown.text(_joined(pieces, args.tail)) + shown.foot())
    if shown.nothing:
        said = "printed nothing" if shown.ended else "has printed nothing yet"
        print(f"{shown.run} {said}.", file=sys.stderr)
    return 0


def _pieces(args: argparse.Namespace, desk: Desk) -> Iterator[dict[str, Any]]:
    """The answers of the daemon, until there is no more."""
    ask = desk.call_through if args.follow else desk.call
    wait_s = WAIT_S if args.follow else 0.0
    run, offset, tail = args.id, 0, args.tail
    while True:
        asked = {"run": run, "offset": offset, "wait_s": wait_s, "raw": args.raw or None, "tail": tail}
        answer = ask("read_log", asked, timeout_s=wait_s + 30)
        run = answer["run"]  # of a task its newest: a later run must not be read on from here
        moved, offset = int(answer["next_offset"]) > offset, int(answer["next_offset"])
        yield _last(answer, tail) if tail else answer
        if not moved and (answer["ended"] or not args.follow):
            return
        tail = None


def _search(args: argparse.Namespace, desk: Desk) -> int:
    found: list[dict[str, Any]] = []
    asked = {"run": args.id, "text": args.search, "any_case": args.ignore_case or None, "limit": 200}
    offset = 0
    while True:
        answer = desk.call("search_log", {**asked, "offset": offset}, timeout_s=SEARCH_S)
        asked["run"] = answer["run"]
        found += answer["matches"]
        if not args.json:
            sys.stdout.write("".join(f"{plain(one['text'])}\n" for one in answer["matches"]))
            sys.stdout.flush()
        moved, offset = int(answer["next_offset"]) > offset, int(answer["next_offset"])
        if answer["ended"] or not moved:
            break
    if args.json:
        print_json({"run": answer["run"], "matches": found, "next_offset": answer["next_offset"]})
    elif not found:
        print(f"No line of {answer['run']} holds {args.search!r}.", file=sys.stderr)
    return 0


def _joined(pieces: Iterator[dict[str, Any]], tail: int | None) -> dict[str, Any]:
    """All of it as one answer."""
    whole: dict[str, Any] = {"text": "", "times": [], "said": []}
    for piece in pieces:
        lines = whole["text"].count("\n")
        times = [[line + lines, at] for line, at in piece.get("times", ())]
        said = [{**one, "line": one["line"] + lines} for one in piece.get("said", ())]
        text = whole["text"] + str(piece["text"])
        whole = {**piece, "text": text, "times": whole["times"] + times, "said": whole["said"] + said}
    return _last(whole, tail) if tail else whole


def _last(piece: dict[str, Any], tail: int) -> dict[str, Any]:
    lines = str(piece["text"]).splitlines(keepends=True)
    gone = max(0, len(lines) - tail)
    times = [[line - gone, at] for line, at in piece.get("times", ()) if line >= gone]
    said = [{**one, "line": one["line"] - gone} for one in piece.get("said", ()) if one["line"] >= gone]
    return {**piece, "text": "".join(lines[gone:]), "times": times, "said": said}


def _print_json(whole: dict[str, Any]) -> None:
    names = ("run", "text", "next_offset", "started_at", "ended_at", "times", "said")
    print_json({name: whole[name] for name in names if name in whole})


@contextlib.contextmanager
def _output(args: argparse.Namespace) -> Iterator[Callable[[str], bool]]:
    """The pager on a terminal; not for what goes on as it comes."""

    def write(text: str) -> bool:
        sys.stdout.write(text)
        sys.stdout.flush()
        return True

    if args.follow:
        yield write
        return
    with Paged() as paged:
        yield paged.write


class Transcript:
    """The text of a log for a person, piece by piece. Nothing is read or printed here."""

    def __init__(self, *, is_raw: bool, has_head: bool) -> None:
        self.run, self.ended, self.nothing = "", False, True
        self._is_raw, self._has_head = is_raw, has_head
        self._timed = False
        self._is_open = False
        self._about: dict[str, Any] = {}

    def text(self, piece: dict[str, Any]) -> str:
        self._about, self.run = piece, str(piece["run"])
        self.ended = bool(piece["ended"])
        found = str(piece["text"])
        if sys.stdout.isatty():
            found = plain(found.replace("\r\n", "\n"))
        if self._is_raw:
            self.nothing &= not found
            return found
        begins = self._head() if self.nothing and (found or piece.get("said")) else ""
        self.nothing &= not (found or piece.get("said"))
        return begins + self._timed_lines(found, piece)

    def _timed_lines(self, found: str, piece: dict[str, Any]) -> str:
        times = {int(line): str(at) for line, at in piece.get("times", ())}
        said: dict[int, list[dict[str, Any]]] = {}
        for one in piece.get("said", ()):
            said.setdefault(int(one["line"]), []).append(one)
        self._timed = self._timed or bool(times)
        out: list[str] = []
        lines = found.splitlines(keepends=True)
        for number in range(len(lines) + 1):
            for one in said.get(number, ()):
                out.append(("\n" if self._is_open else "") + _said(one))
                self._is_open = False
            if number < len(lines):
                out.append(self._line(lines[number], times.get(number, "")))
        return "".join(out)

    def _line(self, line: str, at: str) -> str:
        begins = "" if self._is_open or not self._timed else f"{clock(at):<8}  "
        self._is_open = not line.endswith("\n")
        return (paint(begins, "dim") if begins.strip() else begins) + line

    def _head(self) -> str:
        if not self._has_head or not self._about.get("started_at"):
            return ""
        about = self._about
        began = day_and_clock(about["started_at"])
        head = f"── {self.run} of {about.get('task')} by {about.get('agent')}, began {began}"
        return paint(plain(head), "dim") + "\n"

    def foot(self) -> str:
        about = self._about
        if self._is_raw or self.nothing or not about.get("ended_at"):
            return ""
        lasted = seconds_between(about.get("started_at"), about["ended_at"])
        after = f" after {duration(lasted)}" if lasted is not None else ""
        ends = f"── {about.get('outcome')} {clock(about['ended_at'])}{after}"
        return ("\n" if self._is_open else "") + paint(plain(ends), "dim") + "\n"


def _said(one: dict[str, Any]) -> str:
    begins = f"» {clock(one.get('said_at'))} a person said"
    first = f"{begins}{NOT_HEARD.get(str(one.get('state')), '')}: "
    return paint(plain(first + str(one["text"]).strip().replace("\n", "\n»   ")), "cyan") + "\n"
