"""The verb `web`: the page that shows the whole crew, started in the background."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from toryo.domain.errors import UsageError
from toryo.fronts.cli.parsing import verb

if TYPE_CHECKING:
    from toryo.fronts.client import Desk


def declare(parser: argparse.ArgumentParser, name: str) -> None:
    parser.add_argument("--no-open", action="store_true", help="only print its address")
    parser.add_argument("--port", type=port_number, metavar="N", help="this port from now on")
    parser.add_argument(
        "--rotate", action="store_true", help="a new token: what knew the old one is shut out"
    )
    parser.add_argument("--stop", action="store_true", help="end its process; everything else goes on")
    verb(parser, web, "toryo web", "toryo web --no-open", "toryo web --rotate", "toryo web --stop")


def port_number(text: str) -> int:
    value = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
    if not 1 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is no port (1 to 65535)")
    return value


def web(args: argparse.Namespace, desk: Desk) -> int:
    if args.stop:
        return _stop(args, desk)
    from toryo.fronts.cli.missions.model import hand_over_settings
    from toryo.fronts.processes import start, web_front

    start.bring_up(desk.home, announce=lambda: print("starting toryo…", file=sys.stderr))
    hand_over_settings(desk)  # missions may begin on the page
    address = web_front.bring_up(desk.home, port=args.port, rotate=args.rotate)
    print(address, flush=True)
    if not args.no_open and sys.stdout.isatty():
        _show(desk, address)
    return 0


def _stop(args: argparse.Namespace, desk: Desk) -> int:
    if args.rotate or args.port or args.no_open:
        raise UsageError("`--stop` goes with no other option.", hint="`toryo web --rotate` starts it anew.")
    from toryo.fronts.processes.stop import stop_web

    gone = stop_web(desk.home)
    print(f"Stopped the page (pid {gone[0]})." if gone else "The page was not running.")
    return 0


def _show(desk: Desk, address: str) -> None:
    """In the person's browser, if this terminal has one. Its argument list is seen by everybody on the
    machine: it gets the name of a private file that leads on, never the token."""
    from toryo import settings

    env = settings.environment()
    if sys.platform != "darwin" and not (env.get("DISPLAY") or env.get("WAYLAND_DISPLAY")):
        return
    import webbrowser

    from toryo.fronts.processes.web_note import private_file

    page = f'<!doctype html><meta http-equiv="refresh" content="0;url={address}"><title>Toryo</title>'
    webbrowser.open(f"file://{private_file(desk.home, 'web-open.html', page)}")
