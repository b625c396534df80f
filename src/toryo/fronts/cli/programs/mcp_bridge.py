"""The verb `mcp-bridge`: an agent CLI's stdio joined to the daemon, for clients that you set up yourself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import verb

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.client import Desk


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument("file", metavar="FILE", help="the run's credential, 0600; TORYO_RUN_FILE names it")
    # it changes nothing by itself, and inside a run is just where it is wanted
    verb(parser, join, 'toryo mcp-bridge "$TORYO_RUN_FILE"', reads=True, json=False)


def join(args: argparse.Namespace, _: Desk) -> int:
    from toryo.fronts.bridge import main

    return main([args.file])
