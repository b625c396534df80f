"""Three fronts over one daemon: the command's entry, the page's app and the terminal's calls, each with
a line of its own, and what an act by any of them leaves behind."""

from __future__ import annotations

import asyncio
import json
import shlex
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from mission_shop import MissionShop
from sqlalchemy import select
from whole_daemon import Body

from toryo import processes
from toryo.domain.actions import Do
from toryo.engine.context import HeadContext
from toryo.fronts import action_calls
from toryo.fronts.cli.entry import run
from toryo.fronts.daemon_line import DaemonLine
from toryo.fronts.tui.agent import turns
from toryo.fronts.web.access import Access
from toryo.fronts.web.app import make_app
from toryo.fronts.web.hub import Hub
from toryo.protocol.asks import AskAnswer
from toryo.protocol.kinds.say import Spoken
from toryo.store.database.rows import VerbRow
from toryo.store.database.schema import verbs
from toryo.store.database.statements import every

TOKEN = "0" * 32
NOBODY_WORKED_THERE = AskAnswer(
    ended=True, body={"there": True, "on_branch": True, "commits": 0, "files": [], "worktree": "/w"}
)


@dataclass(frozen=True)
class Act:
    """The same act for each front; `{it}` is the subject, `{project}` and `{machine}` are where it is."""

    begin: str
    """How its subject comes to be, by name."""
    typed: str
    path: str
    """Of the page's API, after `/api`."""
    body: Mapping[str, Any] = field(default_factory=dict)
    key: Do | None = None
    """The action that a key of the terminal front does."""
    key_args: Mapping[str, str] = field(default_factory=dict)
    words: str = ""
    """Written after the key; without one, a line of the conversation with a mission."""
    subject: str = "{it}"
    """Of the key."""
    is_pressed: bool = True
    """The terminal front has it, too."""


class Fronts:
    def __init__(self, shop: MissionShop) -> None:
        self.shop = shop
        home = shop.daemon.home
        own = processes.own_pid()
        (home.path / "up.json").write_text(
            json.dumps({"coordinator": [own, processes.start_time(own)]})
        )  # the hands are this process: no command starts others
        self._loop = asyncio.Runner()
        self._page_line, self._terminal_line = DaemonLine(home), DaemonLine(home)
        app = make_app(self._page_line, Hub(self._page_line))
        self._page = Access(app, token=TOKEN, installation="here")

    def close(self) -> None:
        for line in (self._page_line, self._terminal_line):
            self._loop.run(line.close())
        self._loop.close()

    def typed(self, act: Act, where: Mapping[str, str]) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TORYO_HOME", self.shop.daemon.home.text)
            assert run(shlex.split(act.typed.format_map(where)), {}) == 0

    def clicked(self, act: Act, where: Mapping[str, str]) -> None:
        body = json.loads(_filled(json.dumps(act.body), where))
        status, answer = self._loop.run(self._post(f"/api{act.path.format_map(where)}", body))
        assert status == 200, answer

    def pressed(self, act: Act, where: Mapping[str, str]) -> None:
        tool, arguments = self._key(act, where) if act.key else self._line(act, where)
        self._loop.run(self._terminal_line.call(tool, arguments, timeout_s=30))

    def _key(self, act: Act, where: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
        args = {name: value.format_map(where) for name, value in act.key_args.items()}
        assert act.key is not None
        made = action_calls.call(
            {"do": act.key, "subject": act.subject.format_map(where), "args": args, "line": ""}
        )
        assert made is not None
        return made.tool, {**made.arguments, **({made.wants: act.words} if made.wants else {})}

    def _line(self, act: Act, where: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
        """Of agent mode, said to the mission as it is now."""
        mission: Any = self.shop.mission(where["it"])
        if act.words.startswith("/"):
            told = turns.command(mission, act.words)
        else:
            told = turns.line(mission, act.words, None)
        assert told.tool, told
        return told.tool, told.arguments

    async def _post(self, path: str, body: Any) -> tuple[int, str]:
        """As a browser's request, without the socket."""
        content = json.dumps(body).encode()
        asked = [{"type": "http.request", "body": content, "more_body": False}]
        told: list[Any] = []

        async def receive() -> Any:
            return asked.pop() if asked else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            told.append(message)

        headers = {
            "host": "127.0.0.1",
            "authorization": f"Bearer {TOKEN}",
            "content-type": "application/json",
        }
        scope = {
            **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http"},
            **{"method": "POST", "path": path, "raw_path": path.encode(), "query_string": b""},
            **{"headers": [(name.encode(), value.encode()) for name, value in headers.items()]},
            **{"root_path": "", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80)},
        }
        await self._page(scope, receive, send)  # type: ignore[arg-type]
        return told[0]["status"], b"".join(one.get("body", b"") for one in told[1:]).decode()

    def left_by(self, front: str, act: Act, where: Mapping[str, str]) -> list[tuple[str, ...]]:
        """Rows of verbs and events that came of it, without ids and times."""
        self.shop.daemon.settle()
        verbs_before, before = len(self._verbs()), self._events(0)["newest"]
        with _hands_answer(self.shop):
            getattr(self, front)(act, where)
        self.shop.daemon.settle()
        said = [("verb", one.subject, one.verb, one.reason, one.note) for one in self._verbs()[verbs_before:]]
        told = [
            (one["kind"], str(one["subject"]), *(str(one["body"].get(name)) for name in SAID))
            for one in self._events(before)["events"]
        ]
        return _without_ids(said + told)

    def _verbs(self) -> list[VerbRow]:
        def read(context: HeadContext) -> list[VerbRow]:
            with context.store.change() as tx:
                return every(tx, VerbRow, select(verbs).order_by(verbs.c.seq))

        found: list[VerbRow] = self.shop.daemon.do(read)
        return found

    def _events(self, after: int) -> Body:
        found: Body = self.shop.daemon.person("list_events", after=after, limit=1000)
        return found


SAID = ("verb", "reason", "note", "text", "from", "to", "status")
"""What an event says besides ids."""


def _without_ids(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """In an order of their own: of tasks of one mission the order is that of their ids."""
    ids = {row[1].partition(":")[2] for row in rows} - {""}

    def masked(text: str) -> str:
        for id in ids:
            text = text.replace(id, "…")
        return text

    return sorted(tuple(masked(word) for word in row) for row in rows)


def _filled(text: str, where: Mapping[str, str]) -> str:
    for name, value in where.items():
        text = text.replace(f"{{{name}}}", value)
    return text


@contextmanager
def _hands_answer(shop: MissionShop) -> Iterator[None]:
    """What a front's call waits for: whether a person worked in the worktree, and that words were heard."""
    over = threading.Event()

    def answer() -> None:
        while not over.wait(0.02):
            found = shop.hands.speak("next_orders", wait_s=0)
            for ask in found["asks"]:
                shop.hands.answer(ask, NOBODY_WORKED_THERE)
            for order in found["orders"]:
                if order["kind"] == "say":
                    shop.hands.report(order, "spoken", Spoken(delivered=True, seen=True))

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(20)
