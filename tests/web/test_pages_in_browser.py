"""Every page of the page: what stands on it, found by the keyboard, at 360 pixels, dark and light."""

from __future__ import annotations

import re
import shutil

import pytest
from browsing import COMES_MS, IN_CHROMIUM, a_tab, comes, need, open_page, row, titled
from page_client import PageClient
from playwright.sync_api import Browser, Page, expect

from journeys.house import House
from repositories import git

pytestmark = IN_CHROMIUM
NARROW = {"width": 360, "height": 740}
VIEWS = ("", "missions", "queue", "crew", "events")


def test_the_queue_says_what_waits_for_a_checkout_and_the_rest_behind_it(
    house: House, page: PageClient, tab: Page
) -> None:
    git(house.repo, "checkout", "-q", "main")
    (house.repo / "README.md").write_text("my own edit\n")
    house.agent("echo theirs > README.md\ngit commit -qam readme\n", "edits")
    task = house.add(titled("changes the readme"), "--agent", "edits")
    open_page(tab, page, "queue")
    main = tab.locator("[data-target=main]")
    expect(main).to_contain_text("README.md", timeout=COMES_MS)
    expect(main.get_by_role("link", name="changes the readme")).to_be_visible()
    assert house.state(task) == "landing waiting_for_checkout"
    git(house.repo, "checkout", "-q", "README.md")
    expect(main).to_contain_text("Nothing waits to land", timeout=COMES_MS)
    git(house.repo, "checkout", "-q", "side")


def test_an_agent_is_added_changed_and_disabled_on_the_crew_page(
    house: House, page: PageClient, tab: Page
) -> None:
    open_page(tab, page, "crew")
    tab.get_by_role("button", name="New agent").click()
    form = tab.get_by_role("form", name="new agent")
    form.get_by_label("Name").fill("fresh")
    form.get_by_role("combobox", name="Program").select_option("command")
    form.get_by_role("textbox", name="Command").fill("true")
    form.get_by_role("button", name="Add").click()
    agent = tab.locator("[data-agent=fresh]")
    comes(agent)
    agent.get_by_role("button", name="change").click()
    agent.get_by_label("Role").fill("煎茶")
    agent.get_by_role("button", name="Save").click()
    comes(agent.get_by_text("煎茶 · command"))
    agent.get_by_role("button", name="Disable").click()
    comes(agent.get_by_text("disabled"))
    shown = house.read("agent", "show", "fresh")
    assert (shown["role"], shown["status"]) == ("煎茶", "disabled")


def test_events_are_found_by_their_task_and_their_words(house: House, page: PageClient, tab: Page) -> None:
    title = titled("seen among events")
    open_page(tab, page, "events")
    task = house.add(title, "--agent", "works")
    comes(tab.locator("[data-event=task_added]").get_by_role("link", name=title))
    house.rest(task)
    tab.get_by_label("search the events").fill(f"{title.rpartition(' ')[2]} done")
    expect(tab.locator("[data-event]")).to_have_count(1, timeout=COMES_MS)
    tab.locator("[data-event]").get_by_role("link", name=title).click()
    comes(tab.get_by_role("heading", name=title))


def test_a_task_says_why_and_shows_its_checks_and_runs(house: House, page: PageClient, tab: Page) -> None:
    task = house.add(titled("is looked at"), "--agent", "works", "--check", "echo 検査の結果")
    house.rest(task)
    open_page(tab, page, f"tasks/{task}")
    comes(tab.get_by_role("button", name="why?"))
    tab.keyboard.press("w")
    expect(tab.get_by_role("list", name="facts")).to_contain_text(f"task:{task}")
    tab.keyboard.press("2")
    tab.get_by_role("tabpanel").get_by_text("echo 検査の結果").click()
    expect(tab.get_by_role("tabpanel")).to_contain_text("検査の結果")
    tab.keyboard.press("3")
    expect(tab.get_by_role("tabpanel")).to_contain_text("succeeded")
    tab.keyboard.press("r")
    expect(tab.locator("[data-file]")).to_have_count(1, timeout=COMES_MS)
    tab.keyboard.press("Escape")
    expect(tab.get_by_role("tab", name="Log")).to_be_visible()
    tab.keyboard.press("Escape")
    comes(row(tab, task))


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux (.ci/tools installs it)")
def test_the_screen_of_a_run_is_shown_while_it_lives(house: House, page: PageClient, tab: Page) -> None:
    house.agent("clear\necho 画面の文字\nsleep 600\n", "draws", terminal="tmux")
    task = house.add(titled("draws a screen"), "--agent", "draws")
    open_page(tab, page, f"tasks/{task}")
    tab.get_by_role("button", name="screen").click(timeout=COMES_MS)
    expect(tab.locator(".xterm-rows")).to_contain_text("画面の文字", timeout=COMES_MS)
    house.ok("task", "cancel", task)


def test_a_run_without_a_window_offers_no_screen(house: House, page: PageClient, tab: Page) -> None:
    house.agent("for i in $(seq 600); do echo step $i; sleep 0.2; done\n", "plain")
    task = house.add(titled("has no window"), "--agent", "plain")
    open_page(tab, page, f"tasks/{task}")
    comes(tab.get_by_role("log").get_by_text("step 3"))
    expect(tab.get_by_role("button", name="screen")).to_have_count(0)
    house.ok("task", "cancel", task)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_360_pixels_in_either_colour(
    browser: Browser, house: House, page: PageClient, scheme: str
) -> None:
    task = house.add("とても長い題名のしごと" * 6, "--agent", "works", "--hold")
    with a_tab(browser, viewport=NARROW, color_scheme=scheme) as tab:
        open_page(tab, page)
        for view in (*VIEWS, f"tasks/{task}"):
            tab.goto(f"{page.origin}/#/{view}")
            tab.wait_for_load_state("networkidle")
            assert tab.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], view
        background = tab.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(22, 21, 19)") is (scheme == "dark")
        tab.get_by_role("button", name="theme").click()
        tab.get_by_role("button", name="theme: light").click()
        assert tab.evaluate("document.documentElement.dataset.theme") == "dark"


def test_what_comes_above_the_tree_does_not_move_what_one_reads(
    browser: Browser, house: House, page: PageClient
) -> None:
    held = [house.add(titled("stands still"), "--agent", "works", "--hold") for _ in range(8)]
    with a_tab(browser, viewport={"width": 900, "height": 400}) as tab:
        open_page(tab, page)
        comes(need(tab, f"task:{held[0]}"))
        tab.get_by_role("button", name=re.compile(r"^\d+ more$")).click()
        # not at the very end, where nothing can go on down
        tab.locator("[data-scroller]").evaluate("one => { one.scrollTop = one.scrollHeight - 700 }")
        place = tab.locator("[role=treeitem]").first
        before, order = place.bounding_box(), shown_order(tab)
        late = house.add(titled("comes later"), "--agent", "works", "--hold")
        expect(need(tab, f"task:{late}")).to_be_attached(timeout=COMES_MS)
        expect(row(tab, late)).to_be_attached(timeout=COMES_MS)
        after, now = place.bounding_box(), shown_order(tab)
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 2
    assert [one for one in now if one in order] == [one for one in order if one in now]


def shown_order(tab: Page) -> list[str]:
    rows = tab.locator("[role=treeitem][data-task]")
    return list(rows.evaluate_all("all => all.map(one => one.dataset.task)"))


def test_a_page_whose_process_went_away_says_so_and_comes_back_with_it(
    house: House, page: PageClient, tab: Page
) -> None:
    open_page(tab, page)
    house.ok("web", "--stop")
    expect(tab.get_by_role("status")).to_contain_text("Not connected", timeout=COMES_MS)
    task = house.add(titled("while it was away"), "--agent", "works", "--hold")
    house.ok("web", "--no-open")
    comes(row(tab, task))
    expect(tab.get_by_role("status")).to_have_count(0)
