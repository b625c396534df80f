"""Follows `toryo events -f` like a person with a second terminal would, and folds its lines into a story."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toryo import processes
from toryo.fronts.demo.stage import PROGRAM, StepFailed
from toryo.fronts.demo.story import Story

if TYPE_CHECKING:
    from toryo.fronts.demo.stage import Stage


@dataclass
class Watch:
    stage: Stage
    pid: int
    started: str | None
    story: Story = field(default_factory=Story)
    _offset: int = 0

    def look(self) -> Story:
        """The story with all that has happened by now."""
        with open(self.stage.events, "rb") as file:
            file.seek(self._offset)
            whole, end, _ = file.read().rpartition(b"\n")
        self._offset += len(whole) + len(end)
        for line in whole.splitlines():
            if not line.startswith(b"{"):
                raise StepFailed(f"`toryo events -f` said: {line.decode('utf-8', 'replace')}")
            self.story.take(json.loads(line))
        if not self.story.mission.is_over and not processes.is_alive(self.pid, self.started):
            raise StepFailed("`toryo events -f` ended.")
        return self.story

    def end(self) -> None:
        if self.started:
            processes.ask_to_end(self.pid, self.started)


def watch(stage: Stage) -> Watch:
    argv = (*PROGRAM, "events", "--follow", "--json", "--after", "0")
    pid = processes.spawn_watched(argv, env=stage.env(), cwd=stage.root, output=stage.events)
    return Watch(stage, pid, processes.start_time(pid))
