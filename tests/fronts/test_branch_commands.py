"""`toryo branch …`: the branches of the repository here, and what a person does with one."""

from __future__ import annotations

import json
from pathlib import Path

HEAD = "5" * 40
ONE = {
    "name": "feature/x",
    "kind": "local",
    "commit": HEAD,
    "committed_at": "2026-01-01T00:00:00Z",
    "subject": "Mend",
    "ahead": 2,
    "behind": 1,
    "worktree": "",
    "is_target": False,
}
SHOWN = {
    "project": "p1",
    "target": "main",
    "branch": ONE,
    "task": {"id": "t1", "title": "Mend it", "status": "done", "reason": ""},
    "actions": [
        {"do": "delete_branch", "subject": "feature/x", "args": {}, "line": "toryo branch delete feature/x"}
    ],
}
DELETED = {
    "branch": "feature/x",
    "commit": HEAD,
    "unmerged": 2,
    "kept": "refs/toryo/deleted/x",
    "back": "git branch x",
}


def test_list_has_every_branch_with_its_distance(peer, typed):
    peer(list_branches={"branches": [ONE], "ended": True, "next_offset": 1, "size": 1, "target": "main"})
    heads, line = typed("branch", "list").out.splitlines()
    assert heads.split()[0] == "branch"
    assert line.split() == ["feature/x", "local", "+2", "-1", HEAD[:12], "Mend"]
    assert json.loads(typed("branch", "list", "--json").out)["branches"] == [ONE]


def test_show_has_its_task_and_the_lines_to_type(peer, typed):
    there = peer(show_branch=SHOWN)
    out = typed("branch", "show", "feature/x").out
    assert "main: 2 commits ahead, 1 behind" in out
    assert "t1 done: Mend it" in out
    assert out.endswith("type: toryo branch delete feature/x\n")
    assert there.calls == [("show_branch", {"branch": "feature/x", "path": str(Path.cwd())})]


def test_delete_asks_a_person_and_does_nothing_where_nobody_can_be_asked(peer, typed):
    there = peer(delete_branch=DELETED)
    refused = typed("branch", "delete", "feature/x")
    assert (refused.code, "--yes" in refused.err, there.calls) == (1, True, [])
    told = typed("branch", "delete", "feature/x", "--yes")
    assert told.out.splitlines() == [
        "feature/x is deleted; it had 2 commits that are not merged.",
        "to have it back: git branch x",
    ]
    assert json.loads(typed("branch", "delete", "feature/x", "--yes", "--json").out)["kept"]


def test_merge_names_the_task_that_takes_it_there(peer, typed):
    merged = {"task": "t7", "branch": "feature/x", "target": "main", "submitted": False, "commit": HEAD}
    there = peer(merge_branch=merged)
    out = typed("branch", "merge", "feature/x", "--onto", "release", "--note", "soon").out
    assert out.splitlines() == [
        "t7 takes feature/x to main, once its checks pass.",
        "type: toryo task wait t7",
    ]
    name, arguments = there.calls[-1]
    assert (name, arguments["onto"], arguments["note"]) == ("merge_branch", "release", "soon")
    assert json.loads(typed("branch", "merge", "feature/x", "--json").out)["task"] == "t7"


def test_open_prints_the_path_alone_and_start_the_line_that_attaches(peer, typed):
    opened = {"branch": "feature/x", "path": "/w/x", "is_new": True, "line": "cd /w/x"}
    started = {**opened, "agent": "claude", "argv": ["tmux"], "attach": "tmux attach -t =branch-x"}
    there = peer(open_branch=opened, start_on_branch=started)
    assert typed("branch", "open", "feature/x").out == "/w/x\n"
    out = typed("branch", "start", "feature/x", "--agent", "claude").out
    assert out.splitlines() == ["claude is started in /w/x.", "type: tmux attach -t =branch-x"]
    assert there.calls[-1][1]["agent"] == "claude"
    assert json.loads(typed("branch", "start", "feature/x", "--agent", "claude", "--json").out) == started


def test_show_has_the_summary_that_was_asked_for(peer, typed):
    told = {
        "branch": "feature/x",
        "commit": HEAD,
        "summary": "It adds a form.",
        "model": "tea",
        "known": False,
    }
    there = peer(show_branch=SHOWN, summarise_branch=told)
    assert "\nIt adds a form.\n" in typed("branch", "show", "feature/x", "--summary").out
    assert [name for name, _ in there.calls] == ["show_branch", "summarise_branch"]
    assert "It adds" not in typed("branch", "show", "feature/x").out
