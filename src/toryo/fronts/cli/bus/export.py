"""The verb `bus export`: every message of units as a line of JSON: once, followed (-f), or into a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toryo.domain.errors import UserError
from toryo.fronts.cli.parsing import project_option, verb
from toryo.fronts.client import whose
from toryo.fronts.text.output import print_json_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import BinaryIO

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk
    from toryo.protocol.views.bus import ExportedMessage, ExportedMessages

WAIT_S = 20.0


def _declare_export(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "All messages of the project here (outside of one: of all), the oldest first, a line of JSON each:\n"
        "id, ts, from, to, type, task_id, data. A file is only added to: what it has stays as it is."
    )
    parser.add_argument("-f", "--follow", action="store_true", help="go on until Ctrl-C")
    parser.add_argument("-o", "--output", metavar="FILE", help="add what is missing to this file")
    project_option(parser)
    verb(parser, export, "toryo bus export", "toryo bus export -f -o bus.jsonl", reads=True, json=False)


VERBS: Group = {"export": ("write all messages of units as bus.jsonl", _declare_export)}


def export(args: argparse.Namespace, desk: Desk) -> int:
    pages = _pages(args, desk)
    if not args.output:
        for page in pages:
            for one in page:
                print_json_line(one)
            sys.stdout.flush()
        return 0
    try:
        with open(args.output, "a+b") as file:
            _append(file, pages)
    except OSError as bad:
        raise UserError(
            f"{args.output} cannot be written: {bad.strerror}.", hint="Name another FILE."
        ) from bad
    return 0


def _pages(args: argparse.Namespace, desk: Desk) -> Iterator[list[ExportedMessage]]:
    about, after, waits = whose(args, desk), 0, 0.0
    while True:
        asked = {**about, "after": after, "wait_s": waits}
        answer: ExportedMessages = desk.call_through("export_messages", asked, timeout_s=WAIT_S + 15)
        yield answer["messages"]
        after = answer["next"]
        if not answer["messages"]:
            if not args.follow:
                return
            waits = WAIT_S


def _append(file: BinaryIO, pages: Iterator[list[ExportedMessage]]) -> None:
    import json

    known = _known(file)
    for page in pages:
        fresh = [one for one in page if one["id"] not in known]
        text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in fresh)
        file.write(text.encode("utf-8", "replace"))
        file.flush()


def _known(file: BinaryIO) -> set[str]:
    """Ids of its lines; half a line at the end, of an export that was killed, is taken off."""
    import json

    file.seek(0)
    whole, known = 0, set()
    for line in file:
        if not line.endswith(b"\n"):
            file.truncate(whole)
            break
        whole += len(line)
        try:
            known.add(str(json.loads(line)["id"]))
        except (ValueError, KeyError, TypeError) as bad:
            raise UserError("The file is no export of messages.", hint="Name a new FILE.") from bad
    return known
