"""The verb `web-server`: be the process that serves the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.cli.look.web import port_number
from toryo.fronts.cli.parsing import verb

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.client import Desk


def declare(parser: argparse.ArgumentParser, name: str) -> None:
    parser.add_argument("--port", type=port_number, metavar="N", help="this port and no other")
    verb(parser, be_web_server, "toryo web-server", "toryo web-server --port 7117")


def be_web_server(args: argparse.Namespace, desk: Desk) -> int:
    return desk.processes["web"](desk.home, args.port)
