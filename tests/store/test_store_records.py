"""Runs, orders, facts, landings, gates, tokens and the rest: what is asked of them, on both databases."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError
from store_filling import a_run, a_task, add_project, an_order

from toryo.store.database.engine import Store, Tx
from toryo.store.database.rows import (
    CheckRow,
    ClaimRow,
    CoordinatorRow,
    EvidenceRow,
    FactRow,
    GateRow,
    LandingRow,
    OrderRow,
    TargetRow,
    TokenRow,
)
from toryo.store.tables import (
    claims,
    coordinators,
    events,
    evidence,
    facts,
    gates,
    landings,
    orders,
    projects,
    runs,
    tasks,
    tokens,
)


@pytest.fixture(autouse=True)
def project(store: Store) -> None:
    with store.change() as tx:
        add_project(tx)
        for number in (1, 2):
            tasks.insert(tx, a_task(f"t{number}"))


def a_landing(id: str, **columns: object) -> LandingRow:
    return LandingRow(
        **{"id": id, "project": "p1", "target": "main", "head": "h", "created_at": 1.0, **columns}
    )  # type: ignore[arg-type]


# ── projects ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_project_is_found_by_id_and_changed(store: Store) -> None:
    with store.change() as tx:
        projects.update(tx, "p1", status="archived", settings={"dod": {"flaky": "review"}})
        found = projects.get(tx, "p1")
        assert found is not None
        assert (found.status, found.settings) == ("archived", {"dod": {"flaky": "review"}})
        assert projects.listing(tx) == [found]
        assert projects.listing(tx, only_active=True) == []


def test_a_target_is_put_once_and_then_changed(store: Store) -> None:
    with store.change() as tx:
        projects.put_target(tx, TargetRow(project="p1", name="main", tip="c1", tip_tree="x", published="c0"))
        projects.update_target(tx, "p1", "main", waiting=["a.txt"], stopped="target_rewound")
        found = projects.target(tx, "p1", "main")
        assert found is not None
        assert (found.tip, found.published, found.waiting, found.stopped) == (
            "c1",
            "c0",
            ["a.txt"],
            "target_rewound",
        )
        assert projects.targets_of(tx, "p1") == [found]
        assert projects.target(tx, "p1", "dev") is None


# ── runs ──────────────────────────────────────────────────────────────────────────────────────────────


def test_live_runs_are_found_by_pair_project_and_coordinator(store: Store) -> None:
    with store.change() as tx:
        runs.insert(tx, a_run("r1", "t1", 1, live=False))
        runs.insert(tx, a_run("r2", "t1", 2))
        runs.insert(tx, a_run("r3", "t2", 1, agent="bob", coordinator="m/other"))
        assert [one.id for one in runs.live_of_pair(tx, "ann", "p1")] == ["r2"]
        assert [(one.agent, one.scope) for one in runs.live_scopes(tx, "p1")] == [("ann", {}), ("bob", {})]
        assert [one.id for one in runs.live_of_coordinator(tx, "m/other")] == ["r3"]
        runs.update(tx, "r2", live=False, outcome="succeeded", exit_code=0, collected={"head": "h"})
        assert runs.live_of_pair(tx, "ann", "p1") == []
        assert [one.exit_code for one in runs.of_task(tx, "t1")] == [None, 0]


def test_a_generation_of_a_task_has_one_run(store: Store) -> None:
    with store.change() as tx:
        runs.insert(tx, a_run("r1", "t1", 1))
    with pytest.raises(IntegrityError), store.change() as tx:
        runs.insert(tx, a_run("r2", "t1", 1))


def test_a_request_is_answered_by_the_run_it_got(store: Store) -> None:
    with store.change() as tx:
        runs.insert(tx, a_run("r1", "t1", request="q1"))
        runs.insert(tx, a_run("r2", "t2"))
        found = runs.by_request(tx, "q1")
        assert found is not None
        assert found.id == "r1"
        assert runs.by_request(tx, "q2") is None
        assert runs.by_request(tx, "") is None


def test_pages_of_runs_begin_with_the_newest(store: Store) -> None:
    with store.change() as tx:
        for number in (1, 2, 3):
            runs.insert(tx, a_run(f"r{number}", "t1", number))
        runs.insert(tx, a_run("r4", "t2"))
        assert [one.id for one in runs.page(tx, limit=2)] == ["r4", "r3"]
        assert [one.id for one in runs.page(tx, task="t1")] == ["r3", "r2", "r1"]
        assert runs.page(tx, project="p9") == []
        assert [one.id for one in runs.by_prefix(tx, "r4")] == ["r4"]


# ── orders and facts ──────────────────────────────────────────────────────────────────────────────────


def the_order(tx: Tx, id: str) -> OrderRow:
    found = orders.get(tx, id)
    assert found is not None
    return found


def test_the_key_of_an_order_is_there_once_whatever_became_of_it(store: Store) -> None:
    with store.change() as tx:
        assert orders.insert(tx, an_order("o1", "run/r1", inputs={"a": 1}))
        orders.set_state(tx, the_order(tx, "o1"), "reported")
    with store.change() as tx:
        assert not orders.insert(tx, an_order("o2", "run/r1", inputs={"a": 2}))
        assert tx.places == set()
        assert orders.get(tx, "o2") is None
        found = orders.by_key(tx, "run/r1")
        assert found is not None
        assert (found.id, found.inputs) == ("o1", {"a": 1})


def test_a_place_has_its_open_and_taken_orders_only(store: Store) -> None:
    with store.change() as tx:
        for number, place in enumerate(("m/main", "m/main", "m/main", "machine:m", "x/main")):
            orders.insert(tx, an_order(f"o{number}", place=place))
        orders.set_state(tx, the_order(tx, "o0"), "reported")
        orders.set_state(tx, the_order(tx, "o1"), "taken", taken_by="m/main")
        orders.set_state(tx, the_order(tx, "o2"), "withdrawn")
        assert [(one.id, one.state) for one in orders.for_places(tx, ["m/main", "machine:m"])] == [
            ("o1", "taken"),
            ("o3", "open"),
        ]
        assert orders.for_places(tx, []) == []


def test_a_change_of_state_touches_the_place_and_ends_the_order_once(store: Store, clock: object) -> None:
    with store.change() as tx:
        orders.insert(tx, an_order("o1"))
    with store.change() as tx:
        orders.set_state(tx, the_order(tx, "o1"), "taken", taken_by="m/main")
        assert tx.places == {"m/main"}
        taken = orders.get(tx, "o1")
        orders.set_state(tx, the_order(tx, "o1"), "reported")
        ended = orders.get(tx, "o1")
    clock.now = 2000  # type: ignore[attr-defined]
    with store.change() as tx:
        orders.set_state(tx, the_order(tx, "o1"), "withdrawn")
        again = orders.get(tx, "o1")
    assert taken is not None
    assert ended is not None
    assert again is not None
    assert (taken.ended_at, taken.taken_by) == (None, "m/main")
    assert (ended.ended_at, ended.taken_by) == (1000, "m/main")
    assert again.ended_at == 1000


def test_orders_are_found_by_what_they_are_about(store: Store) -> None:
    with store.change() as tx:
        orders.insert(tx, an_order("o1", task="t1", run="r1"))
        orders.insert(
            tx, an_order("o2", landing="l1", kind="candidate", project="p1", inputs={"target": "main"})
        )
        orders.insert(tx, an_order("o3", gate="g1", kind="check"))
        orders.insert(tx, an_order("o4", kind="publish", project="p1", inputs={"target": "dev"}))
        orders.insert(tx, an_order("o5", task="t1", project="p1"))
        orders.insert(tx, an_order("o6", task="t1", project="p1"))
        orders.set_state(tx, the_order(tx, "o1"), "reported")
        orders.set_state(tx, the_order(tx, "o5"), "withdrawn")
        found = (
            orders.of_run(tx, "r1"),
            orders.pending_of_task(tx, "p1", "t1"),
            orders.of_landing(tx, "l1"),
            orders.of_gate(tx, "g1"),
        )
        assert [[one.id for one in those] for those in found] == [["o1"], ["o6"], ["o2"], ["o3"]]
        assert [one.id for one in orders.of_target(tx, "p1", ["candidate", "publish"])] == ["o2", "o4"]
        assert [one.id for one in orders.of_target(tx, "p1", ["candidate", "publish"], "dev")] == ["o4"]
        assert orders.of_run(tx, "") == orders.of_landing(tx, "") == orders.of_gate(tx, "") == []


def test_facts_are_kept_with_their_standing(store: Store) -> None:
    with store.change() as tx:
        facts.insert(tx, FactRow(kind="started", run="r1", order="o1", at=1))
        facts.insert(tx, FactRow(kind="exited", run="r1", body={"exit_code": 0}, at=2))
        facts.insert(tx, FactRow(kind="exited", run="r1", standing="late", at=3))
        facts.insert(tx, FactRow(kind="accepted", landing="l1", at=4))
        facts.insert(tx, FactRow(kind="checked", gate="g1", at=5))
        assert [one.kind for one in facts.of_run(tx, "r1")] == ["started", "exited"]
        assert [one.at for one in facts.of_run(tx, "r1", "late")] == [3]
        assert [one.kind for one in facts.of_landing(tx, "l1")] == ["accepted"]
        assert [one.kind for one in facts.of_gate(tx, "g1")] == ["checked"]
        assert [one.at for one in facts.with_standing(tx, "late", 10)] == [3]
        assert facts.of_run(tx, "r1")[0].order == "o1"


# ── landings, gates, evidence ─────────────────────────────────────────────────────────────────────────


def test_the_queue_holds_what_has_not_ended_and_publishing_follows_accepting(store: Store) -> None:
    with store.change() as tx:
        landings.insert(tx, a_landing("l1", task="t1", ended="red"))
        second = landings.insert(tx, a_landing("l2", task="t1"))
        landings.insert(tx, a_landing("l3", task="t2", accepted_at=5.0, accept_number=2))
        landings.insert(tx, a_landing("l4", task="t2", accepted_at=4.0, accept_number=1))
        landings.insert(tx, a_landing("l5", accepted_at=3.0, published_at=3.5, ended="landed"))
        landings.insert(tx, a_landing("l6", target="dev"))
        assert [one.id for one in landings.queue(tx, "p1", "main")] == ["l2", "l3", "l4"]
        assert [one.id for one in landings.awaiting_publish(tx, "p1", "main")] == ["l4", "l3"]
        assert landings.newest_seq_of_task(tx, "t1") == second
        assert landings.newest_seq_of_task(tx, "t9") == 0
        assert [one.id for one in landings.of_task(tx, "t1")] == ["l1", "l2"]
        assert landings.of_task(tx, "") == []


def test_heads_that_failed_are_told_by_kind_and_reason(store: Store) -> None:
    with store.change() as tx:
        for id, kind, ended in (("l1", "adopt", "red"), ("l2", "task", "red"), ("l3", "restack", "stale")):
            landings.insert(tx, a_landing(id, kind=kind, ended=ended, head=f"head-{id}"))
        assert landings.ended_heads(tx, "p1", "main", ("adopt", "restack"), ("red", "could_not_run")) == {
            "head-l1"
        }


def a_check(**columns: object) -> CheckRow:
    row = {
        "gate": "g1",
        "project": "p1",
        "tree": "x",
        "command": "make",
        "attempt": 1,
        "result": "passed",
        "at": 50.0,
    }
    return CheckRow(**{**row, "fingerprint": "f", **columns})  # type: ignore[arg-type]


def test_a_gate_is_there_once_for_its_key(store: Store) -> None:
    row = GateRow(id="g1", key="k", project="p1", target="main", commit="c", tree="x", created_at=1)
    with store.change() as tx:
        assert gates.insert(tx, row)
        assert not gates.insert(tx, GateRow(**{**row.values(), "id": "g2"}))
        gates.update(tx, "g1", verdict="green")
        found = gates.by_key(tx, "k")
        assert found is not None
        assert (found.id, found.verdict) == ("g1", "green")
        assert gates.get(tx, "g2") is None


def reusable(tx: Tx, since: float = 0) -> int | None:
    found = gates.reusable(tx, "p1", "x", "make", "f", since)
    return None if found is None else found.seq


def test_only_a_passed_check_of_the_same_tree_command_and_place_is_reused(store: Store) -> None:
    with store.change() as tx:
        for other in (
            {"result": "failed"},
            {"result": "flaky"},
            {"tree": "y"},
            {"command": "other"},
            {"fingerprint": "z"},
            {"project": "p9"},
        ):
            gates.add_check(tx, a_check(**other))
        assert reusable(tx) is None
        seq = gates.add_check(tx, a_check())
        assert reusable(tx) == seq
        assert len(gates.checks_of(tx, "g1")) == 7


def test_a_reused_result_does_not_become_younger_by_being_reused(store: Store) -> None:
    with store.change() as tx:
        first = gates.add_check(tx, a_check())
        gates.add_check(tx, a_check(at=90.0, reused_from=first))
        assert reusable(tx, since=50) == first
        assert reusable(tx, since=51) is None


def test_a_check_that_seems_to_come_is_not_reused(store: Store) -> None:
    """It was made before the clock was set back: nobody knows how old it is."""
    with store.change() as tx:
        gates.add_check(tx, a_check(at=tx.now + 3600))
        assert reusable(tx) is None
        known = gates.add_check(tx, a_check(at=tx.now))
        assert reusable(tx) == known


def test_evidence_claims_and_coordinators_are_kept(store: Store) -> None:
    with store.change() as tx:
        evidence.insert(tx, EvidenceRow(id="e1", task="t1", landing="l1", body={"verdict": "green"}, at=1))
        claims.insert(tx, ClaimRow(run="r1", task="t1", result="success", at=2))
        claims.insert(tx, ClaimRow(run="r2", task="t1", kind="progress", summary="half", at=3))
        coordinators.insert(tx, CoordinatorRow(id="m/main", machine="m", name="main", key_hash="k"))
        coordinators.update(tx, "m/main", incarnation=2, clients={"claude": "/bin/claude"}, unseen=True)
        assert evidence.get(tx, "e1") == evidence.of_task(tx, "t1")[0]
        assert [one.run for one in claims.of_task(tx, "t1")] == ["r1", "r2"]
        assert [one.summary for one in claims.of_run(tx, "r2")] == ["half"]
        found = coordinators.get(tx, "m/main")
        assert coordinators.listing(tx) == [found]
        assert found is not None
        assert (found.incarnation, found.clients, found.unseen) == (2, {"claude": "/bin/claude"}, True)


# ── tokens and events ─────────────────────────────────────────────────────────────────────────────────


def a_token(hash: str, **columns: object) -> TokenRow:
    row = {"agent": "ann", "project": "p1", "run": "r1", "expires_at": 1500.0, "limit_at": 3000.0}
    return TokenRow(**{"hash": hash, **row, **columns})  # type: ignore[arg-type]


def test_a_token_is_active_until_it_ends_or_expires(store: Store) -> None:
    with store.change() as tx:
        tokens.insert(tx, a_token("x1"))
        tokens.insert(tx, a_token("x2", expires_at=900.0))
        tokens.insert(tx, a_token("x3"))
        tokens.end(tx, "x3", "report")
        tokens.end(tx, "x3", "expiry")
        assert [one.hash for one in tokens.active_of_pair(tx, "ann", "p1", 1000)] == ["x1"]
        assert [one.hash for one in tokens.expired(tx, 1000)] == ["x2"]
        assert tokens.active_of_pair(tx, "bob", "p1", 1000) == []
        ended = tokens.get(tx, "x3")
        assert ended is not None
        assert (ended.ended_at, ended.ended_by) == (1000, "report")


def test_the_end_of_a_run_ends_its_tokens_and_no_others(store: Store) -> None:
    with store.change() as tx:
        for token in (a_token("x1"), a_token("x2"), a_token("x3", run="r2"), a_token("x4", run="")):
            tokens.insert(tx, token)
        tokens.end(tx, "x2", "report")
        tokens.end_of_run(tx, "r1", "exit")
        found = [tokens.get(tx, f"x{number}") for number in (1, 2, 3, 4)]
        assert [(one.ended_at, one.ended_by) for one in found if one] == [
            (1000, "exit"),
            (1000, "report"),
            (None, ""),
            (None, ""),
        ]


def test_renewing_goes_to_the_limit_and_wakes_no_ended_token(store: Store) -> None:
    with store.change() as tx:
        tokens.insert(tx, a_token("x1"))
        tokens.insert(tx, a_token("x2", limit_at=1800.0))
        tokens.insert(tx, a_token("x3"))
        tokens.insert(tx, a_token("x4", run=""))
        tokens.end(tx, "x3", "exit")
        tokens.renew(tx, "r1", 2000)
        tokens.renew(tx, "", 2000)
        found = [tokens.get(tx, f"x{number}") for number in (1, 2, 3, 4)]
        assert [one.expires_at for one in found if one] == [2000, 1800, 1500, 1500]
        assert len(tokens.of_run(tx, "r1")) == 3
        assert tokens.of_run(tx, "") == []


def test_events_are_read_on_from_a_number_for_all_or_one_project_or_task(store: Store) -> None:
    with store.change() as tx:
        assert (events.oldest(tx), events.newest(tx)) == (0, 0)
        tx.emit("one", project="p1", task="t1")
        tx.emit("two", project="p1", task="t2")
        tx.emit("three", project="p2")
        assert [one.kind for one in events.after(tx, 1, 10)] == ["two", "three"]
        assert [one.kind for one in events.after(tx, 0, 1)] == ["one"]
        assert [one.kind for one in events.after(tx, 0, 10, project="p1")] == ["one", "two"]
        assert [one.kind for one in events.after(tx, 0, 10, task="t2")] == ["two"]
        assert (events.oldest(tx), events.newest(tx)) == (1, 3)
