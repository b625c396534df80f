"""Facts of a coordinator whose values make no sense: kept as what they are, never a bug, never believed."""

from __future__ import annotations

from typing import Any

import pytest
from whole_daemon import FIRST, WORK, Shop

from toryo.protocol.kinds.run import Exited, Prepared, Started
from toryo.protocol.kinds.work import Collected
from toryo.protocol.wire import ToolFailed

BENT: list[Any] = [None, True, "", "\0", "x" * 5000, -1, 2**63, -(2**70), 1e308, [], [[]], {}, {"a": "\0"}]
ENDS = {
    "started": Started(shim_pid=1, pid=2, started_at="", boot="b"),
    "exited": Exited(exit_code=1),
    "collected": Collected(head=WORK, commits=1, new_commits=1, changed_count=1),
    "prepared": Prepared(name="n", worktree="/w", branch="b", base=FIRST, head=FIRST),
    "no_such_kind": Exited(exit_code=0),
}


def answer(shop: Shop, fact: dict[str, Any]) -> dict[str, Any]:
    try:
        return shop.hands.speak("report_facts", facts=[fact])
    except ToolFailed as refused:
        return refused.body


@pytest.mark.parametrize("kind", ENDS)
def test_a_bent_fact_is_acknowledged_or_refused_and_leaves_the_store_right(shop: Shop, kind: str) -> None:
    shop.daemon.person("assign_agent", agent="dev", project=shop.project)
    task = shop.add_task(agent="dev")
    assert shop.hands.claim("dev", shop.project)["claimed"]
    shop.hands.prepare()
    order = shop.hands.start()
    right = ENDS[kind].model_dump(mode="json")
    for number, (name, value) in enumerate((name, value) for name in right for value in BENT):
        fact = {
            "seq": 1000 + number,
            "kind": kind,
            "order": order["id"],
            "generation": order["generation"],
            "body": {**right, name: value},
        }
        told = answer(shop, fact)
        assert told["success"] or told["hint"]
        assert "bug" not in told, (name, value)
    assert shop.state(task) != "done"
    assert shop.daemon.person("recompute")["differences"] == []
