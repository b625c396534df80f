"""The rehearsal's own program, started by fronts and tests: serves a script until it is asked to end.

`python -m toryo.rehearsal SCRIPT --requests FILE --port-file FILE`. When the port file is there, it answers.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toryo.domain.errors import ToryoError, UserError
from toryo.rehearsal.environments import CLIENTS, environment, surroundings
from toryo.rehearsal.keeping import Keeper
from toryo.rehearsal.plans import plan_of
from toryo.rehearsal.playing import Playing
from toryo.rehearsal.scripts import BadScript, load
from toryo.rehearsal.server import Model, NoPort, Server


def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    try:
        return serve(args)
    except ToryoError as error:
        sys.stderr.write(f"Error: {error.message}\n" + (f"Hint: {error.hint}\n" if error.hint else ""))
        return 1


def serve(args: argparse.Namespace) -> int:
    script = load(args.script)
    plan = plan_of(script.plan, args.script.stem)
    if not any(part.replies for part in script.parts):
        raise BadScript(f"{args.script}: There is no reply in it.")  # a client would ask until its time is up
    try:
        server = Server(Model(Playing(script), Keeper(args.requests)), args.port)
    except OSError as error:
        hint = "Leave out --port to get a free one."
        raise NoPort(f"Port {args.port}: {error.strerror}", hint=hint) from error
    told: dict[str, Any] = {"url": server.url, "plan": plan, "environment": {}, "clients": {}}
    if args.client and args.home is None:
        raise UserError("--client needs --home.", hint="Name an empty temporary directory.")
    for client in args.client:
        told["environment"] |= environment(client, server.url, args.home)
        told["clients"][client] = {
            "program": surroundings(client).program,
            "install": surroundings(client).install,
            "first": surroundings(client).first,
        }
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    asked_to_end = _listen()
    thread.start()
    if args.about:
        _write(args.about, json.dumps(told, default=str))
    if args.port_file:
        _write(args.port_file, f"{server.server_address[1]}\n")
    sys.stdout.write(f"{server.url}\n")
    sys.stdout.flush()
    asked_to_end.wait()
    server.closing.set()
    server.shutdown()
    server.server_close()
    return 0


def _listen() -> threading.Event:
    end = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, lambda *_: end.set())
    return end


def _write(path: Path, text: str) -> None:
    """At once: whoever waits for it reads it whole."""
    new = path.with_name(f"{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("toryo rehearse --serve", description="Serves a scripted model.")
    parser.add_argument("script", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file", type=Path, help="gets the port when the server answers")
    parser.add_argument("--requests", type=Path, help="gets every request, a JSON line each")
    parser.add_argument(
        "--client",
        choices=tuple(CLIENTS),
        action="append",
        default=[],
        help="prepare --home for this one; repeatable",
    )
    parser.add_argument("--home", type=Path, help="a temporary home for the client's settings")
    parser.add_argument("--about", type=Path, help="gets the URL, the client's environment and the plan")
    return parser


if __name__ == "__main__":
    sys.exit(main())
