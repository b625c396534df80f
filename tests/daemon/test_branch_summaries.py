"""The AI summary of a branch: by the planner's model, from its log and its files, once a commit."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mission_shop import MissionShop, PlannerHands
from test_branches import HEAD, branch
from whole_daemon import Body

from toryo.daemon.tools.branches import summary as tool
from toryo.protocol.asks import AskAnswer
from toryo.protocol.wire import ToolFailed
from toryo.settings import Home

COMMIT = {"id": HEAD, "subject": "Add the login form", "author": "a", "at": ""}


@pytest.fixture
def shop(tmp_path: Path) -> Any:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.daemon.close()


@pytest.fixture
def planner(shop: MissionShop) -> PlannerHands:
    shop.daemon.person("set_config", key="planner.base_url", value="http://127.0.0.1:9/v1")
    shop.daemon.person("set_config", key="planner.model", value="tea")
    shop.planner = PlannerHands(shop)
    return shop.planner


def ask(shop: MissionShop, pool: ThreadPoolExecutor, **there: object) -> Future[Body]:
    """The person's question, with git looked at."""
    asked = pool.submit(shop.daemon.person, "summarise_branch", branch="x", project=shop.project)
    found = [branch("x", base="6" * 40, **there)]
    body = {"target_commit": HEAD, "branches": found}
    shop.hands.answer(shop.hands.ask("branches"), AskAnswer(ended=True, body=body))
    return asked


def read_git(shop: MissionShop) -> None:
    log = shop.hands.ask("commits")
    assert (log["read"]["base"], log["read"]["head"]) == ("6" * 40, HEAD)
    shop.hands.answer(log, AskAnswer(ended=True, body={"commits": [COMMIT]}))
    stat = shop.hands.ask("diff")
    assert stat["read"]["stat"] is True
    shop.hands.answer(stat, AskAnswer(ended=True, text=" login.py | 20 ++\n"))


def test_the_model_is_told_the_log_and_the_files_and_its_words_are_kept_for_the_commit(
    shop: MissionShop, planner: PlannerHands
) -> None:
    with ThreadPoolExecutor(1) as pool:
        asked = ask(shop, pool)
        read_git(shop)
        brief = planner.brief(planner.order("summarise"))
        assert brief.branch is not None
        assert "Add the login form" in brief.branch.log
        assert "login.py" in brief.branch.stat
        planner.answer("summarise", {"summary": "It adds a login form."})
        told = asked.result(30)
        assert (told["summary"], told["known"]) == ("It adds a login form.", False)
        again = ask(shop, pool).result(30)
        assert (again["summary"], again["known"]) == ("It adds a login form.", True)
        assert not [one for one in planner.orders() if one["kind"] == "summarise"]
        listed = pool.submit(shop.daemon.person, "list_branches", project=shop.project)
        body = {"target_commit": HEAD, "branches": [branch("x"), branch("y", commit="7" * 40)]}
        shop.hands.answer(shop.hands.ask("branches"), AskAnswer(ended=True, body=body))
        found = [one.get("summary") for one in listed.result(30)["branches"]]
        assert found == ["It adds a login form.", None]


def test_another_commit_is_another_question_and_a_failure_is_told_and_may_be_tried_again(
    shop: MissionShop, planner: PlannerHands
) -> None:
    with ThreadPoolExecutor(1) as pool:
        asked = ask(shop, pool)
        read_git(shop)
        planner.fail("summarise", "summarised")
        with pytest.raises(ToolFailed, match="no JSON object"):
            asked.result(30)
        asked = ask(shop, pool)
        read_git(shop)
        planner.answer("summarise", {"summary": "Better."})
        assert asked.result(30)["summary"] == "Better."


def test_without_a_model_the_person_is_told_how_to_have_one(shop: MissionShop) -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(ToolFailed) as refused:
        ask(shop, pool).result(30)
    assert "AI settings are required" in refused.value.body["error"]
    assert "toryo planner use" in refused.value.body["hint"]


def test_a_model_that_does_not_answer_in_time_is_given_up(
    shop: MissionShop, planner: PlannerHands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "MODEL_S", 0.2)
    with ThreadPoolExecutor(1) as pool:
        asked = ask(shop, pool)
        read_git(shop)
        with pytest.raises(ToolFailed, match="in time"):
            asked.result(30)
    assert not [one for one in planner.orders() if one["kind"] == "summarise"]
