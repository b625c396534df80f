"""The verb `tmux`: a unit tree in panes of a person's own tmux, followed until its window is closed."""

from __future__ import annotations

import contextlib
import shutil
import sys
import threading
from typing import TYPE_CHECKING

from toryo import processes, settings
from toryo.domain.errors import ToryoError, UserError
from toryo.fronts.cli.parsing import project_option, verb
from toryo.fronts.cli.units.tree_window import TmuxFailed, TreeWindow, opened, tmux
from toryo.fronts.client import Desk, whose
from toryo.fronts.processes.start import PROGRAM
from toryo.fronts.text.tree_panes import BUS, ROOT

if TYPE_CHECKING:
    import argparse

    from toryo.protocol.views.units import UnitTree

LOOK_AGAIN_S = 5.0
"""At the latest: the window may have another size."""
SIZE = (200, 50)


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.description = (
        "Root upper left, the messages of the tree below it, at the right each child that works, as many as\n"
        "fit; panes come and go with the tree. Inside tmux it is a new window, else a session of its own."
    )
    parser.add_argument("unit", nargs="?", default="", metavar="ID", help="a unit or mission of another tree")
    project_option(parser)
    verb(parser, show_tree, "toryo tmux", "toryo tmux n3kd92m1", hands=True, json=False)


def show_tree(args: argparse.Namespace, desk: Desk) -> int:
    tmux("-V")  # better said before anything is asked
    tree = _tree(args, desk)
    root = next((one for one in tree["units"] if one["parent"] is None), None)
    if root is None:
        raise UserError("This tree has no unit yet.", hint="`toryo spawn` begins one.")
    session = f"toryo-{tree['mission']}"
    own = (
        "env",
        f"TORYO_HOME={desk.home.path}",
        *PROGRAM,
    )  # the server of tmux has an environment of its own
    log = (*own, "log", "-f")
    fixed = {
        ROOT: (*log, root["id"]),
        BUS: (*own, "bus", "export", "-f", "--project", tree["project"]),
    }
    columns, rows = shutil.get_terminal_size(SIZE)
    window = TreeWindow(opened(session, (columns, rows), fixed[ROOT], ROOT), fixed)
    _show(window, tree, log)
    if settings.environment().get("TMUX"):
        print("The window follows the tree as long as this goes on; Ctrl-C leaves it as it is.")
        return _follow(args, desk, window, log)
    print(f"type: tmux attach-session -t {session}", flush=True)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _follow(args, desk, window, log)
    return _attach(args, desk, window, log, session)


def _attach(
    args: argparse.Namespace, desk: Desk, window: TreeWindow, log: tuple[str, ...], session: str
) -> int:
    """The person looks; beside them the panes are kept in step, on a line to the daemon of its own."""

    def follow() -> None:
        with contextlib.suppress(ToryoError), Desk(desk.processes, reads=False, hands=True) as own:
            _follow(args, own, window, log)

    threading.Thread(target=follow, name="follow the tree", daemon=True).start()
    return processes.converse(("tmux", "-u", "attach-session", "-t", session), env=settings.environment())


def _follow(args: argparse.Namespace, desk: Desk, window: TreeWindow, log: tuple[str, ...]) -> int:
    seen = int(desk.call("list_events", {"limit": 1})["newest"])
    while window.is_there():
        try:
            _show(window, _tree(args, desk), log)
        except TmuxFailed:
            if window.is_there():
                raise
            return 0  # it was closed meanwhile
        wait = {"after": seen, "limit": 1000, "wait_s": LOOK_AGAIN_S}
        seen = int(desk.call_through("list_events", wait, timeout_s=LOOK_AGAIN_S + 15)["next_after"])
    return 0


def _tree(args: argparse.Namespace, desk: Desk) -> UnitTree:
    tree: UnitTree = desk.call("unit_tree", {**whose(args, desk), "unit": args.unit})
    return tree


def _show(window: TreeWindow, tree: UnitTree, log: tuple[str, ...]) -> None:
    """Children that are at work, in the order of the tree; what is at rest needs no pane."""
    below = [one for one in tree["units"] if one["parent"] is not None]
    working = {one["unit"] if one["parent"] else ROOT for one in tree["units"] if one["status"] == "running"}
    window.show({one["unit"]: (*log, one["id"]) for one in below if one["edge"] == "running"}, working)
