"""What a person settled reaches prompts, checks, tasks and agents; a run begins where its target is now."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from whole_daemon import FIRST, Shop

from toryo.domain.words import CheckResult
from toryo.protocol.base import Problem
from toryo.protocol.kinds.gate import Checked
from toryo.protocol.kinds.landing import Accepted
from toryo.protocol.kinds.repository import Surveyed
from toryo.protocol.kinds.run import Prepared
from toryo.protocol.kinds.target import TargetSeen
from toryo.usecases.runs.prompt import PromptParts, compose

MINE = "c" * 40
LIMITS = "base: main\ndod: {timeout: 77, checks: [{command: make test}, {command: make slow, timeout: 99}]}\n"


def least() -> PromptParts:
    return PromptParts(task="t1", title="Mend it", type="feature", priority="medium")


def test_every_prompt_has_the_rules_that_hold_for_every_agent() -> None:
    prompt = compose(least()).casefold()
    for rule in ("existing patterns", "mock data", "tests pass", "commit"):
        assert rule in prompt.partition("## instructions")[2], rule


def test_a_section_without_content_is_left_out_of_the_prompt() -> None:
    prompt = compose(least())
    for heading in ("## Description", "## Agent Instructions", "Memory Bank", "## Steps", "## This run"):
        assert heading not in prompt


def sync(shop: Shop, config: str) -> Any:
    found = Surveyed(root="/x", base="main", settings_files={"config.yaml": config}, settings_from="commit")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, "sync_agents", project=shop.project)
        shop.hands.report(shop.hands.order("survey"), "surveyed", found)
        return asked.result(30)


def test_the_time_limits_of_the_settings_reach_each_check(shop: Shop) -> None:
    sync(shop, LIMITS)
    first = shop.hands.order("check")
    assert (first["inputs"]["command"], first["inputs"]["limit_s"]) == ("make test", 77)
    shop.hands.report(first, "checked", Checked(result=CheckResult.PASSED, exit_code=0))
    second = shop.hands.order("check")
    assert (second["inputs"]["command"], second["inputs"]["limit_s"]) == ("make slow", 99)


def test_a_task_knows_its_parent_and_the_parent_its_children(shop: Shop) -> None:
    parent = shop.add_task("All of it")
    child = shop.add_task("A part", parent=parent)
    assert shop.task(child)["parent"] == parent
    shop.add_task("No part")
    other = shop.add_task("Another part", parent=parent, held=True)
    listed = shop.task(parent)["children"]
    assert [(one["id"], one["title"], one["status"], one["at_rest"]) for one in listed] == [
        (child, "A part", "ready", False),
        (other, "Another part", "open", False),
    ]
    page = shop.daemon.person("list_tasks", parent=parent, limit=1)
    assert ([one["id"] for one in page["tasks"]], page["more"]) == ([child], True)
    page = shop.daemon.person("list_tasks", parent=parent, after_seq=page["next_after"], project="front")
    assert [one["id"] for one in page["tasks"]] == [other]
    assert shop.daemon.refused(shop.daemon.operator, "list_tasks", parent="t0none")["error"]


def test_an_agent_without_a_prompt_is_warned_about(shop: Shop) -> None:
    shop.add_agent("silent")
    warned = {
        name: shop.daemon.person("get_agent", agent=name)["agent"]["warnings"] for name in ("silent", "dev")
    }
    assert "--prompt-file" in " ".join(warned["silent"])
    assert warned["dev"] == []


def test_the_session_of_an_outside_agent_goes_on_from_where_its_target_was_moved(shop: Shop) -> None:
    task, session = shop.add_task(), shop.session()
    seen = TargetSeen(
        project=shop.project, target="main", commit=MINE, tree=MINE, relation="ahead", tip=FIRST
    )
    moved = Problem(code="target_moved", message="main was moved")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.agent, "get_my_task", session_token=session)
        shop.hands.report(shop.hands.order("prepare"), "prepared", Prepared(problem=moved, moved_to=seen))
        shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip=MINE))
        again = shop.hands.order("prepare")
        assert again["inputs"]["base"] == MINE
        shop.hands.prepare(again)
        assert asked.result(30)["task"]["task_id"] == task
    assert shop.report(session)["success"]
