"""`toryo why` of a target branch and of its project: the reason of `target show`, and the lines that help."""

from __future__ import annotations

import pytest
from test_targets_of_people import CHECKED, check_by, seen, target
from whole_daemon import Body, Shop

from toryo.protocol.kinds.gate import Checked

APPROVE = "toryo target approve main --project front"
RETRY = "toryo target retry main --project front"


def why(shop: Shop, name: str) -> Body:
    shop.daemon.settle()
    return shop.daemon.person("why", id=name, project=shop.project)


def lines(told: Body) -> list[str]:
    return [str(one["line"]) for one in told["actions"]]


def test_a_base_that_is_being_checked_is_said_so_and_is_toryos_turn(shop: Shop) -> None:
    check_by(shop, CHECKED)
    shop.hands.order("check")
    told = why(shop, "main")
    assert (told["reason"], told["turn"], told["actions"]) == ("base_gate", "toryo", [])
    assert told["reason"] == target(shop)["reason"]
    assert "its own checks" in told["sentence"]


def test_a_red_base_that_no_task_waits_for_names_the_lines_of_the_target(shop: Shop) -> None:
    check_by(shop, CHECKED)
    for _ in range(2):
        shop.hands.report(shop.hands.order("check"), "checked", Checked(result="failed", exit_code=2))
    told = why(shop, "main")
    assert (told["reason"], told["status"], told["turn"]) == ("base_red", "stopped", "person")
    assert lines(told) == [APPROVE, RETRY] == target(shop)["next"]
    assert "red" not in str(shop.daemon.person("list_tasks", project=shop.project)["tasks"])


@pytest.mark.parametrize("name", ["main", "front"])
def test_a_branch_that_was_set_back_is_a_persons_turn_with_its_line(shop: Shop, name: str) -> None:
    seen(shop, "behind", contains_published=False)
    told = why(shop, name)
    assert (told["turn"], lines(told)[0]) == ("person", APPROVE)
    shop.daemon.person("approve_target", target="main", project=shop.project)
    assert why(shop, name)["turn"] != "person"
