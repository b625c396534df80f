"""Accounts have verbs of their own: which are parked and who waits is listed, and a person ends the wait."""

from __future__ import annotations

import pytest
from whole_daemon import Body, Shop

from toryo.domain.times import iso
from toryo.protocol.kinds.run import Limited, Said


@pytest.fixture
def claude(shop: Shop) -> Shop:
    """`dev` and `second` are driven by claude, `other` by codex, `program` by a command."""
    for name, client in (("dev", "claude"), ("second", "claude"), ("other", "codex"), ("program", "command")):
        shop.add_agent(name, client=client, project=shop.project)
    return shop


def park(shop: Shop) -> tuple[str, str]:
    """A task of `dev` whose run met its usage limit; the moment at which that ends."""
    task, until = shop.add_task(), str(iso(shop.daemon.now() + 3600))
    assert shop.hands.claim("dev", shop.project)["claimed"]
    shop.hands.prepare()
    limited = Limited(why="usage_limit", message="5-hour limit", resets_at=until)
    shop.hands.exit(shop.hands.start(), 1, Said(result="error", limited=limited))
    shop.hands.collect(0)
    assert shop.state(task) == "ready parked"
    return task, until


def accounts(shop: Shop) -> dict[str, Body]:
    return {one["client"]: one for one in shop.daemon.person("list_accounts")["accounts"]}


def test_an_account_that_waits_is_listed_first_with_the_tasks_that_wait_for_it(claude: Shop) -> None:
    stopped, until = park(claude)
    waiting = claude.add_task(agent="second")
    claude.add_task(agent="other")
    found = accounts(claude)
    assert list(found) == ["claude", "codex"], "a plain program has no account"
    one = found["claude"]
    assert (one["parked"], one["why"], one["message"]) == (True, "usage_limit", "5-hour limit")
    assert (one["machine"], one["until"], one["tasks"]) == (claude.hands.machine, until, [stopped, waiting])
    assert one["run"] == claude.task(stopped)["runs"][-1]["id"]
    free = {"parked": False, "why": None, "message": None, "until": None, "run": None, "tasks": []}
    assert found["codex"] == {"machine": claude.hands.machine, "client": "codex", **free}


def test_a_released_account_starts_runs_again_and_that_is_an_event(claude: Shop) -> None:
    task, _ = park(claude)
    waiting = claude.add_task(agent="second")
    assert not claude.hands.should_start("second", claude.project)
    answer = claude.daemon.person("release_account", client="claude")
    run = claude.task(task)["runs"][-1]["id"]
    assert (answer["machine"], answer["runs"]) == (claude.hands.machine, [run])
    assert claude.hands.should_start("dev", claude.project)
    assert claude.hands.should_start("second", claude.project)
    assert claude.task(waiting)["waits_for"]["code"] != "account"
    assert accounts(claude)["claude"]["parked"] is False
    about = f"account:{claude.hands.machine}/claude"
    (event,) = claude.daemon.person("list_events", subject=about)["events"]
    assert event["kind"] == "account_released"
    (event,) = claude.daemon.person("list_events", kind="account_released")["events"]
    assert event["body"] == {"machine": claude.hands.machine, "client": "claude", "runs": [run]}


def test_a_tasks_word_about_its_account_is_the_same_event(claude: Shop) -> None:
    task, _ = park(claude)
    claude.daemon.person("retry_task", task=task)
    assert [one["verb"] for one in claude.task(task)["verbs"]] == ["release"]
    (event,) = claude.daemon.person("list_events", kind="account_released")["events"]
    assert event["body"]["client"] == "claude"


def test_an_account_that_waits_for_nothing_is_not_released(claude: Shop) -> None:
    body = claude.daemon.refused(claude.daemon.operator, "release_account", client="claude")
    assert body["error"] == "The account of claude waits for nothing: it may start runs."
    assert body["hint"] == "See `toryo account list`."


def test_an_account_that_is_not_there_is_answered_with_those_that_are(claude: Shop) -> None:
    park(claude)
    refused = claude.daemon.refused
    body = refused(claude.daemon.operator, "release_account", client="cloude")
    assert (body["error"], body["hint"]) == (
        "There is no account of 'cloude'.",
        "There are: claude, codex.",
    )
    body = refused(claude.daemon.operator, "release_account", client="claude", machine="elsewhere")
    assert body["error"] == "There is no account of 'claude' on elsewhere."
    named = claude.daemon.person("release_account", client="claude", machine=claude.hands.machine)
    assert len(named["runs"]) == 1
