"""Attaching to a run's terminal: the front steps aside, and is back when the person detaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo import processes, settings
from toryo.domain.errors import UserError

if TYPE_CHECKING:
    from toryo.fronts.tui.app import ToryoApp


async def attach(front: ToryoApp, id: str) -> None:
    found = await front.ask("attach_run", id=id)
    argv = [str(word) for word in found["argv"]]
    # inside a person's own tmux, ours would refuse to be nested
    env = {name: value for name, value in settings.environment().items() if name not in ("TMUX", "TMUX_PANE")}
    try:
        with front.suspend():
            code = processes.converse(argv, env=env)
    except OSError as failed:
        raise UserError(
            f"{argv[0]} could not be started: {failed.strerror}",
            hint="The agent may be on another machine; the log tab follows it from here.",
        ) from failed
    front.refresh(layout=True)
    if code:
        front.notify(f"{argv[0]} ended with {code}", severity="warning", markup=False)
