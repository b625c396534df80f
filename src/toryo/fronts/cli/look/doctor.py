"""The verb `doctor`: what is wrong with the installation, and whether its statuses can be believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import verb
from toryo.fronts.processes.started import page_origin
from toryo.fronts.text.output import facts, folded, paint, plain, print_json, table

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.client import Desk
    from toryo.protocol.views.status import ClientView, Doctor, Finding, Recomputed

WITHIN_S = 300
COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument(
        "--recompute", action="store_true", help="decide every status again from the raw facts and compare"
    )
    verb(parser, doctor, "toryo doctor", "toryo doctor --recompute", reads=True, hands=True)


def doctor(args: argparse.Namespace, desk: Desk) -> int:
    if args.recompute:
        return _recompute(args, desk)
    answer: Doctor = desk.call("doctor", {}, timeout_s=WITHIN_S, what="examining")
    found = answer["findings"]
    if args.json:
        print_json(answer)
    else:
        for one in found:
            print(_line(one))
        print(("\n" if found else "") + _house(answer))
        if origin := page_origin(desk.home):
            print(facts([("page", origin)]))
        print(f"\n{_verdict(found)}")
    return 1 if any(one["level"] == "error" for one in found) else 0


def _house(answer: Doctor) -> str:
    """The clients of each machine, with version, and under whom they run."""
    machines = answer.get("machines") or ()
    if not machines:
        clients = ", ".join(answer.get("clients") or ()) or "none on PATH"
        return facts([("clients", clients), ("isolation", answer.get("isolation"))])
    parts = []
    for machine in machines:
        rows = [_client(one) for one in machine.get("clients") or ()]
        uid = machine.get("uid")
        parts.append(f"machine {plain(str(machine['machine']))}" + ("" if uid is None else f", uid {uid}"))
        parts.append(table(("client", "version", "tested", "path"), rows) if rows else "no client on PATH")
    return "\n".join(parts) + "\n\n" + facts([("isolation", answer.get("isolation"))])


def _client(one: ClientView) -> tuple[object, ...]:
    if one.get("problem"):
        return one["name"], one.get("version") or None, "wrong", one.get("path") or None
    tested = "yes" if one.get("tested") else "no" if one.get("version") else None
    return one["name"], one.get("version") or None, tested, one.get("path") or "not installed"


def _line(one: Finding) -> str:
    indent = len("warning  ")
    text = f"{paint(one['level'], COLOURS.get(one['level'], ''))}{' ' * (indent - len(one['level']))}"
    text += folded(plain(one["what"]), indent)
    return text + (f"\n{' ' * indent}{paint(plain(one['hint']), 'cyan')}" if one.get("hint") else "")


def _verdict(found: list[Finding]) -> str:
    counts = {level: sum(one["level"] == level for one in found) for level in COLOURS}
    if counts["error"]:
        noun = "thing is" if counts["error"] == 1 else "things are"
        return paint(f"{counts['error']} {noun} wrong.", "red")
    return "Nothing is wrong." + (" What is above is worth a look." if found else "")


def _recompute(args: argparse.Namespace, desk: Desk) -> int:
    answer: Recomputed = desk.call("recompute", {}, timeout_s=WITHIN_S, what="deciding everything again")
    differences = answer["differences"]
    if args.json:
        print_json(answer)
    else:
        for one in differences:
            about = one["task"] or one["project"]
            print(plain(f"{about}: {one['what']} is {one['cached']!r}, the facts say {one['facts_say']!r}"))
        noun = "difference" if len(differences) == 1 else "differences"
        tasks = "1 task" if answer["compared"] == 1 else f"{answer['compared']} tasks"
        print(f"Compared {tasks}: {len(differences) or 'no'} {noun}.")
    return 1 if differences else 0
