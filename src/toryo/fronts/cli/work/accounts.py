"""The verbs of `toryo account`: which client a limit or an outage parks, and the end of such a wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import verb
from toryo.fronts.text.output import day_and_clock, one_line, plain, print_json, table

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk

MOST_NAMED = 3


def _declare_list(parser: argparse.ArgumentParser) -> None:
    verb(parser, list_accounts, "toryo account list", "toryo account list --json", reads=True)


def _declare_release(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("client", metavar="CLIENT", help="its agent CLI, like claude")
    parser.add_argument("--machine", default="", metavar="ID", help="where, if it waits on several")
    examples = ("toryo account release claude", "toryo account release claude --machine ID --json")
    verb(parser, release, *examples, json=True)


VERBS: Group = {
    "list": ("clients on machines: which are parked, why and until when", _declare_list),
    "release": ("let a parked one go on at once", _declare_release),
}


def list_accounts(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("list_accounts", {})
    if args.json:
        print_json(answer)
        return 0
    rows = [
        (one["client"], day_and_clock(one["until"]) or "-", _named(one["tasks"]), one["machine"], _why(one))
        for one in answer["accounts"]
    ]
    heads = ("account", "until", "tasks waiting", "machine", "waits for")
    print(table(heads, rows, spare=(3,)) if rows else "No agent here has an account that could be parked.")
    return 0


def _why(one: dict[str, Any]) -> str:
    if not one["parked"]:
        return "nothing"
    why = str(one["why"]).replace("_", " ")
    return one_line(f"{why}: {one['message']}" if one["message"] else why)


def _named(tasks: list[str]) -> str:
    more = len(tasks) - MOST_NAMED
    return (", ".join(tasks[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")) or "-"


def release(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("release_account", {"client": args.client, "machine": args.machine})
    if args.json:
        print_json(answer)
    else:
        print(f"{plain(str(answer['client']))} need not wait any longer.")
    return 0
