"""A shop with a tree of units: a root that runs, children that it spawned, hands that hear what is said."""

from __future__ import annotations

from typing import Any

from whole_daemon import FIRST, TREE, Body, Shop

from toryo.protocol.base import Problem
from toryo.protocol.kinds.run import Started
from toryo.protocol.kinds.say import SayWaiting, Spoken
from toryo.protocol.kinds.units import TargetOpened

HEARD = Spoken(delivered=True, seen=True)


class Tree:
    """Of a root with two children, each in a live run of its own."""

    def __init__(self, shop: Shop, *children: str) -> None:
        self.shop = shop
        self.daemon, self.hands = shop.daemon, shop.hands
        shop.add_agent("unit", project=shop.project)
        self.tasks: dict[str, str] = {}
        self.orders: dict[str, Body] = {}
        begun = self.daemon.person(
            "spawn_tree", project=shop.project, onto="main", agent="unit", requirements="a: b\n", at_once=True
        )
        self.tasks["root"] = str(begun["task"])
        self.start("root")
        listed = [{"id": one, "description": f"Part {one}"} for one in children]
        if listed:
            spawned = self.daemon.by(self.token("root"), "spawn_children", tasks=listed)
            self.tasks |= {one["unit"]: one["task"] for one in spawned["spawned"]}
            opened = TargetOpened(commit=FIRST, tree=TREE)
            self.daemon.settle()
            self.hands.report(self.hands.order("open_target"), "target_opened", opened)

    def start(self, unit: str) -> Body:
        """The unit's next run, begun."""
        claimed = self.hands.claim("unit", self.shop.project, f"request-{unit}-{len(self.hands.answers)}")
        assert claimed["claimed"], claimed
        order = self.hands.order("prepare", task=self.tasks[unit])
        self.hands.prepare(order)
        run = self.hands.order("run", task=self.tasks[unit])
        self.orders[unit] = run
        self.hands.report(run, "started", Started(shim_pid=1, pid=2, started_at="", boot="b"))
        return run

    def token(self, unit: str) -> str:
        return self.shop.run_token(self.orders[unit])

    def run(self, unit: str) -> str:
        return str(self.orders[unit]["run"])

    def tell(self, unit: str, type: str = "progress", **said: Any) -> Body:
        """`unit` says something: to its parent, or to whom it names."""
        to = said.pop("to", "")
        return self.daemon.by(self.token(unit), "send_message", type=type, data=said, to=to)

    def refused(self, unit: str, type: str = "progress", **arguments: Any) -> str:
        arguments = {"data": {}, **arguments}
        return str(self.daemon.refused(self.token(unit), "send_message", type=type, **arguments)["error"])

    def said(self, unit: str) -> list[Body]:
        """Orders to say something to the unit's run that nobody has reported of."""
        self.daemon.settle()
        found = self.hands.speak("next_orders", wait_s=0)["orders"]
        return [one for one in found if one["kind"] == "say" and one["run"] == self.run(unit)]

    def hear(self, unit: str, fact: Spoken = HEARD) -> str:
        """The one line that is on its way to the unit, which is heard now."""
        (order,) = self.said(unit)
        text = str(self.hands.call("fetch_blob", hash=order["inputs"]["text"])["text"])
        self.hands.report(order, "spoken", fact)
        return text

    def fail(self, unit: str, code: str) -> str:
        return self.hear(unit, Spoken(problem=Problem(code=code, message="It cannot.", hint="toryo log")))

    def lie_ready(self, order: Body) -> None:
        self.hands.report(order, "say_waiting", SayWaiting(reader="hook"))

    def prompt(self, unit: str) -> str:
        order = self.orders[unit]
        return str(self.hands.call("fetch_blob", hash=order["inputs"]["prompt"])["text"])

    def inbox(self, unit: str) -> list[tuple[str, str]]:
        listed = self.daemon.person("list_messages", unit=self.tasks[unit])["messages"]
        return [(one["line"], one["state"]) for one in listed]
