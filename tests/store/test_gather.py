"""What `decide` is given, from rows."""

from __future__ import annotations

from typing import Any

import pytest
from store_filling import a_run, a_task, add_project, an_order

from toryo.domain import subjects
from toryo.domain.words import CheckResult, ClaimResult, OrderKind, Purpose, Verb, Verdict
from toryo.reconciler.problems import Problem
from toryo.reconciler.subjects import (
    CheckFacts,
    CheckSpec,
    CollectedFacts,
    Dependency,
    RunFacts,
    TaskFacts,
    VerbFact,
)
from toryo.store.database.engine import Store, Tx
from toryo.store.database.rows import CheckRow, ClaimRow, CoordinatorRow, GateRow, LandingRow, VerbRow
from toryo.store.gather import subject_facts
from toryo.store.tables import (
    agents,
    claims,
    coordinators,
    gates,
    landings,
    orders,
    projects,
    runs,
    tasks,
    verbs,
)


@pytest.fixture(autouse=True)
def project(store: Store) -> None:
    with store.change() as tx:
        add_project(tx)
        tasks.insert(tx, a_task("t1"))
        coordinators.insert(tx, CoordinatorRow(id="m/main", machine="m", name="main", key_hash="k"))


def task(tx: Tx, id: str = "t1") -> TaskFacts:
    found = subject_facts.task(tx, id)
    assert found is not None
    return found


def run_of(tx: Tx, **columns: Any) -> RunFacts:
    runs.insert(tx, a_run("r1", "t1", **columns))
    return task(tx).runs[0]


def add_gate(tx: Tx, id: str, verdict: str = "", **columns: Any) -> None:
    row = GateRow(
        id=id, key=id, project="p1", target="main", commit="c", tree="x", created_at=1, verdict=verdict
    )
    gates.insert(tx, GateRow(**{**row.values(), **columns}))


def add_landing(tx: Tx, id: str, **columns: Any) -> None:
    whole = {"project": "p1", "target": "main", "head": "h", "created_at": 1.0}
    landings.insert(tx, LandingRow(**{"id": id, **whole, **columns}))


def test_an_unknown_subject_is_none(store: Store) -> None:
    with store.read() as tx:
        assert subject_facts.task(tx, "t9") is None
        assert subject_facts.queue(tx, "p1", "dev") is None
        assert subject_facts.gate(tx, "g9") is None
        assert subject_facts.coordinator(tx, "x/main") is None


def test_a_task_knows_its_agent_and_project(store: Store) -> None:
    with store.change() as tx:
        tasks.update(tx, "t1", held=True)
        assert task(tx) == TaskFacts(
            id="t1", held=True, agent="ann", client="command", base=None, target="main"
        )
        agents.update(tx, "ann", status="disabled", client="")
        projects.update(tx, "p1", status="archived")
        projects.unassign(tx, "p1", "ann")
        found = task(tx)
        assert (found.client, found.agent_active, found.project_active) == ("", False, False)
        assert found.agent_assigned is False


def test_a_dependency_is_accepted_by_a_landing_and_rests_only_without_one(store: Store) -> None:
    with store.change() as tx:
        for id, status, reason in (
            ("t2", "running", ""),
            ("t3", "failed", ""),
            ("t4", "blocked", "dependency_failed:t3"),
            ("t5", "blocked", "dependency"),
            ("t6", "done", ""),
        ):
            tasks.insert(tx, a_task(id))
            tasks.set_status(tx, id, status, reason)
        add_landing(tx, "l6", task="t6", accepted_at=5.0)
        tasks.insert(tx, a_task("t7"), ["t2", "t3", "t4", "t5", "t6"])
        assert task(tx, "t7").dependencies == (
            Dependency("t2", accepted=False),
            Dependency("t3", accepted=False, at_rest=True),
            Dependency("t4", accepted=False, at_rest=True),
            Dependency("t5", accepted=False),
            Dependency("t6", accepted=True),
        )


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({}, {}),
        ({"coordinator": ""}, {"outside": True}),
        ({"start_commit": "c0"}, {"prepared": True}),
        ({"started_at": 0.0}, {"started": True}),
        ({"live": False, "exit_code": 3, "outcome": "failed"}, {"ended": True, "exit_code": 3}),
        ({"live": False, "signal": "SIGKILL"}, {"ended": True, "signal": "SIGKILL"}),
        ({"outcome": "timed_out"}, {"timed_out": True}),
        ({"outcome": "lost"}, {"lost": True}),
        ({"outcome_reason": "prepare:no_base: gone"}, {"prepare_problem": Problem("no_base", "gone")}),
        ({"outcome_reason": "could_not_start:no such file"}, {"could_not_start": "no such file"}),
        ({"outcome_reason": "stopped"}, {"stopped": True}),
        ({"outcome_reason": "released"}, {"released": True}),
        ({"outcome_reason": "expired"}, {"expired": True}),
        ({"outcome_reason": "reported"}, {}),
        ({"client": "claude", "said": {"denied": ["Bash"]}}, {"client": "claude", "denied": ("Bash",)}),
        ({"outcome": "failed", "outcome_reason": "no_result"}, {"problem": Problem("no_result")}),
        (
            {"outcome": "failed", "outcome_reason": "api_error:500: no"},
            {"problem": Problem("api_error", "500: no")},
        ),
        (
            {"outcome": "parked", "outcome_reason": "outage:later", "parked_until": 60.0},
            {"parked": Problem("outage", "later"), "parked_until": 60.0},
        ),
    ],
)
def test_a_run_is_told_by_its_facts(store: Store, columns: dict[str, Any], expected: dict[str, Any]) -> None:
    with store.change() as tx:
        assert run_of(tx, **columns) == RunFacts("r1", Purpose.IMPLEMENT, 1, **expected)


def test_what_was_collected_is_told_in_short(store: Store) -> None:
    body = {
        "problem": {"code": "gone", "message": "the worktree is gone", "hint": ""},
        "head": "h1",
        "commits": 2,
        "new_commits": 1,
        "violations": [{"path": "a.env", "rule": "exclude"}],
        "unmerged": ["b.txt"],
    }
    with store.change() as tx:
        assert run_of(tx, collected=body).collected == CollectedFacts(
            "h1", 2, 1, ("exclude a.env",), ("b.txt",), Problem("gone", "the worktree is gone")
        )
        runs.update(tx, "r1", collected={**body, "problem": None, "violations": []})
        assert task(tx).runs[0].collected == CollectedFacts("h1", 2, 1, (), ("b.txt",))
        runs.update(tx, "r1", collected={"head": "h1", "commits": 2, "changed_count": 0})
        assert task(tx).runs[0].collected == CollectedFacts("h1", 2, changes=False)


def test_the_newest_report_that_was_not_late_is_the_claim(store: Store) -> None:
    with store.change() as tx:
        assert run_of(tx).claim is None
        claims.insert(tx, ClaimRow(run="r1", task="t1", kind="progress", at=1))
        assert task(tx).runs[0].claim is None
        claims.insert(tx, ClaimRow(run="r1", task="t1", result="blocked", at=1))
        claims.insert(tx, ClaimRow(run="r1", task="t1", result="failed", at=2))
        claims.insert(tx, ClaimRow(run="r1", task="t1", result="success", late=True, at=3))
        assert task(tx).runs[0].claim is ClaimResult.FAILED


def test_a_run_of_an_unseen_coordinator_is_unseen(store: Store) -> None:
    with store.change() as tx:
        assert not run_of(tx).unseen
        coordinators.update(tx, "m/main", unseen=True)
        assert task(tx).runs[0].unseen


def test_a_task_has_its_landings_verbs_and_pending_orders(store: Store) -> None:
    with store.change() as tx:
        add_landing(tx, "l1", task="t1", generation=1, ended="red", ended_detail="x", verdict="red")
        add_landing(tx, "l2", task="t1", generation=2, accepted_at=1.0, published_at=2.0, begun=True)
        verbs.add(
            tx,
            VerbRow(
                subject=subjects.task("t1"), verb="approve", generation=1, landing_seq=2, reason="scope", at=1
            ),
        )
        orders.insert(tx, an_order("o1", task="t1", run="r1", kind="collect", project="p1"))
        orders.insert(tx, an_order("o2", task="t1", run="r1", kind="run", state="reported", project="p1"))
        orders.insert(tx, an_order("o3", task="t1", landing="l1", kind="candidate", project="p1"))
        found = task(tx)
        assert [(one.ended, one.detail, one.verdict) for one in found.landings] == [
            ("red", "x", Verdict.RED),
            ("", "", None),
        ]
        assert [(one.accepted, one.published, one.begun) for one in found.landings] == [
            (False,) * 3,
            (True,) * 3,
        ]
        assert found.verbs == (VerbFact(Verb.APPROVE, 1, 2, "scope"),)
        assert [(one.id, one.kind, one.run, one.landing) for one in found.orders] == [
            ("o1", OrderKind.COLLECT, "r1", ""),
            ("o3", OrderKind.CANDIDATE, "", "l1"),
        ]


# ── the base ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_base_is_the_verdict_on_the_tip(store: Store) -> None:
    with store.change() as tx:
        assert task(tx).base is None
        add_gate(tx, "g1")
        projects.update_target(
            tx, "p1", "main", tip_gate="g1", stopped="target_rewound", waiting=["a"], waiting_why="dirty"
        )
        assert task(tx).base is None
        gates.update(tx, "g1", verdict="red")
        found = task(tx)
        assert (found.base, found.stopped, found.waiting, found.waiting_why) == (
            Verdict.RED,
            "target_rewound",
            ("a",),
            "dirty",
        )


def test_a_tree_that_a_person_trusts_is_a_green_base(store: Store) -> None:
    with store.change() as tx:
        add_gate(tx, "g1", "red")
        projects.update_target(tx, "p1", "main", tip_gate="g1", trusted_tree="tree0")
        assert task(tx).base is Verdict.GREEN


@pytest.mark.parametrize("relation", ["ahead", "diverged"])
def test_a_branch_that_a_person_put_on_a_red_commit_is_a_red_base(store: Store, relation: str) -> None:
    with store.change() as tx:
        add_gate(tx, "g1", "green")
        projects.update_target(
            tx, "p1", "main", tip_gate="g1", seen="c9", seen_tree="tree9", seen_relation=relation
        )
        assert task(tx).base is Verdict.GREEN
        kind = "adopt" if relation == "ahead" else "restack"
        add_landing(tx, "l1", kind=kind, head="c9", ended="could_not_run")
        add_landing(tx, "l2", kind=kind, head="c9", ended="red")
        add_landing(tx, "l3", kind="task", head="c9", ended="landed")
        assert task(tx).base is Verdict.RED
        add_landing(tx, "l4", kind=kind, head="c9", ended="stale")
        assert task(tx).base is Verdict.GREEN
        landings.update(tx, "l4", ended="could_not_run")
        assert task(tx).base is Verdict.COULD_NOT_RUN
        projects.update_target(tx, "p1", "main", trusted_tree="tree9")
        assert task(tx).base is Verdict.GREEN
        projects.update_target(tx, "p1", "main", trusted_tree="", seen_relation="same")
        assert task(tx).base is Verdict.GREEN


# ── queue, gate, coordinator ──────────────────────────────────────────────────────────────────────────


def test_a_queue_has_its_waiting_landings_failed_follow_and_orders(store: Store) -> None:
    with store.change() as tx:
        add_gate(tx, "g1", "green")
        add_gate(tx, "g2", flaky="review")
        projects.update_target(
            tx, "p1", "main", tip_gate="g1", seen="bad", seen_relation="ahead", waiting=["a.txt"]
        )
        add_landing(
            tx,
            "l1",
            task="t1",
            begun=True,
            old_tip="c0",
            candidate="c5",
            tree="y",
            gate="g2",
            verdict="flaky",
        )
        add_landing(
            tx, "l2", conflict={"paths": ["a"]}, stale="c7", problem="p", accept_refused=True, trusted=True
        )
        add_landing(tx, "l3", accepted_at=5.0)
        add_landing(tx, "l4", kind="adopt", head="bad", ended="red")
        orders.insert(tx, an_order("o1", project="p1", kind="accept", inputs={"target": "main", "new": "c5"}))
        orders.insert(tx, an_order("o2", project="p1", kind="accept", inputs={"target": "dev", "new": "c6"}))
        found = subject_facts.queue(tx, "p1", "main")
    assert found is not None
    assert (found.tip, found.tip_verdict, found.seen, found.waiting) == (
        "c0",
        Verdict.GREEN,
        "bad",
        ("a.txt",),
    )
    assert found.failed_follow == "red"
    assert [(one.id, one.new) for one in found.orders] == [("o1", "c5")]
    first, second = found.landings
    assert (first.id, first.begun, first.candidate, first.verdict) == ("l1", True, "c5", Verdict.FLAKY)
    assert (first.review_flaky, first.trusted, first.conflict, first.stale) == (True, False, False, False)
    assert (second.conflict, second.stale, second.problem) == (True, True, Problem("p"))
    assert second.accept_refused
    assert (second.trusted, second.review_flaky) == (True, False)


def test_a_gate_has_its_checks_results_goals_and_what_is_ordered(store: Store) -> None:
    with store.change() as tx:
        add_gate(
            tx,
            "g1",
            checks=[
                {"type": "test", "command": "make", "limit_s": 9, "reads": "history"},
                {"command": "lint"},
            ],
            goals=[
                {"type": "x", "pattern": "a/**", "result": "failed"},
                {"type": "x", "pattern": "b", "result": "passed"},
            ],
            flaky="review",
        )
        check = CheckRow(gate="g1", project="p1", tree="x", command="make", attempt=1, result="failed", at=1)
        gates.add_check(tx, check)
        orders.insert(tx, an_order("o1", gate="g1", kind="check", inputs={"command": "make", "attempt": 2}))
        orders.insert(
            tx,
            an_order(
                "o2", gate="g1", kind="check", inputs={"command": "make", "attempt": 1}, state="reported"
            ),
        )
        found = subject_facts.gate(tx, "g1")
    assert found is not None
    assert found.checks == (CheckSpec("make", "history", "test", 9), CheckSpec("lint"))
    assert found.results == (CheckFacts("make", 1, CheckResult.FAILED),)
    assert found.goals_failed == ("a/**",)
    assert found.ordered == {("make", 2)}


def test_a_coordinator_has_when_it_spoke_and_how_often_it_does(store: Store) -> None:
    with store.change() as tx:
        coordinators.update(tx, "m/main", seen_at=7.0, interval_s=3)
        found = subject_facts.coordinator(tx, "m/main")
    assert found is not None
    assert (found.seen_at, found.interval_s, found.unseen) == (7, 3, False)
