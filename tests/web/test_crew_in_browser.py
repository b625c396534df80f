"""The crew on the page: who works where, what parks an account, what a run cost and said, a lost run."""

from __future__ import annotations

import json
import os
import re
import signal

import pytest
from browsing import COMES_MS, IN_CHROMIUM, comes, need, open_page, titled
from page_client import PageClient
from playwright.sync_api import Page, expect

from journeys.house import House
from toryo.protocol.wire import call
from toryo.settings import Home
from waiting import eventually

pytestmark = IN_CHROMIUM
CLIENT = """\
program: {program}
argv: [{program}, "{{prompt_file}}"]
result:
  success: {{type: done}}
  error: {{type: failed}}
  message: text
  input_tokens: used.input
  output_tokens: used.output
  cost_usd: cost
"""


DONE = {"type": "done", "used": {"input": 4000, "output": 321}, "cost": 0.1234}
LIMIT = "You have hit your usage limit. Try again in 3 hours."


def client(house: House, name: str, first: str = "") -> None:
    """A program with a record of its own, and an agent of that name; `first` is done before its work."""
    program = house.root / name
    work = "echo new > new-$TORYO_RUN.txt\ngit add -A\ngit commit -qm work\n"
    program.write_text(f"#!/bin/sh\n{first}{work}echo '{json.dumps(DONE)}'\n")
    program.chmod(0o755)
    folder = house.home / "clients"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.yaml").write_text(CLIENT.format(program=program))
    house.ok("agent", "add", name, "--client", name)


def test_an_agent_is_unassigned_and_assigned_again(house: House, page: PageClient, tab: Page) -> None:
    house.agent("true\n", "walks")
    project = house.read("project", "list")["projects"][0]["id"]

    def works_here() -> bool:
        return project in house.read("agent", "show", "walks")["projects"]

    assert works_here()
    open_page(tab, page, "crew")
    agent = tab.locator(f"[data-project={project}] [data-agent=walks]")
    comes(agent)
    agent.get_by_role("button", name="change").click()
    agent.get_by_role("button", name="Unassign").click()
    comes(agent.get_by_text("It starts nothing more here"))
    assert works_here(), "it is said once more before it is done"
    agent.get_by_role("button", name="Unassign").last.click()
    expect(agent).to_have_count(0, timeout=COMES_MS)
    assert not works_here()
    tab.locator(f"[data-project={project}]").get_by_role("button", name="Assign walks").click()
    comes(agent)
    assert works_here()


def test_an_outside_session_is_ended_on_the_page(house: House, page: PageClient, tab: Page) -> None:
    """S1-48: nobody waits an hour for an agent that is gone."""
    house.ok("agent", "add", "visitor", "--client", "claude")
    project = house.read("project", "list")["projects"][0]["id"]
    who = {"agent_id": "visitor", "project_id": project}
    passkey = house.read("agent", "passkey", "visitor")["passkey"]
    call(Home(house.home).socket_in_use(), "authenticate", {**who, "passkey": passkey}, "")
    open_page(tab, page, "crew")
    session = tab.get_by_role("region", name="outside sessions").get_by_role("listitem")
    comes(session.get_by_text("visitor"))
    session.get_by_role("button", name="End").click()
    comes(session.get_by_text("It is no longer counted as at work."))
    assert house.read("agent", "show", "visitor")["sessions"] == [project], "it is said before it is done"
    session.get_by_role("button", name="End").last.click()
    expect(session).to_have_count(0, timeout=COMES_MS)
    assert house.read("agent", "show", "visitor")["sessions"] == []


def test_an_account_says_what_parks_it_and_until_when_and_is_released(
    house: House, page: PageClient, tab: Page
) -> None:
    is_over = house.root / "limit-is-over"
    failed = json.dumps({"type": "failed", "text": LIMIT})
    client(house, "limited", f"[ -e {is_over} ] || {{ echo '{failed}'; exit 1; }}\n")
    open_page(tab, page, "crew")
    task = house.add(titled("meets a limit"), "--agent", "limited")
    account = tab.get_by_role("region", name="accounts").get_by_role("listitem").filter(has_text="limited")
    comes(account.get_by_text("parked · usage limit"))
    expect(account).to_contain_text(LIMIT)
    expect(account).to_contain_text(re.compile(r"for [23] h .*until \d\d:\d\d"))
    expect(account.get_by_role("link")).to_have_attribute("href", f"#/tasks/{task}")
    assert house.state(task) == "ready parked"
    is_over.touch()
    account.get_by_role("button", name="Release").click()
    comes(account.get_by_text("free"))
    house.rest(task)
    assert house.state(task) == "done"


def test_a_task_says_what_its_runs_cost(house: House, page: PageClient, tab: Page) -> None:
    client(house, "priced")
    task = house.add(titled("costs something"), "--agent", "priced")
    house.rest(task)
    open_page(tab, page, f"tasks/{task}")
    tab.get_by_role("tab", name="Runs").click()
    comes(tab.get_by_role("tabpanel").get_by_text("4,321 tokens"))
    expect(tab.get_by_role("tabpanel")).to_contain_text("0.1234 USD")
    tab.get_by_role("tab", name="About").click()
    comes(tab.get_by_role("tabpanel").get_by_text("4,321 tokens, 0.1234 USD in 1 of 1 runs"))


def test_a_log_is_searched_as_a_whole(house: House, page: PageClient, tab: Page) -> None:
    house.agent(
        "echo the needle stands here\nfor i in $(seq 30000); do echo straw $i; done\n"
        "echo 'last Needle 針'\nexit 3\n",
        "long",
    )
    task = house.add(titled("prints much"), "--agent", "long")
    house.rest(task)
    open_page(tab, page, f"tasks/{task}")
    log = tab.get_by_role("log")
    comes(log.get_by_text("last Needle 針"))
    expect(log.get_by_text("the needle stands here")).to_have_count(0)
    wanted = tab.get_by_label("search the log")
    wanted.fill("needle")
    found = tab.get_by_role("region", name="lines that were found")
    comes(found.get_by_text("the needle stands here"))
    wanted.fill("針")
    comes(found.get_by_text("last Needle 針"))
    expect(found).not_to_contain_text("straw")
    wanted.fill("no such word")
    comes(found.get_by_text("No line holds that."))
    wanted.fill("")
    comes(log.get_by_text("last Needle 針"))


@pytest.mark.long
def test_a_run_that_nobody_hears_of_is_released_where_it_is_asked_about(
    house: House, page: PageClient, tab: Page
) -> None:
    go = house.root / "go"
    house.agent(f"until [ -e {go} ]; do sleep 0.1; done\n", "lost")
    task = house.add(titled("is not heard of"), "--agent", "lost")
    open_page(tab, page, f"tasks/{task}")
    comes(tab.get_by_text("running · implement"))
    coordinator = house.pids()[1]
    os.kill(coordinator, signal.SIGSTOP)
    try:
        tab.goto(f"{page.origin}/#/")
        asked = need(tab, f"task:{task}")
        comes(asked)
        asked.get_by_role("button", name="Release the run").click()
        comes(asked.get_by_text("the task may run elsewhere"))
        asked.get_by_role("button", name="Release the run").last.click()
        comes(tab.locator(f"[data-need='task:{task}'][data-answered=yes]"))
    finally:
        os.kill(coordinator, signal.SIGCONT)
        go.touch()
    eventually(lambda: house.state(task) == "needs_review released", within_s=30, what="it is looked at")
    house.ok("task", "cancel", task)
