"""The verb `ui`: the terminal front, which `toryo` alone opens on a terminal, too."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toryo import settings
from toryo.domain.errors import UsageError
from toryo.fronts.cli.parsing import verb

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.client import Desk

SCREENS = ("branches", "agent", "work", "queue")


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    parser.add_argument("--screen", choices=SCREENS, metavar="S", help=f"which first: {', '.join(SCREENS)}")
    verb(parser, ui, "toryo ui", "toryo ui --screen work", reads=True, hands=True, json=False)


def can_open() -> bool:
    """On a terminal, and outside of a run."""
    inside = settings.environment().get("TORYO_RUN", "")
    # it is drawn on standard error
    return not inside and all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def ui(args: argparse.Namespace, desk: Desk) -> int:
    if not can_open():
        raise UsageError(
            "The terminal front needs a person's terminal.",
            hint="`toryo status` prints what is going on; `toryo --help` lists the verbs.",
        )
    desk.call("health_check", {})  # starts the daemon if nobody answers

    def start_planner() -> int:
        from toryo.fronts.cli.missions.model import hand_over_settings
        from toryo.fronts.client import Desk as OwnDesk

        with OwnDesk(desk.processes, reads=True, hands=False) as own:
            return hand_over_settings(own)

    def check_model(*trial: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}

        def keep(answer: dict[str, Any]) -> int:
            found.update(answer)
            return 0

        desk.processes["check_model"](desk.home, keep, *trial)
        return found

    return desk.processes["tui"](
        desk.home, desk.path, args.screen or "", start_planner=start_planner, check_model=check_model
    )
