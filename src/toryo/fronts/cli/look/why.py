"""The verb `why`: a status in a sentence, the facts it stands on, what it waits for, and whose turn it is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import verb
from toryo.fronts.text.output import ago, one_line, paint, plain, print_json, table

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.client import Desk

TURNS = {
    "person": "yours",
    "agent": "the agent's",
    "toryo": "Toryo's: it goes on by itself",
    "service": "the service's: it goes on by itself, at its time",
    "nobody": "nobody's: there is nothing to wait for",
}


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument("id", metavar="ID", help="a task, a run, a target branch or a project")
    parser.add_argument("--project", metavar="NAME", help="of which project, for a target branch")
    verb(parser, why, "toryo why t3kd92m1", "toryo why main --project shop", json=True)


def why(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("why", {"id": args.id, "project": args.project or "", "path": desk.main_path})
    if args.json:
        print_json({key: value for key, value in answer.items() if key != "success"})
    else:
        _print(answer, time.time())
    return 0


def _print(answer: dict[str, Any], now: float) -> None:
    subject = answer["subject"]
    print(one_line(f"{subject['id']}  {subject['title']}"))
    print(paint(plain(str(answer["sentence"])), "red" if answer["dead"] else ""))
    print(f"turn  {TURNS[answer['turn']]}")
    if answer["waits_for"]:
        rows = [(one["subject"], one["status"], one["reason"]) for one in answer["waits_for"]]
        print("\n" + table(("waits for", "status", "because"), rows))
    facts = [(f"{ago(one['at'], now)} ago", one["what"]) for one in answer["facts"]]
    print("\n" + table(("when", "fact"), facts, elastic=1))
    lines = [str(one["line"]) for one in answer["actions"]]
    if lines:
        print("\nnext\n" + "\n".join("  " + paint(plain(line), "cyan") for line in lines))
