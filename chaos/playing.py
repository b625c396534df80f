"""Plays one case: the state, the act, the moment that stands still, the kill, and all until it rests."""

from __future__ import annotations

import re
import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any

from chaos import states, victims
from chaos.acts import ACTS, newest_run
from chaos.cases import WAITING, Case
from chaos.invariants import git
from chaos.place import Place
from chaos.victims import SHIM, TREE

ASKED = ("survey", "adopt", "unadopt", "restore", "say", "notify", "drop_branch", "open_branch")
"""Orders with a waiting caller, who asks again when the daemon died: their number says nothing."""
_COMMIT = re.compile(r"\b(?:[0-9a-f]{40}|(?<=aside-)[0-9a-f]{12})\b")
HOLDING = ("stop", "demand")
"""Acts that are over before the agents may end."""


@dataclass(frozen=True)
class End:
    """What an installation at rest looks like, without the names that chance gave."""

    tasks: tuple[tuple[str, str], ...]
    runs: tuple[tuple[str, str, str], ...]
    """Purpose, outcome, why."""
    orders: dict[str, int]
    landed: tuple[str, ...]
    """Files of the target."""
    refs: tuple[str, ...]
    status: str
    """git's word on the user's checkout."""
    worktrees: tuple[str, ...]
    restored: tuple[str, ...]
    missions: tuple[tuple[str, str], ...]
    said: tuple[tuple[str, str], ...]
    """In their conversations, what tells of tasks left out."""
    asked: tuple[str, ...]
    """The purpose of each request that the model got."""


def undisturbed(place: Place, state: str, act: str) -> End:
    """How it ends when nobody is killed."""
    states.bring(place, state)
    place.disarm()
    asked = _begin(place, state, act)
    _let_go(place, act)
    return _rest(place, asked)


def play(place: Place, case: Case) -> End:
    """With the kill."""
    asked, standing = come_to(place, case)
    run = newest_run(place)
    if case.has_live_run and not case.point.startswith("shim."):
        place.until((place.here / f"up-{run}").exists, f"the agent of {run} is up")
    victims.kill(place, case.victim, run, standing)
    victims.revive(place, standing)
    if case.victim in (SHIM, TREE) and has_begun(place, run):
        _lose_again(place, case.victim, run)
    _let_go(place, case.act)
    return _rest(place, asked)


def _let_go(place: Place, act: str) -> None:
    """The agents that wait may end; one that is to be stopped does not end by itself before that."""
    if act not in HOLDING:
        place.go.touch()


def come_to(place: Place, case: Case) -> tuple[threading.Thread | None, int]:
    """The moment of that case: who asked meanwhile, and the process that stands still there."""
    states.bring(place, case.state)
    place.disarm()
    if case.state == "screen" and not case.act:
        place.go.touch()
    if not (case.has_live_run and case.act):
        place.arm(case.point)
    asked = _begin(place, case.state, case.act, case.point)
    standing = place.until(place.who_stands, f"somebody comes to {case.point}")
    place.disarm()  # before the kill: who takes the victim's place at once must not stand still as well
    return asked, standing


def has_begun(place: Place, run: str) -> bool:
    """Whether its shim came so far that nobody can know whether the agent was let go."""
    return (victims.run_dir(place, run) / "started.json").exists()


def _begin(place: Place, state: str, act: str, point: str = "") -> threading.Thread | None:
    place.start()
    if not act:
        return None
    if state in WAITING:
        place.until(lambda: place.rows("select 1 from runs where started_at is not null"), "the run is known")
        place.until((place.here / f"up-{newest_run(place)}").exists, "the agent is up")
        if point:
            place.arm(point)
    asked = threading.Thread(target=ACTS[act], args=(place,), daemon=True)
    asked.start()
    return asked


def _lose_again(place: Place, victim: str, first: str) -> None:
    """The one new run that follows a lost one is lost, too; of a stopped one there is none."""
    if place.rows("select 1 from orders where kind = 'stop'"):
        return
    (place.here / f"go-{first}").touch()  # an agent without a shim still works to its end
    place.until(lambda: newest_run(place) != first, "one new run")
    second = newest_run(place)
    place.until((place.here / f"up-{second}").exists, "the new run's agent is up")
    victims.kill(place, victim, second)
    (place.here / f"go-{second}").touch()


def _rest(place: Place, asked: threading.Thread | None) -> End:
    if asked is not None:
        asked.join(90)
    place.until(lambda: states.at_rest(place), "everything comes to rest")
    return look(place)


def look(place: Place) -> End:
    runs, tasks = (place.rows(f"select id from {table} order by seq") for table in ("runs", "tasks"))
    names = [(run, f"RUN{number}") for number, (run,) in enumerate(runs, 1)]
    names += [(task, f"TASK{number}") for number, (task,) in enumerate(tasks, 1)]
    wished = place.rows("select id, spec_dir from missions order by seq")
    names += [(name, f"MISSION{number}") for number, both in enumerate(wished, 1) for name in both]
    counted = Counter(
        f"{kind} {state}" for kind, state in place.rows("select kind, state from orders") if kind not in ASKED
    )
    listed = git(place.repo, "for-each-ref", "--format=%(refname)").split()
    # candidates' refs are let go some time after they have landed; a run that begins while another one's work
    # is published may find files in the checkout that it did not see before
    refs = [ref for ref in listed if not ref.startswith(("refs/toryo/candidates/", "refs/toryo/foreign/"))]
    folders = (place.repo / ".worktrees", place.repo / ".git" / "toryo" / "trash" / "node_modules")
    # what an interrupted preparation left is kept in the trash
    lying = [path for one in folders for path in one.glob("*") if not path.name.endswith("-half")]
    worktrees = [str(path.relative_to(place.repo)) for path in lying]
    restored = [str(path.relative_to(place.here)) for path in (place.here / "restored").rglob("*")]

    def named(texts: Any) -> tuple[str, ...]:
        return tuple(sorted({_plain(text, names) for text in texts}))

    return End(
        tasks=tuple(place.rows("select status, reason from tasks order by seq")),
        runs=tuple(place.rows("select purpose, outcome, outcome_reason from runs order by seq")),
        orders=dict(counted),
        landed=named(git(place.repo, "ls-tree", "-r", "--name-only", "main").splitlines()),
        refs=named(refs),
        status=_plain(git(place.repo, "status", "--porcelain"), names),
        worktrees=named(worktrees),
        restored=named(restored),
        missions=tuple(place.rows("select status, reason from missions order by seq")),
        said=tuple(place.rows("select who, text from messages where who != 'progress' order by seq")),
        asked=tuple(sorted(place.asked())),
    )


def _plain(text: str, names: list[tuple[str, str]]) -> str:
    for run, name in names:
        text = text.replace(run, name)
    # the second worktree of a task has another name while the first one is not retired yet
    return re.sub(r"\b(TASK\d+)-2\b", r"\1", _COMMIT.sub("COMMIT", text))
