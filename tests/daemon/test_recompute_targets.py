"""`doctor --recompute`: where a target's tip and its branch stand, against what was reported of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from whole_daemon import FIRST, MERGED, TREE, WORK, Body, Shop

from toryo.protocol.base import Problem
from toryo.protocol.kinds.landing import Accepted, CandidateBuilt, Published
from toryo.protocol.kinds.repository import Adopted, Surveyed
from toryo.protocol.kinds.target import TargetSeen
from toryo.store.tables import projects

OTHER, PERSONS, JOINED = "9" * 40, "5" * 40, "6" * 40


def differences(shop: Shop) -> list[Body]:
    shop.daemon.settle()
    found: list[Body] = shop.daemon.person("recompute")["differences"]
    return found


def bend(shop: Shop, **columns: str) -> list[str]:
    """What is told of the target, in words."""
    assert differences(shop) == []
    before = target(shop)
    shop.daemon.change(projects.update_target, shop.project, "main", **columns)
    told = [one for one in differences(shop) if one["what"].startswith("target ")]
    assert all(one["project"] == shop.project for one in told)
    shop.daemon.change(
        projects.update_target, shop.project, "main", **{name: before[name] for name in columns}
    )
    return [f"{one['what']} is {one['cached']}, the facts say {one['facts_say']}" for one in told]


def target(shop: Shop) -> Body:
    found: Body = shop.daemon.person("get_project", project=shop.project)["project"]["targets"][0]
    return found


def worked(shop: Shop, *, is_built: bool = True) -> None:
    task = shop.add_task()
    shop.hands.claim("dev", shop.project, f"request-{task}")
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    shop.hands.collect()
    if is_built:
        shop.hands.build()


def accepted(shop: Shop, commit: str = MERGED) -> None:
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip=commit))


def seen(shop: Shop, relation: str, **known: object) -> None:
    """A person put the branch on a commit of theirs."""
    sight = {"project": shop.project, "target": "main", "commit": PERSONS, "tree": PERSONS} | known
    fact = TargetSeen.model_validate(sight | {"relation": relation})
    shop.hands.report({"id": "", "generation": 0}, "target_seen", fact)


def wrong(what: str, said: str) -> list[str]:
    return [f"target main {what} is {OTHER}, the facts say {said}"]


def test_before_anything_landed_the_tip_is_where_the_repository_was_adopted(shop: Shop) -> None:
    assert bend(shop, tip=OTHER) == wrong("tip", FIRST)


def test_what_was_accepted_is_the_tip_and_what_was_published_is_on_the_branch(shop: Shop) -> None:
    worked(shop)
    accepted(shop)
    assert bend(shop, tip=OTHER) == wrong("tip", MERGED)
    shop.hands.report(shop.hands.order("publish"), "published", Published(diverged=True))
    assert bend(shop, tip=FIRST) == [f"target main tip is {FIRST}, the facts say {MERGED}"]
    seen(shop, "behind", commit=FIRST, tree=TREE)
    shop.hands.report(shop.hands.order("publish"), "published", Published(published=True, commit=MERGED))
    assert bend(shop, published=OTHER) == wrong("published", MERGED)


def test_a_tip_that_was_not_moved_is_the_old_one(shop: Shop) -> None:
    worked(shop)
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=False, tip=FIRST))
    assert bend(shop, tip=MERGED) == [f"target main tip is {MERGED}, the facts say {FIRST}"]


def test_a_move_that_was_reported_of_another_order_is_not_judged(shop: Shop) -> None:
    worked(shop, is_built=False)
    shop.hands.report(shop.hands.order("candidate"), "accepted", Accepted(moved=True, tip=OTHER))
    assert [one for one in differences(shop) if one["what"].startswith("target ")] == []


def test_a_persons_commit_that_was_adopted_is_tip_and_published(shop: Shop) -> None:
    seen(shop, "ahead")
    accepted(shop, PERSONS)
    assert bend(shop, tip=OTHER) == wrong("tip", PERSONS)
    assert bend(shop, published=OTHER) == wrong("published", PERSONS)


def test_a_branch_that_was_joined_with_what_waited_is_published_as_the_person_left_it(shop: Shop) -> None:
    worked(shop)
    accepted(shop)
    shop.hands.order("publish")
    seen(shop, "diverged")
    shop.hands.report(
        shop.hands.order("candidate"), "candidate_built", CandidateBuilt(commit=JOINED, tree=JOINED)
    )
    accepted(shop, JOINED)
    assert bend(shop, tip=OTHER) == wrong("tip", JOINED)
    assert bend(shop, published=OTHER) == wrong("published", PERSONS)


@pytest.fixture
def lost(shop: Shop) -> Shop:
    """What was accepted is in the repository no more, and a person let the tip begin again."""
    worked(shop)
    accepted(shop)
    later = shop.add_task()
    seen(shop, "no_tip", commit=FIRST, tree=TREE)
    assert shop.state(later) == "blocked tip_missing"
    shop.daemon.person("retry_task", task=later)
    gone = Accepted(problem=Problem(code="unknown_commit", message="no such commit"))
    shop.hands.report(shop.hands.order("accept"), "accepted", gone)
    assert target(shop)["tip"] == ""
    return shop


def test_a_tip_that_was_lost_is_none_until_the_next_one(lost: Shop) -> None:
    assert bend(lost, tip=MERGED) == [f"target main tip is {MERGED}, the facts say none"]
    accepted(lost, FIRST)
    assert bend(lost, tip=OTHER) == wrong("tip", FIRST)


def adopted_again(shop: Shop, tip: str, *wrote: str) -> None:
    path = shop.daemon.person("get_project", project=shop.project)["project"]["path"]
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, "register_project", path=path, take_over=True)
        found = Surveyed(root=path, base="main", base_commit=WORK, base_tree=WORK, project=shop.project)
        shop.hands.report(shop.hands.order("survey"), "surveyed", found)
        adopted = Adopted(project=shop.project, root=path, tip=tip, tip_tree=tip, wrote=wrote)
        shop.hands.report(shop.hands.order("adopt"), "adopted", adopted)
        asked.result(20)


def test_a_repository_that_was_taken_over_may_have_brought_its_tip(shop: Shop) -> None:
    worked(shop)
    accepted(shop)
    shop.hands.report(shop.hands.order("publish"), "published", Published(published=True, commit=MERGED))
    adopted_again(shop, JOINED, "toryo/owner")
    assert target(shop)["tip"] == JOINED
    assert bend(shop, tip=OTHER) == wrong("tip", f"{MERGED} or {JOINED}")
    assert bend(shop, published=OTHER) == []


def test_a_tip_that_init_had_to_make_anew_may_be_forgotten(shop: Shop) -> None:
    worked(shop)
    accepted(shop)
    adopted_again(shop, WORK, "refs/toryo/tips/main")
    assert target(shop)["tip"] == ""
    assert bend(shop, tip=OTHER) == wrong("tip", f"{MERGED} or {WORK} or none")


def test_another_project_at_the_same_daemon_changes_nothing(shop: Shop) -> None:
    worked(shop)
    accepted(shop)
    shop.add_project("back")
    assert bend(shop, tip=OTHER) == wrong("tip", MERGED)
