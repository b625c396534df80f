"""The verbs of `toryo agent`: who works, with which client, and what they may touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.domain.errors import UsageError
from toryo.fronts.cli.choices import ACCESS
from toryo.fronts.cli.parsing import count, project_option, verb
from toryo.fronts.cli.work.own_path import mended
from toryo.fronts.client import inner, whose
from toryo.fronts.text.output import facts, plain, print_json, table

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk

SYNC_WITHIN_S = 90
OUTSIDE = "outside"
"""The client of an agent that is started by nobody of ours."""


def _declare_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="lower case letters, digits, - and _")
    parser.add_argument(
        "--client", help="how it is driven: claude, codex, gemini, opencode, command, scripted, outside, …"
    )
    parser.add_argument(
        "--command",
        metavar="CMD",
        help="for the client `command`; {prompt}, {prompt_file}, {worktree} are filled in",
    )
    parser.add_argument(
        "--slots",
        type=_slots,
        metavar="N",
        help="most runs at once per project; `none`: as many as the coordinator's max_concurrent (default)",
    )
    parser.add_argument("--role", help="what it is for")
    parser.add_argument("--model", help="the client's own name of a model")
    parser.add_argument("--system-prompt", metavar="TEXT|@FILE", help="who it is")
    parser.add_argument(
        "--prompt-file", metavar="FILE", help="instructions that every prompt contains in full"
    )
    parser.add_argument(
        "--skill",
        action="append",
        metavar="FOLDER",
        help="a folder with a SKILL.md, placed where the client finds it; repeatable",
    )
    parser.add_argument(
        "--outside", action="store_true", help="you start it yourself: print the passkey that it comes with"
    )
    for name, text in (
        ("--read", "it sees these (default: all); repeatable"),
        ("--write", "it may change only these; repeatable"),
        ("--exclude", "never in its worktree; repeatable"),
    ):
        parser.add_argument(name, action="append", metavar="GLOB", help=text)
    parser.add_argument(
        "--access", choices=ACCESS, help="sealed: the prompt only (default); connected: MCP tools too"
    )
    parser.add_argument(
        "--style", choices=STYLES, help="exec: one command (default); interactive: the client's own screen"
    )
    parser.add_argument(
        "--terminal", choices=TERMINALS, help="plain: none (default); tmux: a window for `toryo attach`"
    )
    parser.add_argument(
        "--start-in",
        choices=PLACES,
        help="the directory its CLI is started in: its own below .aiagent/, or the worktree itself",
    )
    project_option(parser)
    verb(
        parser,
        add_agent,
        "toryo agent add coder --client claude --model opus",
        "toryo agent add sh --client command --command 'sh agent.sh {prompt_file}'",
        "toryo agent add coder --slots 2 --write 'src/**'",
        "toryo agent add visitor --outside",
        json=True,
    )


def _slots(text: str) -> int:
    return 0 if text == "none" else count(text)


STYLES = ("exec", "interactive")
TERMINALS = ("plain", "tmux")
PLACES = ("context", "worktree")


def _declare_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--project", metavar="NAME", help="only those assigned to it")
    verb(parser, list_agents, "toryo agent list", "toryo agent list --json", reads=True)


def _declare_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="NAME")
    parser.add_argument("--format", choices=("text", "json", "yaml"), default="text", help="(default: text)")
    project_option(parser)
    verb(parser, show, "toryo agent show coder", "toryo agent show coder --format yaml", reads=True)


def _declare_assign(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="NAME")
    parser.add_argument("--default", action="store_true", help="tasks that name no agent are its own")
    project_option(parser)
    examples = ("toryo agent assign coder", "toryo agent assign coder --default --project shop")
    verb(parser, assign, *examples, json=True)


def _declare_unassign(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="NAME")
    project_option(parser)
    examples = ("toryo agent unassign coder", "toryo agent unassign coder --project shop")
    verb(parser, unassign, *examples, json=True)


def _declare_enable(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="NAME")
    project_option(parser)
    verb(parser, enable, "toryo agent enable coder", json=True)


def _declare_disable(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="NAME")
    project_option(parser)
    verb(parser, disable, "toryo agent disable coder", json=True)


def _declare_passkey(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="NAME")
    verb(parser, passkey, "toryo agent passkey visitor", json=True)


def _declare_release(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="NAME")
    project_option(parser)
    verb(parser, release, "toryo agent release visitor", json=True)


def _declare_remove(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agent", metavar="NAME")
    parser.add_argument("--everywhere", action="store_true", help="also if it works in several projects")
    project_option(parser)
    verb(parser, remove, "toryo agent remove coder", "toryo agent remove coder --everywhere", json=True)


def _declare_sync(parser: argparse.ArgumentParser) -> None:
    project_option(parser)
    verb(parser, sync, "toryo agent sync", "toryo agent sync --project shop --json", hands=True, json=True)


VERBS: Group = {
    "add": ("make a CLI or a program an agent of the project here, or change one", _declare_add),
    "list": ("all agents", _declare_list),
    "show": ("everything about an agent", _declare_show),
    "assign": ("let an agent work in the project here", _declare_assign),
    "unassign": ("take an agent off the project here", _declare_unassign),
    "enable": ("let an agent be started again", _declare_enable),
    "disable": ("start an agent no more; what it is doing goes on", _declare_disable),
    "passkey": ("a new passkey for an agent that you start yourself", _declare_passkey),
    "release": ("end the session of an outside agent that has no run", _declare_release),
    "remove": ("take an agent out; refused while a task or a run needs it", _declare_remove),
    "sync": ("read .toryo/ again and bring its agents up to date", _declare_sync),
}


def add_agent(args: argparse.Namespace, desk: Desk) -> int:
    said = _said(args)
    if not said:
        raise UsageError(
            "Nothing is said about the agent.",
            hint=f"For example: toryo agent add {args.name} --client claude",
        )
    answer = desk.call("add_agent", {"name": args.name, **said, **whose(args, desk)})
    is_outside = args.outside or said.get("client") == OUTSIDE
    if args.json:
        # who is started by Toryo has a credential of its run: a passkey in a log would be for nothing
        print_json(answer if is_outside else {**answer, "passkey": None})
        return 0
    agent = inner(answer, "agent")
    word = "is changed" if answer.get("changed") else "is an agent now"
    most = f", {agent['slots']} at once" if agent.get("slots") else ""
    print(f"{agent['id']} {word} ({agent.get('client') or 'no client yet'}{most}).")
    if is_outside and answer.get("passkey"):
        _print_passkey(answer)
    elif is_outside:
        print(f"It has its passkey already; a new one: toryo agent passkey {agent['id']}")
    if not answer.get("changed") and answer.get("projects") == []:
        print(f"It works in no project yet: in a repository type `toryo agent assign {agent['id']}`.")
    _print_work(answer)
    if answer.get("waiting_tasks"):
        number = answer["waiting_tasks"]
        print("1 task waits for it." if number == 1 else f"{number} tasks wait for it.")
    print_notes({"notes": [*(answer.get("notes") or ()), *(agent.get("warnings") or ())]})
    return 0


def _print_work(answer: dict[str, Any]) -> None:
    """What it got besides what was asked for: nobody should find that out later."""
    for project in answer.get("default_of") or ():
        print(f"It is the default agent of {plain(str(project))} now.")
    if answer.get("took"):
        print(f"It took the tasks that nobody could work on: {', '.join(map(str, answer['took']))}")


def print_notes(answer: dict[str, Any]) -> None:
    for note in answer.get("notes") or ():
        print(f"note: {plain(mended(str(note)))}")


def _said(args: argparse.Namespace) -> dict[str, Any]:
    """What was typed; the rest stays as it is, or begins with its default."""
    names = ("client", "command", "role", "model", "slots", "access", "style", "terminal", "start_in")
    said = {name: getattr(args, name) for name in names}
    if args.outside and args.client is None:
        said["client"] = OUTSIDE
    said["system_prompt"] = None if args.system_prompt is None else _text(args.system_prompt)
    said["prompt"] = _read(args.prompt_file) if args.prompt_file else None
    said["skills"] = dict(map(_skill, args.skill)) if args.skill else None
    scope = {name: getattr(args, name) for name in ("exclude", "read", "write") if getattr(args, name)}
    said["scope"] = scope or None
    return {name: value for name, value in said.items() if value is not None}


def _skill(folder: str) -> tuple[str, str]:
    """Its name is the folder's."""
    import os

    name = os.path.basename(os.path.abspath(folder))  # noqa: PTH100, PTH119 - pathlib would cost 4 ms
    return name, _read(f"{folder.rstrip('/')}/SKILL.md")


def _print_passkey(answer: dict[str, Any]) -> None:
    print(f"passkey: {answer['passkey']}")
    print("It is shown this once; your agent says it when it calls `authenticate`.")


def _text(given: str) -> str:
    return _read(given[1:]) if given.startswith("@") else given


def _read(file: str) -> str:
    from toryo.fronts.cli.files import read_text

    return read_text(file)


def list_agents(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("list_agents", {"project": args.project})
    if args.json:
        print_json(answer)
        return 0
    rows = [
        (
            one["id"],
            one.get("project_name") or "all",
            one.get("client") or "none yet",
            one.get("slots") or "no limit",
            one.get("access"),
            one.get("status"),
            one.get("role"),
        )
        for one in answer["agents"]
    ]
    if not rows:
        print("No agents. Add one: toryo agent add NAME --client claude, or another client (`toryo doctor`)")
        return 0
    print(table(("name", "of project", "client", "slots", "access", "status", "role"), rows))
    return 0


def show(args: argparse.Namespace, desk: Desk) -> int:
    agent: dict[str, Any] = inner(desk.call("get_agent", {"agent": args.agent, **whose(args, desk)}), "agent")
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


def assign(args: argparse.Namespace, desk: Desk) -> int:
    wish = {"default": True} if args.default else {}
    answer = desk.call("assign_agent", {"agent": args.agent, **wish, **whose(args, desk)})
    _told(args, answer, f"{_agent(answer)} works in {_where(args)} now.")
    if not args.json:
        _print_work(answer)
        print_notes(answer)
    return 0


def unassign(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("unassign_agent", {"agent": args.agent, **whose(args, desk)})
    return _told(args, answer, f"{_agent(answer)} works in {_where(args)} no more.")


def enable(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("enable_agent", {"agent": args.agent, **whose(args, desk)})
    _told(args, answer, f"{_agent(answer)} may be started.")
    if not args.json:
        _print_work(answer)
    return 0


def disable(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("disable_agent", {"agent": args.agent, **whose(args, desk)})
    return _told(args, answer, f"{_agent(answer)} is started no more; what it is doing goes on.")


def passkey(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("new_passkey", {"agent": args.agent})
    if args.json:
        print_json(answer)
    else:
        _print_passkey(answer)
    return 0


def release(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("release_agent", {"agent": args.agent, **whose(args, desk)})
    return _told(args, answer, f"{_agent(answer)} has no session in {_where(args)} any more.")


def remove(args: argparse.Namespace, desk: Desk) -> int:
    wish = {"everywhere": True} if args.everywhere else {}
    answer = desk.call("remove_agent", {"agent": args.agent, **wish, **whose(args, desk)})
    return _told(args, answer, f"{_agent(answer)} is no agent any more; what it did stays.")


def sync(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("sync_agents", whose(args, desk), timeout_s=SYNC_WITHIN_S, what="reading .toryo/")
    if args.json:
        print_json(answer)
        return 0
    for word in ("added", "changed", "unchanged"):
        if answer.get(word):
            print(f"{word}: {', '.join(plain(str(one)) for one in answer[word])}")
    if not any(answer.get(word) for word in ("added", "changed", "unchanged")):
        print("There are no agent files: .toryo/agents/*.yaml")
    print(f"settings: {plain(str(answer.get('settings_from') or 'none'))}")
    if answer.get("settings_problem"):
        print(f"note: {plain(str(answer['settings_problem']))}")
    print_notes(answer)
    return 0


def _told(args: argparse.Namespace, answer: dict[str, Any], text: str) -> int:
    if args.json:
        print_json(answer)
    else:
        print(text)
    return 0


def _where(args: argparse.Namespace) -> str:
    return plain(args.project) if args.project else "the project here"


def _agent(answer: dict[str, Any]) -> str:
    """Whether the name or all of it was answered."""
    one = answer.get("agent")
    return plain(str(one.get("name") or one.get("id") if isinstance(one, dict) else one))
