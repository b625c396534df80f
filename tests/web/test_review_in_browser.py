"""Review on the page: hunks are marked, a mark falls with its hunk, comments become a fix run that lands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import COMES_MS, IN_CHROMIUM, comes, open_page, titled
from page_client import PageClient, a_house
from playwright.sync_api import Page, expect

from journeys.house import House
from repositories import git
from waiting import eventually

pytestmark = IN_CHROMIUM
POEM = """
if [ -f poem.txt ]; then
  sed -i '1s/.*/a new first line/' poem.txt
else
  seq -f 'line %g' 1 8 > poem.txt
  echo other > other.txt
fi
git add -A
git commit -qm poem
"""
SHIFTS = """
seq -f 'new %g' 1 20 | cat - long.txt > longer.txt && mv longer.txt long.txt
sed -i '70s/.*/another\\nand one more/; 78d' long.txt
git commit -qam shift
"""


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with a_house({"README.md": "hello\n", ".toryo/config.yaml": "land: review\n"}) as made:
        made.agent(POEM, "poet")
        yield made


def test_a_comment_becomes_a_fix_run_the_mark_of_its_hunk_falls_and_a_yes_lands_it(
    house: House, page: PageClient, tab: Page
) -> None:
    task = house.add(titled("write a poem"), "--agent", "poet")
    house.rest(task)
    assert house.state(task) == "needs_review review"
    open_page(tab, page, f"tasks/{task}/review")
    poem, other = (tab.locator(f"[data-file='{name}.txt']") for name in ("poem", "other"))
    comes(poem)
    for file in (poem, other):
        file.get_by_label("seen").check()
    comes(tab.get_by_text("2 of 2 hunks seen"))

    poem.get_by_role("button", name="comment").click()
    poem.get_by_role("textbox").fill("一行目を直してください")
    poem.get_by_role("button", name="Keep as a draft").click()
    tab.reload()
    draft = tab.locator("[data-comment-id]")
    comes(draft.get_by_text("draft", exact=True))
    tab.get_by_role("button", name="Send the comment").click()
    expect(draft).to_have_attribute("data-sent", "fix", timeout=COMES_MS)

    comes(poem.get_by_text("a new first line"))
    expect(poem.get_by_label("seen")).not_to_be_checked()
    expect(other.get_by_label("seen")).to_be_checked()
    eventually(lambda: house.state(task) == "needs_review review", within_s=60, what="its second review")
    tab.get_by_role("button", name="Approve").click()
    comes(tab.get_by_text("done", exact=True))
    assert house.text_on("poem.txt").startswith("a new first line")


def test_a_comment_is_on_the_lines_as_they_are_now_where_there_are_any(
    house: House, page: PageClient, tab: Page
) -> None:
    """Lines above moved those of the hunk: old and new numbers are far from each other."""
    house.agent(SHIFTS, "shifts")
    git(house.repo, "checkout", "-q", "main")
    (house.repo / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 61)))
    git(house.repo, "add", "-A")
    git(house.repo, "commit", "-qm", "long")
    git(house.repo, "checkout", "-q", "side")
    task = house.add(titled("shift the lines"), "--agent", "shifts")
    house.rest(task)
    open_page(tab, page, f"tasks/{task}/review")
    file = tab.locator("[data-file='long.txt']")
    comes(file)
    moved = file.locator("[data-hunk]").nth(1)
    moved.get_by_role("button", name="comment").click()
    comes(moved.get_by_role("textbox", name="comment on long.txt:70-71"))
    moved.get_by_role("button", name="Never mind").click()
    removed = file.locator("[data-hunk]").nth(2)
    removed.get_by_role("button", name="comment").click()
    comes(removed.get_by_role("textbox", name="comment on long.txt:58-58"))
