"""Reviews through the daemon: marks that fall, comments that become a fix or a task, work that waits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from whole_daemon import Body, Shop

from toryo.domain.ids import TaskId
from toryo.domain.words import CheckResult
from toryo.engine.context import HeadContext
from toryo.protocol.asks import AskAnswer
from toryo.protocol.kinds.gate import Checked
from toryo.store.database.rows import TaskRow
from toryo.store.tables import projects, tasks

DIFF = """diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1 +1 @@
-one
+eins
@@ -9 +9 @@
-nine
+neun
"""


def work(shop: Shop, request: str = "a-first-request") -> None:
    shop.hands.claim("dev", shop.project, request)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    shop.hands.collect()


def green(shop: Shop) -> None:
    shop.hands.build()
    shop.hands.report(shop.hands.order("check"), "checked", Checked(result=CheckResult.PASSED, exit_code=0))


def review(shop: Shop, task: str, diff: str = DIFF, tool: str = "get_review", **wishes: Any) -> Body:
    """The hands show the diff meanwhile."""
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, tool, task=task, **wishes)
        shop.hands.answer(shop.hands.ask("diff"), AskAnswer(text=diff, ended=True, size=len(diff)))
        return asked.result(30)


def comment_on(shop: Shop, task: str, text: str = "rename it", **place: Any) -> Body:
    where = {"path": "a.py", "first": 1, "last": 2, **place}
    kept: Body = shop.daemon.person("comment_review", task=task, text=text, **where)["comment"]
    return kept


@pytest.fixture
def reviewed(shop: Shop) -> Shop:
    shop.daemon.change(projects.update, shop.project, settings={"land": "review", "review": {"limit": 1}})
    return shop


def test_green_work_waits_for_a_yes_and_lands_by_it(reviewed: Shop) -> None:
    task = reviewed.add_task(checks=["true"])
    work(reviewed)
    green(reviewed)
    assert reviewed.state(task) == "needs_review review"
    reviewed.daemon.person("approve_task", task=task)
    reviewed.hands.build()
    reviewed.hands.land()
    assert reviewed.task(task)["status"] == "done"


def test_nothing_new_starts_while_as_many_wait_for_a_review_as_may(reviewed: Shop) -> None:
    task = reviewed.add_task(checks=["true"])
    work(reviewed)
    green(reviewed)
    second = reviewed.add_task("Another")
    assert not reviewed.hands.should_start("dev", reviewed.project)
    assert reviewed.task(second)["waits_for"]["code"] == "reviews"
    reviewed.daemon.person("reject_task", task=task)
    assert reviewed.hands.should_start("dev", reviewed.project)


def test_a_mark_falls_when_its_hunk_changes_and_no_other_does(shop: Shop) -> None:
    task = shop.add_task()
    work(shop)
    found = review(shop, task)
    assert (found["hunks"], found["seen"]) == (2, 0)
    review(shop, task, tool="mark_hunks", hunks=[])
    assert review(shop, task)["seen"] == 2
    changed = review(shop, task, DIFF.replace("+neun", "+nueve"), since_last=True)
    assert changed["seen"] == 1
    (file,) = changed["files"]
    assert [hunk["lines"] for hunk in file["hunks"]] == [["-nine", "+nueve"]]


def test_a_file_without_changed_lines_is_seen_only_when_somebody_says_so(shop: Shop) -> None:
    task = shop.add_task()
    work(shop)
    diff = f"{DIFF}diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
    found = review(shop, task, diff)
    assert (found["hunks"], found["seen"]) == (3, 0)
    review(shop, task, diff, tool="mark_hunks", hunks=[hunk["id"] for hunk in found["files"][0]["hunks"]])
    rest = review(shop, task, diff, since_last=True)
    assert (rest["hunks"], rest["seen"]) == (3, 2)
    (file,) = rest["files"]
    assert file["path"] == "run.sh"
    review(shop, task, diff, tool="mark_hunks", hunks=[file["hunks"][0]["id"]])
    assert review(shop, task, diff, since_last=True)["files"] == []


def test_comments_stay_drafts_and_are_sent_once_to_a_fix_run(shop: Shop) -> None:
    task = shop.add_task(checks=["true"])
    work(shop)
    shop.hands.build()
    kept = comment_on(shop, task, "call it uno", excerpt="eins")
    comment_on(shop, task, "and this dos", first=9, last=9)
    dropped = comment_on(shop, task, "never mind")
    shop.daemon.person("change_comment", comment=dropped["id"])
    assert kept["sent_at"] is None
    sent = shop.daemon.person("send_review", task=task)
    assert (sent["sent"], sent["sent_as"]) == (2, "fix")
    assert shop.state(task) == "ready commented"
    assert shop.task(task)["next_purpose"] == "fix"
    shop.hands.claim("dev", shop.project, "the-second-request")
    hash = shop.hands.order("prepare")["inputs"]["prompt"]
    prompt = shop.daemon.by(shop.hands.key, "fetch_blob", hash=hash)["text"]
    assert "call it uno" in prompt
    assert "> eins" in prompt
    assert "a.py:9" in prompt
    assert "never mind" not in prompt
    refused = shop.daemon.refused(shop.daemon.operator, "send_review", task=task)
    assert "no comment that was not sent" in refused["error"]


def test_comments_on_running_work_are_said_when_its_run_has_ended(shop: Shop) -> None:
    task = shop.add_task(checks=["true"])
    work(shop)
    comment_on(shop, task)
    shop.daemon.person("send_review", task=task)
    shop.hands.claim("dev", shop.project, "the-second-request")
    shop.hands.prepare()
    order = shop.hands.start()
    comment_on(shop, task, "one more thing")
    assert shop.daemon.person("send_review", task=task)["sent_as"] == "said"
    assert shop.state(task) == "running fix"
    shop.hands.exit(order)
    shop.hands.collect()
    assert shop.state(task) == "ready commented"


def test_comments_on_done_work_become_a_task(shop: Shop) -> None:
    task = shop.add_task()
    work(shop)
    shop.hands.build()
    shop.hands.land()
    assert shop.task(task)["status"] == "done"
    comment_on(shop, task, "a test is missing")
    sent = shop.daemon.person("send_review", task=task)
    new = shop.task(sent["sent_as"].removeprefix("task:"))
    assert new["title"] == "Review of: Mend it"
    assert "a test is missing" in new["description"]


def task_row(context: HeadContext, task: str) -> TaskRow:
    with context.store.read() as tx:
        row = tasks.get(tx, TaskId(task))
    assert row is not None
    return row


@pytest.mark.parametrize("write", [["src/**"], None])
def test_a_task_of_comments_may_change_what_the_reviewed_one_might(
    shop: Shop, write: list[str] | None
) -> None:
    above = shop.add_task("Above", held=True)
    task = shop.add_task(write=write, parent=above)
    shop.daemon.change(tasks.update, task, predicted=bool(write))
    work(shop)
    shop.hands.build()
    shop.hands.land()
    comment_on(shop, task)
    made = shop.daemon.person("send_review", task=task)["sent_as"].removeprefix("task:")
    row = shop.daemon.do(task_row, made)
    assert (row.write, row.predicted) == (write, bool(write))
    assert (row.mission, row.parent) == ("", "")


def test_a_comment_without_words_or_lines_is_refused_with_an_example(shop: Shop) -> None:
    task = shop.add_task()
    place = {"task": task, "path": "a.py"}
    for wrong in ({"first": 1, "last": 1, "text": " "}, {"first": 5, "last": 2, "text": "x"}):
        refused = shop.daemon.refused(shop.daemon.operator, "comment_review", **place, **wrong)
        assert "a.py" in refused["hint"]
