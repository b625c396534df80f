"""`toryo account …`: which client waits on which machine, and the end of such a wait."""

from __future__ import annotations

import json

PARKED = {
    "machine": "m1",
    "client": "claude",
    "parked": True,
    "why": "usage_limit",
    "message": "5-hour limit",
    "until": "2026-11-18T14:05:00Z",
    "run": "r1",
    "tasks": ["t1", "t2", "t3", "t4", "t5"],
}
FREE = {
    "machine": "m1",
    "client": "codex",
    "parked": False,
    "why": None,
    "message": None,
    "until": None,
    "run": None,
    "tasks": [],
}


def test_list_shows_what_each_account_waits_for_and_who_waits_for_it(peer, typed):
    there = peer(list_accounts={"accounts": [PARKED, FREE]})
    _, parked, free = typed("account", "list").out.splitlines()
    assert parked.split()[0] == "claude"
    assert "  t1, t2, t3 and 2 more  m1       usage limit: 5-hour limit" in parked
    assert free.split() == ["codex", "-", "-", "m1", "nothing"]
    assert json.loads(typed("account", "list", "--json").out) == {"accounts": [PARKED, FREE]}
    assert there.calls == [("list_accounts", {})] * 2


def test_list_without_an_account_says_so(peer, typed):
    peer(list_accounts={"accounts": []})
    assert typed("account", "list").out == "No agent here has an account that could be parked.\n"


def test_release_names_the_client_and_if_wanted_the_machine(peer, typed):
    answer = {"client": "claude", "machine": "m1", "runs": ["r1"]}
    there = peer(release_account=answer)
    assert typed("account", "release", "claude").out == "claude need not wait any longer.\n"
    assert there.calls == [("release_account", {"client": "claude", "machine": ""})]
    as_json = typed("account", "release", "claude", "--machine", "m1", "--json").out
    assert json.loads(as_json) == answer
    assert there.calls[-1] == ("release_account", {"client": "claude", "machine": "m1"})
