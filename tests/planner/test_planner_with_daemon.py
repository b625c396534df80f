"""The real planner process at the real daemon's socket."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.whole_daemon import WholeDaemon
from planner.briefs import a_brief
from planner.test_planner_process import SCRIPT, env, purposes
from rehearsal.model_process import model_process
from toryo.domain.words import PLANNERS, OrderKind, OrderState
from toryo.engine.context import HeadContext
from toryo.engine.orders.compose import insert
from toryo.protocol.kinds.planner import PlannerInputs
from toryo.settings import Home
from toryo.store.database.engine import Tx
from toryo.store.database.rows import OrderRow
from toryo.store.tables import orders, texts
from waiting import eventually


@pytest.fixture
def whole(tmp_path: Path) -> Iterator[WholeDaemon]:
    made = WholeDaemon(Home(tmp_path / "home"))
    yield made
    made.close()


def want(tx: Tx) -> None:
    """As a mission would: the brief beside the order."""
    brief = texts.put(tx, a_brief(text="REQUEST-of-daemon").model_dump_json())
    inputs = PlannerInputs(mission="n1", request=1, brief=brief)
    insert(tx, OrderKind.PLAN, "n1/1/plan/0", PLANNERS, inputs)


def test_an_order_of_the_daemon_is_asked_once_and_reported(whole, tmp_path):
    def order(context: HeadContext) -> OrderRow | None:
        with context.store.read() as tx:
            return orders.by_key(tx, "n1/1/plan/0")

    whole.change(want)
    with model_process(tmp_path, SCRIPT) as model:
        given = {**os.environ, "TORYO_HOME": str(whole.home.path), **env(model)}
        argv = [sys.executable, "-P", "-m", "toryo", "planner", "run"]
        with subprocess.Popen(argv, env=given, stdout=subprocess.DEVNULL) as process:
            try:
                eventually(
                    lambda: whole.do(order).state == OrderState.REPORTED, within_s=40, what="the report"
                )
            finally:
                process.terminate()
        assert process.returncode == 0
        assert purposes(model) == ["plan"]
        assert "REQUEST-of-daemon" in json.dumps(model.requests())
