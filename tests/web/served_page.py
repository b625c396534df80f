"""The page's real process with a scripted daemon behind it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from event_store import NOTHING, Store
from websockets.sync.client import ClientConnection, connect

from fronts.wire_peer import Answer, Peer
from waiting import eventually


class Served:
    """The real process, with a scripted daemon."""

    def __init__(self, store: Store, home: Path, pid: int) -> None:
        self.store = store
        self.pid = pid
        self.port = int(json.loads((home / "web.json").read_text())["port"])
        self._token = (home / "web.token").read_text().strip()
        self.bearer = {"Authorization": f"Bearer {self._token}"}

    @contextmanager
    def channel(self) -> Iterator[ClientConnection]:
        """One that is told of everything from now on."""
        address = f"ws://127.0.0.1:{self.port}/api/events"
        with connect(address, additional_headers=self.bearer, proxy=None) as channel:
            assert json.loads(channel.recv(timeout=30))["type"] == "resync"
            yield channel

    def deaf(self) -> socket.socket:
        """A browser that is there and reads nothing."""
        line = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.sendall(
            f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self._token}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n\r\n".encode()
        )
        assert b" 101 " in line.recv(128, socket.MSG_PEEK)
        return line

    def memory(self) -> int:
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def processor_s(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def scripted(home: Path, answers: Mapping[str, Answer] | None = None) -> Iterator[Served]:
    store = Store()
    peer = Peer(home, {"list_events": store.page, "get_status": NOTHING, **(answers or {})})
    env = {**os.environ, "TORYO_HOME": str(home)}
    process = subprocess.Popen([sys.executable, "-m", "toryo", "web-server"], env=env)
    try:
        eventually((home / "web.json").exists, within_s=30, what="the page's process listens")
        yield Served(store, home, process.pid)
    finally:
        process.terminate()
        process.wait(timeout=30)
        store.close()
        peer.close()
