"""Targets have verbs of their own: what each waits for is listed, and no task need stand for it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from whole_daemon import FIRST, MERGED, TREE, Body, Shop

from toryo.protocol.base import Problem
from toryo.protocol.kinds.gate import Checked
from toryo.protocol.kinds.landing import Accepted, Published, PublishWaiting
from toryo.protocol.kinds.repository import Surveyed
from toryo.protocol.kinds.target import TargetSeen
from toryo.usecases.evidence.verify import order_verification

CHECKED = "base: main\ndod: {checks: [{command: make test}]}\n"
OTHER = "7" * 40


def target(shop: Shop, name: str = "main") -> Body:
    shop.daemon.settle()
    found: Body = shop.daemon.person("get_target", target=name, project=shop.project)["target"]
    return found


def say(shop: Shop, verb: str, **said: str) -> Body:
    answer = shop.daemon.person(f"{verb}_target", target="main", project=shop.project, **said)
    shop.daemon.settle()
    return answer


def events(shop: Shop, kind: str) -> list[Body]:
    return list(shop.daemon.person("list_events", kind=kind)["events"])


def open_kinds(shop: Shop) -> list[str]:
    return [one["kind"] for one in shop.hands.speak("next_orders", wait_s=0)["orders"]]


def seen(shop: Shop, relation: str, commit: str = OTHER, tree: str = OTHER, **more: object) -> None:
    where = {"project": shop.project, "target": "main", "commit": commit, "tree": tree}
    fact = TargetSeen(relation=relation, **where, **more)  # type: ignore[arg-type]
    shop.hands.report({"id": "", "generation": 0}, "target_seen", fact)


def check_by(shop: Shop, config: str) -> None:
    """These settings are in force from now on."""
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, "sync_agents", project=shop.project)
        found = Surveyed(
            root="/x", base="main", settings_files={"config.yaml": config}, settings_from="commit"
        )
        shop.hands.report(shop.hands.order("survey"), "surveyed", found)
        asked.result(30)


def worked(shop: Shop, **wishes: str) -> str:
    """A task whose run left a commit: it wants to land."""
    task = shop.add_task(**wishes)
    assert shop.hands.claim("dev", shop.project, request=f"request-{task}")["claimed"]
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    shop.hands.collect()
    return task


def accepted(shop: Shop, moved: bool = True, tip: str = MERGED) -> str:
    """A task whose landing is accepted and not yet published; or the tip's ref is not where we left it."""
    task = worked(shop)
    shop.hands.build()
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=moved, tip=tip))
    return task


@pytest.fixture
def red(shop: Shop) -> Shop:
    """The base's own check fails."""
    check_by(shop, CHECKED)
    for _ in range(2):
        shop.hands.report(
            shop.hands.order("check"), "checked", Checked(result="failed", exit_code=2, tail="boom")
        )
    assert target(shop)["reason"] == "base_red"
    return shop


def test_a_target_that_waits_for_nothing_is_listed_with_where_it_stands(shop: Shop) -> None:
    (one,) = shop.daemon.person("list_targets")["targets"]
    assert (one["name"], one["project"], one["project_name"]) == ("main", shop.project, "front")
    assert (one["tip"], one["published"], one["branch"], one["relation"]) == (FIRST, FIRST, FIRST, "same")
    assert (one["stopped"], one["reason"], one["waits_for"], one["next"]) == (None, "", None, [])
    assert (one["queued"], one["accepted"]) == (0, 0)


def test_the_list_is_of_one_project_where_it_is_named_or_stood_in_and_of_all_elsewhere(shop: Shop) -> None:
    shop.add_project("back")
    path = shop.daemon.person("get_project", project="back")["project"]["path"]

    def owners(**where: str) -> list[str]:
        return [one["project_name"] for one in shop.daemon.person("list_targets", **where)["targets"]]

    assert owners() == owners(path="/nowhere") == ["front", "back"]
    assert owners(project="front") == ["front"]
    assert owners(path=f"{path}/src") == ["back"]


def test_a_target_shows_who_is_accepted_and_who_waits_to_land(shop: Shop) -> None:
    task = accepted(shop)
    waiting = PublishWaiting(why="dirty", paths=("a.txt",), checkout="/desk")
    shop.hands.report(shop.hands.order("publish"), "publish_waiting", waiting)
    found = target(shop)
    assert (found["reason"], found["accepted"], found["queued"]) == ("waiting_for_checkout", 1, 0)
    assert found["waits_for"] == "commit or stash in /desk, then main moves: a.txt"
    assert found["next"] == ["git -C /desk stash push -- a.txt"]
    (landing,) = found["queue"]
    assert (landing["task"], landing["title"], landing["state"]) == (task, "Mend it", "accepted")
    assert (landing["commit"], landing["verdict"]) == (MERGED, "unchecked")


def test_the_queue_names_first_what_is_checked_and_then_the_more_urgent(shop: Shop) -> None:
    tasks = [worked(shop, priority=priority) for priority in ("low", "low", "high")]
    found = target(shop)
    assert (found["queued"], found["accepted"]) == (3, 0)
    checked, *queued = ((one["task"], one["state"]) for one in found["queue"])
    assert checked == (tasks[0], "checking")
    assert queued == [(tasks[2], "queued"), (tasks[1], "queued")]


def test_a_target_of_an_archived_project_takes_no_word(red: Shop) -> None:
    red.daemon.person("archive_project", project="front")
    body = red.daemon.refused(red.daemon.operator, "approve_target", target="main", project="front")
    assert body["hint"] == "Type: toryo project activate"
    assert target(red)["reason"] == "base_red"


def test_a_yes_to_a_red_base_lets_work_start_and_is_an_event_of_the_target(red: Shop) -> None:
    task = red.add_task()
    assert red.state(task) == "blocked base_red"
    assert target(red)["next"] == [
        f"toryo target {verb} main --project front" for verb in ("approve", "retry")
    ]
    answer = say(red, "approve", note="known")
    assert (answer["target"], answer["said"], answer["why"]) == ("main", "approve", "base_red")
    assert (red.state(task), target(red)["reason"]) == ("ready", "")
    (event,) = events(red, "target_approved")
    assert (event["project"], event["task"]) == (red.project, None)
    assert event["body"] == {"target": "main", "why": "base_red", "effect": "trust", "note": "known"}


def test_a_retry_of_a_red_base_checks_it_again(red: Shop) -> None:
    assert "check" not in open_kinds(red)
    say(red, "retry")
    red.hands.report(red.hands.order("check"), "checked", Checked(result="passed", exit_code=0))
    assert target(red)["reason"] == ""
    assert [one["body"]["effect"] for one in events(red, "target_retried")] == ["check_again"]


def test_a_yes_to_a_branch_that_was_set_back_goes_on_from_where_it_is(shop: Shop) -> None:
    seen(shop, "behind", contains_published=False)
    assert (target(shop)["stopped"], target(shop)["next"][-1]) == (
        "target_rewound",
        "toryo target approve main --project front",
    )
    say(shop, "approve")
    assert target(shop)["stopped"] is None


def test_a_branch_that_was_set_back_before_any_task_needs_a_person_and_names_the_line(shop: Shop) -> None:
    seen(shop, "behind", contains_published=False)
    shop.daemon.settle()
    (told,) = shop.daemon.person("get_status")["needs_you"]
    assert told["type"] == "toryo target approve main --project front"
    say(shop, "approve")
    assert shop.daemon.person("get_status")["needs_you"] == []


def test_a_yes_puts_the_tip_back_where_somebody_moved_it(shop: Shop) -> None:
    accepted(shop, moved=False, tip=OTHER)
    assert target(shop)["stopped"] == "foreign_move"
    say(shop, "approve")
    order = shop.hands.order("accept")
    assert (order["inputs"]["old"], order["inputs"]["new"]) == (OTHER, FIRST)
    shop.hands.report(order, "accepted", Accepted(moved=True, tip=FIRST))
    assert target(shop)["stopped"] is None


def test_a_retry_puts_back_a_tip_that_was_deleted(shop: Shop) -> None:
    seen(shop, "no_tip", commit=FIRST, tree=TREE)
    assert target(shop)["stopped"] == "tip_missing"
    say(shop, "retry")
    order = shop.hands.order("accept")
    assert (order["inputs"]["old"], order["inputs"]["new"]) == ("", FIRST)


def test_a_retry_of_a_branch_that_is_gone_looks_again_and_the_line_that_makes_it_stays(shop: Shop) -> None:
    seen(shop, "missing", commit="", tree="")
    say(shop, "retry")
    found = target(shop)
    assert found["stopped"] == "target_missing"
    assert found["next"][0].endswith(" branch main refs/toryo/tips/main")


def test_a_retry_publishes_once_more_without_a_wait(shop: Shop) -> None:
    task = accepted(shop)
    refused = Published(problem=Problem(code="io", message="the disk says no"))
    shop.hands.report(shop.hands.order("publish"), "published", refused)
    assert (target(shop)["reason"], target(shop)["waits_for"]) == ("publish_failed", "the disk says no")
    assert "publish" not in open_kinds(shop)
    say(shop, "retry")
    order = shop.hands.order("publish")
    shop.hands.report(order, "published", Published(published=True, commit=MERGED))
    assert shop.state(task) == "done"


@pytest.mark.parametrize("verb", ["approve", "retry"])
def test_a_word_about_a_target_that_needs_none_is_refused_with_what_to_look_at(shop: Shop, verb: str) -> None:
    body = shop.daemon.refused(shop.daemon.operator, f"{verb}_target", target="main", project="front")
    assert body["error"] == f"main of front waits for nothing: there is nothing to {verb}."
    assert body["hint"] == "See `toryo target show main --project front`."
    assert events(shop, "target_approved") == events(shop, "target_retried") == []


def test_a_word_that_does_not_help_names_the_one_that_does(shop: Shop) -> None:
    accepted(shop, moved=False, tip=OTHER)
    body = shop.daemon.refused(shop.daemon.operator, "retry_target", target="main", project="front")
    assert body["error"] == "main of front waits for foreign_move: that leaves nothing to retry."
    assert body["hint"] == "toryo target approve main --project front"


def test_a_target_that_is_not_there_is_answered_with_those_that_are(shop: Shop) -> None:
    body = shop.daemon.refused(shop.daemon.operator, "get_target", target="mian", project="front")
    assert (body["error"], body["hint"]) == (
        "There is no target 'mian' of front.",
        "There are: main of front.",
    )
    shop.add_project("back")
    body = shop.daemon.refused(shop.daemon.operator, "get_target", target="main")
    assert body["error"] == "2 projects have a target 'main': front, back."
    assert "--project" in body["hint"]


def test_a_tasks_word_about_its_target_is_recorded_of_both(red: Shop) -> None:
    task = red.add_task()
    red.daemon.person("approve_task", task=task)
    assert red.state(task) == "ready"
    assert [one["verb"] for one in red.task(task)["verbs"]] == ["release"]
    (event,) = events(red, "target_approved")
    assert (event["task"], event["body"]["why"]) == (task, "base_red")


def test_a_verification_says_that_work_landed_only_when_it_is_on_the_branch(shop: Shop) -> None:
    check_by(shop, CHECKED)
    shop.hands.report(shop.hands.order("check"), "checked", Checked(result="passed", exit_code=0))
    task = worked(shop)
    shop.hands.build()
    shop.hands.report(shop.hands.order("check"), "checked", Checked(result="passed", exit_code=0))
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip=MERGED))
    assert shop.daemon.do(order_verification, task).what == "its work on main"
    shop.hands.report(shop.hands.order("publish"), "published", Published(published=True, commit=MERGED))
    assert shop.daemon.do(order_verification, task).what == "what landed"
