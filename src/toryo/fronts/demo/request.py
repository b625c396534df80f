"""Request of the demo: the sentence typed as `toryo do`, a command that goes on while it is watched."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from toryo.fronts.demo.plan import SENTENCE
from toryo.fronts.demo.stage import StepFailed

if TYPE_CHECKING:
    from toryo.fronts.demo.stage import Stage
    from toryo.processes import Finished

WORDS = ("do", SENTENCE, "--defaults", "--yes")


class Request(threading.Thread):
    """Whoever leaves the stage ends the command too: its home is there."""

    def __init__(self, stage: Stage, within_s: float) -> None:
        super().__init__(daemon=True)
        self._stage, self._within_s = stage, within_s
        self._done: Finished | None = None
        self._failed: StepFailed | None = None
        self.start()

    def run(self) -> None:
        try:
            self._done = self._stage.try_toryo(*WORDS, within_s=self._within_s)
        except StepFailed as failed:
            self._failed = failed

    @property
    def is_over(self) -> bool:
        if self._failed:
            raise self._failed
        return self._done is not None

    @property
    def exit_code(self) -> int | None:
        """0: the mission is completed."""
        return self._done.code if self._done else None

    @property
    def said(self) -> str:
        return self._done.text if self._done else ""
