"""Dialog about unfinished missions: each is resumed or discarded, or left as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.widgets import Static

from toryo.domain.words import MISSION_ENDED, MissionStatus
from toryo.fronts.text.output import ago, cut, one_line
from toryo.fronts.text.steps import MOVING_SIGN, SIGNS
from toryo.fronts.tui.asking import asks
from toryo.fronts.tui.dialogs import Dialog, YesDialog
from toryo.fronts.tui.keys import bindings
from toryo.fronts.tui.row_list import Row, RowList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from toryo.protocol.views.missions import MissionLine


LONGEST_LINE = 300


def unfinished(missions: Sequence[MissionLine]) -> list[MissionLine]:
    return [one for one in missions if one["status"] not in MISSION_ENDED]


def unfinished_line(found: Sequence[MissionLine]) -> str:
    """For a mode that is no conversation."""
    count = "1 mission is" if len(found) == 1 else f"{len(found)} missions are"
    titles = ", ".join(one_line(one["title"]) for one in found)
    return cut(f"◆ {count} unfinished: Tab goes on with one, or discards it · {titles}", LONGEST_LINE)


class Unfinished(Dialog[str]):
    """The answer is the mission to go on with."""

    BINDINGS: ClassVar = bindings(("discard",))

    def __init__(self, missions: Sequence[MissionLine]) -> None:
        super().__init__()
        self._missions = list(missions)

    def compose(self) -> ComposeResult:
        hint = "Enter goes on with it · D discards it · Esc asks for something new"
        box = Vertical(RowList(id="unfinished"), Static(hint, classes="hint", markup=False), classes="box")
        box.border_title = "Unfinished missions"
        yield box

    def on_mount(self) -> None:
        self._show()
        self.query_one(RowList).focus()

    def _show(self) -> None:
        self.query_one(RowList).put([_row(one) for one in self._missions])

    async def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        chosen = next(one for one in self._missions if one["id"] == event.key)
        if chosen["status"] != MissionStatus.PAUSED or await asks(
            self.app, "resume_mission", {"mission": chosen["id"]}
        ):
            self.dismiss(event.key)

    def action_discard(self) -> None:
        mission = self.query_one(RowList).key

        def answered(yes: bool | None) -> None:
            if yes:
                self.run_worker(self._discard(mission))

        self.app.push_screen(YesDialog(f"Discard {mission}? What landed stays; its agents end."), answered)

    async def _discard(self, mission: str) -> None:
        if not await asks(self.app, "cancel_mission", {"mission": mission}):
            return
        self._missions = [one for one in self._missions if one["id"] != mission]
        self._show()
        if not self._missions:
            self.dismiss(None)


def _row(one: MissionLine) -> Row:
    import time

    sign, style = SIGNS.get(one["status"], (MOVING_SIGN, "cyan"))
    reason = f" ({one['reason'].replace('_', ' ')})" if one["reason"] else ""
    since = ago(one["changed_at"], time.time())
    state = f"{one['status'].replace('_', ' ')}{reason}  {since}"
    return Row(one["id"], ((f"{sign} ", style), (one_line(one["title"]), "")), ((state, style),))
