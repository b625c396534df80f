"""The verb `rehearse`: the project's agents, prompts and checks against a model that follows a script."""

from __future__ import annotations

from toryo.domain.errors import UsageError
from toryo.fronts.cli.files import read_text
from toryo.fronts.cli.parsing import verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from toryo.fronts.cli.desk import Desk


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


def rehearse(args: argparse.Namespace, _: Desk) -> int:
    read_text(args.script)  # one that is not there is said here, before anything is made
    if args.serve:
        return _serve(args)
    if args.requests or args.port_file:
        raise UsageError(
            "--requests and --port-file go with --serve.", hint="--keep DIR keeps the requests too."
        )
    from toryo.fronts.demo.rehearsing import play

    return play(args.script, client=args.client, keep=args.keep, as_json=args.json)


def _serve(args: argparse.Namespace) -> int:
    """The model is a program of its own: this process becomes it."""
    import os

    from toryo.fronts.demo.model import PROGRAM

    argv = [*PROGRAM, args.script]
    argv += ["--requests", args.requests] if args.requests else []
    argv += ["--port-file", args.port_file] if args.port_file else []
    os.execv(argv[0], argv)
