"""The verb `demo`: the whole loop on a machine without any key; fronts/demo plays it."""

from __future__ import annotations

from toryo.fronts.cli.parsing import verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from toryo.fronts.cli.desk import Desk


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument(
        "--keep", metavar="DIR", help="keep repository and installation in this new directory for a look"
    )
    parser.add_argument(
        "--client",
        choices=("claude", "codex", "gemini", "opencode"),
        help="the agents are this CLI itself, and only its model is a script: still no key",
    )
    examples = ("toryo demo", "toryo demo --keep ~/toryo-demo", "toryo demo --client claude")
    verb(parser, demo, *examples, json=True)


def demo(args: argparse.Namespace, _: Desk) -> int:
    from toryo.fronts.demo.show import play

    return play(keep=args.keep, as_json=args.json, client=args.client or "")
