"""Asks: held in memory, handed over beside orders, answered by one coordinator, ended with asker or time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from raw_client import RawClient
from whole_daemon import Body, Hands, Shop

from toryo.daemon.core.asks import MOST_OF_ASKER, MOST_OF_PLACE
from toryo.daemon.tools.reads import logs
from toryo.engine.context import HeadContext
from toryo.place.daemon_client import Daemon, NextOrders, Registered
from toryo.place.lifecycle import Lifecycle
from toryo.place.listener import Listener
from toryo.protocol.asks import Answered, AskAnswer
from toryo.protocol.wire import ToolFailed
from toryo.store.database.schema import orders
from waiting import eventually

PAGE = AskAnswer(text="it works\n", start=90, next_offset=99, size=99)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as threads:
        yield threads


@pytest.fixture
def run(shop: Shop) -> str:
    """One whose agent works."""
    shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    return str(shop.hands.start()["run"])


def open_asks(shop: Shop) -> int:
    return len(shop.daemon.head.asks)


def asks_of(hands: Hands, **how: Any) -> list[str]:
    return [one["id"] for one in hands.speak("next_orders", wait_s=0, **how)["asks"]]


def refusal(call: Future[Body]) -> Body:
    with pytest.raises(ToolFailed) as failed:
        call.result(20)
    return failed.value.body


def ask_log(shop: Shop, pool: ThreadPoolExecutor, run: str, **more: Any) -> Future[Body]:
    return pool.submit(shop.daemon.person, "read_log", run=run, **more)


def count_orders(context: HeadContext) -> int:
    with context.store.read() as tx:
        return len(tx.conn.execute(orders.select()).all())


def test_a_page_of_a_log_writes_nothing(shop: Shop, pool: ThreadPoolExecutor, run: str) -> None:
    shop.daemon.settle()
    written: list[object] = []
    before = shop.daemon.do(count_orders)
    shop.daemon.do(lambda context: context.store.listen(written.append))
    call = ask_log(shop, pool, run, before=120)
    ask = shop.hands.ask("log")
    shop.hands.answer(ask, PAGE)
    page = call.result(20)
    assert (page["text"], page["start"], page["next_offset"], page["size"]) == ("it works\n", 90, 99, 99)
    assert ask["read"]["before"] == 120
    assert shop.daemon.do(count_orders) == before
    assert written == []
    assert open_asks(shop) == 0


def test_a_coordinator_that_waits_is_woken_by_an_ask(shop: Shop, pool: ThreadPoolExecutor, run: str) -> None:
    seen = shop.hands.speak("next_orders", wait_s=0)["version"]
    begun = time.monotonic()
    poll = pool.submit(shop.hands.speak, "next_orders", wait_s=20, seen=seen)
    call = ask_log(shop, pool, run)
    told = poll.result(25)
    assert time.monotonic() - begun < 10
    assert told["version"] == seen, "its orders are the same"
    shop.hands.answer(told["asks"][0], PAGE)
    assert call.result(20)["text"] == "it works\n"


def test_of_two_coordinators_of_a_machine_one_is_asked_and_only_it_is_heard(
    shop: Shop, pool: ThreadPoolExecutor
) -> None:
    second = Hands(shop.daemon, "second")
    call = pool.submit(shop.daemon.person, "list_branches", project=shop.project)
    ask = shop.hands.ask("branches")
    assert asks_of(second) == []
    body = {"target_commit": "1" * 40, "branches": []}
    told = [{"id": ask["id"], "answer": AskAnswer(ended=True, body=body).model_dump()}]
    assert second.speak("answer_asks", answers=told)["taken"] == []
    shop.hands.answer(ask, AskAnswer(ended=True, body=body))
    assert call.result(20)["target_commit"] == "1" * 40


def test_an_ask_whose_answer_to_the_poll_was_lost_is_handed_over_again(
    shop: Shop, pool: ThreadPoolExecutor, run: str
) -> None:
    call = ask_log(shop, pool, run)
    ask = shop.hands.ask("log")
    version = shop.hands.speak("next_orders", wait_s=0)["version"]
    assert asks_of(shop.hands, seen=version) == [], "whoever knows the set knows its asks"
    assert asks_of(shop.hands, seen="") == [ask["id"]]
    shop.hands.answer(ask, PAGE)
    call.result(20)


def test_a_superseded_coordinator_is_not_heard_and_its_successor_is_asked(
    shop: Shop, pool: ThreadPoolExecutor, run: str
) -> None:
    call = ask_log(shop, pool, run)
    ask = shop.hands.ask("log")
    old = shop.hands.incarnation
    shop.hands.register()
    who = {"coordinator": shop.hands.id, "incarnation": old}
    told = [{"id": ask["id"], "answer": PAGE.model_dump(mode="json")}]
    late = shop.hands.call("answer_asks", **who, answers=told)
    assert (late["superseded"], late["taken"]) == (True, [])
    assert shop.hands.call("next_orders", **who, wait_s=0)["asks"] == []
    assert asks_of(shop.hands) == [ask["id"]]
    shop.hands.answer(ask, PAGE)
    assert call.result(20)["text"] == "it works\n"


@pytest.mark.parametrize("tool", ["read_log", "search_log", "attach_run", "read_screen", "list_branches"])
def test_where_no_coordinator_is_heard_of_the_asker_is_told_at_once(shop: Shop, run: str, tool: str) -> None:
    shop.daemon.pass_time(1000)
    asked: dict[str, Body] = {
        "read_log": {"run": run},
        "search_log": {"run": run, "text": "x"},
        "attach_run": {"id": run},
        "read_screen": {"id": run},
        "list_branches": {"project": shop.project},
    }
    begun = time.monotonic()
    body = shop.daemon.refused(shop.daemon.operator, tool, **asked[tool])
    assert time.monotonic() - begun < 5
    assert (body["error"], "toryo up" in body["hint"]) == ("No coordinator is there to look.", True)


def test_an_ask_ends_with_its_time(
    shop: Shop, pool: ThreadPoolExecutor, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "LOG_S", 0.3)
    call = ask_log(shop, pool, run)
    ask = shop.hands.ask("log")
    assert 0 < ask["within_s"] <= 0.3
    body = refusal(call)
    assert "`log` in time" in body["error"]
    assert "toryo up" in body["hint"]
    told = [{"id": ask["id"], "answer": PAGE.model_dump(mode="json")}]
    assert shop.hands.speak("answer_asks", answers=told)["taken"] == []
    assert open_asks(shop) == 0


@pytest.fixture
def connect(shop: Shop) -> Iterator[Callable[[], RawClient]]:
    made: list[RawClient] = []

    def open_one() -> RawClient:
        made.append(RawClient(shop.daemon.home.socket_in_use(), shop.daemon.operator))
        return made[-1]

    yield open_one
    for one in made:
        one.close()


def send_reads(client: RawClient, run: str, number: int) -> None:
    for one in range(number):
        call = {"name": "read_log", "arguments": {"run": run}}
        client.send(client.request(100 + one, "tools/call", call))


@pytest.mark.parametrize("first", [True, False], ids=["its first call", "a later one"])
def test_an_ask_ends_with_its_connection(
    shop: Shop, run: str, connect: Callable[[], RawClient], *, first: bool
) -> None:
    client = connect()
    if not first:
        client.ask("tools/call", {"name": "health_check", "arguments": {}})
    send_reads(client, run, 1)
    shop.hands.ask("log")
    client.close()
    eventually(lambda: open_asks(shop) == 0)
    assert asks_of(shop.hands) == []


def test_a_connection_has_eight_asks_open_and_a_place_sixty_four(
    shop: Shop, run: str, connect: Callable[[], RawClient]
) -> None:
    def refused(client: RawClient) -> str:
        body: Body = client.read()["result"]["structuredContent"]
        assert not body["success"]
        assert body["hint"]
        return str(body["error"])

    first = connect()
    send_reads(first, run, MOST_OF_ASKER + 1)
    assert refused(first) == "This connection has 8 asks open."
    for _ in range(MOST_OF_PLACE // MOST_OF_ASKER - 1):
        send_reads(connect(), run, MOST_OF_ASKER)
    eventually(lambda: open_asks(shop) == MOST_OF_PLACE)
    last = connect()
    send_reads(last, run, 1)
    assert refused(last).startswith("64 asks are open at ")
    assert len(asks_of(shop.hands)) == MOST_OF_PLACE


def test_a_daemon_that_ends_tells_whoever_waits(shop: Shop, pool: ThreadPoolExecutor, run: str) -> None:
    call = ask_log(shop, pool, run)
    shop.hands.ask("log")
    begun = time.monotonic()
    shop.daemon.close()
    body = refusal(call)
    assert time.monotonic() - begun < 5
    assert ("daemon ends" in body["error"], body["hint"].startswith("Again in a moment")) == (True, True)
    shop.daemon.close = lambda: None


def test_an_ask_holds_up_no_other_call_of_its_connection(
    shop: Shop, run: str, connect: Callable[[], RawClient]
) -> None:
    client = connect()
    send_reads(client, run, 2)
    client.send(client.request(7, "tools/call", {"name": "health_check", "arguments": {}}))
    assert client.read()["id"] == 7
    assert threading.active_count() < 100


def test_words_that_were_said_stand_in_the_page(shop: Shop, pool: ThreadPoolExecutor, run: str) -> None:
    call = ask_log(shop, pool, run)
    page = PAGE.model_copy(update={"body": {"times": [[0, "t"]], "said": [[0, "m_unknown"]]}})
    shop.hands.answer(shop.hands.ask("log"), page)
    told = call.result(20)
    assert (told["times"], told["said"]) == ([[0, "t"]], [])


def test_lines_that_hold_a_text_are_found(shop: Shop, pool: ThreadPoolExecutor, run: str) -> None:
    call = pool.submit(shop.daemon.person, "search_log", run=run, text="works", offset=7)
    ask = shop.hands.ask("search")
    assert (ask["read"]["text"], ask["read"]["offset"], ask["read"]["limit"]) == ("works", 7, 50)
    body = {"matches": [{"start": 90, "text": "it works"}]}
    shop.hands.answer(ask, AskAnswer(next_offset=99, size=99, body=body))
    assert call.result(20)["matches"] == body["matches"]


def test_a_problem_of_the_coordinator_is_told_with_its_hint(
    shop: Shop, pool: ThreadPoolExecutor, run: str
) -> None:
    call = ask_log(shop, pool, run)
    problem = {"code": "not_here", "message": "The log is gone.", "hint": "look elsewhere"}
    shop.hands.answer(shop.hands.ask("log"), AskAnswer.model_validate({"problem": problem}))
    body = refusal(call)
    assert (body["error"], body["hint"]) == ("The log is gone.", "look elsewhere")


class Pauses(Lifecycle):
    def __init__(self) -> None:
        super().__init__()
        self.taken: list[float] = []

    def pause(self, seconds: float) -> None:
        self.taken.append(seconds)
        super().pause(seconds)


def test_a_listener_that_was_handed_asks_polls_again_at_once(shop: Shop, run: str) -> None:
    me = Registered(shop.hands.id, shop.hands.incarnation)
    path = shop.daemon.home.socket_in_use()
    lifecycle, line = Pauses(), Daemon(path, shop.hands.key)

    def take(place: Registered, got: NextOrders, _asked_at: float) -> None:
        line.answer_asks(place, [Answered(id=ask.id, answer=PAGE) for ask in got.asks])

    listener = Listener(Daemon(path, shop.hands.key), lifecycle, 10, take)
    listener.start(me)
    for _ in range(5):
        assert shop.daemon.person("read_log", run=run)["text"] == "it works\n"
    assert lifecycle.taken == []
    lifecycle.end()
    line.close()
