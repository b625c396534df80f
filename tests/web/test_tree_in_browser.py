"""The tree of the work: what is folded says its worst, old work folds by itself, dependencies are links."""

from __future__ import annotations

import time

from browsing import COMES_MS, IN_CHROMIUM, comes, open_page, row, titled
from page_client import PageClient
from playwright.sync_api import Page, expect

from journeys.house import House

pytestmark = IN_CHROMIUM
TWO_DAYS_S = 2 * 24 * 3600


def test_a_folded_row_tells_the_worst_of_what_is_below_and_follows_it(
    house: House, page: PageClient, tab: Page
) -> None:
    parent = house.add(titled("the whole"), "--agent", "works", "--hold")
    good = house.add("goes well", "--agent", "works", "--parent", parent)
    bad = house.add("goes wrong", "--agent", "fails", "--parent", parent)
    house.rest(good, bad)
    open_page(tab, page)
    comes(row(tab, bad))
    expect(row(tab, parent).locator("[data-worst]")).to_have_count(0)
    row(tab, parent).click()
    tab.keyboard.press("h")
    expect(row(tab, bad)).to_have_count(0)
    expect(row(tab, parent)).to_have_attribute("aria-expanded", "false")
    worst = row(tab, parent).locator("[data-worst]")
    expect(worst).to_have_attribute("data-worst", "failed")
    expect(worst).to_contain_text("worst of 2")
    expect(worst).to_contain_text("exit:3")
    house.ok("task", "cancel", bad)
    expect(worst).to_have_attribute("data-worst", "cancelled", timeout=COMES_MS)
    tab.keyboard.press("l")
    comes(row(tab, bad))
    expect(worst).to_have_count(0)
    house.ok("task", "cancel", parent)


def test_what_ended_more_than_a_day_ago_is_folded_and_the_rest_is_not(
    house: House, page: PageClient, tab: Page
) -> None:
    """The browser's clock goes ahead: what was done a moment ago is then old."""
    old = [house.add(titled(f"old {number}"), "--agent", "works", "--hold") for number in range(5)]
    for one in old:
        house.ok("task", "cancel", one)
    parent = house.add(titled("an old whole"), "--agent", "works")
    part = house.add("a part of it", "--agent", "works", "--parent", parent)
    house.rest(parent, part)
    waits = house.add(titled("waits for days"), "--agent", "works", "--hold")
    open_page(tab, page)
    for one in (*old, part, waits):
        comes(row(tab, one))
    tab.clock.set_system_time((time.time() + TWO_DAYS_S) * 1000)
    tab.reload()
    comes(row(tab, waits))
    for one in (*old, parent, part):
        expect(row(tab, one)).to_have_count(0)
    older = tab.get_by_role("treeitem").filter(has_text="tasks that ended more than a day ago")
    expect(older).to_contain_text("worst of")
    older.click()
    for one in (*old, parent):
        comes(row(tab, one))
    expect(row(tab, part)).to_have_count(0)
    expect(row(tab, parent)).to_contain_text("worst of 1")
    tab.get_by_label("filter the tasks").fill("a part of it")
    comes(row(tab, part))
    house.ok("task", "cancel", waits)


def test_what_a_task_waits_for_is_a_link_until_it_is_done(house: House, page: PageClient, tab: Page) -> None:
    title = titled("comes first")
    first = house.add(title, "--agent", "works", "--hold")
    second = house.add(titled("comes second"), "--agent", "works", "--after", first)
    third = house.add(titled("comes third"), "--agent", "works", "--after", second)
    open_page(tab, page)
    link = row(tab, second).get_by_role("link", name=title)
    comes(link)
    expect(row(tab, second)).to_contain_text("after")
    expect(row(tab, third).get_by_role("link", name=title)).to_have_count(0)
    link.click()
    comes(tab.get_by_role("heading", name=title))
    assert tab.url.rpartition("/")[2] == first
    tab.keyboard.press("Escape")
    comes(link)
    house.ok("task", "approve", first)
    expect(link).to_have_count(0, timeout=COMES_MS)
    comes(row(tab, third).get_by_role("img", name="completed"))
