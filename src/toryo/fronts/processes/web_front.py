"""Web front's start: its process, the port it asks for, and the address that opens its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo import __version__
from toryo.fronts.processes.start import begin, end, starting_lock, wait_until
from toryo.fronts.processes.stop import end_web
from toryo.fronts.processes.web_note import Front, address, noted, token
from toryo.fronts.text.output import Progress

if TYPE_CHECKING:
    from toryo.settings import Home

PART = "web-server"


def bring_up(home: Home, *, port: int | None = None, rotate: bool = False) -> str:
    """The address of the page; its process is started unless it runs as wanted."""
    with Progress("starting the page") as progress, starting_lock(home, progress):
        there = noted(home)
        if there is not None and there.is_alive:
            if there.version == __version__ and port in (None, there.port) and not rotate:
                return address(home, there.port)
            end_web(home, progress)
        token(home, rotate=rotate)
        return address(home, _start(home, port, progress))


def _start(home: Home, port: int | None, progress: Progress) -> int:
    """The port that it listens on."""
    begun = begin(home, PART, *(() if port is None else ("--port", str(port))))
    found: list[Front] = []

    def listens() -> bool:
        there = noted(home)
        found[:] = [there] if there is not None and there.pid == begun.pid else []
        return bool(found)

    try:
        wait_until(begun, PART, progress, listens)
    except BaseException:  # also Ctrl-C: without its note nobody could name it later
        end(begun)
        raise
    return found[0].port
