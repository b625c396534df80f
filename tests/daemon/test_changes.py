"""The broadcast that long polls wait on."""

from __future__ import annotations

import asyncio

import pytest

from toryo.daemon.core import changes as module
from toryo.daemon.core.changes import Changes


def test_a_change_between_reading_and_waiting_is_not_missed() -> None:
    async def go() -> int:
        changes = Changes()
        seen = changes.version("task:t1")
        changes.bump(["task:t1"])
        return await changes.wait("task:t1", seen, 30)

    assert asyncio.run(asyncio.wait_for(go(), 5)) == 1


def test_a_waiter_wakes_by_any_of_its_topics_and_by_no_other() -> None:
    async def go() -> None:
        changes = Changes()
        waiting = asyncio.create_task(changes.wait(("place:a", "look"), 0, 30))
        await asyncio.sleep(0)
        changes.bump(["place:b", "events"])
        await asyncio.sleep(0)
        assert not waiting.done()
        changes.bump(["look"])
        assert await asyncio.wait_for(waiting, 5) == 2

    asyncio.run(go())


def test_time_running_out_answers_with_the_old_version() -> None:
    async def go() -> int:
        changes = Changes()
        changes.bump(["events"])
        return await changes.wait("events", 1, 0.01)

    assert asyncio.run(go()) == 1


def test_closing_wakes_everybody_and_nobody_waits_any_more() -> None:
    async def go() -> None:
        changes = Changes()
        waiting = [asyncio.create_task(changes.wait("events", 0, 30)) for _ in range(3)]
        await asyncio.sleep(0)
        changes.close()
        await asyncio.wait_for(asyncio.gather(*waiting), 5)
        await asyncio.wait_for(changes.wait("look", 0, 30), 5)

    asyncio.run(go())


def test_waiters_that_left_are_forgotten() -> None:
    async def go() -> None:
        changes = Changes()
        waiting = asyncio.create_task(changes.wait(("a", "b"), 0, 30))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await changes.wait("a", 0, 0.001)
        assert changes._waiting == {}

    asyncio.run(go())


def test_a_forgotten_topic_wakes_in_vain_rather_than_never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_REMEMBERED", 2)
    changes = Changes()
    changes.bump(["task:old"])
    for number in range(5):
        changes.bump([f"task:{number}"])
    assert changes.version("task:old") >= 1
    assert changes.version("task:old") < changes.version("task:4")
