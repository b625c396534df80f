"""A shop with a tree of units: its root runs and may spawn children."""

from __future__ import annotations

from typing import Any

from whole_daemon import FIRST, Body, Shop

from toryo.protocol.kinds.run import Started
from toryo.protocol.kinds.units import TargetOpened

REQUIREMENTS = "goal: a shop\n"


class Tree(Shop):
    """A shop with a tree whose root runs and may speak."""

    def begin(self, **wishes: Any) -> str:
        """The token of the root's run."""
        wish = {"project": self.project, "requirements": REQUIREMENTS, "at_once": True, **wishes}
        self.begun = self.daemon.person("spawn_tree", **wish)
        return self.run("root")

    def run(self, unit: str, request: str = "") -> str:
        """Its next run is claimed, prepared and started; its token."""
        self.daemon.settle()
        claimed = self.hands.claim("dev", self.project, request or f"request-{unit}")
        assert claimed["claimed"], claimed
        self.hands.prepare(claimed["order"])
        order = self.hands.order("run", run=claimed["run_id"])
        self.hands.report(order, "started", Started(shim_pid=1, pid=2, started_at="", boot="b"))
        self.running = order
        return self.run_token(self.running)

    def spawn(self, token: str, *tasks: Body, breakdown: str = "") -> Body:
        found: Body = self.daemon.by(token, "spawn_children", tasks=list(tasks), breakdown=breakdown)
        self.daemon.settle()
        return found

    def refused(self, token: str, *tasks: Body) -> str:
        return str(self.daemon.refused(token, "spawn_children", tasks=list(tasks))["error"])

    def open(self) -> None:
        order = self.hands.order("open_target")
        self.hands.report(order, "target_opened", TargetOpened(commit=FIRST, tree=FIRST))

    def end(self, code: int = 0) -> None:
        self.hands.exit(self.running, code)
        self.hands.collect(0)
        self.daemon.settle()

    def units(self) -> dict[str, str]:
        self.daemon.settle()
        found = self.daemon.person("unit_tree", project=self.project)["units"]
        return {one["unit"]: f"{one['status']} {one['reason']}".strip() for one in found}


def part(id: str, **more: Any) -> Body:
    return {"id": id, "description": f"Part {id}", **more}
