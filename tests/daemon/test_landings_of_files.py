"""What a mission lands of its own: without a task and a run, written anew where the tip moved."""

from __future__ import annotations

from typing import Any

from whole_daemon import FIRST, MERGED, TREE, WORK, Shop

from toryo.domain.words import FilesPurpose
from toryo.engine.context import HeadContext
from toryo.engine.orders.files import scan_of, want_scan
from toryo.engine.subjects.files import files_landings, land_again, land_files, withdraw_files
from toryo.protocol.base import Problem
from toryo.protocol.kinds.files import Scanned, Written
from toryo.protocol.kinds.landing import Accepted, CandidateBuilt, Conflict, Published
from toryo.protocol.kinds.target import TargetSeen
from toryo.store.database.mission_rows import MissionRow, ScanRow
from toryo.store.database.rows import EvidenceRow, LandingRow
from toryo.store.database.schema import evidence
from toryo.store.database.statements import every
from toryo.store.tables import missions, orders, projects, tasks

FILES = [("specs/SPEC-1/spec.md", "# What\n"), ("specs/SPEC-1/tasks.md", "- [ ] T001\n")]
OTHER = "5" * 40


def a_mission(shop: Shop, id: str = "n1", **facts: Any) -> MissionRow:
    row = MissionRow(
        id=id,
        project=shop.project,
        target="main",
        text="do it",
        spec_dir="specs/SPEC-1",
        created_at=1,
        changed_at=1,
        **{"status": "active", **facts},
    )
    shop.daemon.change(lambda tx: missions.insert(tx, row) and None)
    return row


def changed(shop: Shop, work: Any) -> Any:
    def use_case(context: HeadContext) -> Any:
        with context.store.change() as tx:
            return work(tx)

    return shop.daemon.do(use_case)


def land(shop: Shop, mission: MissionRow, version: int = 1, files: Any = FILES) -> str:
    def work(tx: Any) -> str:
        return land_files(tx, mission, FilesPurpose.SPEC, version, files, "docs: the spec")

    landing = str(changed(shop, work))
    shop.daemon.settle()
    return landing


def landings_of(shop: Shop, mission: MissionRow) -> list[LandingRow]:
    shop.daemon.settle()
    return list(changed(shop, lambda tx: files_landings(tx, mission.id)))


def see(shop: Shop, relation: Any) -> None:
    """A person moved the branch."""
    sight = TargetSeen(
        project=shop.project, target="main", commit=OTHER, tree=OTHER, relation=relation, published=FIRST
    )
    shop.hands.report({"id": "", "generation": 0}, "target_seen", sight)


def write(shop: Shop, commit: str = WORK, **facts: Any) -> dict[str, Any]:
    order = shop.hands.order("write")
    shop.hands.report(order, "written", Written(commit=commit, tree=commit, **facts))
    return dict(order["inputs"])


def test_files_are_written_built_accepted_and_published_with_evidence_of_their_own(shop: Shop) -> None:
    mission = a_mission(shop)
    land(shop, mission)
    inputs = write(shop)
    assert (inputs["base"], [one["path"] for one in inputs["files"]]) == (FIRST, [path for path, _ in FILES])
    assert "Toryo-Mission: n1" in inputs["message"]
    order = shop.hands.order("candidate")
    assert (order["inputs"]["linear"], order["inputs"]["heads"][0]["commit"]) == (True, WORK)
    shop.hands.build(WORK)
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip=WORK))
    (landing,) = landings_of(shop, mission)
    assert (landing.ended, landing.verdict, landing.published_at) == ("landed", "unchecked", None)
    shop.hands.report(shop.hands.order("publish"), "published", Published(published=True, commit=WORK))
    (landing,) = landings_of(shop, mission)
    assert landing.published_at is not None
    kept = changed(shop, lambda tx: every(tx, EvidenceRow, evidence.select()))
    assert [(one.id, one.landing, one.body["tree"]) for one in kept] == [(landing.evidence, landing.id, WORK)]
    assert shop.daemon.person("recompute")["differences"] == []


def test_the_texts_are_kept_with_the_landing_and_given_to_the_hands_by_their_hash(shop: Shop) -> None:
    land(shop, a_mission(shop))
    for one, (_, text) in zip(shop.hands.order("write")["inputs"]["files"], FILES, strict=True):
        assert shop.hands.call("fetch_blob", hash=one["blob"])["text"] == text


def test_asked_twice_for_one_version_it_lands_once_and_the_next_version_lands_anew(shop: Shop) -> None:
    mission = a_mission(shop)
    first = land(shop, mission)
    assert land(shop, mission, files=[("other.md", "x")]) == first
    second = land(shop, mission, version=2)
    assert [one.id for one in landings_of(shop, mission)] == [first, second]


def test_a_tip_that_moved_has_the_same_files_written_anew_with_their_age(shop: Shop) -> None:
    mission = a_mission(shop)
    first = land(shop, mission)
    write(shop)
    shop.hands.report(shop.hands.order("candidate"), "candidate_built", CandidateBuilt(stale=FIRST))
    (again,) = landings_of(shop, mission)
    assert (again.id == first, again.ended, again.key) == (False, "", "spec/1")
    inputs = write(shop, OTHER)
    assert (inputs["base"], inputs["landing"]) == (FIRST, again.id)
    assert land(shop, mission) == again.id
    assert changed(shop, lambda tx: files_landings(tx, mission.id))[0].created_at <= shop.daemon.now()


def test_a_person_who_moves_the_target_is_followed_first_and_the_files_come_after(shop: Shop) -> None:
    mission = a_mission(shop)
    land(shop, mission)
    order = shop.hands.order("write")
    see(shop, "ahead")
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip=OTHER))
    inputs = write(shop, MERGED)
    assert (inputs["base"], inputs["landing"] == order["inputs"]["landing"]) == (OTHER, False)


def test_files_that_the_tip_holds_already_land_without_a_commit(shop: Shop) -> None:
    mission = a_mission(shop)
    land(shop, mission)
    write(shop, FIRST, changed=False)
    (landing,) = landings_of(shop, mission)
    assert (landing.ended, landing.candidate, landing.published_at is None) == ("landed", FIRST, False)
    assert landing.evidence
    assert changed(shop, lambda tx: [one.kind for one in orders.of_landing(tx, landing.id)]) == ["write"]
    assert shop.daemon.person("recompute")["differences"] == []


def test_a_problem_ends_it_tells_the_mission_and_a_person_may_have_it_tried_again(shop: Shop) -> None:
    mission = a_mission(shop)
    land(shop, mission)
    order = shop.hands.order("write")
    problem = Problem(code="path_taken", message="specs is a file")
    fact = Written(problem=problem)
    shop.hands.report(order, "written", fact)
    (landing,) = landings_of(shop, mission)
    assert (landing.ended, landing.ended_detail) == ("problem", "path_taken: specs is a file")
    again = changed(shop, lambda tx: land_again(tx, landing))
    assert [one.id for one in landings_of(shop, mission)] == [again]
    assert shop.hands.order("write")["inputs"]["landing"] == again


def test_a_mission_that_was_given_up_lands_nothing_more(shop: Shop) -> None:
    mission = a_mission(shop)
    land(shop, mission)
    changed(shop, lambda tx: withdraw_files(tx, mission.id))
    (landing,) = landings_of(shop, mission)
    assert landing.ended == "withdrawn"
    assert [
        one for one in shop.hands.speak("next_orders", wait_s=0)["orders"] if one["kind"] == "write"
    ] == []


def test_files_that_give_way_to_a_persons_commits_land_once_more(shop: Shop) -> None:
    mission = a_mission(shop)
    first = land(shop, mission)
    write(shop)
    shop.hands.build(WORK)
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip=WORK))
    see(shop, "diverged")
    conflict = Conflict(paths=("specs/SPEC-1/spec.md",), partner=WORK, task="")
    shop.hands.report(shop.hands.order("candidate"), "candidate_built", CandidateBuilt(conflict=conflict))
    order = shop.hands.order("accept")
    assert order["inputs"]["reset"]
    shop.hands.report(order, "accepted", Accepted(moved=True, tip=OTHER))
    (again,) = landings_of(shop, mission)
    assert (again.id != first, again.ended, again.key) == (True, "", "spec/1")


# ── scans ─────────────────────────────────────────────────────────────────────────────────────────────


def want(shop: Shop, commit: str = FIRST) -> bool:
    def work(tx: Any) -> bool:
        project = projects.get(tx, shop.project)
        assert project is not None
        return want_scan(tx, project, commit)

    return bool(changed(shop, work))


def scanned(shop: Shop, commit: str = FIRST) -> ScanRow | None:
    found: ScanRow | None = changed(shop, lambda tx: scan_of(tx, shop.project, commit))
    return found


def test_a_repository_is_scanned_once_per_commit_and_its_missions_are_told(shop: Shop) -> None:
    mission, over = a_mission(shop), a_mission(shop, "n2", status="completed")
    assert (want(shop), want(shop), scanned(shop)) == (True, False, None)
    order = shop.hands.order("scan")
    assert (order["inputs"]["commit"], order["project"]) == (FIRST, shop.project)
    shop.hands.report(order, "scanned", Scanned(text="a" * 64, has_tests=False, paths=("src/",)))
    row = scanned(shop)
    assert row is not None
    assert (row.text, row.has_tests, list(row.paths)) == ("a" * 64, False, ["src/"])
    assert want(shop) is False
    assert want(shop, TREE) is True
    assert (mission.id, over.id) == ("n1", "n2")


def test_a_scan_that_failed_is_an_empty_one_and_holds_up_nobody(shop: Shop) -> None:
    a_mission(shop)
    want(shop)
    problem = Problem(code="unknown_commit", message="it is not in the hub")
    shop.hands.report(shop.hands.order("scan"), "scanned", Scanned(problem=problem))
    row = scanned(shop)
    assert row is not None
    assert shop.hands.call("fetch_blob", hash=row.text)["text"] == ""
    assert want(shop) is False


# ── a mission's own runs ──────────────────────────────────────────────────────────────────────────────


def test_a_missions_run_finds_its_spec_and_neither_sees_nor_lands_the_ticked_list(shop: Shop) -> None:
    mission = a_mission(shop)
    task = shop.add_task(agent="dev")
    changed(shop, lambda tx: tasks.update(tx, task, mission=mission.id))
    shop.hands.claim("dev", shop.project)
    order = shop.hands.order("prepare")
    assert order["inputs"]["scope"]["kept_out"] == ["specs/SPEC-1/tasks.md"]
    shop.hands.prepare(order)
    run = shop.hands.start()
    assert run["inputs"]["feature_directory"] == "specs/SPEC-1"
    shop.hands.exit(run)
    shop.hands.collect()
    order = shop.hands.order("candidate")
    assert order["inputs"]["restore"] == ["specs/SPEC-1/tasks.md"]
    built = CandidateBuilt(commit=MERGED, tree=MERGED, restored=("specs/SPEC-1/tasks.md",))
    shop.hands.report(order, "candidate_built", built)
    told = list(shop.daemon.person("list_events", kind="paths_set_back")["events"])
    assert [one["body"]["paths"] for one in told] == [["specs/SPEC-1/tasks.md"]]
    shop.hands.land()
    shown = shop.daemon.person("get_evidence", task=task)
    assert shown["restored"] == ["specs/SPEC-1/tasks.md"]


def test_other_runs_know_of_no_spec(shop: Shop) -> None:
    shop.add_task(agent="dev")
    shop.hands.claim("dev", shop.project)
    order = shop.hands.order("prepare")
    assert order["inputs"]["scope"]["kept_out"] == []
    shop.hands.prepare(order)
    assert shop.hands.start()["inputs"]["feature_directory"] == ""
