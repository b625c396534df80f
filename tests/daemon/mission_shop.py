"""A shop with a planner whose every answer a test chooses, and what usually happens to a mission."""

from __future__ import annotations

import json
from typing import Any

from whole_daemon import Body, Shop

from toryo.protocol.kinds.files import Scanned
from toryo.protocol.kinds.planner import Brief
from toryo.store.database.blobs import blob_hash
from toryo.store.tables import missions, orders, projects, tasks
from waiting import eventually

PLAN: Body = {
    "spec": "# Feature Specification: Limits",
    "plan": "# Implementation Plan: Limits",
    "parallelism": 2,
    "tasks": [
        {"id": "T001", "title": "Count requests", "write": ["src/a.py"], "checks": ["true"]},
        {
            "id": "T002",
            "title": "Refuse more",
            "depends_on": ["T001"],
            "write": ["src/b.py"],
            "checks": ["true"],
        },
    ],
}


class PlannerHands:
    """A planner that does nothing: the test says what its model answers."""

    def __init__(self, shop: Shop, name: str = "main") -> None:
        self.shop = shop
        who = {"machine": shop.hands.machine, "name": name}
        self.key = shop.daemon.person("issue_planner_key", **who)["key"]
        body = shop.daemon.by(self.key, "register_planner", boot="b", pid=1, **who)
        self.me = {"coordinator": body["coordinator"], "incarnation": body["incarnation"]}
        self._seq = 0

    def orders(self) -> list[Body]:
        self.shop.daemon.settle()
        found: list[Body] = self.speak("next_orders", wait_s=0)["orders"]
        return found

    def order(self, kind: str) -> Body:
        def look() -> Body | None:
            return next((one for one in self.orders() if one["kind"] == kind), None)

        return eventually(look, what=f"the planner's order {kind}")  # type: ignore[return-value]

    def brief(self, order: Body) -> Brief:
        text = self.shop.daemon.by(self.key, "fetch_blob", hash=order["inputs"]["brief"])["text"]
        return Brief.model_validate_json(text)

    def answer(self, kind: str, answer: Body, **usage: Any) -> Body:
        """Of the open order of that kind; the order."""
        order = self.order(kind)
        ends = {"question": "questioned", "plan": "planned", "analyze": "analyzed", "judge": "judged"}
        text = json.dumps(answer)
        body = {"answer": blob_hash(text), "usage": {"calls": 1, **usage}}
        self.report(ends.get(kind, {"impact": "weighed"}.get(kind, "summarised")), order["id"], body, text)
        return order

    def fail(self, kind: str, fact: str, code: str = "malformed", said: str = "I would rather not") -> None:
        problem = {"code": code, "message": "no JSON object in it"}
        body = {"problem": problem, "text": blob_hash(said), "usage": {"calls": 3}}
        self.report(fact, self.order(kind)["id"], body, said)

    def report(self, fact: str, order: str, body: Body, text: str = "") -> None:
        self._seq += 1
        told = {"seq": self._seq, "kind": fact, "order": order, "generation": 0, "body": body}
        blobs = {blob_hash(text): text} if text else {}
        assert self.speak("report_facts", facts=[told], blobs=blobs)["acknowledged"] == [self._seq]
        self.shop.daemon.settle()

    def speak(self, tool: str, /, **arguments: Any) -> Body:
        found: Body = self.shop.daemon.by(self.key, tool, **self.me, **arguments)
        return found


class MissionShop(Shop):
    planner: PlannerHands

    def begin(
        self, text: str = "Limit requests", paths: tuple[str, ...] = (), tests: bool = True, **wishes: Any
    ) -> str:
        """Its id; the repository is scanned, and holds these paths."""
        if not hasattr(self, "planner"):
            self.planner = PlannerHands(self)
        begun = self.daemon.person("start_mission", **{"text": text, "project": self.project, **wishes})
        self.daemon.settle()
        if any(one["kind"] == "scan" for one in self.hands.speak("next_orders", wait_s=0)["orders"]):
            self.hands.report(self.hands.order("scan"), "scanned", Scanned(has_tests=tests, paths=paths))
        return str(begun["mission"])

    def setting(self, **settings: Any) -> None:
        """As the project's committed `.toryo/config.yaml` would say it."""

        def write(tx: Any) -> None:
            row = projects.get(tx, self.project)
            assert row is not None
            projects.update(tx, self.project, settings={**row.settings, **settings})

        self.daemon.change(write)

    def planned(self, text: str = "Limit requests", plan: Body | None = None, **wishes: Any) -> str:
        """A small mission whose plan waits."""
        mission = self.begin(text, **wishes)
        self.planner.answer("question", {"title": "Limits", "size": "small"})
        self.planner.answer("plan", plan or PLAN)
        return mission

    def mission(self, mission: str) -> Body:
        self.daemon.settle()
        found: Body = self.daemon.person("show_mission", mission=mission)["mission"]
        return found

    def standing(self, mission: str) -> str:
        found = self.mission(mission)
        return f"{found['status']} {found['reason']}".strip()

    def mission_tasks(self, mission: str) -> dict[str, str]:
        """Plan id → task."""
        plan = self.mission(mission)["plan"]
        return {one["id"]: one["task"] for one in plan["tasks"]}

    def close(self) -> None:
        """What holds of every mission, whatever a test did with it, is looked at first."""
        try:
            self.insist_on_missions()
        finally:
            self.daemon.close()

    def insist_on_missions(self) -> None:
        """Its status is what its raw rows decide; `why` names rows, and a person has lines to type."""
        self.daemon.settle()
        assert self.daemon.person("recompute")["differences"] == []
        waiting = {one["subject"]: one for one in self.daemon.person("get_status")["needs_you"]}
        for one in self.daemon.person("list_missions")["missions"]:
            told = self.daemon.person("why", id=one["id"])
            assert (told["status"], told["reason"]) == (one["status"], one["reason"])
            for row in (fact["row"] for fact in told["facts"]):
                self.insist_on_row(row)
            for link in told["waits_for"]:
                self.insist_on_row(link["subject"])
            ended = one["status"] in ("completed", "failed", "cancelled")
            assert (told["turn"] == "nobody") == ended, told
            if told["turn"] == "person":
                assert told["actions"], "a person is left without a line to type"
            asked = waiting.get(f"mission:{one['id']}")
            if asked is not None:
                assert not ended
                assert asked["lines"]
                assert all(line.startswith("toryo ") for line in asked["lines"])
        tasks = {one["id"]: one for one in self.daemon.person("list_tasks", limit=1000)["tasks"]}
        for name in waiting:
            kind, _, id = name.partition(":")
            assert kind != "task" or tasks[id]["reason"] != "paused", "its mission says it once"

    def insist_on_row(self, name: str) -> None:
        kind, _, id = name.partition(":")
        found: list[str] = []

        def look(tx: Any) -> None:
            table = {"mission": missions, "task": tasks, "order": orders}[kind]
            found.extend([id] if table.get(tx, id) else [])

        self.daemon.change(look)
        assert found == [id], name
