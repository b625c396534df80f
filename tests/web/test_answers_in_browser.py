"""Answers on the page: what waits is answered where it stands, once, and everybody sees how."""

from __future__ import annotations

import pytest
from browsing import COMES_MS, IN_CHROMIUM, comes, need, open_page, row, titled
from page_client import PageClient
from playwright.sync_api import Page, expect

from journeys.house import House

pytestmark = IN_CHROMIUM
SLOWLY = "for i in $(seq 600); do echo step $i; sleep 0.2; done\n"
TOO_MUCH = "mkdir -p docs\necho $TORYO_RUN | tee docs/a.txt > other.txt\ngit add -A\ngit commit -qm much\n"
CAREFUL = """
mkdir -p docs .toryo/memory
echo $TORYO_RUN > docs/part.txt
grep -q 'Leave these as they are' "$1" || echo b | tee rest.txt > .toryo/memory/note.md
git add -A
git commit -qm some
"""
"""Touches what it is not told to leave."""


def verbs(house: House, task: str) -> list[str]:
    return [str(one["verb"]) for one in house.task(task)["verbs"]]


def test_a_held_task_is_approved_where_it_is_asked_about(house: House, page: PageClient, tab: Page) -> None:
    open_page(tab, page)
    task = house.add(titled("waits for a yes"), "--agent", "works", "--hold")
    asked = need(tab, f"task:{task}")
    comes(asked.get_by_text("open · held"))
    asked.get_by_role("button", name="Approve").click()
    expect(asked).to_have_attribute("data-answered", "yes")
    expect(asked).to_contain_text("approved")
    comes(row(tab, task).get_by_role("img", name="completed"))
    assert verbs(house, task) == ["release"]


def test_of_two_browsers_that_answer_one_wins_and_the_other_sees_what_it_said(
    house: House, page: PageClient, tab: Page, other_tab: Page
) -> None:
    """The second looks at the list as it was: it answers what is over."""
    house.agent("echo idle\n", "idles")
    task = house.add(titled("two look at it"), "--agent", "idles")
    house.rest(task)
    for one in (tab, other_tab):
        open_page(one, page)
        comes(need(one, f"task:{task}"))
    other_tab.get_by_label("auto-update").uncheck()
    first, late = need(tab, f"task:{task}"), need(other_tab, f"task:{task}")
    first.get_by_role("button", name="Reject").click()
    first.get_by_role("textbox").fill("not this way")
    first.get_by_role("textbox").press("Enter")
    expect(first).to_contain_text("rejected: “not this way”")
    late.get_by_role("button", name="Retry").click()
    late.get_by_role("textbox").press("Enter")
    expect(late).to_have_attribute("data-answered", "yes", timeout=COMES_MS)
    expect(late).to_contain_text("already answered: reject")
    expect(late).to_contain_text("not this way")
    assert verbs(house, task) == ["reject"]


def test_what_was_answered_elsewhere_leaves_the_list_with_its_answer(
    house: House, page: PageClient, tab: Page
) -> None:
    task = house.add(titled("answered elsewhere"), "--agent", "fails")
    house.rest(task)
    open_page(tab, page)
    comes(need(tab, f"task:{task}"))
    house.ok("task", "dismiss", task, "--note", "known")
    comes(need(tab, f"task:{task}").get_by_text("dismiss “known”"))


def test_a_rejection_needs_its_reason_and_keeps_it(house: House, page: PageClient, tab: Page) -> None:
    house.agent("echo idle\n", "idles")
    task = house.add(titled("does nothing"), "--agent", "idles")
    house.rest(task)
    open_page(tab, page)
    asked = need(tab, f"task:{task}")
    comes(asked)
    asked.get_by_role("button", name="Reject").click()
    words = asked.get_by_role("textbox")
    expect(words).to_be_focused()
    expect(asked.get_by_role("button", name="Reject").last).to_be_disabled()
    words.fill("この仕事はいりません")
    words.press("Enter")
    expect(asked).to_contain_text("この仕事はいりません")
    assert house.task(task)["verbs"][-1]["note"] == "この仕事はいりません"
    assert house.state(task) == "failed rejected"


def test_a_scope_violation_is_answered_path_by_path(house: House, page: PageClient, tab: Page) -> None:
    house.agent(TOO_MUCH, "much")
    task = house.add(titled("only one of them"), "--agent", "much", "--write", "src/**")
    house.rest(task)
    open_page(tab, page)
    asked = need(tab, f"task:{task}")
    comes(asked.get_by_text("other.txt", exact=True))
    asked.get_by_label("docs/a.txt").check()
    asked.get_by_label("other.txt").check()
    asked.get_by_role("button", name="Approve all of them").click()
    comes(row(tab, task).get_by_role("img", name="completed"))
    assert house.task(task)["verbs"][-1]["note"] == "allowed: docs/a.txt, other.txt"


@pytest.mark.parametrize("limit", ["of the task", "of the agent"])
def test_a_part_of_a_scope_violation_is_allowed_and_the_rest_is_done_anew(
    house: House, page: PageClient, tab: Page, limit: str
) -> None:
    """The ticked paths are added to what limits it; where others say what to allow, no tick is offered."""
    agent, options = f"parts-{limit.split()[-1]}", ("--write", "src/**")
    house.agent(CAREFUL, agent, **({"write": "src/**"} if limit == "of the agent" else {}))
    task = house.add(titled("one of three"), "--agent", agent, *(options if limit == "of the task" else ()))
    house.rest(task)
    open_page(tab, page)
    asked = need(tab, f"task:{task}")
    comes(asked.get_by_text("rest.txt", exact=True))
    expect(asked.get_by_role("checkbox")).to_have_count(2)
    settings = asked.get_by_role("listitem").filter(has_text=".toryo/memory/note.md")
    expect(settings).to_contain_text("settings of Toryo")
    asked.get_by_label("docs/part.txt").check()
    asked.get_by_role("button", name="Allow the ticked, redo without the rest").click()
    comes(row(tab, task).get_by_role("img", name="completed"))
    assert house.task(task)["write"] == ["src/**", "docs/part.txt"]
    assert "rest.txt" in house.task(task)["verbs"][-1]["note"]
    assert house.files_on() & {"docs/part.txt", "rest.txt"} == {"docs/part.txt"}


def test_a_late_answer_to_a_scope_violation_changes_nothing(
    house: House, page: PageClient, tab: Page
) -> None:
    house.agent(TOO_MUCH, "muchmore")
    task = house.add(titled("answered twice"), "--agent", "muchmore", "--write", "src/**")
    house.rest(task)
    open_page(tab, page)
    asked = need(tab, f"task:{task}")
    asked.get_by_label("docs/a.txt").check(timeout=COMES_MS)
    tab.get_by_label("auto-update").uncheck()
    house.ok("task", "reject", task, "--note", "first")
    asked.get_by_role("button", name="Allow the ticked, redo without the rest").click()
    expect(asked).to_contain_text("already answered: reject")
    assert house.task(task)["write"] == ["src/**"]
    assert verbs(house, task) == ["reject"]


def test_a_run_is_watched_stopped_and_its_task_retried(house: House, page: PageClient, tab: Page) -> None:
    house.agent(SLOWLY, "slow")
    task = house.add(titled("takes long"), "--agent", "slow")
    open_page(tab, page, f"tasks/{task}")
    comes(tab.get_by_role("log").get_by_text("step 3"))
    tab.get_by_role("button", name="Stop").click()
    tab.get_by_text("Its process ends").wait_for()
    tab.get_by_role("button", name="Stop").last.click()
    comes(tab.get_by_text("failed · stopped"))
    tab.get_by_role("button", name="Retry").click()
    tab.get_by_role("textbox", name="What the next run should know").fill("quicker, please")
    tab.keyboard.press("Enter")
    comes(tab.get_by_text("running · implement"))
    assert house.task(task)["verbs"][-1]["note"] == "quicker, please"
    house.ok("task", "cancel", task)


def test_a_task_is_made_with_the_keyboard_alone(house: House, page: PageClient, tab: Page) -> None:
    title = titled("made by keys")
    open_page(tab, page, "queue")
    tab.get_by_role("heading", name="Queue").wait_for()
    tab.keyboard.press("n")
    expect(tab.get_by_label("What is to be done")).to_be_focused()
    tab.keyboard.type(title)
    tab.get_by_role("combobox", name="Agent").select_option("works")
    tab.keyboard.press("Control+Enter")
    comes(tab.get_by_role("heading", name=title))
    task = tab.url.rpartition("/")[2]
    assert house.task(task)["agent"] == "works"
    tab.keyboard.press("g")
    tab.keyboard.press("w")
    comes(row(tab, task))
    tab.keyboard.press("/")
    tab.keyboard.type(title.rpartition(" ")[2])
    expect(tab.locator("[role=treeitem][data-task]")).to_have_count(1)
    tab.keyboard.press("Escape")
    tab.keyboard.press("?")
    expect(tab.get_by_role("dialog")).to_contain_text("approve what the cursor is on")
    tab.keyboard.press("Escape")
    expect(tab.get_by_role("dialog")).to_have_count(0)
