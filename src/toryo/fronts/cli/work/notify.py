"""`toryo notify test`: whether the command that should tell a person does, and what it said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import verb
from toryo.fronts.text.output import plain, print_json

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk
    from toryo.protocol.views.settings import TriedNotify


def _declare_test(parser: argparse.ArgumentParser) -> None:
    verb(parser, try_it, "toryo notify test", hands=True, json=True)


VERBS: Group = {"test": ("run the `notify` command once, and say what happened", _declare_test)}


def try_it(args: argparse.Namespace, desk: Desk) -> int:
    answer: TriedNotify = desk.call("test_notify", {}, timeout_s=40, what="running the notify command")
    if args.json:
        print_json(answer)
        return 0 if answer["told"] else 1
    print(plain(f"ran: {answer['command']}"))
    if answer["told"]:
        print(plain(f"It ended with exit code 0 after {answer['seconds']:.1f} s."))
    else:
        print(plain(f"It failed: {answer['failure']}"))
    for line in str(answer.get("output") or "").splitlines()[-20:]:
        print(plain(f"  {line}"))
    return 0 if answer["told"] else 1
