"""Missions steered on the page: rejected with a reason, paused, resumed, given a budget and a width."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import COMES_MS, IN_CHROMIUM, comes, need, open_page
from page_client import PageClient, a_house
from playwright.sync_api import Page, expect

from journeys.house import House
from rehearsal.model_process import model_process
from waiting import eventually

pytestmark = [*IN_CHROMIUM, pytest.mark.long]
WORD = r"(?P<word>kumo[0-9a-f]{6})"
LATER = r"(?P<later>sora[0-9a-f]{6})"


def part(purpose: str, answer: dict[str, Any], when: str) -> dict[str, Any]:
    return {"purpose": purpose, "when": when, "replies": [{"answer": answer}]}


def plan(word: str) -> dict[str, Any]:
    tasks = [
        {"id": "T001", "title": f"Say {word}", "description": "first", "checks": ["true"]},
        {
            "id": "T002",
            "title": f"Print {word}",
            "description": "then",
            "checks": ["true"],
            "depends_on": ["T001"],
        },
    ]
    return {
        "spec": f"# Feature Specification: {word}",
        "plan": f"# Implementation Plan: {word}",
        "tasks": tasks,
    }


SCRIPT = {
    "model": [
        part("question", {"title": "Greet with {{word}}", "size": "small", "questions": []}, WORD),
        part("plan", plan("{{later}}"), LATER),
        part("plan", plan("{{word}}"), WORD),
    ]
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with a_house() as made, model_process(Path(tmp_path_factory.mktemp("model")), SCRIPT) as model:
        made.agent("echo new > $TORYO_RUN.txt\ngit add -A\ngit commit -qm work\n")
        made.ok("planner", "use", "--url", f"{model.url}/v1", "--model", "tea")
        yield made


def shown(house: House, mission: str) -> dict[str, Any]:
    found = house.read("mission", "show", mission)
    assert isinstance(found, dict)
    return found


def stands(house: House, mission: str, where: str) -> None:
    def there() -> bool:
        one = shown(house, mission)
        return f"{one['status']} {one['reason']}".startswith(where)

    eventually(there, within_s=60, what=f"{mission} is {where}")


@pytest.fixture
def mission(house: House) -> Iterator[str]:
    """One whose plan waits for a yes."""
    begun = house.ok("do", f"greet with kumo{secrets.token_hex(3)}", "--new", "--no-wait", "--json")
    made = str(json.loads(begun)["mission"])
    stands(house, made, "awaiting_approval")
    yield made
    house.toryo("mission", "cancel", made)


def head(tab: Page) -> Any:
    return tab.locator("article [data-actions]")


def say(tab: Page, label: str, words: str) -> None:
    """Its button, then what it asks for."""
    head(tab).get_by_role("button", name=label, exact=True).first.click()
    field = head(tab).get_by_role("textbox")
    field.fill(words)
    field.press("Enter")


def test_a_plan_that_is_rejected_is_made_anew_with_the_reason(
    house: House, page: PageClient, tab: Page, mission: str
) -> None:
    later = f"sora{secrets.token_hex(3)}"
    open_page(tab, page, f"missions/{mission}")
    planned = tab.get_by_role("list", name="tasks of the plan")
    comes(planned.get_by_text("Say kumo"))
    head(tab).get_by_role("button", name="Reject", exact=True).click()
    expect(head(tab).get_by_role("button", name="Reject", exact=True).last).to_be_disabled()
    head(tab).get_by_role("textbox").fill(f"say {later} instead")
    head(tab).get_by_role("textbox").press("Enter")
    comes(tab.get_by_role("heading", name="version 2"))
    comes(planned.get_by_text(f"Say {later}"))
    expect(tab.get_by_label("conversation")).to_contain_text(f"say {later} instead")
    assert shown(house, mission)["plan"]["version"] == 2
    comes(tab.get_by_role("button", name="Approve version 2"))


def test_a_mission_is_paused_and_resumed(house: House, page: PageClient, tab: Page, mission: str) -> None:
    open_page(tab, page, f"missions/{mission}")
    comes(tab.get_by_role("button", name="Approve version 1"))
    head(tab).get_by_role("button", name="Pause and stop its runs").click()
    comes(head(tab).get_by_text("resumed, they go on"))
    head(tab).get_by_role("button", name="Pause and stop its runs").last.click()
    comes(tab.locator("article header").get_by_text("paused", exact=True))
    assert shown(house, mission)["status"] == "paused"
    head(tab).get_by_role("button", name="Resume").click()
    approve = tab.get_by_role("button", name="Approve version 1")
    comes(approve)
    assert shown(house, mission)["status"] == "awaiting_approval"
    approve.click()
    expect(tab.locator("article header").get_by_role("img", name="completed")).to_be_visible(
        timeout=2 * COMES_MS
    )


def test_a_mission_is_given_a_budget_and_a_width(
    house: House, page: PageClient, tab: Page, mission: str
) -> None:
    open_page(tab, page, f"missions/{mission}")
    figures = tab.locator("article header")
    comes(figures.get_by_text("no budget"))
    say(tab, "Budget", "tokens=500000 minutes=90")
    comes(figures.get_by_text("500,000 tokens"))
    expect(figures).to_contain_text("90 minutes")
    say(tab, "Parallelism", "many")
    comes(tab.locator("[data-said=refused]").get_by_text("whole number"))
    say_again = head(tab).get_by_role("textbox")
    say_again.fill("3")
    say_again.press("Enter")
    comes(figures.get_by_text("3 at once"))
    found = shown(house, mission)
    assert found["parallelism"] == 3
    assert (found["budget"]["tokens"], found["budget"]["minutes"]) == (500_000, 90)


def test_a_budget_that_is_reached_is_answered_where_it_is_asked_about(
    house: House, page: PageClient, tab: Page, mission: str
) -> None:
    spent = shown(house, mission)["usage"]
    house.ok("mission", "budget", mission, f"tokens={spent['input_tokens'] + spent['output_tokens']}")
    house.toryo("mission", "approve", mission)
    stands(house, mission, "paused budget:tokens")
    open_page(tab, page)
    asked = need(tab, f"mission:{mission}")
    comes(asked.get_by_text("it reached its budget"))
    asked.get_by_role("button", name="Budget").click()
    words = asked.get_by_role("textbox", name="New limit of tokens; 0 takes it away")
    words.fill("less")
    words.press("Enter")
    comes(tab.locator("[data-said=refused]").get_by_text("A budget is a number"))
    words.fill("0")
    words.press("Enter")
    expect(asked).to_have_attribute("data-answered", "yes", timeout=COMES_MS)
    expect(asked).to_contain_text("tokens: no limit")
    done = house.toryo("mission", "wait", mission, limit_s=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert shown(house, mission)["budget"].get("tokens", 0) == 0
