"""A person who set `notify` is told once of what waits for them, by an order that carries one line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from whole_daemon import FIRST, MERGED, TREE, Body, Shop

from toryo.protocol.kinds.notify import Notified
from toryo.protocol.kinds.target import TargetSeen
from toryo.protocol.wire import ToolFailed
from toryo.reconciler.notices import SETTLE_S
from toryo.store.database.rows import TargetRow
from toryo.store.tables import projects


def told(shop: Shop) -> list[dict[str, Any]]:
    """What the command would be given now, after everything had time to settle."""
    shop.daemon.settle()
    shop.daemon.pass_time(SETTLE_S + 0.1)
    shop.daemon.settle()
    found = [one for one in shop.hands.speak("next_orders", wait_s=0)["orders"] if one["kind"] == "notify"]
    lines = [line_of(shop, one) for one in found]
    for order in found:
        shop.hands.report(order, "notified", Notified(exit_code=0))
    return lines


def line_of(shop: Shop, order: Body) -> dict[str, Any]:
    line = shop.hands.call("fetch_blob", hash=order["inputs"]["text"])["text"]
    assert "\n" not in line
    return json.loads(line)  # type: ignore[no-any-return]


def set_notify(shop: Shop) -> None:
    shop.daemon.person("set_config", key="notify", value="cat >> /tmp/x # y: z")


def fail_run(shop: Shop) -> None:
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start(), code=1)
    shop.hands.collect(commits=0)


def land(shop: Shop, commit: str = MERGED, title: str = "Mend it") -> str:
    task = shop.add_task(title)
    shop.hands.claim("dev", shop.project, request=f"request-{task}")
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    shop.hands.collect()
    shop.hands.build(commit)
    shop.hands.land(commit)
    return task


def rewind(shop: Shop, *lost: str, to: str = FIRST) -> None:
    """A person types `git reset --hard`."""
    where = {"project": shop.project, "target": "main", "commit": to, "tree": TREE}
    seen = TargetSeen(relation="behind", contains_published=False, lost=lost, **where)  # type: ignore[arg-type]
    shop.hands.report({"id": "", "generation": 0}, "target_seen", seen)


def test_a_task_that_comes_to_need_a_person_is_told_once_with_the_line_to_type(shop: Shop) -> None:
    set_notify(shop)
    task = shop.add_task("Mend the door")
    assert told(shop) == []
    shop.daemon.person("disable_agent", agent="dev")
    (line,) = told(shop)
    assert (line["event"], line["task"], line["title"]) == ("needs_you", task, "Mend the door")
    assert line["type"] == "toryo agent enable dev"
    assert line["text"] == "front: Mend the door needs you (its agent is disabled)"
    assert told(shop) == []
    shop.daemon.person("enable_agent", agent="dev")
    assert told(shop) == []


def test_the_wake_up_for_news_is_a_look_like_any_other(shop: Shop) -> None:
    set_notify(shop)
    shop.add_task()
    shop.daemon.person("disable_agent", agent="dev")
    assert told(shop)
    assert shop.daemon.person("list_events", kind="look_failed")["events"] == []


def test_a_state_that_passes_at_once_is_not_told(shop: Shop) -> None:
    set_notify(shop)
    shop.add_task()
    for turn in ("disable_agent", "enable_agent"):
        shop.daemon.person(turn, agent="dev")
        shop.daemon.settle()
    assert told(shop) == []


def test_what_happened_before_it_was_set_is_no_news(shop: Shop) -> None:
    shop.add_task()
    shop.daemon.person("disable_agent", agent="dev")
    shop.daemon.settle()
    set_notify(shop)
    assert told(shop) == []


def test_a_failed_task_is_told_and_one_that_a_person_rejected_is_not(shop: Shop) -> None:
    set_notify(shop)
    shop.add_task("Mend it")
    fail_run(shop)
    (line,) = told(shop)
    assert (line["event"], line["status"]) == ("failed", "failed")
    other = shop.add_task(held=True)
    shop.daemon.person("cancel_task", task=other)
    assert told(shop) == []


def test_work_that_a_person_took_off_its_target_is_not_told_as_done(shop: Shop) -> None:
    task = land(shop)
    set_notify(shop)
    shop.daemon.person("set_config", key="notify_on", value="done")
    assert told(shop) == []
    rewind(shop, MERGED)
    assert shop.state(task) == "done removed"
    assert told(shop) == []


def test_of_what_is_done_no_reason_is_told(shop: Shop) -> None:
    set_notify(shop)
    shop.daemon.person("set_config", key="notify_on", value="done")
    task = land(shop)
    (line,) = told(shop)
    assert (line["event"], line["task"], line["why"]) == ("done", task, "")
    assert line["text"] == "front: Mend it is done"
    body = shop.daemon.refused(shop.daemon.operator, "start_session", task=task, agent="dev")
    assert body["error"] == f"{task} is done: it cannot be started."


def test_a_target_that_comes_to_stand_still_is_told_once_where_no_task_speaks_of_it(shop: Shop) -> None:
    first, second = land(shop, "5" * 40, "Mend the door"), land(shop)
    set_notify(shop)
    assert told(shop) == []
    rewind(shop, MERGED, to="5" * 40)
    (line,) = told(shop)
    assert (line["event"], line["target"], line["reason"]) == ("needs_you", "main", "target_rewound")
    assert line["why"] == f"main of front was moved back by hand; no longer on it: {second}"
    assert line["type"] == "toryo target approve main --project front"
    assert first not in line["text"]
    rewind(shop, MERGED, "5" * 40)
    assert told(shop) == []
    shop.daemon.person("approve_target", target="main", project="front")
    assert told(shop) == []


def test_a_repository_that_is_away_is_told_once_for_all_its_targets(shop: Shop) -> None:
    row = TargetRow(project=shop.project, name="side", tip=FIRST, tip_tree=TREE, published=FIRST)
    shop.daemon.change(projects.put_target, row)
    set_notify(shop)
    for name in ("side", "main"):
        where = {"project": shop.project, "target": name, "commit": "", "tree": ""}
        shop.hands.report({"id": "", "generation": 0}, "target_seen", TargetSeen(relation="gone", **where))
    (line,) = told(shop)
    assert (line["target"], line["reason"]) == ("main", "repository_missing")


def test_a_target_whose_tasks_wait_is_told_by_them_alone(shop: Shop) -> None:
    land(shop)
    task = shop.add_task("Mend the door")
    set_notify(shop)
    assert told(shop) == []
    rewind(shop, MERGED)
    assert [one.get("task") for one in told(shop)] == [task]


def test_the_cursor_is_kept_and_nothing_is_told_without_the_setting(shop: Shop) -> None:
    set_notify(shop)
    shop.add_task()
    shop.daemon.person("unset_config", key="notify")
    shop.daemon.person("disable_agent", agent="dev")
    assert told(shop) == []
    set_notify(shop)
    assert told(shop) == []


def test_more_than_twenty_at_once_are_told_as_a_number(shop: Shop) -> None:
    set_notify(shop)
    for number in range(25):
        shop.add_task(f"Task {number}")
    shop.daemon.person("disable_agent", agent="dev")
    lines = told(shop)
    assert len(lines) == 20
    assert lines[-1]["text"] == "6 more tasks: toryo status"
    assert told(shop) == []


def test_a_command_that_fails_is_shown_in_status_until_it_works(shop: Shop) -> None:
    set_notify(shop)
    shop.add_task()
    shop.daemon.person("disable_agent", agent="dev")
    shop.daemon.settle()
    shop.daemon.pass_time(SETTLE_S + 0.1)
    order = shop.hands.order("notify")
    shop.hands.report(order, "notified", Notified(exit_code=127, output="sh: bell: not found\n"))
    (problem,) = shop.daemon.person("get_status")["problems"]
    assert problem["what"] == "the notify command failed: exit 127: sh: bell: not found"
    assert problem["type"] == "toryo notify test"
    shop.daemon.person("enable_agent", agent="dev")
    shop.daemon.pass_time(70)
    shop.daemon.person("disable_agent", agent="dev")
    assert len(told(shop)) == 1
    assert shop.daemon.person("get_status")["problems"] == []


def test_a_wrong_file_of_settings_stops_nothing_and_is_said_with_its_line(shop: Shop) -> None:
    set_notify(shop)
    config = shop.daemon.home.config
    config.write_text(config.read_text() + "notfy: x\n")
    (problem,) = shop.daemon.person("get_status")["problems"]
    assert f"{config}, line 2: notfy: there is no such key; did you mean notify?" in problem["what"]
    shop.add_task()
    shop.daemon.person("disable_agent", agent="dev")
    assert len(told(shop)) == 1
    shop.daemon.person("unset_config", key="notfy")
    assert shop.daemon.person("get_status")["problems"] == []


def test_a_key_that_there_is_not_and_a_wrong_value_are_refused_and_change_nothing(shop: Shop) -> None:
    with pytest.raises(ToolFailed, match="There is no setting 'notfy'") as failed:
        shop.daemon.person("set_config", key="notfy", value="x")
    assert failed.value.hint == "Did you mean notify?"
    with pytest.raises(ToolFailed, match="ask_silent: must be a number"):
        shop.daemon.person("set_config", key="ask_silent", value="soon")
    assert not shop.daemon.home.config.exists()
    assert shop.daemon.person("set_config", key="session.max_timeout", value="7200")["value"] == 7200
    assert shop.daemon.home.config.read_text() == "session:\n  max_timeout: 7200.0\n"
    assert shop.daemon.home.config.stat().st_mode & 0o777 == 0o600
