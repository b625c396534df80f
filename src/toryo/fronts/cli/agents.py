"""The verbs of `toryo agent`: who works, with which client, and what they may touch."""

from __future__ import annotations

from pathlib import Path

from toryo.domain.errors import UserError
from toryo.domain.words import Access
from toryo.fronts.cli.desk import inner, whose
from toryo.fronts.cli.parsing import count, group, verb
from toryo.fronts.cli.showing import facts, plain, print_json, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.desk import Desk


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    add = group(parser)
    _declare_add(add("add", "make a program an agent of the project here"))
    listed = add("list", "all agents")
    listed.add_argument("--project", help="only those assigned to it")
    verb(listed, list_agents, "toryo agent list", "toryo agent list --json", reads=True)
    shown = add("show", "everything about an agent")
    shown.add_argument("agent", metavar="NAME")
    shown.add_argument("--format", choices=["text", "json", "yaml"], default="text")
    verb(shown, show, "toryo agent show coder", "toryo agent show coder --format yaml", reads=True)


def _declare_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="lower case letters, digits, - and _")
    parser.add_argument("--client", required=True, help="how it is driven: command, scripted, …")
    parser.add_argument(
        "--command",
        default="",
        help="for the client `command`; {prompt}, {prompt_file}, {worktree} are filled in",
    )
    parser.add_argument("--slots", type=count, default=1, help="runs at once per project (default: 1)")
    parser.add_argument("--role", default="", help="what it is for")
    parser.add_argument("--model", default="", help="the client's own name of a model")
    parser.add_argument("--system-prompt", default="", metavar="TEXT|@FILE", help="who it is")
    parser.add_argument(
        "--prompt-file", metavar="FILE", help="instructions that every prompt contains in full"
    )
    parser.add_argument(
        "--read", action="append", metavar="GLOB", help="it sees these (default: all); repeatable"
    )
    parser.add_argument(
        "--write", action="append", metavar="GLOB", help="it may change only these; repeatable"
    )
    parser.add_argument(
        "--exclude", action="append", metavar="GLOB", help="never in its worktree; repeatable"
    )
    parser.add_argument("--access", choices=[str(one) for one in Access], default="sealed")
    parser.add_argument("--project", help="another project than the one here")
    parser.add_argument("--json", action="store_true", help="print JSON")
    verb(
        parser,
        add_agent,
        "toryo agent add sh --client command --command 'sh agent.sh {prompt_file}'",
        "toryo agent add docs --client command --command ./write-docs --write 'docs/**' --slots 2",
    )


def add_agent(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call(
        "add_agent",
        {
            "name": args.name,
            "client": args.client,
            "command": args.command,
            "role": args.role,
            "model": args.model,
            "system_prompt": _text(args.system_prompt),
            "prompt": _read(args.prompt_file) if args.prompt_file else "",
            "scope": {"exclude": args.exclude or [], "read": args.read or ["**"], "write": args.write},
            "slots": args.slots,
            "access": args.access,
            **whose(args, desk),
        },
    )
    if args.json:
        print_json(answer)
        return 0
    agent = inner(answer, "agent")
    word = "is changed" if answer.get("changed") else "is an agent now"
    print(f"{agent['id']} {word} ({agent['client']}, {args.slots} at once).")
    if answer.get("passkey"):
        print(f"passkey: {answer['passkey']}")
        print("It is shown this once, and only an agent that you start yourself needs it.")
    for note in agent.get("warnings") or ():
        print(f"note: {plain(note)}")
    return 0


def _text(given: str) -> str:
    return _read(given[1:]) if given.startswith("@") else given


def _read(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file} cannot be read as text.") from error


def list_agents(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("list_agents", {"project": args.project})
    if args.json:
        print_json(answer)
        return 0
    rows = [
        (
            one["id"],
            one.get("client") or "none",
            one.get("slots"),
            one.get("access"),
            one.get("status"),
            one.get("role"),
        )
        for one in answer["agents"]
    ]
    print(table(("name", "client", "slots", "access", "status", "role"), rows) if rows else "No agents.")
    return 0


def show(args: argparse.Namespace, desk: Desk) -> int:
    agent: dict[str, Any] = inner(desk.call("get_agent", {"agent": args.agent}), "agent")
    agent.pop("success", None)
    if args.json or args.format == "json":
        print_json(agent)
    elif args.format == "yaml":
        from toryo.fronts.cli.yaml_text import to_yaml

        print(to_yaml(agent), end="")
    else:
        scope = agent.get("scope") or {}
        rest = [
            (name, value) for name, value in agent.items() if name not in ("scope", "system_prompt", "prompt")
        ]
        print(facts([*rest, *((f"scope {name}", value) for name, value in scope.items())]))
        for name in ("system_prompt", "prompt"):
            if agent.get(name):
                print(f"\n{name}:\n{plain(agent[name])}")
    return 0
