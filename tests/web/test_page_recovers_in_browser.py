"""A page that misses a part of itself, its token or a readable address: it says so, and goes on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import COMES_MS, IN_CHROMIUM, comes, open_page, row, titled
from page_client import PageClient, a_house
from playwright.sync_api import Page, expect

from journeys.house import House

pytestmark = IN_CHROMIUM


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with a_house() as made:
        made.agent("true\n", "works")
        yield made


@pytest.fixture(scope="module")
def page(house: House) -> PageClient:
    return PageClient(house)


@pytest.fixture(scope="module")
def task(house: House) -> str:
    return house.add(titled("is looked at"), "--agent", "works", "--hold")


def test_a_part_that_cannot_be_loaded_is_said_and_comes_with_the_page_s_process(
    house: House, page: PageClient, task: str, tab: Page
) -> None:
    open_page(tab, page, f"tasks/{task}")
    comes(tab.get_by_role("tab", name="Log"))
    house.ok("web", "--stop")
    tab.keyboard.press("r")
    comes(tab.get_by_role("alert").get_by_text("could not be loaded"))
    tab.keyboard.press("g")
    tab.keyboard.press("w")
    comes(row(tab, task))
    tab.go_back()
    comes(tab.get_by_role("alert").get_by_text("could not be loaded"))
    house.ok("web", "--no-open")
    comes(tab.get_by_text("has changed nothing yet"))


def test_a_part_of_an_older_build_is_gone_and_the_page_is_loaded_anew(
    house: House, page: PageClient, task: str, tab: Page
) -> None:
    """As after an upgrade under an open page: the part's address has another hash now."""
    open_page(tab, page, f"tasks/{task}")
    comes(tab.get_by_role("tab", name="Log"))
    tab.evaluate("document.querySelector('script[type=module]').src = '/assets/index-older.js'")
    house.ok("web", "--stop")
    tab.keyboard.press("r")
    comes(tab.get_by_role("alert").get_by_text("could not be loaded"))
    house.ok("web", "--no-open")
    comes(tab.get_by_text("has changed nothing yet"))
    begun = tab.evaluate("document.querySelector('script[type=module]').getAttribute('src')")
    assert begun != "/assets/index-older.js"


def test_an_address_that_cannot_be_read_is_said(house: House, page: PageClient, tab: Page) -> None:
    open_page(tab, page)
    tab.goto(f"{page.origin}/#/tasks/%zz")
    tab.reload()
    comes(tab.get_by_text("There is no page"))
    tab.get_by_role("main").get_by_role("link", name="Work").click()
    comes(tab.get_by_label("filter the tasks"))


def test_a_page_whose_token_was_changed_says_what_to_type_and_asks_no_more(
    house: House, page: PageClient, tab: Page
) -> None:
    open_page(tab, page)
    expect(tab.get_by_role("status")).to_have_count(0)
    address = house.ok("web", "--no-open", "--rotate").splitlines()[0]
    status = tab.get_by_role("status")
    expect(status).to_contain_text("token is not valid any more", timeout=COMES_MS)
    expect(status).to_contain_text("toryo web")
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("websocket", lambda socket: asked.append(socket.url))
    tab.wait_for_timeout(3000)
    assert asked == []
    other = tab.context.new_page()
    other.goto(address)
    comes(other.get_by_label("filter the tasks"))
    tab.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(status).to_have_count(0, timeout=COMES_MS)
