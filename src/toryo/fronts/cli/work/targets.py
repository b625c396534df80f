"""The verbs of `toryo target`: the branches that work lands on, and a person's word about one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import project_option, verb
from toryo.fronts.client import inner
from toryo.fronts.text.output import facts, one_line, plain, print_json, table, word

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk

SHORT = 12
SEEN = {"ahead": "ahead of the tip", "behind": "behind the tip", "diverged": "diverged from the tip"}
"""How the branch stands to the tip, where a person need be told."""


def _declare_list(parser: argparse.ArgumentParser) -> None:
    project_option(parser)
    verb(parser, list_targets, "toryo target list", "toryo target list --project shop --json", reads=True)


def _declare_show(parser: argparse.ArgumentParser) -> None:
    _target(parser)
    verb(parser, show, "toryo target show main", "toryo target show main --project shop --json", reads=True)


def _declare_approve(parser: argparse.ArgumentParser) -> None:
    _target(parser)
    _note(parser)
    verb(parser, approve, "toryo target approve main", "toryo target approve main --project shop", json=True)


def _declare_retry(parser: argparse.ArgumentParser) -> None:
    _target(parser)
    _note(parser)
    verb(parser, retry, "toryo target retry main", "toryo target retry main --project shop", json=True)


def _target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="NAME", help="the branch's name")
    project_option(parser)


def _note(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--note", default="", metavar="TEXT", help="why; kept with the event")


VERBS: Group = {
    "list": ("the branches that work lands on, and what each waits for", _declare_list),
    "show": ("one of them with its queue", _declare_show),
    "approve": ("take it as it is: a red base, a branch that was set back", _declare_approve),
    "retry": ("check, follow or publish it once more", _declare_retry),
}


def _where(args: argparse.Namespace, desk: Desk) -> dict[str, Any]:
    return {"project": args.project} if args.project else {"path": desk.main_path}


def list_targets(args: argparse.Namespace, desk: Desk) -> int:
    answer = desk.call("list_targets", _where(args, desk))
    if args.json:
        print_json(answer)
        return 0
    rows = [
        (
            one["name"],
            one["project_name"],
            one["published"][:SHORT],
            str(one["queued"]),
            str(one["accepted"]),
            one_line(": ".join(filter(None, (one["reason"], one["waits_for"])))) or "-",
        )
        for one in answer["targets"]
    ]
    heads = ("target", "project", "published", "queued", "accepted", "waits for")
    print(table(heads, rows, spare=(2, 1)) if rows else "No targets. Type `toryo init` in a repository.")
    return 0


def show(args: argparse.Namespace, desk: Desk) -> int:
    target = inner(desk.call("get_target", {"target": args.target, **_where(args, desk)}), "target")
    if args.json:
        print_json(target)
        return 0
    tip, published, branch = (str(target.get(name) or "") for name in ("tip", "published", "branch"))
    relation = SEEN.get(str(target.get("relation")), "")
    print(f"{plain(str(target['name']))} of {plain(str(target['project_name']))}")
    print(
        facts(
            [
                ("tip", tip),
                ("published", published if published != tip else ""),
                ("branch", f"{branch} ({relation})" if relation else branch if branch != published else ""),
                ("stopped", target.get("stopped")),
                ("waits for", target.get("waits_for")),
                ("queued", target.get("queued")),
                ("accepted", target.get("accepted")),
            ]
        )
    )
    _print_queue(target.get("queue") or ())
    for line in target.get("next") or ():
        print(f"type: {plain(str(line))}")
    return 0


def _print_queue(queue: Any) -> None:
    rows = [
        (
            word(str(one["state"])),
            str(one["commit"])[:SHORT],
            one.get("task") or one["kind"],
            one.get("title"),
        )
        for one in queue
    ]
    if rows:
        print(f"\n{table(('state', 'commit', 'task', 'title'), rows)}\n")


def approve(args: argparse.Namespace, desk: Desk) -> int:
    return _say(args, desk, "approve_target", "is approved")


def retry(args: argparse.Namespace, desk: Desk) -> int:
    return _say(args, desk, "retry_target", "is tried again")


def _say(args: argparse.Namespace, desk: Desk, tool: str, outcome: str) -> int:
    said = {"target": args.target, **_where(args, desk), "note": args.note}
    answer = desk.call(tool, said)
    if args.json:
        print_json(answer)
    else:
        print(f"{plain(str(answer['target']))} {outcome} ({plain(str(answer['why']))}).")
    return 0
