"""Opening of the terminal front: until the person leaves; what runs goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toryo.fronts.tui.app import ToryoApp

if TYPE_CHECKING:
    from collections.abc import Callable

    from toryo.settings import Home


def run_tui(
    home: Home,
    path: str,
    screen: str,
    *,
    start_planner: Callable[[], object],
    check_model: Callable[..., dict[str, Any]],
) -> int:
    """The exit code."""
    app = ToryoApp(home, path, screen, start_planner=start_planner, check_model=check_model)
    app.run()
    return app.return_code or 0
