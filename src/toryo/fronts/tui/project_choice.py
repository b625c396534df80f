"""Dialog for the project that is shown, where the front was opened outside of any and there are several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toryo.fronts.text.output import one_line, plain
from toryo.fronts.tui.dialogs import ChoiceDialog
from toryo.fronts.tui.row_list import Row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def projects_of(listed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Those that work is done in."""
    return [one for one in listed["projects"] if one["status"] == "active"]


class ProjectChoice(ChoiceDialog):
    def __init__(self, projects: Sequence[Mapping[str, Any]]) -> None:
        rows = [
            Row(str(one["id"]), ((one_line(one["name"]), "bold"), (f"  {plain(str(one['path']))}", "dim")))
            for one in projects
        ]
        super().__init__(
            "which project?", rows, hint="Enter shows it · Esc leaves all of them · P asks again"
        )
