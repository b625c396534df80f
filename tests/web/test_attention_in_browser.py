"""The attention list on the page: longer than what is shown, of one project, and walked by keys alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import COMES_MS, IN_CHROMIUM, comes, need, open_page, row, titled
from page_client import PageClient, a_house
from playwright.sync_api import Page, expect

from journeys.house import House
from repositories import make_repository

pytestmark = IN_CHROMIUM
SLOWLY = "for i in $(seq 600); do echo step $i; sleep 0.2; done\n"
SHOWN = 30
"""Of all that waits, the daemon lists so many."""


@pytest.fixture
def house() -> Iterator[House]:
    with a_house() as made:
        made.agent("echo new > new-$TORYO_RUN.txt\ngit add -A\ngit commit -qm work\n", "works")
        yield made


@pytest.fixture
def page(house: House) -> PageClient:
    return PageClient(house)


def held(house: House, words: str) -> str:
    return house.add(titled(words), "--agent", "works", "--hold")


def many_held(page: PageClient, number: int) -> list[str]:
    body = {"project": page.get("/api/projects")["projects"][0]["id"], "agent": "works", "held": True}
    return [str(page.post("/api/tasks", {**body, "title": titled("waits")})["id"]) for _ in range(number)]


def test_keys_alone_answer_one_after_the_other_and_never_another_task(
    house: House, page: PageClient, tab: Page
) -> None:
    house.agent("echo idle\n", "idles")
    first, second, third = (held(house, words) for words in ("first", "second", "third"))
    idle = house.add(titled("brings nothing"), "--agent", "idles")
    house.rest(idle)
    open_page(tab, page)
    comes(need(tab, f"task:{idle}"))
    for key in ("g", "a", "a"):
        tab.keyboard.press(key)
    comes(need(tab, f"task:{first}").get_by_text("approved"))
    for key in ("j", "a"):
        tab.keyboard.press(key)
    comes(need(tab, f"task:{second}").get_by_text("approved"))
    house.rest(first, second)
    for key in ("j", "j", "x"):
        tab.keyboard.press(key)
    expect(need(tab, f"task:{idle}").get_by_role("textbox")).to_be_focused()
    tab.keyboard.type("not wanted")
    tab.keyboard.press("Enter")
    comes(need(tab, f"task:{idle}").get_by_text("rejected"))
    assert house.task(idle)["verbs"][-1]["note"] == "not wanted"
    assert house.state(third) == "open held"


def test_the_key_for_words_reaches_the_agent_of_the_row(house: House, page: PageClient, tab: Page) -> None:
    house.agent(SLOWLY, "slow")
    task = house.add(titled("takes long"), "--agent", "slow")
    open_page(tab, page)
    comes(row(tab, task).get_by_text("running"))
    row(tab, task).click()
    comes(tab.get_by_role("log").get_by_text("step 3"))
    tab.keyboard.press("m")
    expect(tab.get_by_role("textbox", name="Words for the agent")).to_be_focused()
    tab.keyboard.type("short, please")
    tab.keyboard.press("Enter")
    comes(tab.locator("[data-said=done]").get_by_text("short, please"))
    assert house.task(task)["runs"][-1]["words"][-1]["text"] == "short, please"


def test_what_has_no_room_on_the_list_any_more_is_not_called_answered(
    house: House, page: PageClient, tab: Page
) -> None:
    tasks = many_held(page, SHOWN)
    last = need(tab, f"task:{tasks[-1]}")
    open_page(tab, page)
    tab.get_by_role("button", name=f"{SHOWN - 6} more").click()
    comes(last)
    urgent = held(house, "others need it")
    house.add("waits for it", "--agent", "works", "--after", urgent)
    comes(need(tab, f"task:{urgent}"))
    expect(last).to_have_count(0, timeout=COMES_MS)
    comes(tab.get_by_role("heading", name=f"Needs you · {SHOWN + 1}"))
    house.ok("task", "cancel", tasks[0], "--note", "never mind")
    gone = need(tab, f"task:{tasks[0]}")
    comes(gone.get_by_text("never mind"))
    expect(gone).to_have_attribute("data-answered", "yes")
    comes(last)
    expect(last).not_to_have_attribute("data-answered", "yes")
    expect(tab.locator("[data-answered]")).to_have_count(1)


def test_a_project_that_is_chosen_shows_what_needs_a_person_there(
    house: House, page: PageClient, tab: Page
) -> None:
    many_held(page, SHOWN + 1)
    other = make_repository(house.root / "other", {"README.md": "hello\n"})
    made = house.toryo("init", "--yes", "--base", "main", cwd=other)
    assert made.returncode == 0, made.stderr
    house.toryo("agent", "assign", "works", "--project", "other")
    task = house.add(titled("of the other"), "--agent", "works", "--hold", "--project", "other")
    ids = {one["name"]: one["id"] for one in page.get("/api/projects")["projects"]}
    listed = page.get(f"/api/attention?project={ids['other']}")
    assert [one["task"] for one in listed["needs_you"]] == [task]
    open_page(tab, page)
    comes(tab.get_by_role("heading", name=f"Needs you · {SHOWN + 2}"))
    tab.get_by_label("project", exact=True).select_option("other")
    comes(need(tab, f"task:{task}"))
    comes(tab.get_by_role("heading", name="Needs you · 1"))
    need(tab, f"task:{task}").get_by_role("button", name="Approve").click()
    expect(need(tab, f"task:{task}")).to_have_attribute("data-answered", "yes")
