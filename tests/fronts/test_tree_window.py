"""`toryo tmux` in a real tmux: geometry, panes that come and go with the tree, and the way without tmux."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from toryo.fronts.text.tree_panes import arranged
from waiting import eventually


def unit(name: str, edge: str = "running", parent: str | None = "root") -> dict[str, Any]:
    told = {"title": name, "status": edge, "edge": edge, "reason": "", "detail": ""}
    return {
        "unit": name,
        "id": f"t-{name}",
        "parent": parent,
        "branch": "",
        "agent": "",
        "children": [],
        **told,
    }


def tree(*children: dict[str, Any]) -> dict[str, Any]:
    root = unit("root", parent=None)
    return {"mission": "n1", "project": "p1", "title": "", "status": "", "units": [root, *children]}


@pytest.fixture
def tmux(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., str]]:
    """A server of this test alone."""
    folder = tmp_path_factory.mktemp("x")
    monkeypatch.setenv("TMUX_TMPDIR", str(folder))
    monkeypatch.delenv("TMUX", raising=False)

    def say(*words: str) -> str:
        done = subprocess.run(["tmux", *words], capture_output=True, text=True, check=False, timeout=20)
        return done.stdout

    yield say
    say("kill-server")


def panes(tmux: Callable[..., str]) -> dict[str, tuple[int, ...]]:
    """What each shows, and where: left, top, width, height."""
    form = "#{@toryo} #{pane_left} #{pane_top} #{pane_width} #{pane_height}"
    lines = tmux("list-panes", "-t", "toryo-n1", "-F", form).splitlines()
    return {line.split()[0]: tuple(map(int, line.split()[1:])) for line in lines if len(line.split()) == 5}


def test_panes_stand_as_laid_out_and_follow_the_tree_until_the_window_is_closed(
    peer, typed, tmux: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toryo.fronts.cli.units.tmux.LOOK_AGAIN_S", 0.05)
    now = {"tree": tree(unit("root-a"), unit("root-b", "pending"))}
    peer(unit_tree=lambda _: now["tree"], list_events={"newest": 1, "next_after": 1, "events": []})
    codes: list[int] = []
    following = threading.Thread(target=lambda: codes.append(typed("tmux").code))
    following.start()
    try:
        first = eventually(
            lambda: panes(tmux) if len(panes(tmux)) == 3 else None, within_s=60, what="three panes"
        )
        assert set(first) == {"root", "bus", "root-a"}, "what is pending has nothing to show"
        assert (first["root"][:2], first["bus"][0]) == ((0, 0), 0)
        assert first["bus"][1] > first["root"][1]
        width, height = map(
            int, tmux("display", "-p", "-t", "toryo-n1", "#{window_width} #{window_height}").split()
        )
        laid = {
            one.what: (one.x, one.y, one.width, one.height)
            for one in arranged(width, height, ["root-a"]).boxes
        }
        eventually(lambda: panes(tmux) == laid, what="the geometry as it was laid out")
        now["tree"] = tree(unit("root-a"), unit("root-b"), unit("root-c"))
        eventually(lambda: set(panes(tmux)) == {"root", "bus", "root-a", "root-b", "root-c"})
        eventually(lambda: len({panes(tmux)[f"root-{one}"][0] for one in "abc"}) == 1, what="one column")
        tops = [panes(tmux)[f"root-{one}"][1] for one in "abc"]
        assert tops == sorted(tops), "in the order of the tree"
        now["tree"] = tree(unit("root-a", "completed"), unit("root-c"))
        eventually(lambda: set(panes(tmux)) == {"root", "bus", "root-c"})
        assert "log" in tmux("list-panes", "-t", "toryo-n1", "-F", "#{pane_start_command}")
    finally:
        tmux("kill-session", "-t", "toryo-n1")
        following.join(30)
    assert codes == [0]


def test_without_tmux_it_is_required_and_the_way_to_go_on_is_named(
    peer, typed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there = peer(unit_tree=tree())
    monkeypatch.setenv("PATH", str(tmp_path))
    told = typed("tmux")
    assert told.code == 1
    assert "tmux is required" in told.err
    assert "toryo ui" in told.err
    assert there.calls == []
