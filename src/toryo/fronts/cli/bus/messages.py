"""The verbs `post`, `send` and `inbox`: messages of units, with the arguments that `busctl` takes."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from toryo.domain.errors import Refused, UsageError, UserError
from toryo.fronts.cli.parsing import project_option, seconds, verb
from toryo.fronts.cli.units.spawn import write_status
from toryo.fronts.client import whose
from toryo.fronts.text.output import day_and_clock, one_line, print_json

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.client import Desk
    from toryo.protocol.views.bus import ClearedMessages, ListedMessages, MessageView

ANSWER_S = 30.0
WAIT_S = 20.0
PAGE = 100
TYPES = (
    "spawn, task_decomposed, progress, child_completed, result, pr_created, merge_request,\n"
    "conflict_found, query, response, instruct, log"
)
OWN = "your own unit, if you name it"


def declare(parser: argparse.ArgumentParser, name: str) -> None:
    {"post": _declare_post, "send": _declare_send, "inbox": _declare_inbox}[name](parser)


def _declare_post(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "A message to the parent of the unit in whose run this is typed. It is stored, and told in order.\n"
        "A result that is no error is a claim: the parent is told `completed` once the work has landed.\n"
        f"Types: {TYPES}."
    )
    _message_options(parser)
    verb(
        parser,
        post,
        "toryo post --type result --data '{\"is_error\": false}'",
        """toryo post --type progress --data '{"message": "the tests are written"}'""",
        in_run=True,
        json=True,
    )


def _declare_send(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "A message to a unit: a person's to any, a unit's to its parent or a child of its own.\n"
        f"Types: {TYPES}."
    )
    parser.add_argument("--to", required=True, metavar="unit:ID", help="a unit's id in its tree, or its task")
    _message_options(parser)
    project_option(parser)
    verb(
        parser,
        send,
        """toryo send --to unit:root-api --type instruct --data '{"command": "review"}'""",
        hands=True,
        in_run=True,
        json=True,
    )


def _message_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--type", required=True, metavar="T", help="one of the types")
    parser.add_argument("--data", default="{}", metavar="JSON", help="an object; - reads standard input")
    parser.add_argument("--from", dest="sender", default="", metavar="unit:ID", help=OWN)
    parser.add_argument("--task", default="", metavar="ID", help="your own task, if you name it")


def _declare_inbox(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Inside a unit's run: what it was told and has not read, a line each; they are read then.\n"
        "Outside: what a unit was sent, and what became of each message."
    )
    parser.add_argument(
        "id", nargs="?", default="", metavar="ID", help="outside of a run: the unit, or its task"
    )
    parser.add_argument("--wait", type=seconds, metavar="S", help="inside a run: so long for something new")
    parser.add_argument("--clear", action="store_true", help="outside: its dead letters are seen to")
    project_option(parser)
    verb(parser, inbox, "toryo inbox --wait 60", "toryo inbox root-api", in_run=True, json=True)


def post(args: argparse.Namespace, desk: Desk) -> int:
    if not desk.run:
        raise Refused(
            "Only a unit posts, and this is not inside a run of one.",
            hint="A person tells a unit something: toryo send --to unit:ID --type instruct --data JSON",
        )
    return _sent(args, _post(args, desk, ""))


def send(args: argparse.Namespace, desk: Desk) -> int:
    if desk.run:
        return _sent(args, _post(args, desk, args.to))
    if args.sender or args.task:
        raise UsageError("--from and --task are a run's.", hint="A person leaves them out.")
    said = {"to": args.to, "type": args.type, "data": _data(args.data), "message": _new_id()}
    return _sent(args, desk.call_through("send_to_unit", {**said, **whose(args, desk)}, timeout_s=ANSWER_S))


def _post(args: argparse.Namespace, desk: Desk, to: str) -> Any:
    # with an id of ours: asked again after the daemon was killed, it is stored once
    said = {"to": to, "sender": args.sender, "task": args.task, "message": _new_id()}
    told = {"type": args.type, "data": _data(args.data), **said}
    return desk.call_through("send_message", told, timeout_s=ANSWER_S)


def _new_id() -> str:
    return f"m{os.urandom(5).hex()}"


def _data(text: str) -> Any:
    from toryo.fronts.cli.files import read_stdin

    if text == "-":
        text = read_stdin()
    import json

    hint = """For example: --data '{"message": "half way"}'"""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as bad:
        where = f"line {bad.lineno}, column {bad.colno}: {bad.msg}"
        raise UserError(f"--data is no JSON: {where}.", hint=hint) from None
    except RecursionError:
        raise UserError("--data is nested too deeply.", hint=hint) from None
    if not isinstance(data, dict):
        raise UserError("--data must be a JSON object.", hint=hint)
    return data


def _sent(args: argparse.Namespace, answer: Any) -> int:
    if args.json:
        print_json({name: answer[name] for name in ("message", "to")})
    else:
        print(f"{answer['message']} to {answer['to']}" if answer["to"] else f"{answer['message']} is kept")
    return 0


def inbox(args: argparse.Namespace, desk: Desk) -> int:
    if desk.run:
        if args.id or args.clear:
            raise UsageError("Inside a run the inbox is its own.", hint="toryo inbox [--wait S]")
        return _read(args, desk)
    if not args.id:
        raise UsageError("Whose inbox?", hint="toryo inbox ID, or inside a unit's run: toryo inbox")
    if args.wait:
        raise UsageError(
            "--wait is for runs.", hint=f"toryo bus export -f follows every message of {args.id}."
        )
    about = {"unit": args.id, **whose(args, desk)}
    if args.clear:
        cleared: ClearedMessages = desk.call("clear_messages", about)
        if args.json:
            print_json(cleared)
        else:
            print(f"{cleared['cleared']} dead letters of {cleared['unit']} are seen to.")
        return 0
    return _show(args, _all_of(desk, about))


def _read(args: argparse.Namespace, desk: Desk) -> int:
    """Shown first, then noted as read: killed between the two, they are shown once more."""
    end = time.monotonic() + (args.wait or 0)
    found: list[dict[str, Any]] = []
    while not found:
        left = max(0.0, end - time.monotonic())
        asked = {"peek": True, "wait_s": min(left, WAIT_S)}
        answer = desk.call_through("read_messages", asked, timeout_s=WAIT_S + 15)
        found = answer["messages"]
        if left <= 0:
            break
    write_status(desk, answer["children_status"])
    if args.json:
        print_json({"messages": found})
    else:
        for one in found:
            print(one["line"], flush=True)
    if found:
        desk.call_through("read_messages", {"after": found[-1]["seq"], "peek": True}, timeout_s=ANSWER_S)
    return 0


def _all_of(desk: Desk, about: dict[str, Any]) -> ListedMessages:
    page: ListedMessages = desk.call("list_messages", {**about, "limit": PAGE})
    found = page["messages"]
    while len(page["messages"]) == PAGE:
        page = desk.call("list_messages", {**about, "limit": PAGE, "after": found[-1]["seq"]})
        found += page["messages"]
    page["messages"] = found
    return page


def _show(args: argparse.Namespace, page: ListedMessages) -> int:
    if args.json:
        print_json(page)
    elif not page["messages"]:
        print(f"Nobody has told {page['unit']} anything.")
    else:
        for one in page["messages"]:
            print(_row(one))
    return 0


def _row(one: MessageView) -> str:
    tries = f", {one['attempts']} tries failed" if one["attempts"] else ""
    run = f" to {one['run']}" if one["run"] else ""
    return f"{day_and_clock(one['ts'])}  {one['state']}{run}{tries}  {one_line(one['line'])}"
