"""The window of a unit tree in a person's own tmux: its panes are read from tmux, and brought in step."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from toryo import processes, settings
from toryo.domain.errors import ToryoError, UserError
from toryo.fronts.text.tree_panes import BUS, arranged, tmux_layout

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

LIMIT_S = 10.0
_SHOWS = "@toryo"
"""Option of a pane: what it shows."""
_STATE = "#{pane_id} #{pane_dead} #{window_width} #{window_height} #{@toryo}"


class TmuxRequired(UserError):
    """tmux is required to show a tree of units in panes, and it is not installed here."""

    way_out = "Install tmux; or go on without it: `toryo ui`, `toryo unit tree`, `toryo log -f UNIT`."


class TmuxFailed(ToryoError):
    """tmux did not do what it was asked."""

    way_out = "`toryo ui --screen work` shows the tree without it."


def tmux(*words: str) -> str:
    """One command of the person's own tmux; what it printed."""
    env = settings.environment()
    program = shutil.which("tmux", path=env.get("PATH"))
    if program is None:
        raise TmuxRequired
    try:
        done = processes.run((program, "-u", *words), env=env, limit_s=LIMIT_S)
    except processes.TimeLimit as late:
        raise TmuxFailed(f"tmux {words[0]} did not answer within {LIMIT_S:g} s.") from late
    if done.code != 0:
        raise TmuxFailed(f"tmux {words[0]}: {done.complaint or done.code}")
    return done.text


class TreeWindow:
    def __init__(self, id: str, commands: Mapping[str, Sequence[str]]) -> None:
        """`commands`: of root and bus; those of units come with each look."""
        self._id = id
        self._fixed = dict(commands)
        self._applied = ""

    def is_there(self) -> bool:
        try:
            return self._id in tmux("list-windows", "-a", "-F", "#{window_id}").split()
        except TmuxFailed:  # its server left with its last window
            return False

    def show(self, units: Mapping[str, Sequence[str]], working: Collection[str]) -> None:
        """These units at the right, each by its command, as many as fit. `working`: what has something new to
        print, should its command have ended."""
        panes, dead, (width, height) = self._seen()
        layout = arranged(width, height, list(units))
        wanted = [box.what for box in layout.boxes]
        commands = {**units, **self._fixed}
        for what in [one for one in panes if one not in wanted]:
            tmux("kill-pane", "-t", panes.pop(what))
        before = ""
        for what in wanted:
            if what not in panes:
                panes[what] = self._split(panes[before], what, commands[what])
            elif what in dead and what in (*working, BUS):
                tmux("respawn-pane", "-k", "-t", panes[what], *commands[what])
            before = what
        form = tmux_layout(layout, width, height)
        if form != self._applied or set(wanted) != set(self._seen_names):
            tmux("select-layout", "-t", self._id, form)
            self._applied = form

    def _seen(self) -> tuple[dict[str, str], set[str], tuple[int, int]]:
        """What each pane shows, those whose program has ended, and the window's size."""
        panes, dead, size = {}, set(), (0, 0)
        for line in tmux("list-panes", "-t", self._id, "-F", _STATE).splitlines():
            id, is_dead, width, height, what = (*line.split(" ", 4), "")[:5]
            size = int(width), int(height)
            panes[what or id] = id  # a pane that a person split off is theirs, and closed by nobody but them
            if is_dead == "1":
                dead.add(what)
        self._seen_names = tuple(panes)
        return {what: id for what, id in panes.items() if not what.startswith("%")}, dead, size

    def _split(self, beside: str, what: str, command: Sequence[str]) -> str:
        tmux("select-layout", "-t", self._id, "tiled")  # room for one more
        made = tmux("split-window", "-d", "-P", "-F", "#{pane_id}", "-t", beside, *command).strip()
        _name(made, what)
        return made


def opened(session: str, size: tuple[int, int], command: Sequence[str], what: str) -> str:
    """A window for the tree, its first pane in it: within the person's tmux a new window, else a session."""
    if settings.environment().get("TMUX"):
        words = ["new-window", "-P", "-F", "#{window_id}", "-n", session, *command]
    else:
        known = _window_of(session)
        if known:
            return known
        form = ("-P", "-F", "#{window_id}", "-s", session, "-x", str(size[0]), "-y", str(size[1]))
        words = ["new-session", "-d", *form, *command]
    # at once: a program that ends at once would take its pane with it
    id = tmux(*words, ";", "set-option", "-w", "remain-on-exit", "on").split()[0]
    pane = tmux("list-panes", "-t", id, "-F", "#{pane_id}").split()[0]
    tmux("set-option", "-w", "-t", id, "remain-on-exit", "on")
    _name(pane, what)
    return id


def _window_of(session: str) -> str:
    """Of a session that was left: it is taken up again."""
    try:
        return tmux("list-windows", "-t", f"={session}", "-F", "#{window_id}").split()[0]
    except TmuxFailed:
        return ""


def _name(pane: str, what: str) -> None:
    tmux("set-option", "-p", "-t", pane, _SHOWS, what)
