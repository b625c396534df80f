"""`toryo target …`: the branches that work lands on, of the project here unless one is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TIP, PUBLISHED = "a" * 40, "b" * 40
TARGET = {
    "name": "main",
    "project": "p1",
    "project_name": "shop",
    "tip": TIP,
    "published": PUBLISHED,
    "branch": PUBLISHED,
    "relation": "behind",
    "stopped": None,
    "reason": "publish_failed",
    "waits_for": "the disk says no",
    "waiting": ["the disk says no"],
    "queued": 2,
    "accepted": 1,
    "next": ["toryo target retry main --project shop"],
}
LANDING = {"landing": "l1", "kind": "task", "task": "t1", "title": "Mend", "state": "accepted", "commit": TIP}


def test_list_shows_every_target_with_what_it_waits_for(peer, typed):
    there = peer(list_targets={"targets": [TARGET]})
    heads, line = typed("target", "list").out.splitlines()
    assert heads.split()[:5] == ["target", "project", "published", "queued", "accepted"]
    assert line.split(maxsplit=5) == [
        *("main", "shop", "b" * 12, "2", "1"),
        "publish_failed: the disk says no",
    ]
    assert there.calls[-1] == ("list_targets", {"path": str(Path.cwd())})
    assert json.loads(typed("target", "list", "--project", "shop", "--json").out) == {"targets": [TARGET]}
    assert there.calls[-1] == ("list_targets", {"project": "shop"})


def test_list_without_a_target_says_how_to_get_one(peer, typed):
    peer(list_targets={"targets": []})
    assert typed("target", "list").out == "No targets. Type `toryo init` in a repository.\n"


def test_show_has_the_queue_and_the_line_to_type(peer, typed):
    there = peer(get_target={"target": TARGET | {"queue": [LANDING]}})
    out = typed("target", "show", "main").out
    assert out.splitlines()[:3] == ["main of shop", f"tip        {TIP}", f"published  {PUBLISHED}"]
    assert "branch     " + PUBLISHED + " (behind the tip)\n" in out
    assert f"accepted  {'a' * 12}  t1    Mend\n" in out
    assert out.endswith("type: toryo target retry main --project shop\n")
    assert there.calls == [("get_target", {"target": "main", "path": str(Path.cwd())})]
    as_json = typed("target", "show", "main", "--project", "shop", "--json").out
    assert json.loads(as_json)["queue"] == [LANDING]
    assert there.calls[-1] == ("get_target", {"target": "main", "project": "shop"})


@pytest.mark.parametrize(
    ("verb", "outcome"), [("approve", "is approved (base_red)."), ("retry", "is tried again (base_red).")]
)
def test_a_word_about_a_target_is_passed_on_with_its_note(peer, typed, verb, outcome):
    answer = {"target": "main", "project": "p1", "said": verb, "why": "base_red"}
    there = peer(**{f"{verb}_target": answer})
    assert typed("target", verb, "main", "--project", "shop", "--note", "known").out == f"main {outcome}\n"
    said = {"target": "main", "project": "shop", "note": "known"}
    assert there.calls == [(f"{verb}_target", said)]
    assert json.loads(typed("target", verb, "main", "--json").out) == answer
    assert there.calls[-1] == (f"{verb}_target", {"target": "main", "path": str(Path.cwd()), "note": ""})


def test_the_shell_is_given_the_names_of_targets(peer, typed):
    peer(list_targets={"targets": [TARGET, TARGET | {"name": "next"}]})
    assert typed("completion", "--names", "targets").out == "main\nnext\n"
