"""The writer thread, the drain after changes, looks by time, and gaps of the clock."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from toryo.daemon.core.checkpoints import ENOUGH_CHANGES
from toryo.daemon.core.head import Head
from toryo.daemon.core.schedule import Drain
from toryo.daemon.core.writers import WriterInLoop, WriterThread
from toryo.daemon.process import open_context
from toryo.domain.errors import DiskFull
from toryo.engine.context import HeadContext
from toryo.settings import Home
from toryo.store.tables import events, marks
from waiting import eventually


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Drains:
    """A drain that notes what was due and clears it."""

    def __init__(self) -> None:
        self.seen: list[list[str]] = []
        self.threads: set[int] = set()

    def __call__(self, context: HeadContext) -> None:
        self.threads.add(threading.get_ident())
        with context.store.change() as tx:
            due = marks.due(tx, context.clock())
            marks.clear(tx, due)
        self.seen.append(due)

    @property
    def subjects(self) -> list[str]:
        return [subject for due in self.seen for subject in due]


def mark(context: HeadContext, subject: str, look_at: float = 0) -> int:
    with context.store.change() as tx:
        tx.mark(subject, look_at)
    return threading.get_ident()


def emit(context: HeadContext, task: str) -> None:
    with context.store.change() as tx:
        tx.emit("happened", task=task)
        tx.touch_place("m/main")


WRITERS: list[type[WriterInLoop] | type[WriterThread]] = [WriterInLoop]


@pytest.fixture(autouse=True, params=[WriterInLoop, WriterThread])
def _writer(request: pytest.FixtureRequest) -> None:
    """Each story with either."""
    WRITERS[0] = request.param


def with_head(
    tmp_path: Path,
    story: Callable[[Head], Awaitable[None]],
    drain: Drain,
    *,
    clock: Callable[[], float] | None = None,
    extend_deadlines: Callable[[HeadContext, float], None] = lambda context, gap: None,
    **options: Any,
) -> None:
    async def go() -> None:
        home = Home(tmp_path / "home").make()
        writer = WRITERS[0]()
        args = (clock,) if clock else ()
        context = await writer.run(open_context, home, home.database, *args)
        options.setdefault("steady", clock or time.monotonic)
        with (
            patch("toryo.daemon.core.head.drain", drain),
            patch("toryo.daemon.core.head.extend_deadlines", extend_deadlines),
        ):
            head = Head(context, writer, **options)
        await head.start()
        try:
            await asyncio.wait_for(story(head), 20)
        finally:
            await head.close()
            context.store.close()

    asyncio.run(go())


async def until(question: Callable[[], object]) -> None:
    await asyncio.to_thread(eventually, question)


def test_starting_drains_what_an_earlier_process_left(tmp_path: Path) -> None:
    drains = Drains()

    async def story(head: Head) -> None:
        assert len(drains.seen) == 1

    with_head(tmp_path, story, drains)


def test_every_marking_change_is_followed_by_a_drain_in_the_same_thread(tmp_path: Path) -> None:
    drains = Drains()

    async def story(head: Head) -> None:
        thread = await head.do(mark, "task:t1")
        await head.do(lambda context: None)  # queued behind the drain
        assert drains.subjects == ["task:t1"]
        assert drains.threads == {thread}

    with_head(tmp_path, story, drains)


def no_drain(context: HeadContext) -> None:
    """Nothing is looked at."""


def test_what_is_queued_and_fails_holds_up_nobody() -> None:
    async def go() -> int:
        writer = WRITERS[0]()
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        try:
            writer.queue(lambda: 1 // 0)  # type: ignore[arg-type, return-value]
            return await asyncio.wait_for(writer.run(lambda: 3), 10)
        finally:
            writer.close()

    assert asyncio.run(go()) == 3


def test_a_drain_with_more_to_do_lets_waiting_calls_go_first(tmp_path: Path) -> None:
    order: list[str] = []

    def in_pieces(context: HeadContext) -> bool:
        order.append("drain")
        return len(order) < 4

    async def story(head: Head) -> None:
        await until(lambda: order == ["drain"] * 4)
        order.clear()
        await asyncio.gather(head.do(mark, "task:t1"), head.do(lambda context: order.append("call")))
        await until(lambda: len(order) == 5)
        assert order.index("call") <= 1  # behind one piece at most

    with_head(tmp_path, story, in_pieces)


def test_a_subject_to_be_looked_at_later_is_looked_at_then(tmp_path: Path) -> None:
    drains = Drains()

    async def story(head: Head) -> None:
        await head.do(mark, "task:t1", head.context.clock() + 0.2)
        await head.do(lambda context: None)
        assert drains.subjects == []
        await until(lambda: drains.subjects == ["task:t1"])

    with_head(tmp_path, story, drains)


def test_looks_by_time_come_at_most_once_a_second(tmp_path: Path) -> None:
    looks: list[float] = []

    def restless(context: HeadContext) -> None:
        looks.append(time.monotonic())
        with context.store.change() as tx:
            tx.mark("task:t1", context.clock() + 0.001)

    async def story(head: Head) -> None:
        await until(lambda: len(looks) >= 3)
        assert looks[2] - looks[1] >= 0.9

    with_head(tmp_path, story, restless)


def test_a_drain_that_fails_is_logged_and_calls_go_on(tmp_path: Path) -> None:
    tried: list[int] = []

    def broken(context: HeadContext) -> None:
        tried.append(1)
        raise RuntimeError("broken")

    async def story(head: Head) -> None:
        await head.do(mark, "task:t1")
        assert await head.do(lambda context: 5) == 5
        assert len(tried) == 2

    with_head(tmp_path, story, broken)


def test_after_a_gap_deadlines_are_moved_before_anything_is_decided(tmp_path: Path) -> None:
    clock, drains = Clock(), Drains()
    story_of: list[float | str] = []

    def drain(context: HeadContext) -> None:
        story_of.append("drain")
        drains(context)

    async def story(head: Head) -> None:
        clock.now += 25
        await head.do(mark, "task:t1")
        await head.do(lambda context: None)
        assert story_of == ["drain", "drain"]
        clock.now += 3600
        await head.do(mark, "task:t1")
        await head.do(lambda context: None)
        assert story_of[2:] == [3600.0, "drain"]

    with_head(tmp_path, story, drain, clock=clock, extend_deadlines=lambda context, gap: story_of.append(gap))


def test_the_tick_itself_notices_a_gap(tmp_path: Path) -> None:
    clock, gaps, ticks = Clock(), [], []

    async def story(head: Head) -> None:
        await until(lambda: ticks)
        clock.now += 500
        await until(lambda: gaps)
        assert gaps == [500.0]

    with_head(
        tmp_path,
        story,
        Drains(),
        clock=clock,
        interval_s=0.05,
        extend_deadlines=lambda context, gap: gaps.append(gap),
        on_tick=lambda: ticks.append(1),
    )


def test_the_time_a_daemon_was_away_counts_as_a_gap(tmp_path: Path) -> None:
    clock, gaps = Clock(), []

    async def story(head: Head) -> None:
        assert gaps == [7200.0]

    with_head(
        tmp_path,
        story,
        Drains(),
        clock=clock,
        alive_at=clock.now - 7200,
        extend_deadlines=lambda context, gap: gaps.append(gap),
    )


def test_a_commit_wakes_those_who_wait_for_its_task_place_and_events(tmp_path: Path) -> None:
    async def story(head: Head) -> None:
        topics = ("task:t1", "place:m/main", "events", "look")
        waiting = [asyncio.create_task(head.wait_for_change(topic, 0, 30)) for topic in topics]
        other = asyncio.create_task(head.wait_for_change("task:t2", 0, 30))
        await head.do(emit, "t1")
        for task in waiting:
            assert await asyncio.wait_for(task, 5) > 0
        assert not other.done()
        other.cancel()

    with_head(tmp_path, story, Drains())


def test_a_long_poll_asks_again_after_each_change_until_the_answer_is_final(tmp_path: Path) -> None:
    asked: list[int] = []

    def ask(context: HeadContext) -> tuple[bool, int]:
        asked.append(1)
        return len(asked) == 3, len(asked)

    async def story(head: Head) -> None:
        polling = asyncio.create_task(head.until(["task:t1"], 30, ask))
        for expected in (1, 2):
            await until(lambda expected=expected: len(asked) == expected)  # type: ignore[misc]
            await head.do(emit, "t1")
        assert await asyncio.wait_for(polling, 5) == 3

    with_head(tmp_path, story, Drains())


def test_a_use_cases_error_reaches_its_caller_only(tmp_path: Path) -> None:
    def fails(context: HeadContext) -> None:
        raise ValueError("mine")

    async def story(head: Head) -> None:
        with pytest.raises(ValueError, match="mine"):
            await head.do(fails)
        assert await head.do(lambda context: context.installation) == head.context.installation

    with_head(tmp_path, story, Drains())


def test_slow_work_without_the_store_does_not_hold_up_the_writer(tmp_path: Path) -> None:
    free = threading.Event()

    async def story(head: Head) -> None:
        slow = asyncio.create_task(head.aside(free.wait, 10))
        assert await head.do(lambda context: "through") == "through"
        free.set()
        assert await slow is True

    with_head(tmp_path, story, Drains())


def test_a_slow_read_does_not_hold_up_a_change(tmp_path: Path) -> None:
    began, free = threading.Event(), threading.Event()

    def slow(context: HeadContext) -> int:
        with context.store.read() as tx:
            before = events.newest(tx) or 0
            began.set()
            assert free.wait(10)
            assert (events.newest(tx) or 0) == before, "one state, whatever is changed meanwhile"
        return before

    async def story(head: Head) -> None:
        reading = asyncio.create_task(head.read(slow))
        await asyncio.to_thread(began.wait, 10)
        await asyncio.wait_for(head.do(emit, "t1"), 5)
        free.set()
        assert await head.read(newest_event) == await reading + 1

    with_head(tmp_path, story, Drains())


def test_a_long_poll_that_only_reads_does_not_hold_up_a_change(tmp_path: Path) -> None:
    began, free = threading.Event(), threading.Event()

    def slow(context: HeadContext) -> tuple[bool, int]:
        began.set()
        assert free.wait(10)
        return True, newest_event(context)

    async def story(head: Head) -> None:
        polling = asyncio.create_task(head.read_until(("events",), 10, slow))
        await asyncio.to_thread(began.wait, 10)
        await asyncio.wait_for(head.do(emit, "t1"), 5)
        free.set()
        assert await polling == await head.read(newest_event)

    with_head(tmp_path, story, Drains())


def newest_event(context: HeadContext) -> int:
    with context.store.read() as tx:
        return events.newest(tx) or 0


def test_a_read_after_a_change_sees_it_and_what_was_decided_of_it(tmp_path: Path) -> None:
    def decide(context: HeadContext) -> None:
        with context.store.change() as tx:
            due = marks.due(tx, context.clock())
            marks.clear(tx, due)
            for subject in due:
                tx.emit("decided", task=subject.removeprefix("task:"))

    def kinds(context: HeadContext) -> list[str]:
        with context.store.read() as tx:
            return [row.kind for row in events.last(tx, 2, None, None, None)]

    def change(context: HeadContext) -> None:
        emit(context, "t1")
        mark(context, "task:t1")

    async def story(head: Head) -> None:
        for _ in range(20):
            await head.do(change)
            assert await head.read(kinds) == ["happened", "decided"]

    with_head(tmp_path, story, decide)


def test_the_installation_and_its_secret_are_the_same_after_a_restart(tmp_path: Path) -> None:
    home = Home(tmp_path / "home").make()
    first = open_context(home, home.database)
    first.store.close()
    again = open_context(home, home.database)
    again.store.close()
    assert (first.installation, first.secret) == (again.installation, again.secret)
    assert len(first.secret) == 32


@pytest.mark.parametrize("hours", [5, -5])
def test_a_clock_that_is_set_takes_every_deadline_along(tmp_path: Path, hours: int) -> None:
    clock, steady, gaps = Clock(), Clock(), []

    async def story(head: Head) -> None:
        clock.now += 3600 * hours
        await head.do(lambda context: None)
        assert gaps == [3600.0 * hours]
        clock.now += 20
        steady.now += 20
        await head.do(lambda context: None)
        assert len(gaps) == 1, "time that passes is no gap"

    with_head(
        tmp_path,
        story,
        Drains(),
        clock=clock,
        steady=steady,
        extend_deadlines=lambda context, gap: gaps.append(gap),
    )


def test_a_clock_that_was_set_back_while_no_daemon_ran_takes_deadlines_along(tmp_path: Path) -> None:
    clock, gaps = Clock(), []

    async def story(head: Head) -> None:
        assert gaps == [-7200.0]

    with_head(
        tmp_path,
        story,
        Drains(),
        clock=clock,
        alive_at=clock.now + 7200,
        extend_deadlines=lambda context, gap: gaps.append(gap),
    )


def test_while_nothing_could_be_written_no_time_has_passed(tmp_path: Path) -> None:
    clock, gaps, full = Clock(), [], []

    def extend(context: HeadContext, gap: float) -> None:
        if full:
            raise DiskFull
        gaps.append(gap)

    def write(context: HeadContext) -> None:
        if full:
            raise DiskFull

    async def story(head: Head) -> None:
        full.append(True)
        for _ in range(3):
            clock.now += 20
            with pytest.raises(DiskFull):
                await head.do(write)
        full.clear()
        clock.now += 20
        await head.do(write)
        assert gaps == [60.0], "from the first write that failed until the first that did not"

    with_head(tmp_path, story, Drains(), clock=clock, extend_deadlines=extend)


def brought_in(head: Head) -> int:
    """How many events the database file holds by itself, without its log; none while it is written."""
    path = head.context.home.database
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as conn:
            (number,) = conn.execute("SELECT count(*) FROM events").fetchone()
    except sqlite3.DatabaseError:
        return 0
    return int(number)


def test_the_log_is_brought_in_at_a_quiet_moment(tmp_path: Path) -> None:
    async def story(head: Head) -> None:
        head.context.store.checkpoint()  # the tables
        for _ in range(2):
            before = brought_in(head)
            for _ in range(ENOUGH_CHANGES - 1):
                await head.do(emit, "t1")
            assert brought_in(head) == before
            await head.do(emit, "t1")
            await until(lambda before=before: brought_in(head) == before + ENOUGH_CHANGES)

    with_head(tmp_path, story, no_drain)


def test_the_log_is_brought_in_even_if_it_is_never_quiet(tmp_path: Path) -> None:
    async def story(head: Head) -> None:
        head.context.store.checkpoint()  # the tables
        end = time.monotonic() + 15
        while not (found := brought_in(head)) and time.monotonic() < end:
            await head.do(emit, "t1")
            await asyncio.sleep(0)
        assert found >= ENOUGH_CHANGES

    with_head(tmp_path, story, no_drain)


def test_a_log_that_cannot_be_brought_in_disturbs_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    async def story(head: Head) -> None:
        def fail() -> None:
            tried.append("it")
            raise DiskFull("no room")

        monkeypatch.setattr(head.context.store, "checkpoint", fail)
        for wanted in (1, 2):
            for _ in range(ENOUGH_CHANGES):
                await head.do(emit, "t1")
            await until(lambda wanted=wanted: len(tried) == wanted)

    with_head(tmp_path, story, no_drain)
