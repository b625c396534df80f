"""Words for a running agent, its window and its log: asked of the coordinator that holds the run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from whole_daemon import Body, Shop

from toryo.protocol.asks import AskAnswer
from toryo.protocol.base import Model, Problem
from toryo.protocol.kinds.say import SayWaiting, Spoken
from toryo.store.tables import coordinators
from toryo.usecases.runs import say


def begin(shop: Shop) -> tuple[str, Body]:
    """A task, and the order of its run, which is under way."""
    task = shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    return task, shop.hands.start()


def asked(shop: Shop, kind: str, fact: str, answer: Model, tool: str, **arguments: Any) -> tuple[Body, Body]:
    """The inputs of the order that a person's call led to, and what the person was answered."""
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(shop.daemon.person, tool, **arguments)
        order = shop.hands.order(kind)
        shop.hands.report(order, fact, answer)
        return order, call.result(60)


def read(shop: Shop, answer: AskAnswer, tool: str, **arguments: Any) -> tuple[Body, Body]:
    """The read that a person's call led to, and what the person was answered."""
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(shop.daemon.person, tool, **arguments)
        ask = shop.hands.ask()
        shop.hands.answer(ask, answer)
        return ask["read"], call.result(60)


def test_words_reach_the_run_and_are_kept_as_events(shop: Shop) -> None:
    task, running = begin(shop)
    spoken = Spoken(delivered=True, seen=True)
    order, answer = asked(shop, "say", "spoken", spoken, "say", id=task, text="mind the ü\n")
    inputs = order["inputs"]
    assert (order["run"], order["generation"], inputs["run"]) == (running["run"], 1, running["run"])
    assert shop.hands.call("fetch_blob", hash=inputs["text"])["text"] == "mind the ü\n"
    assert (answer["message"], answer["run"]) == (inputs["message"], running["run"])
    assert (answer["delivered"], answer["seen"], answer["problem"]) == (True, True, None)
    events = shop.daemon.person("list_events", task=task, limit=200)["events"]
    told = {one["kind"]: one["body"] for one in events if one["kind"] in ("run_told", "run_spoken")}
    assert told["run_told"] == {"message": inputs["message"], "text": "mind the ü\n"}
    assert (told["run_spoken"]["message"], told["run_spoken"]["seen"]) == (inputs["message"], True)


def test_a_problem_of_the_screen_is_told_and_not_raised(shop: Shop) -> None:
    _, running = begin(shop)
    problem = Problem(code="no_screen", message="It has no screen.", hint="toryo log")
    _, answer = asked(shop, "say", "spoken", Spoken(problem=problem), "say", id=running["run"], text="x")
    assert (answer["delivered"], answer["problem"]["code"]) == (False, "no_screen")


def test_words_that_nobody_took_are_withdrawn(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(say, "WITHIN_S", 0.2)
    task, _ = begin(shop)
    answer = shop.daemon.person("say", id=task, text="hello")
    assert (answer["delivered"], answer["problem"]["code"]) == (False, "nobody_answered")
    assert all(order["kind"] != "say" for order in shop.hands.speak("next_orders", wait_s=0)["orders"])


WAITING = SayWaiting(reader="hook")
UNHEARD = Spoken(problem=Problem(code="unheard", message="It ended before."))


def say_without_hearing(shop: Shop, task: str, text: str, **more: Any) -> tuple[Body, Body]:
    """The order, and the answer to a person whose words wait for the agent's next step."""
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(shop.daemon.person, "say", id=task, text=text, **more)
        order = shop.hands.order("say")
        shop.hands.report(order, "say_waiting", WAITING)
        return order, call.result(60)


def words(shop: Shop, task: str) -> list[tuple[str, str]]:
    (run,) = shop.daemon.person("get_task", task=task)["task"]["runs"]
    return [(one["text"], one["state"]) for one in run["words"]]


def test_words_that_wait_for_the_agents_next_step_are_told_so_and_stay_ordered(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(say, "TAKEN_WITHIN_S", 0.2)
    task, _ = begin(shop)
    order, answer = say_without_hearing(shop, task, "mind the gap")
    assert (answer["waiting"], answer["delivered"], answer["problem"]) == ("hook", False, None)
    assert words(shop, task) == [("mind the gap", "waiting")]
    assert shop.hands.order("say")["id"] == order["id"]
    shop.hands.report(order, "spoken", Spoken(delivered=True, seen=True))
    assert words(shop, task) == [("mind the gap", "heard")]


def test_words_that_are_taken_while_the_speaker_waits_are_told_as_heard(shop: Shop) -> None:
    task, _ = begin(shop)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(shop.daemon.person, "say", id=task, text="hello")
        order = shop.hands.order("say")
        shop.hands.report(order, "say_waiting", WAITING)
        shop.hands.report(order, "spoken", Spoken(delivered=True, seen=True))
        answer = call.result(60)
    assert (answer["seen"], answer["waiting"]) == (True, "")


def test_words_that_a_run_ended_without_are_an_event_and_are_not_lost(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(say, "TAKEN_WITHIN_S", 0.0)
    task, running = begin(shop)
    order, _ = say_without_hearing(shop, task, "too late")
    shop.hands.exit(running)
    shop.hands.report(order, "spoken", UNHEARD)
    assert words(shop, task) == [("too late", "unheard")]
    events = shop.daemon.person("list_events", task=task, limit=200)["events"]
    (lost,) = [one["body"] for one in events if one["kind"] == "run_unheard"]
    assert lost == {"message": order["inputs"]["message"], "text": "too late"}
    (run,) = shop.daemon.person("get_evidence", task=task)["runs"]
    assert [(one["text"], one["detail"]) for one in run["words"]] == [("too late", "It ended before.")]


def test_words_for_a_run_that_was_given_up_wait_no_longer(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(say, "TAKEN_WITHIN_S", 0.0)
    task, running = begin(shop)
    say_without_hearing(shop, task, "are you there")
    shop.daemon.change(coordinators.update, shop.hands.id, unseen=True)
    shop.daemon.person("release_run", run=running["run"])
    assert words(shop, task) == [("are you there", "unknown")]


def test_a_message_that_is_said_again_with_its_id_is_said_once(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(say, "TAKEN_WITHIN_S", 0.0)
    task, _ = begin(shop)
    _, answer = say_without_hearing(shop, task, "once", message="m0123456789")
    again = shop.daemon.person("say", id=task, text="once", message="m0123456789")
    assert again == answer
    assert words(shop, task) == [("once", "waiting")]


@pytest.mark.parametrize(("text", "goes_along"), [("short", True), ("x" * 2001, False)])
def test_short_words_go_along_with_their_order(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, text: str, goes_along: bool
) -> None:
    monkeypatch.setattr(say, "TAKEN_WITHIN_S", 0.0)
    task, _ = begin(shop)
    order, _ = say_without_hearing(shop, task, text)
    assert order["inputs"].get("words", "") == (text if goes_along else "")
    assert shop.hands.call("fetch_blob", hash=order["inputs"]["text"])["text"] == text


def test_what_is_said_to_a_run_is_numbered(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(say, "TAKEN_WITHIN_S", 0.0)
    task, _ = begin(shop)
    numbers = []
    for text in ("one", "two", "three"):
        order, _ = say_without_hearing(shop, task, text)
        numbers.append(order["inputs"]["number"])
        shop.hands.report(order, "spoken", Spoken(delivered=True, seen=True))
    assert numbers == [1, 2, 3]


@pytest.mark.parametrize("tool", ["say", "attach_run"])
def test_nothing_that_runs_cannot_be_reached(shop: Shop, tool: str) -> None:
    task = shop.add_task()
    text = {"text": "hello"} if tool == "say" else {}

    def refused(id: str) -> Body:
        return shop.daemon.refused(shop.daemon.operator, tool, id=id, **text)

    assert refused(task)["error"] == f"Nothing of {task} runs now."
    assert "toryo task show" in refused(task)["hint"]
    shop.hands.claim("dev", shop.project)
    assert "has not started yet" in refused(task)["error"]
    shop.hands.prepare()
    order = shop.hands.start()
    shop.hands.exit(order)
    body = refused(order["run"])
    assert (body["error"], "toryo log" in body["hint"]) == (f"{order['run']} has ended already.", True)


def test_an_outside_agent_is_spoken_to_where_it_was_started(shop: Shop) -> None:
    task = shop.add_task()
    shop.get_task(shop.session())
    assert "outside agent" in shop.daemon.refused(shop.daemon.operator, "say", id=task, text="x")["error"]


@pytest.mark.parametrize("text", ["", " \n", "x" * (say.LONGEST + 1)])
def test_words_that_cannot_be_typed_are_refused(shop: Shop, text: str) -> None:
    task, _ = begin(shop)
    assert shop.daemon.refused(shop.daemon.operator, "say", id=task, text=text)["hint"]


def test_attach_answers_the_command_line_of_the_window(shop: Shop) -> None:
    task, running = begin(shop)
    window = AskAnswer(ended=True, body={"argv": ["tmux", "attach"]})
    found, answer = read(shop, window, "attach_run", id=task)
    assert (found["what"], found["run"]) == ("window", running["run"])
    assert (answer["argv"], answer["run"]) == (["tmux", "attach"], running["run"])


@pytest.mark.parametrize("raw", [False, True])
def test_the_log_is_asked_for_readably_or_as_it_is(shop: Shop, raw: bool) -> None:
    task, _ = begin(shop)
    page = AskAnswer(text="it works\n", next_offset=40, ended=False)
    found, answer = read(shop, page, "read_log", task=task, raw=raw)
    assert (found["raw"], found["client"]) == (raw, "command")
    assert (answer["text"], answer["next_offset"]) == ("it works\n", 40)
