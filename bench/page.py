"""The page in Chromium: from the daemon's event to the changed row, the first view of very many tasks, what
is loaded for it, and what its process takes. Without Chromium nothing is measured, and the row says so."""

from __future__ import annotations

import gzip
import json
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from subprocess import PIPE
from typing import Any
from urllib.parse import urlsplit

from bridge import resident_mb
from idle import cpu_s
from installation import Installation, calm, command
from many_tasks import fill
from playwright.sync_api import Browser, Page, sync_playwright
from table import Figure, Samples, number
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from toryo.daemon.process import open_context

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
STATIC = Path(__file__).parents[1] / "src/toryo/fronts/web/static"
VIEW = {"width": 1280, "height": 900}
ROW = "[role=treeitem][data-task]"
SEEN = """() => {
  window.drawn = [];
  new MutationObserver((list) => {
    const at = Date.now();
    for (const one of list) {
      const node = one.target.nodeType === 1 ? one.target : one.target.parentElement;
      const row = node && node.closest("[data-task]");
      if (row) window.drawn.push([row.dataset.task, row.textContent, at]);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
}"""
CHANGED = """([task, word]) => new Promise((found) => {
  const look = () => {
    const one = window.drawn.find(([id, text]) => id === task && text.includes(word));
    if (one) found(one[2]);
    else setTimeout(look, 5);
  };
  look();
})"""
FIRST = """
window.firstView = new Promise((found) => {
  const look = () => {
    if (document.querySelector("ROW")) found(Date.now());
    else requestAnimationFrame(look);
  };
  look();
});
""".replace("ROW", ROW)
"""A frame after the row is in the document, which is when it is drawn."""
BARE_SERVER = "import fastapi, uvicorn, websockets; print(flush=True); input()"


@dataclass
class Taken:
    """What was measured, in seconds."""

    pixel: list[float] = field(default_factory=list)
    socket: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)
    loaded: tuple[str, ...] = ()
    idle: float = 0.0
    memory: float = 0.0


@dataclass(frozen=True)
class Address:
    url: str
    pid: int

    @classmethod
    def of(cls, place: Installation) -> Address:
        url = place.toryo("web", "--no-open").splitlines()[0]
        return cls(url, int(json.loads((place.home.path / "web.json").read_text())["pid"]))

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc

    def channel(self) -> ClientConnection:
        bearer = {"Authorization": f"Bearer {urlsplit(self.url).query.removeprefix('token=')}"}
        return connect(f"ws://{self.host}/api/events", additional_headers=bearer, proxy=None)


def measure(shown: int, changes: int, views: int, idle_s: float, say: Callable[[str], None]) -> list[Figure]:
    if CHROMIUM is None:
        return [Figure("page", "", None, Samples((0.0,)), note="Chromium is not installed: not measured")]
    taken = Taken()
    place = Installation()
    try:
        place.repo.mkdir()
        command(["git", "init", "-q", "-b", "main"], cwd=place.repo)
        context = open_context(place.home, place.home.database)
        fill(context.store, "another agent's ahead", shown, path=str(place.repo), machine="elsewhere")
        context.store.close()
        place.start_daemon()
        address = Address.of(place)
        with _chromium() as browser:
            for turn in range(views + 1):
                calm()
                bare, first = _bare(browser, address), _first_view(browser, address, taken)
                if turn:  # the first one warms up
                    taken.bare.append(bare)
                    taken.first.append(first)
            say(f"page: first view of {shown} tasks")
            _changes(place, address, browser, changes, taken)
            say(f"page: {changes} changes")
            with _opened(browser, address) as tab:
                tab.wait_for_load_state("networkidle")
                _idle(address.pid, idle_s, taken)
            say("page: idle")
    finally:
        place.close()
    return _figures(shown, idle_s, taken, _bare_memory())


@contextmanager
def _chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # --no-sandbox: Chromium refuses to be started by root otherwise
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def _opened(browser: Browser, address: Address) -> Iterator[Page]:
    """In a browser that has been here never."""
    context = browser.new_context(viewport=VIEW)
    tab = context.new_page()
    tab.goto(address.url)
    tab.locator(ROW).first.wait_for()
    yield tab
    context.close()


def _bare(browser: Browser, address: Address) -> float:
    """The page that says what to type: the same process, and no script."""
    context = browser.new_context(viewport=VIEW)
    tab = context.new_page()
    tab.goto(f"http://{address.host}/")
    took = tab.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    context.close()
    return float(took) / 1000


def _first_view(browser: Browser, address: Address, taken: Taken) -> float:
    """From the navigation, the exchange of the token for a cookie included, to rows on the screen."""
    context = browser.new_context(viewport=VIEW)
    tab = context.new_page()
    tab.add_init_script(FIRST)
    begun = time.time()
    tab.goto(address.url, wait_until="commit")
    took = float(tab.evaluate("window.firstView")) / 1000 - begun
    tab.wait_for_load_state("networkidle")
    taken.loaded = tuple(tab.evaluate("performance.getEntriesByType('resource').map((one) => one.name)"))
    context.close()
    return took


def _changes(place: Installation, address: Address, browser: Browser, count: int, taken: Taken) -> None:
    """Tasks that are in sight are cancelled and retried by somebody else, one after the other."""
    heard: queue.Queue[tuple[float, str]] = queue.Queue()
    with address.channel() as channel, _opened(browser, address) as tab:
        threading.Thread(target=_listen, args=(channel, heard), daemon=True).start()
        tab.wait_for_load_state("networkidle")
        tab.evaluate(SEEN)
        tasks = tab.locator(ROW).evaluate_all("(all) => all.map((one) => one.dataset.task)")[:10]
        for turn in range(count + 2):
            calm()
            task = tasks[turn % len(tasks)]
            verb = "retry" if turn // len(tasks) % 2 else "cancel"
            place.call(f"{verb}_task", task=task)
            told_at, message = _about(heard, task)
            drawn = float(tab.evaluate(CHANGED, [task, message["state"]]))
            tab.evaluate("window.drawn.length = 0")
            event = place.call("list_events", after=message["id"] - 1, limit=1)["events"][0]
            at = datetime.fromisoformat(event["at"]).timestamp()
            if turn > 1:
                taken.pixel.append(drawn / 1000 - at)
                taken.socket.append(told_at - at)


def _listen(channel: ClientConnection, heard: queue.Queue[tuple[float, str]]) -> None:
    """A bare socket that is told the same, on a thread: nothing else may delay its clock."""
    with suppress(ConnectionClosed):
        while True:
            text = str(channel.recv())
            heard.put((time.time(), text))


def _about(heard: queue.Queue[tuple[float, str]], task: str) -> tuple[float, dict[str, Any]]:
    while True:
        at, text = heard.get(timeout=30)
        message = json.loads(text)
        if message["type"] == "task_update" and message["task_id"] == task:
            return at, message


def _idle(pid: int, seconds: float, taken: Taken) -> None:
    time.sleep(2)
    before, begun = cpu_s([pid]), time.monotonic()
    time.sleep(seconds)
    taken.idle = 100 * (cpu_s([pid]) - before) / (time.monotonic() - begun)
    taken.memory = resident_mb(pid)


def _bundle(loaded: tuple[str, ...]) -> float:
    """kB of what the first view loaded of the built files, each compressed."""
    paths = ["index.html", *{urlsplit(one).path.lstrip("/") for one in loaded if "/assets/" in one}]
    return sum(len(gzip.compress((STATIC / path).read_bytes())) for path in paths) / 1000


def _bare_memory() -> float:
    """MB of a process that has loaded the same server and serves nothing."""
    with subprocess.Popen([sys.executable, "-c", BARE_SERVER], stdin=PIPE, stdout=PIPE) as bare:
        assert bare.stdout is not None
        bare.stdout.readline()
        found = resident_mb(bare.pid)
        bare.kill()
    return found


def _figures(shown: int, idle_s: float, taken: Taken, bare_memory: float) -> list[Figure]:
    pixel, first = Samples.of_seconds(taken.pixel), Samples.of_seconds(taken.first)
    size = _bundle(taken.loaded)
    return [
        Figure(
            name="page: event → row changed in the browser",
            goal="p95 ≤ 150 ms",
            met=pixel.p95 <= 150,
            samples=pixel,
            floor_name="event → a bare socket has it",
            floor=Samples.of_seconds(taken.socket),
            note=f"p95 {number(pixel.p95)} ms, from the event's own time, with {shown} tasks in the list.",
        ),
        Figure(
            name=f"page: first view of {shown} tasks",
            goal="≤ 1.5 s",
            met=first.median <= 1500,
            samples=first,
            floor_name="a page without a script, same process",
            floor=Samples.of_seconds(taken.bare),
            note="In a browser that was here never, from the address with its token on.",
        ),
        Figure(
            name="page: loaded for the first view, gzipped",
            goal="≤ 350 kB",
            met=size <= 350,
            samples=Samples((size,)),
            unit="kB",
        ),
        Figure(
            name="page: memory of its process",
            goal="",
            met=None,
            samples=Samples((taken.memory,)),
            floor_name="fastapi + uvicorn + websockets imported",
            floor=Samples((bare_memory,)),
            unit="MB",
        ),
        Figure(
            name="page: its process, idle, one browser open",
            goal="",
            met=None,
            samples=Samples((taken.idle,)),
            unit="% of a core",
            note=f"over {idle_s:g} s.",
        ),
    ]
