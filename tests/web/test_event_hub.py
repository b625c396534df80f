"""The hub: one long poll for all sockets, none for nobody, and a slow socket holds up no other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from event_store import NOTHING, Store

from fronts.wire_peer import Peer
from toryo.fronts.daemon_line import DaemonLine
from toryo.fronts.web.hub import MOST_WAITING, Hub, Socket
from toryo.settings import Home


@pytest.fixture
def store() -> Iterator[Store]:
    made = Store()
    yield made
    made.close()


@pytest.fixture
def peer(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    made = Peer(tmp_path_factory.mktemp("h") / "t", {"list_events": store.page, "get_status": NOTHING})
    yield made
    store.close()
    made.close()


def polls(peer: Peer) -> int:
    return sum(tool == "list_events" and not given.get("last") for tool, given in peer.calls)


async def until(question: Any, *, within_s: float = 10) -> None:
    async with asyncio.timeout(within_s):
        while not question():
            await asyncio.sleep(0.005)


async def updates(socket: Socket, count: int) -> list[int]:
    found: list[int] = []
    async with asyncio.timeout(10):
        while len(found) < count:
            message = await socket.next()
            if message["type"] == "task_update":
                found.append(message["id"])
    return found


def hub_at(home: Path) -> Hub:
    return Hub(DaemonLine(Home(home)))


def test_all_sockets_share_one_long_poll(peer: Peer, store: Store) -> None:
    async def play() -> None:
        hub, sockets = hub_at(peer.home), [Socket() for _ in range(20)]
        for one in sockets:
            await hub.join(one, None)
        await until(lambda: polls(peer) == 1)
        store.add(3)
        assert [await updates(one, 3) for one in sockets] == [[8, 9, 10]] * 20
        await until(lambda: polls(peer) == 2)
        await hub.close()

    asyncio.run(play())
    assert polls(peer) == 2


def test_nobody_is_asked_while_nobody_listens(peer: Peer, store: Store) -> None:
    async def play() -> int:
        hub, socket = hub_at(peer.home), Socket()
        await hub.join(socket, None)
        await until(lambda: polls(peer) == 1)
        hub.leave(socket)
        asked = len(peer.calls)
        store.add(5)
        await asyncio.sleep(1)
        return len(peer.calls) - asked

    assert asyncio.run(play()) == 0


def test_a_socket_that_takes_nothing_is_told_to_load_everything_and_the_others_hear_all(
    peer: Peer, store: Store
) -> None:
    async def play() -> tuple[list[int], list[dict[str, Any]]]:
        hub, slow, quick = hub_at(peer.home), Socket(), Socket()
        await hub.join(slow, None)
        await hub.join(quick, None)
        hearing = asyncio.create_task(updates(quick, MOST_WAITING + 200))
        for _ in range(MOST_WAITING + 200):
            store.add(1)
            await asyncio.sleep(0)
        heard = await hearing
        kept = []
        while slow.is_behind:
            kept.append(dict(await slow.next()))
        await hub.close()
        return heard, kept

    heard, kept = asyncio.run(play())
    assert heard == list(range(8, 8 + MOST_WAITING + 200))
    assert len(kept) <= MOST_WAITING
    assert kept[0]["type"] == "resync"
    assert [one["id"] for one in kept if one["type"] == "task_update"] == list(
        range(kept[0]["id"] + 1, heard[-1] + 1)
    )


def test_too_much_to_replay_is_loaded_instead(peer: Peer, store: Store) -> None:
    async def play() -> list[str]:
        hub, socket = hub_at(peer.home), Socket()
        store.add(20_000)
        await hub.join(socket, 7)
        first = await socket.next()
        await hub.close()
        return [first["type"]]

    assert asyncio.run(play()) == ["resync"]
