"""Chooses a process; the only file that joins concrete parts. What is heavy is imported where it is used."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from toryo.fronts.client import Process
    from toryo.settings import Home


def main(argv: Sequence[str] | None = None) -> int:
    """The program `toryo`; the exit code."""
    from toryo.fronts.cli.entry import run

    gc.disable()  # a command ends before there is anything worth collecting
    words = list(sys.argv[1:] if argv is None else argv)
    parts: dict[str, Process] = {
        "daemon": _daemon,
        "coordinator": _coordinator,
        "web": _web,
        "tui": _tui,
        "planner": _planner,
        "check_model": _check_model,
        "demo": _demo,
        "rehearse": _rehearse,
        "model": _model,
    }
    code = run(words, parts)
    gc.freeze()
    return code


def _daemon(home: Home, name: str, foreground: bool) -> int:
    from toryo.daemon.process import run_daemon
    from toryo.daemon.tools.table import table

    gc.enable()
    return run_daemon(home, foreground=foreground, tools=table())


def _coordinator(home: Home, name: str, foreground: bool) -> int:
    from toryo.coordinator.process import run_coordinator

    gc.enable()
    return run_coordinator(home, name, foreground)


def _web(home: Home, port: int | None) -> int:
    from toryo.fronts.web.server import run_web

    gc.enable()
    return run_web(home, port)


def _tui(home: Home, path: str, screen: str, **parts: Callable[..., Any]) -> int:
    from toryo.fronts.tui.opening import run_tui

    gc.enable()
    return run_tui(home, path, screen, **parts)


def _planner(home: Home, name: str, foreground: bool) -> int:
    from toryo.planner.process import run_planner

    gc.enable()
    return run_planner(home, name, foreground)


def _check_model(home: Home, show: Callable[[dict[str, Any]], int], *trial: Any) -> int:
    """The front shows what the planner's own code finds; `trial`: what is tried without being written."""
    from toryo.planner.checking import check

    return show(check(home, *trial))


def _demo(*, keep: str | None, as_json: bool, client: str) -> int:
    from toryo.fronts.demo.show import play

    return play(keep=keep, as_json=as_json, client=client)


def _rehearse(script: str, *, client: str | None, keep: str | None, as_json: bool) -> int:
    from toryo.fronts.demo.rehearsing import play

    return play(script, client=client, keep=keep, as_json=as_json)


def _model(script: str, requests: str, port_file: str) -> int:
    """The scripted model is a program of its own: this process becomes it."""
    from toryo.fronts.demo.model import become

    return become(script, requests, port_file)
