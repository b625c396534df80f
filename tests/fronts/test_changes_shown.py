"""What a task changed and which check runs, as a person reads it; the question before a retry."""

from __future__ import annotations

import json
import os
import pty
import sys

import pytest

from toryo.fronts.cli.look.diff import changed, checking
from toryo.fronts.text.pager import page

PATCH = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"


def pieces(asked: dict[str, object]) -> dict[str, object]:
    offset = int(str(asked["offset"]))
    part = PATCH[offset : offset + 30]
    ended = offset + 30 >= len(PATCH)
    told = {"text": part, "next_offset": offset + len(part), "ended": ended}
    return {"task": "t1", "base": "aaa", "head": "bbb", **told}


def test_diff_prints_the_whole_patch_for_a_pipe(peer, typed):
    there = peer(read_diff=pieces)
    assert typed("diff", "t1").out == PATCH
    assert there.calls[0] == ("read_diff", {"task": "t1", "offset": 0})
    assert json.loads(typed("diff", "t1", "--json").out) == {
        "task": "t1",
        "base": "aaa",
        "head": "bbb",
        "text": PATCH,
    }


def test_diff_stat_asks_for_files_only(peer, typed):
    there = peer(read_diff={"text": " a.txt | 2 +-\n", "next_offset": 1, "ended": True, "task": "t1"})
    assert typed("diff", "t1", "--stat").out == " a.txt | 2 +-\n"
    assert there.arguments_of("read_diff")["stat"] is True


def test_a_task_that_changed_nothing_says_so(peer, typed):
    peer(read_diff={"text": "", "next_offset": 0, "ended": True, "task": "t1"})
    assert typed("diff", "t1").err == "t1 changed no file.\n"


def test_changed_files_are_counted_and_named():
    assert changed({"id": "t1", "changed_files": []}) == ""
    assert changed({"id": "t1", "changed_files": ["a.txt"]}) == "1 file: a.txt"
    many = changed({"task": "t1", "changed_files": [f"{n}.txt" for n in range(12)]})
    assert many.startswith("12 files: 0.txt, 1.txt")
    assert many.endswith("9.txt … (toryo diff t1 --stat)")


def test_the_check_that_runs_is_named_with_its_place():
    check = {"command": "make test", "number": 2, "of": 3, "attempt": 1, "started": True}
    assert checking(check) == "make test (2 of 3)"
    assert checking({**check, "attempt": 2, "started": False}) == (
        "make test (2 of 3), again, waits for a free place"
    )
    assert checking(None) == ""


def test_the_page_of_a_task_names_changed_files_and_the_running_check(peer, typed):
    check = {"command": "make test", "number": 1, "of": 1, "attempt": 1, "started": True, "order": "o1"}
    task = {"id": "t1", "title": "mend", "status": "verifying", "reason": "checking"}
    peer(get_task={"task": {**task, "changed_files": ["a.txt", "b.txt"], "checking": check}})
    out = typed("task", "show", "t1").out
    assert "2 files: a.txt, b.txt" in out
    assert "make test" in out
    assert out.endswith("next\n  toryo evidence -f t1\n")


def test_evidence_follows_the_checks_until_none_runs(peer, typed):
    check = {"command": "make test", "number": 1, "of": 1, "attempt": 1, "started": True, "order": "o1"}
    told = [
        {"check": check, "text": "one\n", "next_offset": 4, "status": "verifying"},
        {"check": check, "text": "two\n", "next_offset": 8, "status": "verifying"},
        {"check": None, "text": "", "next_offset": 8, "status": "done"},
    ]
    there = peer(
        read_check=lambda asked: {"task": "t1", **told.pop(0)},
        get_evidence={"task": "t1", "status": "done", "title": "mend", "verdict": "green", "runs": []},
    )
    out = typed("evidence", "-f", "t1").out
    assert out.startswith("$ make test\none\ntwo\nt1  done  mend\nverdict  green")
    assert [asked.get("offset") for tool, asked in there.calls if tool == "read_check"] == [0, 4, 8]


def test_a_retry_without_a_terminal_asks_nothing_and_discards_only_if_told(peer, typed):
    there = peer(retry_task={"id": "t1", "said": "retry"})
    assert typed("task", "retry", "t1").out == "t1 will be tried again.\n"
    assert there.arguments_of("retry_task") == {"task": "t1"}
    typed("task", "retry", "t1", "--discard")
    assert there.calls[-1] == ("retry_task", {"task": "t1", "discard": True})
    typed("task", "retry", "t1", "--allow", "docs/a.txt", "--allow", "b.txt")
    assert there.calls[-1] == ("retry_task", {"task": "t1", "allow": ["docs/a.txt", "b.txt"]})


def test_submit_and_revert_say_what_follows(peer, typed):
    later = {"id": "t2", "title": "build on it", "depends": True, "files": ["a.txt"]}
    peer(
        submit_task={"id": "t1", "run": "r2", "said": "submit"},
        revert_task={"id": "t9", "title": "Revert: mend", "reverts": "t1", "builds_on_it": [later]},
    )
    assert "toryo task wait t1" in typed("task", "submit", "t1").out
    assert typed("task", "revert", "t1").out == (
        "t9  Revert: mend\nnote: t2 was done later and depends on it and changed a.txt: build on it\n"
    )


def test_long_text_goes_through_the_pager_on_a_terminal_only(monkeypatch, tmp_path, capfd):
    seen = tmp_path / "seen"
    monkeypatch.setenv("PAGER", f"sh -c 'cat > {seen}'")
    page("line\n" * 500)
    assert capfd.readouterr().out == "line\n" * 500
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as screen:
        monkeypatch.setattr(sys, "stdout", screen)
        monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((80, 24)))
        page("line\n" * 500)
    os.close(master)
    assert seen.read_text() == "line\n" * 500


def test_submit_revert_and_release_take_several_ids(peer, typed):
    there = peer(
        submit_task={"id": "t1", "run": "r2", "said": "submit"},
        revert_task={"id": "t9", "title": "Revert: mend", "reverts": "t1", "builds_on_it": []},
        release_run={"run": "r1"},
    )
    assert typed("task", "submit", "t1", "t2").out.count("was submitted") == 2
    assert there.arguments_of("submit_task")["task"] == "t2"
    assert typed("task", "revert", "t1", "t2").out == "t9  Revert: mend\n" * 2
    assert typed("run", "release", "r1", "r2").out.count("is given up") == 2


@pytest.mark.parametrize("words", ["submit", "revert"])
def test_a_person_only_submits_and_reverts(typed, monkeypatch, words):
    monkeypatch.setenv("TORYO_RUN", "r1")
    result = typed("task", words, "t1")
    assert result.code == 1
    assert "only a person" in result.err
