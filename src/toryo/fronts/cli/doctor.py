"""The verb `doctor`: what is wrong with the installation, and whether its statuses can be believed."""

from __future__ import annotations

from toryo.fronts.cli.parsing import verb
from toryo.fronts.cli.showing import paint, plain, print_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.desk import Desk

WITHIN_S = 300
MARKS = {
    "ok": ("ok", "green"),
    "note": ("note", "cyan"),
    "warning": ("warning", "yellow"),
    "problem": ("problem", "red"),
}


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument(
        "--recompute", action="store_true", help="decide every status again from the raw facts and compare"
    )
    verb(parser, doctor, "toryo doctor", "toryo doctor --recompute", reads=True, hands=True)


def doctor(args: argparse.Namespace, desk: Desk) -> int:
    if args.recompute:
        return _recompute(args, desk)
    answer = desk.call("doctor", {}, timeout_s=WITHIN_S, what="examining")
    found = answer.get("findings") or []
    if args.json:
        print_json(answer)
    else:
        for one in found:
            print(_line(one))
        if not found:
            print("Nothing is wrong.")
    return 1 if any(one.get("level") == "problem" for one in found) else 0


def _line(one: dict[str, Any]) -> str:
    word, colour = MARKS.get(str(one.get("level")), ("note", "cyan"))
    text = f"{paint(word, colour)}: {plain(str(one.get('message') or ''))}"
    return text + (f"\n  {plain(str(one['hint']))}" if one.get("hint") else "")


def _recompute(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("recompute", {}, timeout_s=WITHIN_S, what="deciding everything again")
    differences = answer.get("differences") or []
    if args.json:
        print_json(answer)
    else:
        for one in differences:
            was, is_now = one.get("stored"), one.get("decided")
            print(f"{one.get('subject')}: {one.get('field')} is {was!r}, the facts say {is_now!r}")
        print(f"Compared {answer.get('compared', 0)}: {len(differences) or 'no'} differences.")
    return 1 if differences else 0
