"""Export of a mission's files by the command line: into the checkout it is typed in, or a named folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from toryo.fronts.checkouts import top_of_project
from toryo.fronts.client import inner
from toryo.fronts.exported_files import inside, named, write

if TYPE_CHECKING:
    from toryo.fronts.client import Desk
    from toryo.protocol.views.missions import ExportedMission


def export(desk: Desk, mission: str, project: str, to: str = "", *, force: bool = False) -> list[str]:
    """Paths of what was written or is there as it should be."""
    answer: ExportedMission = desk.call("export_mission", {"mission": mission})
    if to:
        folder = Path(to)
    else:
        main = str(inner(desk.call("get_project", {"project": project}), "project")["path"])
        folder = inside(Path(top_of_project(main, desk.path)), answer["directory"])
    return write(folder, named(answer), force=force)
