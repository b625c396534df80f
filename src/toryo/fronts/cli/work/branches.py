"""The verbs of `toryo branch`: the branches of a repository, and what a person does with one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toryo.domain.errors import UserError
from toryo.fronts.cli.parsing import project_option, verb
from toryo.fronts.text.branches import counted, unmerged
from toryo.fronts.text.output import facts, one_line, plain, print_json, table

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk
    from toryo.protocol.views.repositories import (
        BranchView,
        DeletedBranch,
        ListedBranches,
        MergedBranch,
        OneBranch,
        OpenedBranch,
        StartedOnBranch,
        SummarisedBranch,
    )

SHORT = 12
PAGE = 200
WITHIN_S = 90.0
SUMMARY_WITHIN_S = 180.0


def _declare_list(parser: argparse.ArgumentParser) -> None:
    project_option(parser)
    verb(parser, list_branches, "toryo branch list", "toryo branch list --json", reads=True, hands=True)


def _declare_show(parser: argparse.ArgumentParser) -> None:
    _branch(parser)
    parser.add_argument("--summary", action="store_true", help="what it does, by the planner's model")
    verb(
        parser,
        show,
        "toryo branch show feature/login",
        "toryo branch show feature/login --summary",
        "toryo branch show main --json",
        reads=True,
        hands=True,
    )


def _declare_delete(parser: argparse.ArgumentParser) -> None:
    _branch(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")
    examples = ("toryo branch delete feature/login", "toryo branch delete agent/old-t3kd92m1 --yes --json")
    verb(parser, delete, *examples, hands=True, json=True)


def _declare_merge(parser: argparse.ArgumentParser) -> None:
    _branch(parser)
    parser.add_argument("--onto", default="", metavar="BRANCH", help="another target than the project's")
    parser.add_argument("--note", default="", metavar="TEXT", help="for an agent that has to finish it")
    examples = ("toryo branch merge feature/login", "toryo branch merge fix --onto release --json")
    verb(parser, merge, *examples, hands=True, json=True)


def _declare_open(parser: argparse.ArgumentParser) -> None:
    _branch(parser)
    examples = ('cd "$(toryo branch open feature/login)"', "toryo branch open feature/login --json")
    verb(parser, open_, *examples, hands=True, json=True)


def _declare_start(parser: argparse.ArgumentParser) -> None:
    _branch(parser)
    parser.add_argument(
        "--agent", required=True, metavar="NAME", help="an agent whose client is an agent CLI"
    )
    examples = (
        "toryo branch start feature/login --agent claude",
        "toryo branch start x --agent claude --json",
    )
    verb(parser, start, *examples, hands=True, json=True)


def _branch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("branch", metavar="NAME", help="the branch's name")
    project_option(parser)


VERBS: Group = {
    "list": ("all of them: local, of agents and remote", _declare_list),
    "show": ("one of them: how far it is, its worktree, its task", _declare_show),
    "merge": ("send one through the gate onto what work lands on", _declare_merge),
    "open": ("a worktree for one, below those of the project", _declare_open),
    "start": ("start an agent CLI by hand on one, in a window beside the crew", _declare_start),
    "delete": ("delete one that nobody works on; its commits are kept", _declare_delete),
}


def where(args: argparse.Namespace, desk: Desk) -> dict[str, Any]:
    return {"project": args.project} if args.project else {"path": desk.main_path}


def list_branches(args: argparse.Namespace, desk: Desk) -> int:
    found: list[BranchView] = []
    while True:
        page: ListedBranches = desk.call(
            "list_branches", {**where(args, desk), "offset": len(found), "limit": PAGE}, what="looking at git"
        )
        found += page["branches"]
        if page["ended"] or not page["branches"]:
            break
    if args.json:
        print_json({**page, "branches": found})
        return 0
    rows = [
        (one["name"], one["kind"], _distance(one), one["commit"][:SHORT], one_line(one["subject"]))
        for one in found
    ]
    print(table(("branch", "kind", "distance", "commit", "last change"), rows, spare=(4, 0)))
    return 0


def _distance(one: BranchView) -> str:
    if one["is_target"]:
        return "target"
    return "-" if one["ahead"] is None else f"+{one['ahead']} -{one['behind']}"


def show(args: argparse.Namespace, desk: Desk) -> int:
    answer = _shown(args, desk)
    if args.summary:
        answer["branch"]["summary"] = _summary(args, desk)
    if args.json:
        print_json(answer)
        return 0
    one, task = answer["branch"], answer["task"]
    told = f"{task['id']} {task['status']}: {one_line(task['title'])}" if task else ""
    print(plain(one["name"]))
    print(
        facts(
            [
                ("kind", one["kind"]),
                ("commit", f"{one['commit'][:SHORT]} {one_line(one['subject'])}"),
                ("committed", one["committed_at"]),
                ("against", f"{answer['target']}: {_far(one)}"),
                ("worktree", one["worktree"]),
                ("task", told),
            ]
        )
    )
    if text := one.get("summary"):
        print(f"\n{plain(text)}\n")
    for action in answer["actions"]:
        print(f"type: {plain(action['line'])}")
    return 0


def _summary(args: argparse.Namespace, desk: Desk) -> str:
    """Asked of the model only if nobody did for this commit."""
    from toryo.fronts.cli.missions.model import hand_over_settings

    hand_over_settings(desk)
    asked = {"branch": args.branch, **where(args, desk)}
    told: SummarisedBranch = desk.call(
        "summarise_branch", asked, timeout_s=SUMMARY_WITHIN_S, what="asking the model"
    )
    return told["summary"]


def _shown(args: argparse.Namespace, desk: Desk) -> OneBranch:
    answer: OneBranch = desk.call(
        "show_branch", {"branch": args.branch, **where(args, desk)}, what="looking at git"
    )
    return answer


def _far(one: BranchView) -> str:
    if one["is_target"]:
        return "work lands on it"
    if one["ahead"] is None:
        return "nothing in common"
    return f"{counted(one['ahead'])} ahead, {one['behind']} behind"


def delete(args: argparse.Namespace, desk: Desk) -> int:
    seen = ""
    if not args.yes:
        if args.json or not sys.stdin.isatty():
            hint = f"`toryo branch delete {args.branch} --yes` does not ask."
            raise UserError("Nobody can be asked here.", hint=hint)
        one = _shown(args, desk)["branch"]
        seen = one["commit"]
        if not says_yes(f"{plain(one['name'])} has {unmerged(one['ahead'])}. Delete it? [y/N] "):
            return 1
    asked = {"branch": args.branch, "commit": seen, **where(args, desk)}
    answer: DeletedBranch = desk.call("delete_branch", asked, timeout_s=WITHIN_S, what="deleting it")
    if args.json:
        print_json(answer)
        return 0
    print(f"{plain(answer['branch'])} is deleted; it had {unmerged(answer['unmerged'])}.")
    print(f"to have it back: {plain(answer['back'])}")
    return 0


def merge(args: argparse.Namespace, desk: Desk) -> int:
    asked = {"branch": args.branch, "onto": args.onto, "note": args.note, **where(args, desk)}
    answer: MergedBranch = desk.call("merge_branch", asked, timeout_s=WITHIN_S, what="looking at git")
    if args.json:
        print_json(answer)
        return 0
    task, branch, target = (plain(answer[key]) for key in ("task", "branch", "target"))
    print(f"{task} takes {branch} to {target}, once its checks pass.")
    print(f"type: toryo task wait {task}")
    return 0


def open_(args: argparse.Namespace, desk: Desk) -> int:
    asked = {"branch": args.branch, **where(args, desk)}
    answer: OpenedBranch = desk.call("open_branch", asked, timeout_s=WITHIN_S, what="making its worktree")
    if args.json:
        print_json(answer)
    else:
        print(plain(answer["path"]))
    return 0


def start(args: argparse.Namespace, desk: Desk) -> int:
    asked = {"branch": args.branch, "agent": args.agent, **where(args, desk)}
    answer: StartedOnBranch = desk.call("start_on_branch", asked, timeout_s=WITHIN_S, what="starting it")
    if args.json:
        print_json(answer)
        return 0
    print(f"{plain(answer['agent'])} is started in {plain(answer['path'])}.")
    print(f"type: {plain(answer['attach'])}")
    return 0


def says_yes(question: str) -> bool:
    try:
        return input(question).strip().lower() in ("y", "yes")
    except EOFError:
        return False
