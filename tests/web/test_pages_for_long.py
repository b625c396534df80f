"""The page for long: two thousand tasks, hostile output, silence, accessibility, the built files."""

from __future__ import annotations

import gzip
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_core import WEB, installed, serious, source
from browsing import COMES_MS, IN_CHROMIUM, a_tab, comes, open_page, row, titled
from page_client import PageClient
from playwright.sync_api import Browser, Page, expect

from journeys.house import House

pytestmark = [*IN_CHROMIUM, pytest.mark.long, pytest.mark.timeout(900)]
STATIC = Path("src/toryo/fronts/web/static")
TASKS = 2000
A_SECOND = 10
LONGEST_TASK_MS = 200
IDLE_S = 60
MOST_BUNDLE = 350_000
LONG_TASKS = """() => {
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.longTasks.push(Math.round(one.duration));
  }).observe({ entryTypes: ["longtask"] });
}"""
HOSTILE = r"""
printf '<script>document.title="taken"</script><img src=x onerror=alert(1)>\n'
printf '\033[31mred\033[0m \033]0;title\007 \033[2J\033[H \033]8;;http://example.invalid\033\\link\033]8;;\033\\\n'
printf 'turned \342\200\256 around\n'
head -c 10000000 /dev/zero | tr '\0' 'x'
printf '\nthe last line\n'
exit 3
"""


@contextmanager
def changing(page: PageClient, tasks: list[str]) -> Iterator[None]:
    """Ten statuses a second are others, by the same verbs that people say."""
    is_over = threading.Event()

    def change() -> None:
        for at in range(10**6):
            verb = "retry" if at // len(tasks) % 2 else "cancel"
            begun = time.monotonic()
            page.ask("POST", f"/api/tasks/{tasks[at % len(tasks)]}/{verb}", page.bearer, {})
            if is_over.wait(max(0.0, 1 / A_SECOND - (time.monotonic() - begun))):
                return

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def add_many(page: PageClient, count: int) -> list[str]:
    return [
        page.post("/api/tasks", {"title": f"one of many {at}", "agent": "works", "held": True})["id"]
        for at in range(count)
    ]


def test_two_thousand_tasks_are_scrolled_and_filtered_while_ten_a_second_change(
    house: House, page: PageClient, tab: Page
) -> None:
    tasks = add_many(page, TASKS)
    open_page(tab, page)
    comes(row(tab, tasks[0]))
    tab.wait_for_load_state("networkidle")
    tab.evaluate(LONG_TASKS)
    box = tab.locator("[data-scroller]").first
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    with changing(page, tasks[-50:]):
        box.hover()
        for _ in range(40):
            tab.mouse.wheel(0, 1400)
            tab.wait_for_timeout(50)
        for words in ("many 19", "cancelled", "works", ""):
            tab.get_by_label("filter the tasks").fill(words)
            tab.wait_for_timeout(700)
        tab.locator("body").click(position={"x": 600, "y": 20})
        for _ in range(60):
            tab.keyboard.press("j")
        comes(tab.locator("[role=treeitem][aria-selected=true]"))
    assert tab.locator("[role=treeitem]").count() < 120
    assert max(tab.evaluate("window.longTasks"), default=0) <= LONGEST_TASK_MS
    # deltas only: no list is loaded again because a status is another one
    assert [url for url in asked if "/api/work" in url or "/api/task-lines" in url] == []
    for task in tasks[-50:]:
        page.ask("POST", f"/api/tasks/{task}/cancel", page.bearer, {})


def test_hostile_output_is_text_and_a_line_of_ten_megabytes_is_cut(
    house: House, page: PageClient, tab: Page
) -> None:
    house.agent(HOSTILE, "hostile")
    task = house.add(titled('"><script>alert(1)</script>'), "--agent", "hostile")
    house.rest(task, limit_s=180)
    dialogs: list[str] = []
    tab.on("dialog", lambda dialog: dialogs.append(dialog.message))
    open_page(tab, page, f"tasks/{task}")
    log = tab.get_by_role("log")
    expect(log).to_contain_text("the last line", timeout=COMES_MS)
    for _ in range(400):
        above = log.get_by_role("button", name="bytes are above")
        if above.count() == 0:
            break
        before = above.inner_text()
        above.click()
        expect(above.filter(has_text=before)).to_have_count(0, timeout=COMES_MS)
    assert len(log.inner_text()) < 200_000
    assert dialogs == []
    assert "Toryo" in tab.title()


def test_nothing_is_asked_for_in_a_minute_of_an_idle_page(house: House, page: PageClient, tab: Page) -> None:
    open_page(tab, page)
    tab.wait_for_load_state("networkidle")
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.wait_for_timeout(IDLE_S * 1000)
    assert asked == []


def test_axe_finds_nothing_serious_on_any_page(browser: Browser, house: House, page: PageClient) -> None:
    axe = source()
    task = house.add(titled("is looked at by axe"), "--agent", "fails")
    done = house.add(titled("is reviewed by axe"), "--agent", "works")
    house.rest(task, done)
    views = ("", f"tasks/{task}", f"tasks/{done}/review", "missions", "queue", "crew", "events")
    found = []
    for scheme in ("light", "dark"):
        with a_tab(browser, color_scheme=scheme, bypass_csp=True) as tab:
            open_page(tab, page)
            for view in views:
                tab.goto(f"{page.origin}/#/{view}")
                tab.wait_for_load_state("networkidle")
                found += [(scheme, view, *one) for one in serious(tab, axe)]
            tab.keyboard.press("n")
            tab.get_by_role("dialog").wait_for()
            found += [(scheme, "new", *one) for one in serious(tab, axe)]
    assert found == []


def test_the_committed_files_are_what_the_sources_build_and_no_larger_than_agreed(tmp_path: Path) -> None:
    installed()
    built = tmp_path / "static"
    done = subprocess.run(
        ["npm", "run", "build", "--", "--outDir", str(built), "--logLevel", "error"],
        cwd=WEB,
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    committed = WEB.parent / STATIC

    def files(folder: Path) -> dict[str, bytes]:
        return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}

    assert files(built) == files(committed), "`make page` builds them anew"
    types = tmp_path / "schema.ts"
    made = ["npx", "openapi-typescript", "openapi.json", "--output", str(types)]
    subprocess.run(made, cwd=WEB, check=True, capture_output=True, timeout=600)
    assert types.read_text() == (WEB / "src/api/schema.ts").read_text(), "`npm run types` makes them anew"
    first = [one for one in (committed / "assets").iterdir() if one.name.startswith("index-")]
    assert sum(len(gzip.compress(one.read_bytes())) for one in first) <= MOST_BUNDLE
