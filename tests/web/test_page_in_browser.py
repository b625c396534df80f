"""The page in a real browser: opened by its address, the tree, a log, following, and silence when idle."""

from __future__ import annotations

from browsing import IN_CHROMIUM, comes, open_page, row, titled
from page_client import PageClient
from playwright.sync_api import Page, expect

from journeys.house import House

pytestmark = IN_CHROMIUM
IDLE_S = 5


def test_a_person_watches_a_task_from_its_address_to_its_log(
    house: House, page: PageClient, tab: Page
) -> None:
    tab.goto(page.address)
    expect(tab).to_have_url(f"{page.origin}/")
    parent = house.add("the whole thing", "--agent", "works", "--hold")
    good = house.add("goes well", "--agent", "works", "--parent", parent)
    bad = house.add(titled("goes wrong"), "--agent", "fails", "--parent", parent)
    for task, mark in ((parent, "pending"), (good, "completed"), (bad, "error")):
        comes(row(tab, task).get_by_role("img", name=mark))
    levels = [row(tab, task).get_attribute("aria-level") for task in (parent, good)]
    assert int(levels[1] or 0) == int(levels[0] or 0) + 1
    expect(row(tab, bad)).to_contain_text("failed · exit:3")
    row(tab, bad).click()
    expect(tab.get_by_role("log")).to_contain_text("the build failed")


def test_a_page_opened_from_a_local_file_gets_in_too(page: PageClient, tab: Page, house: House) -> None:
    """As `toryo web` opens it: a strict cookie would not survive a redirect that a file began."""
    leads = house.root / "leads.html"
    leads.write_text(f'<meta http-equiv="refresh" content="0;url={page.address}">')
    tab.goto(f"file://{leads}")
    expect(tab).to_have_url(f"{page.origin}/", timeout=15_000)
    expect(tab.get_by_label("auto-update")).to_be_visible()


def test_without_its_token_a_browser_is_told_what_to_type(page: PageClient, tab: Page) -> None:
    tab.goto(page.origin)
    expect(tab.get_by_text("toryo web")).to_be_visible()


def test_an_open_page_asks_for_nothing_while_nothing_happens(
    page: PageClient, tab: Page, house: House
) -> None:
    open_page(tab, page)
    tab.wait_for_load_state("networkidle")
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.wait_for_timeout(IDLE_S * 1000)
    assert asked == []


def test_switched_off_following_shows_what_was_and_on_again_what_is(
    house: House, page: PageClient, tab: Page
) -> None:
    open_page(tab, page)
    tab.wait_for_load_state("networkidle")  # what was asked for before is still answered
    comes(tab.get_by_role("treeitem").first)
    tab.get_by_label("auto-update").uncheck()
    expect(tab.get_by_role("status")).to_contain_text("Not followed")
    task = house.add("not followed", "--agent", "works", "--hold")
    house.ok("task", "cancel", task)
    expect(row(tab, task)).to_have_count(0)
    tab.get_by_label("auto-update").check()
    comes(row(tab, task).get_by_role("img", name="error"))


def test_html_of_an_agent_is_text(house: House, page: PageClient, tab: Page) -> None:
    house.agent("echo '<img src=x onerror=document.title=1>'\nexit 3\n", "markup")
    task = house.add("<b>bold</b>", "--agent", "markup")
    house.rest(task)
    open_page(tab, page)
    expect(row(tab, task)).to_contain_text("<b>bold</b>")
    row(tab, task).click()
    expect(tab.get_by_role("log")).to_contain_text("<img src=x")
    assert "Toryo" in tab.title()


def test_the_page_says_that_the_daemon_is_away_and_goes_on_by_itself(
    house: House, page: PageClient, tab: Page
) -> None:
    open_page(tab, page)
    task = house.add("before", "--agent", "works", "--hold")
    comes(row(tab, task))
    house.kill(house.pids()[0])
    expect(tab.get_by_role("status")).to_contain_text("Stale")
    expect(row(tab, task)).to_be_visible()
    house.ok("task", "cancel", task)
    expect(tab.get_by_role("status")).to_have_count(0, timeout=15_000)
    comes(row(tab, task).get_by_role("img", name="error"))
