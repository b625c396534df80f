"""Hands that take no time: a coordinator whose orders are done as they come, and units with a plan."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from toryo import processes
from toryo.protocol.base import Model
from toryo.protocol.kinds.landing import Accepted, CandidateBuilt, Published
from toryo.protocol.kinds.run import Exited, Prepared, Started
from toryo.protocol.kinds.units import Refreshed, TargetOpened
from toryo.protocol.kinds.work import Cleaned, Collected
from toryo.protocol.wire import Connection

Body = dict[str, Any]


def commit_of(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


class InstantHands:
    def __init__(self, socket: Path, key: str, name: str) -> None:
        self._socket = socket
        self._wire = Connection(socket, key)
        self.plan: Mapping[str, Sequence[str]] = {}
        """The children of each unit that has any, by its id."""
        self._seq = itertools.count(1)
        self._requests = itertools.count(1)
        self._handled: set[str] = set()
        self._facts: list[Body] = []
        about = {"machine": processes.machine_id(), "name": name}
        us = self._wire.call(
            "register_coordinator", {**about, "boot": processes.boot_id(), "pid": processes.own_pid()}
        )
        self._who = {"coordinator": us["coordinator"], "incarnation": us["incarnation"]}

    def close(self) -> None:
        self._wire.close()

    def turn(self) -> bool:
        """Everything that is wanted now; whether there was anything."""
        found = self._wire.call("next_orders", {**self._who, "wait_s": 0.2})
        fresh = [one for one in found["orders"] if one["id"] not in self._handled]
        self._handled |= {one["id"] for one in fresh}
        # a worktree is reported before its agent speaks
        for one in sorted(fresh, key=lambda order: order["kind"] != "prepare"):
            for kind, fact in _ACTS[one["kind"]](self, one):
                self._note(one, kind, fact)
        self._tell()
        for agent, project in found["startable"]:
            while self._claim(agent, project):
                pass
        return bool(fresh or found["startable"])

    def _claim(self, agent: str, project: str) -> bool:
        asked = {"agent_id": agent, "project_id": project, "request_id": f"request{next(self._requests)}"}
        return bool(self._wire.call("claim_run", {**self._who, **asked})["claimed"])

    def _note(self, order: Body, kind: str, fact: Model) -> None:
        about = {"order": order["id"], "generation": order["generation"]}
        body = fact.model_dump(mode="json")
        self._facts.append({"seq": next(self._seq), "kind": kind, "body": body, **about})

    def _tell(self) -> None:
        facts, self._facts = self._facts, []
        if facts:
            self._wire.call("report_facts", {**self._who, "facts": facts})

    def prepare(self, order: Body) -> list[tuple[str, Model]]:
        inputs = order["inputs"]
        name, base = inputs["name"], inputs["base"]
        place = f"{inputs['repo']}/.worktrees/{name}"
        made = Prepared(name=name, worktree=place, branch=f"agent/{name}", base=base, head=base)
        return [("prepared", made)]

    def run(self, order: Body) -> list[tuple[str, Model]]:
        started = Started(shim_pid=1, pid=2, started_at="", boot="b")
        inputs = order["inputs"]
        children = self.plan.get(inputs["unit"]["unit"]) if inputs["purpose"] == "decompose" else None
        if children:
            self._note(order, "started", started)
            self._tell()
            listed = [{"id": one, "description": f"Part {one}"} for one in children]
            with Connection(self._socket, inputs["token"]) as agent:
                agent.call("spawn_children", {"tasks": listed})
            return [("exited", Exited(exit_code=0))]
        return [("started", started), ("exited", Exited(exit_code=0))]

    def collect(self, order: Body) -> list[tuple[str, Model]]:
        inputs = order["inputs"]
        if inputs["landed"] is not None:  # it has children, and only puts their work together
            return [("collected", Collected(head=commit_of(inputs["run"])))]
        fact = Collected(head=commit_of(inputs["run"]), commits=1, new_commits=1, changed_count=1)
        return [("collected", fact)]

    def open_target(self, order: Body) -> list[tuple[str, Model]]:
        if order["inputs"]["close"]:
            return [("target_opened", TargetOpened(closed=True))]
        commit = commit_of(order["id"])
        return [("target_opened", TargetOpened(commit=commit, tree=commit))]

    def refresh(self, order: Body) -> list[tuple[str, Model]]:
        return [("refreshed", Refreshed())]

    def candidate(self, order: Body) -> list[tuple[str, Model]]:
        commit = commit_of(order["id"])
        return [("candidate_built", CandidateBuilt(commit=commit, tree=commit))]

    def accept(self, order: Body) -> list[tuple[str, Model]]:
        return [("accepted", Accepted(moved=True, tip=order["inputs"]["new"]))]

    def publish(self, order: Body) -> list[tuple[str, Model]]:
        return [("published", Published(published=True, commit=order["inputs"]["new"]))]

    def clean(self, order: Body) -> list[tuple[str, Model]]:
        return [("cleaned", Cleaned(freed=True))]


_ACTS: dict[str, Callable[[InstantHands, Body], list[tuple[str, Model]]]] = {
    name: getattr(InstantHands, name)
    for name in (
        "prepare",
        "run",
        "collect",
        "open_target",
        "refresh",
        "candidate",
        "accept",
        "publish",
        "clean",
    )
}
