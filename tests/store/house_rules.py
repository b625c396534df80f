"""What must hold in a simulated house whenever the drain has run, and once everybody was honest."""

from __future__ import annotations

from collections import Counter, defaultdict
from graphlib import TopologicalSorter
from itertools import pairwise, zip_longest
from typing import Any

from simulated_house import AGENTS, OUTSIDE, House
from why_rules import check_why

from toryo.domain.transitions import ORDER_STATE, OUTCOME, TASK_STATUS, may_follow, only_by
from toryo.domain.words import (
    BY_HAND,
    MAY_LAND,
    OrderState,
    Outcome,
    Purpose,
    TaskStatus,
    Verb,
    Verdict,
    is_at_rest,
)
from toryo.reconciler.subjects import Policy

Row = dict[str, Any]

ENDS_A_RUN = {"exited", "lost", "released", "reported", "expired", "withdrawn", "submitted"}
OCCUPIES_ONE = ("accept", "publish")


def look_over(house: House, trusted_trees: set[tuple[str, str]]) -> None:
    """Every rule that holds after a drain."""
    tables = house.everything()
    bugs = [event["body"]["bug"] for event in tables["events"] if event["kind"] == "look_failed"]
    assert not bugs, bugs[0]
    check_ways(tables)
    check_ended_stays_ended(house, tables)
    check_live_runs(tables)
    check_orders(tables)
    check_ends(tables)
    check_respawns(tables)
    check_parked(tables)
    check_counters(tables)
    check_done(house, tables, trusted_trees)
    check_files(house, tables)
    differences = house.differences()
    assert not differences, f"the cache differs from the facts: {differences[0]}"
    check_nothing_to_add(house, tables)
    check_why(house, tables)


def check_ways(tables: dict[str, list[Row]]) -> None:
    """Every status that was stored may follow the one before, and a person spoke where one must."""
    status: defaultdict[str, TaskStatus] = defaultdict(lambda: TaskStatus.OPEN)
    said: defaultdict[str, set[Verb]] = defaultdict(set)
    for event in sorted(tables["events"], key=lambda event: event["seq"]):
        task, word = event["task"], event["kind"].removeprefix("task_")
        if word == Verb.RETRY:
            said[task] = {Verb.RETRY}
        elif word in set(Verb):
            said[task].add(Verb(word))
        elif event["kind"] == "task_status":
            old, new = status[task], TaskStatus(event["body"]["status"])
            assert may_follow(TASK_STATUS, old, new), f"{task} went from {old} to {new}"
            needed = frozenset() if new is old else only_by(old, new)
            assert not needed or needed & said[task], f"{task}: {old} to {new} without one of {set(needed)}"
            status[task] = new
            said[task] -= {Verb.RETRY, Verb.SUBMIT}  # one retry opens one attempt


def check_ended_stays_ended(house: House, tables: dict[str, list[Row]]) -> None:
    """Of orders and runs there are no events of every step: compared with what the last look found."""
    for order in tables["orders"]:
        old, new = OrderState(house.found.get(order["id"], "open")), OrderState(order["state"])
        assert may_follow(ORDER_STATE, old, new), f"order {order['key']} went from {old} to {new}"
        house.found[order["id"]] = new
    for run in tables["runs"]:
        was, became = Outcome(house.found.get(run["id"], "running")), Outcome(run["outcome"])
        assert may_follow(OUTCOME, was, became), f"{run['id']} was {was}, then {became}"
        house.found[run["id"]] = became


def check_live_runs(tables: dict[str, list[Row]]) -> None:
    """Never two live runs of one task; never more than `slots` of one agent in one project."""
    live = [run for run in tables["runs"] if run["live"]]
    tasks = Counter(run["task"] for run in live)
    assert all(count == 1 for count in tasks.values()), f"two live runs of one task: {tasks}"
    slots = {agent["id"]: agent["slots"] or 1_000 for agent in tables["agents"]}
    pairs = Counter((run["agent"], run["project"]) for run in live)
    assert all(count <= slots[agent] for (agent, _), count in pairs.items()), f"too many runs: {pairs}"


def check_orders(tables: dict[str, list[Row]]) -> None:
    """At most one open accept and one open publish per target; nothing is retired before it is collected."""
    pending = [order for order in tables["orders"] if order["state"] in ("open", "taken")]
    moves = Counter(
        (order["kind"], order["project"], order["inputs"]["target"])
        for order in pending
        if order["kind"] in OCCUPIES_ONE
    )
    assert all(count == 1 for count in moves.values()), f"two moves of one target at once: {moves}"
    runs = {run["id"]: run for run in tables["runs"]}
    for order in tables["orders"]:
        if order["kind"] == "clean":
            run = runs[order["run"]]
            assert not run["live"], "a live run's worktree is to be retired"
            assert run["collected"] is not None, "a worktree is to be retired before it was collected"


def check_ends(tables: dict[str, list[Row]]) -> None:
    """A run ends by a positive fact only, whoever is unseen."""
    known = defaultdict(set)
    for fact in tables["facts"]:
        if fact["standing"] == "applied":
            known[fact["run"]].add("problem" if _is_failed_prepare(fact) else fact["kind"])
    for run in tables["runs"]:
        if not run["live"]:
            assert known[run["id"]] & (ENDS_A_RUN | {"problem"}), f"{run['id']} ended without a fact"


def _is_failed_prepare(fact: Row) -> bool:
    return fact["kind"] == "prepared" and bool(fact["body"].get("problem"))


def check_respawns(tables: dict[str, list[Row]]) -> None:
    """A failed or blocked claim is followed by no run without a person's word; each attempt is bounded."""
    said = defaultdict(list)
    for verb in tables["verbs"]:
        said[verb["subject"].removeprefix("task:")].append(verb)
    claims = {
        claim["run"]: claim["result"]
        for claim in tables["claims"]
        if claim["kind"] == "completed" and not claim["late"]
    }
    by_task = defaultdict(list)
    for run in sorted(tables["runs"], key=lambda run: run["generation"]):
        by_task[run["task"]].append(run)
    for task, runs in by_task.items():
        for earlier, _later in pairwise(runs):
            if claims.get(earlier["id"]) in ("failed", "blocked"):
                words = [
                    verb
                    for verb in said[task]
                    if verb["verb"] in ("retry", "approve", "submit")
                    and verb["generation"] == earlier["generation"]
                ]
                assert words, f"{task} was started again although {earlier['id']} said it cannot"
        floors = [0, *(verb["generation"] for verb in said[task] if verb["verb"] == "retry"), 10**6]
        for low, high in pairwise(floors):
            mine = [run for run in runs if low < run["generation"] <= high]
            assert len(mine) <= Policy().runs_per_attempt


def check_parked(tables: dict[str, list[Row]]) -> None:
    """While an account waits for a limit to end, nothing new of it is begun."""
    ours = [run for run in tables["runs"] if run["coordinator"]]
    for parked in ours:
        if parked["parked_until"] is None:
            continue
        assert (parked["outcome"], parked["live"]) == ("parked", False)
        for run in ours:
            same = run["client"] == parked["client"]
            began = parked["ended_at"] < run["created_at"] < parked["parked_until"]
            assert not (same and began), f"{run['id']} was begun while {parked['id']} was parked"


def check_counters(tables: dict[str, list[Row]]) -> None:
    """The blocked counter is the number of dependencies that were not accepted; none is a cycle's."""
    held = [one for one in tables["landings"] if one["accepted_at"] is not None and one["ended"] != "dropped"]
    accepted = {landing["task"] for landing in held}
    blocked = Counter(link["task"] for link in tables["dependencies"] if link["needs"] not in accepted)
    assert {task["id"]: task["nblock"] for task in tables["tasks"]} == {
        task["id"]: blocked[task["id"]] for task in tables["tasks"]
    }
    links = defaultdict(set)
    for link in tables["dependencies"]:
        links[link["task"]].add(link["needs"])
    TopologicalSorter(links).prepare()  # raises if a task waits for itself


def check_done(house: House, tables: dict[str, list[Row]], trusted_trees: set[tuple[str, str]]) -> None:
    """Done means: exit 0 (or a person's yes to an outside agent), a commit, a verdict, and published."""
    for task in tables["tasks"]:
        if task["status"] == TaskStatus.DONE:
            landed = [
                landing
                for landing in tables["landings"]
                if landing["task"] == task["id"] and landing["published_at"] is not None
            ]
            assert landed, f"{task['id']} is done and nothing of it was published"
            _check_landing(house, tables, task, landed[-1], trusted_trees)


def check_files(house: House, tables: dict[str, list[Row]]) -> None:
    """Files of a mission land by a gate, and what gave way to another tip is tried once more."""
    mine = [one for one in tables["landings"] if one["kind"] == "files"]
    for landing in mine:
        told = f"{landing['id']} of {landing['key']} ended {landing['ended']}"
        later = [one for one in mine if _same_files(one, landing) and one["seq"] > landing["seq"]]
        assert landing["ended"] not in ("stale", "dropped") or later, f"{told}, and nobody tries again"
        assert landing["ended"] != "conflict", told
        if landing["published_at"] is None:
            continue
        repository = house.world.repositories[landing["project"]]
        assert landing["candidate"] in repository.ever_held(), f"{told}, but the branch never held it"
        gate = next((gate for gate in tables["gates"] if gate["id"] == landing["gate"]), None)
        if not landing["unchanged"]:
            assert gate is not None, told
            assert (gate["tree"], Verdict(gate["verdict"]) in MAY_LAND) == (landing["tree"], True), told


def _same_files(one: Row, other: Row) -> bool:
    return (one["mission"], one["key"]) == (other["mission"], other["key"])


def _check_landing(
    house: House, tables: dict[str, list[Row]], task: Row, landing: Row, trusted_trees: set[tuple[str, str]]
) -> None:
    run = next(run for run in tables["runs"] if run["id"] == landing["run"])
    if run["coordinator"]:
        assert (run["exit_code"], run["signal"], run["outcome"]) == (0, "", "succeeded")
    else:
        verbs = {
            (verb["verb"], verb["reason"])
            for verb in tables["verbs"]
            if verb["subject"] == f"task:{task['id']}"
        }
        assert ("approve", "outside_run") in verbs or run["purpose"] in BY_HAND
    repository = house.world.repositories[task["project"]]
    if run["purpose"] != Purpose.REVERT:  # that one is made in no worktree
        begun = _prepared(house, tables, run)["base"]
        assert repository.history(landing["head"]) - repository.history(begun), "no commit beyond the base"
    assert landing["candidate"] in repository.ever_held(), "done, but the branch never held it"
    gate = next(gate for gate in tables["gates"] if gate["id"] == landing["gate"])
    assert gate["tree"] == landing["tree"] == repository.tree(landing["candidate"])
    if (task["project"], landing["tree"]) not in trusted_trees:
        assert gate["verdict"] in MAY_LAND
        for check in gate["checks"]:
            assert (gate["tree"], check["command"]) in house.world.passed, "done without a pass"


def _prepared(house: House, tables: dict[str, list[Row]], run: Row) -> Row:
    """Where its work began; a person's own run goes on in the worktree of the run before."""
    earlier = [
        one
        for one in tables["runs"]
        if one["task"] == run["task"]
        and one["generation"] <= run["generation"]
        and one["id"] in house.world.prepared
    ]
    return house.world.prepared[max(earlier, key=lambda one: int(one["generation"]))["id"]]


def check_nothing_to_add(house: House, before: dict[str, list[Row]]) -> None:
    """Looking at everything once more changes nothing."""
    house.mark_all()
    house.drain()
    after = house.everything()
    for name, rows in before.items():
        changed = [(old, new) for old, new in zip_longest(rows, after[name]) if old != new]
        assert not changed, f"{name} changed although nothing happened: {_differences(*changed[0])}"


def _differences(old: Row | None, new: Row | None) -> str:
    if old is None or new is None:
        return f"{old} → {new}"
    return ", ".join(f"{name}: {old[name]!r} → {new[name]!r}" for name in old if old[name] != new[name])


def check_liveness(house: House) -> None:
    """Everything was done and said: each task rests, waits for a person with a reason, or is held."""
    tables = house.everything()
    stopped = {target["project"]: target["stopped"] for target in tables["targets"]}
    for task in tables["tasks"]:
        status = TaskStatus(task["status"])
        if is_at_rest(status, task["reason"]) or status is TaskStatus.OPEN:
            continue
        shown = f"{task['id']} hangs in {status} {task['reason']} ({task['detail']})"
        if status is TaskStatus.BLOCKED:
            assert task["reason"], shown
        elif status is TaskStatus.READY:
            assert task["agent"] == OUTSIDE, shown
        else:
            assert stopped[task["project"]], shown
    for landing in tables["landings"]:
        if landing["kind"] == "files" and not stopped[landing["project"]]:
            assert landing["ended"], f"the landing {landing['id']} of files hangs"
            is_out = landing["accepted_at"] is None or landing["ended"] in ("dropped", "unwanted")
            assert is_out or landing["published_at"], f"the files of {landing['id']} are not published"
    live = [run["id"] for run in tables["runs"] if run["live"] and run["agent"] in AGENTS]
    assert not live, f"runs that nobody will end: {live}"
