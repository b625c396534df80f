"""Work screen: a stable tree, what needs a person beside it, and every action on a key."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from terminal import MissionShop, Screen, on_screen

from toryo.protocol.asks import AskAnswer


def fail(shop: MissionShop, task: str) -> None:
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start(), 3)
    shop.hands.collect(commits=0)
    assert shop.task(task)["status"] == "failed"


def test_a_failed_task_is_in_both_lists_and_is_dismissed_by_a_key(shop: MissionShop) -> None:
    first = shop.add_task("Mend the login")
    shop.add_task("別の仕事をする")
    fail(shop, first)

    async def journey(seen: Screen) -> None:
        text = await seen.until("needs you 1", "Mend the login", "別の仕事をする", "front")
        assert text.index("front ") < text.rindex("Mend the login") < text.index("別の仕事をする")
        await seen.until("1 needs you")
        await seen.press("i")
        await seen.until("It is the turn of: person", "dismiss")
        await seen.press("d")
        await seen.until("Dismiss", "y yes")
        await seen.press("y")
        await seen.until("Nothing needs you.")
        assert shop.task(first)["dismissed"]

    on_screen(shop, journey, screen="work")


def test_a_plan_is_approved_from_the_tree_and_its_tasks_stand_below_their_mission(model: MissionShop) -> None:
    mission = model.planned()

    async def journey(seen: Screen) -> None:
        await seen.until("Limits", "awaiting approval")
        await seen.press("j")
        await seen.until("approve mission", "T001 Count requests", "toryo mission approve")
        await seen.press("a")
        await seen.until("approve mission: done")
        text = await seen.until("Count requests", "Refuse more", "blocked")
        assert text.index("Limits") < text.index("Count requests")

    on_screen(model, journey, screen="work", size=(80, 24))
    assert model.standing(mission).startswith("active")


def test_m_on_a_mission_that_asks_opens_its_questions_and_answers_none(model: MissionShop) -> None:
    mission = model.begin("Limit requests")
    asked = {
        "id": "Q1",
        "text": "Per user or per address?",
        "options": ["user", "address"],
        "default": "user",
    }
    model.planner.answer("question", {"title": "Limits", "size": "small", "questions": [asked]})

    async def journey(seen: Screen) -> None:
        await seen.until("questioning")
        await seen.press("j")
        await seen.until("answer mission")
        await seen.press("m")
        await seen.until("1 question before the plan is made", "1) user  (default)")
        await seen.press("f3")
        await seen.until("needs you")
        await seen.press("full_stop")
        await seen.until("you may")
        await seen.press("enter")
        await seen.until("takes the default of every question?", "y yes")
        await seen.press("n")
        assert [one["answer"] for one in model.mission(mission)["questions"]] == [None]

    on_screen(model, journey, screen="work")


def test_words_that_are_refused_are_asked_again_with_what_was_typed(shop: MissionShop) -> None:
    task = shop.add_task("Mend the login")

    async def journey(seen: Screen) -> None:
        await seen.until("Mend the login")
        await seen.press("j", "m")
        await seen.until(f"say {task}: text")
        await seen.write("use sessions")
        await seen.until(f"say {task}: text", "│ use sessions")

    on_screen(shop, journey, screen="work")


DIFF = """diff --git a/src/a.py b/src/a.py
index 1..2 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1 +1 @@
-old words
+new words
"""


def test_the_diff_shows_its_hunks_and_a_key_marks_them_as_seen(shop: MissionShop) -> None:
    task = shop.add_task("Mend the login")
    fail(shop, task)

    async def journey(seen: Screen) -> None:
        await seen.until("Mend the login", "failed")
        await seen.press("j", "right_square_bracket")
        await seen.until("0 of 1 hunks seen", "new words")
        await seen.press("v")
        await seen.until("1 hunks are marked as seen")
        await seen.until("1 of 1 hunks seen", "✔ seen")

    with asks_answered(shop, lambda ask: AskAnswer(text=DIFF, size=len(DIFF), ended=True)):
        on_screen(shop, journey, screen="work")


@contextlib.contextmanager
def asks_answered(shop: MissionShop, see: Callable[[dict[str, Any]], AskAnswer]) -> Iterator[None]:
    """As a coordinator does it beside all else; one that nobody waits for any more is taken by nobody."""
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(0.05):
            asks = shop.hands.speak("next_orders", wait_s=0)["asks"]
            answers = [{"id": one["id"], "answer": see(one).model_dump(mode="json")} for one in asks]
            shop.hands.speak("answer_asks", answers=answers)

    hands = threading.Thread(target=work)
    hands.start()
    try:
        yield
    finally:
        ended.set()
        hands.join()


TWO = f"{DIFF}@@ -9 +9,2 @@\n last\n+a second place\n"


def test_one_hunk_of_several_is_marked_and_commented_by_keys(shop: MissionShop) -> None:
    task = shop.add_task("Mend the login")
    fail(shop, task)

    async def journey(seen: Screen) -> None:
        await seen.until("Mend the login", "failed")
        await seen.press("j", "}")
        await seen.until("0 of 2 hunks seen", "a second place")
        await seen.press("}")
        await seen.until("▌ · new  @@ -1 +1 @@")
        await seen.press("V")
        await seen.until("1 of 2 hunks seen", "✔ seen @@ -1 +1 @@", "▌ · new  @@ -9 +9,2 @@")
        await seen.press("C")
        await seen.until("comment on src/a.py:9-10")
        await seen.write("why twice?")
        await seen.until("9-10 why twice? (draft)")
        await seen.press("S")
        await seen.until(f"Send all drafts about {task}")
        await seen.press("y")
        await seen.until("why twice? (sent)")

    with asks_answered(shop, lambda ask: AskAnswer(text=TWO, size=len(TWO), ended=True)):
        on_screen(shop, journey, screen="work")


def test_the_log_and_the_terminal_go_on_by_themselves_while_they_are_seen(shop: MissionShop) -> None:
    task = shop.add_task("Mend the login")
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.start()
    printed, reads = ["first line\n"], list[dict[str, Any]]()

    def see(ask: dict[str, Any]) -> AskAnswer:
        text, read = "".join(printed), ask["read"]
        if read["what"] == "screen":
            size = {"columns": 80, "rows": 24, "cursor": [0, 0]}
            return AskAnswer(text=f"$ {printed[-1]}", ended=True, body=size)
        reads.append(read)
        start = 0 if read.get("tail") else read.get("offset", 0)
        return AskAnswer(text=text[start:], start=start, next_offset=len(text), size=len(text))

    async def journey(seen: Screen) -> None:
        await seen.until("Mend the login", "running")
        await seen.press("j", "t", "t")
        await seen.until("first line")
        printed.append("second line\n")
        await seen.until("first line", "second line")
        await seen.elsewhere(shop.add_task, "Another")  # news is no reason to read it all again
        printed.append("third line\n")
        await seen.until("Another", "second line", "third line")
        assert [bool(read.get("tail")) for read in reads].count(True) == 1
        await seen.press("t")
        await seen.until("$ third line")
        printed.append("fourth line\n")
        await seen.until("$ fourth line")

    with asks_answered(shop, see):
        on_screen(shop, journey, screen="work")
    assert shop.task(task)["status"] == "running"
