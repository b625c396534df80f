"""A mission on the page: from a sentence over questions and a plan to landed work, watched live."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_core import serious, source
from browsing import COMES_MS, IN_CHROMIUM, a_tab, comes, open_page, titled
from page_client import PageClient, a_house
from playwright.sync_api import Browser, Page, expect

from journeys.house import House
from rehearsal.model_process import model_process

pytestmark = IN_CHROMIUM
QUESTION = {"id": "q1", "text": "Which language?", "options": ["en", "ja"], "default": "en"}
TASKS = [
    {"id": "T001", "title": "Write the greeting", "description": "first", "checks": ["true"]},
    {
        "id": "T002",
        "title": "Go on with it",
        "description": "then",
        "depends_on": ["T001"],
        "checks": ["true"],
    },
]
PLAN = {"spec": "# Feature Specification: greet", "plan": "# Implementation Plan: one agent", "tasks": TASKS}


def part(purpose: str, *answers: Any) -> dict[str, Any]:
    return {"purpose": purpose, "replies": [{"answer": one} for one in answers]}


LONG = "とても長い名前のしごと" * 8
SMALL = {"title": LONG, "size": "small", "questions": [{**QUESTION, "text": f"{LONG}?"}]}
NARROW = {"width": 360, "height": 740}

SCRIPT = {
    "model": [
        part(
            "question", {"title": "Greet the guests", "size": "normal", "questions": [QUESTION]}, SMALL, SMALL
        ),
        part("plan", PLAN, PLAN, PLAN, PLAN),
        part("analyze", {"findings": []}, {"findings": []}),
    ]
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with a_house() as made, model_process(Path(tmp_path_factory.mktemp("model")), SCRIPT) as model:
        made.agent("echo new > $TORYO_RUN.txt\ngit add -A\ngit commit -qm work\n")
        made.ok("planner", "use", "--url", f"{model.url}/v1", "--model", "tea")
        yield made


def test_a_mission_is_asked_for_answered_approved_and_watched_until_it_has_landed(
    house: House, page: PageClient, tab: Page
) -> None:
    words = titled("greet the guests")
    open_page(tab, page)
    tab.keyboard.press("n")
    tab.get_by_text("Mission", exact=True).click()
    tab.get_by_label("What do you want?").fill(words)
    tab.get_by_role("button", name="Start the mission").click()

    comes(tab.get_by_role("heading", name="Greet the guests"))
    mission = tab.url.rpartition("/")[2]
    questions = tab.get_by_role("form", name="questions")
    comes(questions)
    questions.get_by_text("ja", exact=True).click()
    questions.get_by_role("button", name="Answer").click()

    approve = tab.get_by_role("button", name="Approve version 1")
    comes(approve)
    planned = tab.get_by_role("list", name="tasks of the plan")
    expect(planned.locator("[data-planned=T002]")).to_contain_text("after")
    expect(tab.get_by_label("conversation")).to_contain_text("ja")
    approve.click()

    for one in ("T001", "T002"):
        signed = planned.locator(f"[data-planned={one}]").get_by_role("img", name="completed")
        expect(signed).to_be_visible(timeout=2 * COMES_MS)
    comes(tab.locator("article").get_by_text("completed").first)
    shown = house.read("mission", "show", mission)
    assert shown["status"] == "completed"
    assert words in shown["text"]
    planned.get_by_role("link", name="Go on with it").click()
    comes(tab.get_by_text("after", exact=True))
    expect(tab.get_by_role("link", name="Write the greeting")).to_be_visible()


def test_a_mission_that_asks_and_then_has_a_plan_fits_360_pixels(
    browser: Browser, house: House, page: PageClient
) -> None:
    mission = house.read("do", LONG, "--no-wait")["mission"]
    with a_tab(browser, viewport=NARROW) as tab:
        open_page(tab, page, f"missions/{mission}")
        comes(tab.get_by_role("form", name="questions"))
        assert tab.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        house.ok("mission", "answer", mission, "--defaults")
        comes(tab.get_by_role("list", name="tasks of the plan"))
        assert tab.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    house.ok("mission", "cancel", mission)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_axe_finds_nothing_serious_on_a_mission_that_asks_and_then_has_a_plan(
    browser: Browser, house: House, page: PageClient
) -> None:
    axe = source()
    mission = house.read("do", titled("is looked at by axe"), "--no-wait")["mission"]
    found = []
    for waits, name in (("form", "questions"), ("list", "tasks of the plan")):
        for scheme in ("light", "dark"):
            with a_tab(browser, color_scheme=scheme, bypass_csp=True) as tab:
                open_page(tab, page, f"missions/{mission}")
                comes(tab.get_by_role(waits, name=name))
                found += [(scheme, name, *one) for one in serious(tab, axe)]
        if name == "questions":
            house.ok("mission", "answer", mission, "--defaults")
    house.ok("mission", "cancel", mission)
    assert found == []
