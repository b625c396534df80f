"""A person who types the lines that Toryo offers, in a simulated house.

They go through the front's own parser and verb and the daemon's own tool; what a line does outside of Toryo
is done to the simulated repository.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from simulated_git import Repository
from simulated_hands import ACTS, Done, Hands, Pick
from simulated_house import MACHINE, Conduct, House

from toryo import processes
from toryo.daemon.tools.table import table
from toryo.engine.context import Caller, CallerKind, HeadContext
from toryo.fronts.cli.entry import find
from toryo.protocol.asks import AskAnswer, LeftRead, TargetRead
from toryo.store.tables import coordinators
from toryo.usecases.asks.read import Read
from toryo.usecases.coordinators.coordinators import tell_clients

NEW_PLACE = "/elsewhere"
SHOWS = ("evidence", "doctor", "attach")
"""Verbs that show something: what a person does then is not said by the line."""
ROUNDS = 60
PERSON = Caller(CallerKind.OPERATOR)


class Head:
    """Stands for the event loop alone: each question is asked again after a round of the house."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.context = house.context
        self.changes = self
        self.asks = HandsThatLook()

    def hurry(self) -> None:
        """Nothing is put off here."""

    def version(self, _topic: str) -> int:
        return 0

    async def do(self, use_case: Callable[..., Any], *args: Any, **named: Any) -> Any:
        return use_case(self.context, *args, **named)

    read = do

    async def aside(self, use_case: Callable[..., Any], *args: Any) -> Any:
        return use_case(*args)

    async def wait_for_change(self, *_: object) -> None:
        self.house.round(Patience())

    async def until(self, _topics: Any, _timeout_s: float, question: Callable[[HeadContext], Any]) -> Any:
        for _ in range(ROUNDS):
            final, body = question(self.context)
            if final:
                return body
            self.house.round(Patience())
        return body

    read_until = until


class HandsThatLook:
    """A coordinator that finds nobody's work where it is asked to look."""

    async def ask(self, _asker: int, read: Read, _within_s: float, **_: Any) -> dict[str, Any]:
        if isinstance(read.inputs, TargetRead):
            return AskAnswer(ended=True).model_dump(mode="json")
        assert isinstance(read.inputs, LeftRead), read
        body = {"there": True, "commits": 0, "files": []}
        return AskAnswer(ended=True, body=body).model_dump(mode="json")


class Patience(Conduct):
    """Agents go on working while somebody asks."""

    def end(self, process: Any) -> None:
        del process


class Desk:
    """Where the person sits: in the project's repository."""

    def __init__(self, house: House, path: str) -> None:
        self.head = Head(house)
        self.path = self.main_path = path
        self.registry = table()

    def call(self, tool: str, arguments: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        given = {name: value for name, value in arguments.items() if value is not None}
        answer = asyncio.run(self.registry.call(self.head, PERSON, tool, given))  # type: ignore[arg-type]
        assert answer["success"], f"{tool} {given}: {answer}"
        self.head.house.drain()
        return answer

    call_through = call


def type_line(house: House, line: str, path: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Do what the line says; False: it only shows something."""
    monkeypatch.setattr(processes, "machine_id", lambda: MACHINE)
    repository = house.world.repositories[path.removeprefix("/")]
    words = shlex.split(line)
    if words[0] == "cd":
        assert words[1:3] == [path, "&&"], line
        words = words[3:]
    if words[0] == "git":
        return in_git(repository, words, path)
    if words[0] == "npm":
        assert words[1:3] == ["install", "-g"], line
        looked_for(house, {"claude": "/bin/claude"})
        return True
    assert words[0] == "toryo", line
    words = [NEW_PLACE if word == "NEW-PATH" else word for word in words[1:]]
    if NEW_PLACE in words:
        repository.sight = ""  # that is where it is
    if words[0] == "init":
        words.append("--yes")  # what it asks is answered with yes
    parser, rest = find(words)
    assert parser is not None, line
    args = parser.parse_args(rest)
    if words[0] in SHOWS:
        return False
    assert args.act(args, Desk(house, path)) == 0, line
    return True


def looked_for(house: House, clients: Mapping[str, str]) -> None:
    """The hands look for these programs; an empty path is one that is not there."""
    with house.context.store.read() as tx:
        known = coordinators.listing(tx)
    for one in known:
        tell_clients(house.context, one.id, one.incarnation, clients)
    house.drain()


def in_git(repository: Repository, words: list[str], path: str) -> bool:
    assert words[1:3] == ["-C", path], words
    match words[3:]:
        case ["stash", "push", *_]:
            repository.busy = ""
        case ["branch", "main", "refs/toryo/tips/main"]:
            repository.move(repository.tip)
        case ["status"] | ["worktree", "list"] | ["log", *_]:
            return False
        case _:
            raise AssertionError(f"nobody knows what this does: {words}")
    return True


# ── what hands do when people ask ──────────────────────────────────────────────────────────────────────


def _say(hands: Hands, order: dict[str, Any], _pick: Pick) -> Done:
    """The agent hears it, and asks no more."""
    run = order["inputs"]["run"]
    hands.report("signs", {"n": 2}, hands.world.processes[run].order)
    return "spoken", {"delivered": True, "seen": True}


def _adopt(hands: Hands, order: dict[str, Any], _pick: Pick) -> Done:
    inputs = order["inputs"]
    project, repositories = inputs["project"], hands.world.repositories
    repository = repositories.setdefault(project, Repository(project))
    if inputs["take_over"]:
        repository.sight = ""
    hands.told.pop(project, None)
    wrote = ["toryo/owner"] if inputs["take_over"] else []
    tree = repository.tree(repository.tip)
    told = {"project": project, "root": inputs["path"], "tip": repository.tip, "tip_tree": tree}
    return "adopted", {**told, "wrote": wrote, "seen": []}


def _survey_of_place(hands: Hands, order: dict[str, Any]) -> dict[str, Any]:
    """What `init` and `project move` look at: the repository that lies at the path."""
    path = str(order["inputs"]["path"])
    known = hands.world.repositories.get(path.removeprefix("/")) or hands.world.repositories["p1"]
    is_other = known.sight == "other"
    there = Repository("another") if is_other else known
    return {
        "root": path,
        "git_dir": f"{path}/.git",
        "base": "main",
        "base_commit": there.branch,
        "base_tree": there.tree(there.branch),
        "project": "" if is_other else known.project,
        "settings_files": {"config.yaml": "{}"},
        "settings_from": "commit",
    }


def with_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulated hands answer what people ask them."""
    surveyed = ACTS["survey"]

    def survey(hands: Hands, order: dict[str, Any], pick: Pick) -> Done:
        if order["project"]:
            return surveyed(hands, order, pick)
        return "surveyed", _survey_of_place(hands, order)

    for kind, act in (("say", _say), ("adopt", _adopt), ("survey", survey)):
        monkeypatch.setitem(ACTS, kind, act)
