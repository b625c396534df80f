"""`toryo why` on a terminal: the sentence, whose turn it is, the chain, the facts, the lines that lead on."""

from __future__ import annotations

ANSWER = {
    "subject": {"kind": "task", "id": "t3", "title": "Roof"},
    "status": "blocked",
    "reason": "dependency_failed:t2",
    "sentence": "blocked: a task that it needs did not land (t2); dead-blocked: t1 is failed (exit:1)",
    "facts": [{"what": "task added", "at": "2026-01-01T00:00:00.000Z", "age_s": 3.0, "row": "task:t3"}],
    "waits_for": [{"subject": "task:t1", "status": "failed", "reason": "exit:1"}],
    "turn": "person",
    "actions": [{"do": "retry", "subject": "t1", "args": {}, "line": "toryo task retry t1"}],
    "dead": True,
    "dead_at": "t1",
}


def test_why_says_whose_turn_it_is_and_what_leads_on(peer, typed):
    there = peer(why=ANSWER)
    out = typed("why", "t3").out
    assert out.startswith("t3 Roof\nblocked: a task that it needs did not land (t2); dead-blocked")
    assert "turn  yours\n" in out
    assert "task:t1    failed  exit:1" in out
    assert out.endswith("next\n  toryo task retry t1\n")
    assert there.arguments_of("why")["id"] == "t3"


def test_why_as_json_is_the_answer(peer, typed):
    import json

    peer(why=ANSWER)
    assert json.loads(typed("why", "t3", "--json").out) == ANSWER
