"""`toryo why` of chains, runs and targets: doing what it names changes the status that it explained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from simulated_hands import EXITS
from simulated_house import House, a_house
from test_offered_lines import (
    EXTRA_ENDINGS,
    STATES,
    Luck,
    begin,
    checked,
    ended,
    held,
    no_branch,
    no_tip,
    play,
    set_back,
    state,
)
from typing_person import SHOWS, type_line, with_answers

from toryo.domain.words import Verb
from toryo.store.tables import tasks
from toryo.usecases.status import attention_page
from toryo.usecases.tasks.verbs import say
from toryo.usecases.why import explain

Told = dict[str, Any]
Make = Callable[[House], str]


@pytest.fixture(autouse=True)
def _world(monkeypatch: pytest.MonkeyPatch) -> None:
    with_answers(monkeypatch)
    for how, body in EXTRA_ENDINGS.items():
        monkeypatch.setitem(EXITS, how, body)


def why(house: House, name: str) -> Told:
    house.drain()
    return explain.why(house.context, name, "p1", "")


def lines(told: Told) -> list[str]:
    return [str(one["line"]) for one in told["actions"]]


def shows(line: str) -> bool:
    """It says what is the matter, or something outside of Toryo that a person looks at."""
    words = line.split()
    return (words[0] == "toryo" and words[1] in SHOWS) or words[-1] == "status" or "worktree list" in line


def leads_on(house: House, name: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stands() -> tuple[Any, ...]:
        return told_shortly(why(house, name)), told_shortly(why(house, "p1"))

    before = stands()
    if type_line(house, line, "/p1", monkeypatch):
        play(house, Luck(), lambda: stands() != before, rounds=12)


def told_shortly(told: Told) -> tuple[Any, ...]:
    links = [(one["subject"], one["status"], one["reason"]) for one in told["waits_for"]]
    return told["status"], told["reason"], told["turn"], links


def after(verb: Verb, make: Make) -> Make:
    def changed(house: House) -> str:
        task = make(house)
        say(house.context, verb, task, "")
        house.drain()
        return task

    return changed


CHAINS: dict[str, Make] = {
    **{
        name: STATES[name]
        for name in (
            "open held",
            "blocked agent_disabled",
            "blocked no_program",
            "blocked base_red",
            "blocked target_rewound",
            "running waiting_for_input",
            "running unknown",
            "needs_review asked",
            "needs_review no_commit",
            "needs_review review",
            "needs_review conflict",
            "failed exit:",
        )
    },
    "cancelled": after(Verb.CANCEL, held),
    "rejected": after(Verb.REJECT, ended("needs_review no_commit", "exit 0")),
    "dismissed": after(Verb.DISMISS, ended("failed exit:", "exit 3 commit")),
    "checks": checked("failed checks_failed", check="failed"),
}


@pytest.mark.parametrize("which", CHAINS)
def test_what_is_named_at_the_end_of_a_chain_moves_the_chain_on(
    which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_house() as house:
        first = CHAINS[which](house)
        second = begin(house, agent="bob", after=(first,))
        third = begin(house, agent="bob", after=(second,))
        told = why(house, third)
        assert told["turn"] == "person", told
        assert {f"task:{first}", f"task:{second}"} <= {one["subject"] for one in told["waits_for"]}
        acting = [line for line in lines(told) if not shows(line)]
        assert acting, told
        leads_on(house, third, acting[0], monkeypatch)


@pytest.mark.parametrize("which", ["running waiting_for_input", "running unknown"])
def test_what_is_named_for_a_run_that_lives_changes_its_run_or_its_task(
    which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_house() as house:
        task = STATES[which](house)
        (run,) = [row["id"] for row in house.rows("runs") if row["task"] == task and row["live"]]
        told = why(house, run)
        assert (told["subject"]["kind"], told["turn"]) == ("run", "person")
        acting = [line for line in lines(told) if not shows(line)]
        before = state(house, task)
        assert type_line(house, acting[0], "/p1", monkeypatch)
        play(house, Luck(), lambda: state(house, task) != before, rounds=12)


def stands(change: Callable[[House], None]) -> Make:
    """Nothing waits there but the branch itself."""

    def make(house: House) -> str:
        task = begin(house)
        house.settle()
        change(house)
        house.round(Luck())
        return task

    return make


def alone(make: Make) -> Make:
    """The one task that told of the target is cancelled meanwhile."""

    def changed(house: House) -> str:
        task = make(house)
        if state(house, task)[0] == "blocked":
            say(house.context, Verb.CANCEL, task, "")
            house.drain()
        return task

    return changed


TARGETS: dict[str, Make] = {
    **{
        name: STATES[name]
        for name in (
            "blocked base_red",
            "blocked base_could_not_run",
            "blocked base_flaky",
            "blocked target_missing",
            "blocked tip_missing",
            "blocked repository_missing",
            "blocked repository_replaced",
            "blocked owned_elsewhere",
            "blocked foreign_move",
            "landing waiting_for_checkout",
            "landing publish_failed",
        )
    },
    "set back, and all tasks are done": stands(set_back),
    "deleted, and all tasks are done": stands(no_branch),
    "its tip is deleted, and all tasks are done": stands(no_tip),
}


@pytest.mark.parametrize("which", TARGETS)
def test_what_is_named_for_a_target_changes_why_it_waits(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    offered, number, acted = [""], 0, False
    while number < len(offered):  # each from the same state, in a house of its own
        with a_house() as house:
            TARGETS[which](house)
            told = why(house, "main")
            assert (told["subject"]["kind"], told["turn"]) == ("target", "person"), told
            offered = lines(told)
            owner = why(house, "p1")
            assert (owner["turn"], lines(owner)) == ("person", offered)
            if not shows(offered[number]):
                acted = True
                leads_on(house, "main", offered[number], monkeypatch)
        number += 1
    assert acted, f"the lines only show something: {offered}"


@pytest.mark.parametrize("which", TARGETS)
def test_a_target_that_stands_still_is_in_attention_although_no_task_waits_for_it(which: str) -> None:
    with a_house() as house:
        alone(TARGETS[which])(house)
        told = why(house, "main")
        with house.context.store.read() as tx:
            (wish,), _ = attention_page.page(tx, "p1", tasks.counts(tx))
        assert wish["reason"] == told["reason"]
        if wish["subject"] == "queue:p1/main":
            assert wish["lines"][: len(told["actions"])] == lines(told)
            assert wish["why"]
