"""The verb `demo`: one sentence to finished work on a machine without any key; main.py names who plays it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import verb

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.client import Desk


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument(
        "--keep", metavar="DIR", help="keep repository and installation in this new directory for a look"
    )
    parser.add_argument(
        "--client",
        choices=("claude", "codex", "gemini", "opencode"),
        help="the agents (claude, codex: the planner, too) are this CLI; its model is a script, no key",
    )
    examples = ("toryo demo", "toryo demo --keep ~/toryo-demo", "toryo demo --client claude")
    verb(parser, demo, *examples, json=True)


def demo(args: argparse.Namespace, desk: Desk) -> int:
    return desk.processes["demo"](keep=args.keep, as_json=args.json, client=args.client or "")
