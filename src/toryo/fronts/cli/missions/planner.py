"""The verbs of `toryo planner`: which model plans, its key, and whether it answers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toryo.domain.errors import UsageError, UserError
from toryo.fronts.cli.missions.model import put_in_force
from toryo.fronts.cli.parsing import verb
from toryo.fronts.processes.planner import was_told_otherwise
from toryo.fronts.text.output import duration, plain, print_json
from toryo.protocol.model_addresses import address_fault

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from typing import Any

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk
    from toryo.protocol.views.settings import OneSetting

CLIENTS = ("claude", "codex")
"""Installed CLIs that can be the model."""
LONGEST_KEY = 10_000
OF_ANOTHER_SHELL = (
    "note: the planner has TORYO_PLANNER_… of the shell that started it, which count over it: "
    "`toryo down && toryo up` starts it without them"
)
SETTINGS = ("via", "base_url", "model", "api_key_env", "window", "language")


def _declare_use(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("via", nargs="?", choices=CLIENTS, metavar="CLIENT", help=f"{' or '.join(CLIENTS)}")
    parser.add_argument("--url", metavar="U", help="an OpenAI-compatible endpoint, with /v1 if it has that")
    parser.add_argument("--model", metavar="M", help="name of the model there")
    parser.add_argument(
        "--key-env",
        type=name_of_variable,
        metavar="NAME",
        help="variable that holds its key (default: `planner key`)",
    )
    parser.add_argument("--window", type=count_of_tokens, metavar="N", help="tokens that it reads at most")
    parser.add_argument("--language", metavar="L", help="language of plans (default: as you write)")
    verb(
        parser,
        use,
        "toryo planner use claude",
        "toryo planner use codex --model gpt-5",
        "toryo planner use --url http://127.0.0.1:11434/v1 --model qwen3-coder",
        "toryo planner use                     # shows what is used",
        json=True,
    )


def count_of_tokens(text: str) -> int:
    value = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
    if value < 1000:
        import argparse

        raise argparse.ArgumentTypeError(f"{text[:20]!r} is no number of tokens of at least 1000")
    return value


def name_of_variable(text: str) -> str:
    """What was typed is not repeated: it may be the key itself."""
    if not (text.isascii() and text.isidentifier()):
        import argparse

        raise argparse.ArgumentTypeError("that is no variable's name; a key is kept with `toryo planner key`")
    return text


def _declare_key(parser: argparse.ArgumentParser) -> None:
    verb(
        parser,
        key,
        "toryo planner key                     # asks, and shows nothing",
        "toryo planner key < key.txt",
    )


def _declare_check(parser: argparse.ArgumentParser) -> None:
    verb(parser, check, "toryo planner check", "toryo planner check --json", json=True)


def _declare_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", default="main", help="another name is another planner (default: main)")
    parser.add_argument("--foreground", action="store_true", help="write the log to the terminal too")
    verb(parser, be_planner, "toryo planner run", "toryo planner run --foreground")


VERBS: Group = {
    "use": ("choose the model: an installed CLI, or an endpoint", _declare_use),
    "key": ("keep the endpoint's key, read from standard input", _declare_key),
    "check": ("ask the model once, and say how it went", _declare_check),
    "run": ("be the planner (`toryo up` and `do` start it for you)", _declare_run),
}


def use(args: argparse.Namespace, desk: Desk) -> int:
    wanted = _wanted(args)
    if wanted:
        _write(desk, wanted)
    put_in_force(desk)
    found: dict[str, OneSetting] = {}
    for name in SETTINGS:
        one: OneSetting = desk.call("get_config", {"key": f"planner.{name}"})
        found[name] = one
    if args.json:
        print_json({name: one["value"] for name, one in found.items()})
        return 0
    print(_told(found))
    for one in found.values():
        if wanted and one["source"] == "environment":
            print(plain(f"note: {one['variable']} was set where Toryo was started, and counts over it"))
    if wanted and was_told_otherwise(desk.home, {"planner.api_key_env": found["api_key_env"]["value"]}):
        print(OF_ANOTHER_SHELL)
    return 0


def _wanted(args: argparse.Namespace) -> dict[str, str | None]:
    """Setting → its new value; None: it is taken out."""
    if args.via and args.url:
        raise UsageError(f"Either {args.via} or an endpoint.", hint="`toryo planner use --help` shows both.")
    if args.url and not args.model:
        raise UsageError(
            "Which model of that endpoint?", hint=f"`toryo planner use --url {args.url} --model M`"
        )
    if args.url and (fault := address_fault(args.url)):
        raise UsageError(f"That address {fault}.", hint="For example --url http://127.0.0.1:11434/v1")
    wanted: dict[str, str | None] = {}
    if args.via:
        wanted = {"via": args.via, "base_url": None, "api_key_env": None, "model": args.model}
    elif args.url:
        wanted = {"via": None, "base_url": args.url, "api_key_env": args.key_env, "model": args.model}
    elif args.model:
        wanted = {"model": args.model}
    if args.key_env and not args.via:
        wanted["api_key_env"] = args.key_env
    if args.window:
        wanted["window"] = str(args.window)
    if args.language:
        wanted["language"] = args.language
    return wanted


def _write(desk: Desk, wanted: dict[str, str | None]) -> None:
    """What is taken out goes first: an endpoint beside a CLI would be two models."""
    for name in sorted(wanted, key=lambda name: wanted[name] is not None):
        value = wanted[name]
        if value is None:
            desk.call("unset_config", {"key": f"planner.{name}"})
        else:
            desk.call("set_config", {"key": f"planner.{name}", "value": value})


def _told(found: dict[str, OneSetting]) -> str:
    value = {name: one["value"] for name, one in found.items()}
    model = f", model {value['model']}" if value["model"] else ""
    if value["via"] in CLIENTS:
        return plain(f"{value['via']} plans{model}. To try it: toryo planner check")
    if value["base_url"]:
        return plain(f"{value['base_url']} plans{model}. To try it: toryo planner check")
    return "No model is configured. toryo planner use claude, or --url URL --model NAME"


def key(args: argparse.Namespace, desk: Desk) -> int:
    """Never an argument: a command line is seen by every process of the machine."""
    from toryo.files import write_whole

    text = _read_key().strip()
    if len(text) > LONGEST_KEY or len(text.split()) != 1 or not (text.isascii() and text.isprintable()):
        raise UserError("That is no key.", hint="One word on standard input: toryo planner key < key.txt")
    desk.home.make()
    file = desk.home.planner_api_key
    file.parent.mkdir(mode=0o700, exist_ok=True)
    write_whole(file, text.encode() + b"\n", durably=True)
    put_in_force(desk)
    print(plain(f"Kept in {file}. `toryo planner check` tries it."))
    return 0


def _read_key() -> str:
    if sys.stdin.isatty():
        import getpass

        return getpass.getpass("Key of the endpoint (it is not shown): ")
    from toryo.fronts.cli.files import read_stdin

    return read_stdin()


def check(args: argparse.Namespace, desk: Desk) -> int:
    """In this process: what is wrong with the settings of this shell is said before anything is planned."""

    def show(found: Mapping[str, Any]) -> int:
        if args.json:
            print_json(found)
            return 0
        where = found["base_url"] or f"{found['via']}, as installed here"
        print(
            plain(f"{found['model'] or 'The model'} answers: {where}, {duration(float(found['seconds']))}.")
        )
        return 0

    code = desk.processes["check_model"](desk.home, show)
    if code == 0:  # a model that does not answer is handed to nobody
        put_in_force(desk)
    return code


def be_planner(args: argparse.Namespace, desk: Desk) -> int:
    return desk.processes["planner"](desk.home, args.name, args.foreground)
