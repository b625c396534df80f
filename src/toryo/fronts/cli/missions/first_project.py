"""Project of a mission: the one here, or the repository here made one first, as `init --yes` does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toryo.fronts.client import inner, whose
from toryo.protocol.wire import ToolFailed

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.client import Desk

REMOVED = "removed"


def project_here(args: argparse.Namespace, desk: Desk) -> dict[str, Any]:
    """Its view; a project that was named is never made."""
    try:
        found: dict[str, Any] = inner(desk.call("get_project", whose(args, desk)), "project")
    except ToolFailed:
        if args.project:
            raise
        found = {"status": REMOVED}
    if found["status"] != REMOVED or args.project:
        return found
    from toryo.fronts.cli.begin.init import made_text, make_project

    made = make_project(desk)
    print("No project yet: `toryo init --yes` first.", file=sys.stderr)
    print(made_text(made, with_next=False), file=sys.stderr)
    project: dict[str, Any] = made.answer["project"]
    return project
