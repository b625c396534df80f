"""The verb `rehearse`: the project's agents, prompts and checks against a model that follows a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.domain.errors import UsageError
from toryo.fronts.cli.files import read_text
from toryo.fronts.cli.parsing import verb

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.client import Desk


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument("script", metavar="SCRIPT", help="YAML: what the model answers, what must come of it")
    parser.add_argument(
        "--client",
        choices=("claude", "codex", "gemini", "opencode"),
        help="for agents whose client nobody named",
    )
    parser.add_argument("--keep", metavar="DIR", help="keep clone, installation and requests in this new one")
    parser.add_argument("--serve", action="store_true", help="only be the model, until Ctrl-C")
    parser.add_argument(
        "--requests", metavar="FILE", help="with --serve: gets every request, a JSON line each"
    )
    parser.add_argument("--port-file", metavar="FILE", help="with --serve: gets the port when it answers")
    verb(
        parser,
        rehearse,
        "toryo rehearse rehearsals/login.yaml --client claude",
        "toryo rehearse --serve script.yaml --requests requests.jsonl --port-file port",
        json=True,
    )


def rehearse(args: argparse.Namespace, desk: Desk) -> int:
    read_text(args.script)  # one that is not there is said here, before anything is made
    if args.serve:
        return desk.processes["model"](args.script, args.requests or "", args.port_file or "")
    if args.requests or args.port_file:
        raise UsageError(
            "--requests and --port-file go with --serve.", hint="--keep DIR keeps the requests too."
        )
    return desk.processes["rehearse"](args.script, client=args.client, keep=args.keep, as_json=args.json)
