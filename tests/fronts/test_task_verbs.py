"""`toryo task …`: what is asked of the daemon, what is printed, and with which exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from narrow_terminal import lines_on_a_terminal
from wire_peer import KEY, HangUp

TASK = {
    "id": "t1",
    "title": "mend the door",
    "status": "needs_review",
    "reason": "no_commit",
    "detail": "exited 0 twice without a commit",
    "branch": "agent/mend-the-door-t1",
    "target_branch": "main",
    "base_commit": "aaa",
    "landed_commit": "",
    "claims": [{"run": "r1", "result": "success", "summary": "all done"}],
    "runs": [
        {
            "id": "r1",
            "purpose": "implement",
            "generation": 1,
            "agent": "coder",
            "client": "command",
            "outcome": "succeeded",
            "exit_code": 0,
            "signal": "",
            "started_at": "2025-11-15T08:00:00Z",
            "ended_at": "2025-11-15T08:00:05Z",
            "commits": 0,
            "changed_files": [],
        }
    ],
}


def at_rest(**statuses: str) -> dict[str, object]:
    tasks = [{"id": name, "status": status, "reason": "", "detail": ""} for name, status in statuses.items()]
    resting = ("done", "failed", "needs_review")
    return {"tasks": tasks, "all_at_rest": all(status in resting for status in statuses.values())}


def refuse_t2(arguments: dict[str, object]) -> dict[str, object]:
    if arguments["task"] == "t2":
        return {"success": False, "error": "t2 is done.", "hint": "Look."}
    return {"id": arguments["task"], "said": "cancel"}


def test_add_sends_everything_that_was_typed_and_the_place_it_was_typed_in(
    peer, typed, tmp_path, monkeypatch
):
    there = peer(add_task={"id": "t1", "status": "ready"})
    monkeypatch.chdir(tmp_path)
    words = ["-d", "long", "-t", "bug", "-p", "high", "--agent", "coder", "--after", "t0", "--after", "t9"]
    more = [
        "--parent",
        "t8",
        "--write",
        "src/**",
        "--write",
        "docs/",
        "--check",
        "make smoke",
        "--timeout",
        "90",
        "--hold",
    ]
    result = typed("task", "add", "mend it", *words, *more, "--json")
    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out)["id"] == "t1"
    assert there.arguments_of("add_task") == {
        "onto": "",
        "path": str(tmp_path),
        "title": "mend it",
        "description": "long",
        "type": "bug",
        "priority": "high",
        "agent": "coder",
        "after": ["t0", "t9"],
        "parent": "t8",
        "write": ["src/**", "docs/"],
        "checks": ["make smoke"],
        "timeout_s": 90.0,
        "held": True,
    }
    assert there.credentials == [KEY]


def test_add_with_a_title_alone_leaves_the_rest_to_the_project(peer, typed):
    there = peer(add_task={"id": "t1"})
    result = typed("task", "add", "扉を直す")
    sent = there.arguments_of("add_task")
    assert {"agent", "parent", "write", "timeout_s"}.isdisjoint(sent)
    assert result.out == "t1  扉を直す\n"


def test_show_as_json_has_the_tasks_fields_at_the_top(peer, typed):
    peer(get_task={"task": TASK})
    result = typed("task", "show", "t1", "--json")
    assert json.loads(result.out) == TASK


def test_show_for_people_has_state_branch_runs_and_claims(peer, typed):
    child = {"id": "t2", "status": "done", "reason": "", "title": "a part of it"}
    peer(get_task={"task": {**TASK, "children": [child]}})
    out = typed("task", "show", "t1").out
    assert out.splitlines()[0] == "t1  needs_review (no_commit)  mend the door"
    assert "branch    agent/mend-the-door-t1" in out
    assert "r1   implement  coder  succeeded  0" in out
    assert "child status because title t2 done a part of it" in " ".join(out.split())
    assert "claim of r1: success all done" in out
    steps = "toryo evidence t1", "toryo task retry t1", "toryo task reject t1"
    assert out.endswith("next\n" + "".join(f"  {step}\n" for step in steps))


@pytest.mark.parametrize(
    ("state", "line"),
    [
        ("heard", "and heard: mind the gap"),
        ("waiting", "and waiting for its next step: mind the gap"),
        ("unheard", "but unheard: the run ended before: mind the gap"),
        ("undelivered", "but not given: its window is gone: mind the gap"),
        ("unknown", "but whether it was heard is not known: mind the gap"),
    ],
)
def test_show_has_what_was_said_to_a_run_and_what_became_of_it(peer, typed, state, line):
    said = {"text": "mind\nthe gap", "state": state, "detail": "its window is gone", "said_at": None}
    runs = [{**TASK["runs"][0], "words": [said]}]
    peer(get_task={"task": {**TASK, "runs": runs}}, get_run={"run": {**runs[0], "task": "t1"}})
    assert f"said to r1 {line}" in " ".join(typed("task", "show", "t1").out.split())
    assert f"said {line}" in " ".join(typed("run", "show", "r1").out.split())


@pytest.mark.parametrize(
    ("status", "reason", "steps"),
    [
        ("failed", "exit:3", ["toryo log t1", "toryo task retry t1"]),
        ("running", "implement", ["toryo log -f t1"]),
        ("running", "outside", ["toryo session end r1 --exit-code N"]),
        ("open", "held", ["toryo task approve t1"]),
        ("done", "", ["toryo evidence t1"]),
        ("verifying", "", []),
    ],
)
def test_show_ends_with_what_a_person_may_type_now(peer, typed, status, reason, steps):
    peer(get_task={**TASK, "status": status, "reason": reason})
    _, _, after = typed("task", "show", "t1").out.partition("\nnext\n")
    assert [line.strip() for line in after.splitlines()] == steps


def test_list_asks_for_one_page_and_says_how_to_get_the_next(peer, typed):
    there = peer(list_tasks={"tasks": [TASK], "more": True, "next_after": 17})
    out = typed("task", "list", "--status", "needs_review", "--limit", "1").out
    assert there.arguments_of("list_tasks") == {"path": str(Path.cwd()), "status": "needs_review", "limit": 1}
    again = "toryo task list --status needs_review --limit 1 --after 17"
    assert out.splitlines()[-1] == f"… more: {again}"
    typed("task", "list", "--all")
    assert there.arguments_of("list_tasks") == {"limit": 50}
    typed("task", "list", "--parent", "t1")
    assert there.arguments_of("list_tasks") == {"limit": 50, "parent": "t1"}


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        ({"t1": "done", "t2": "done"}, 0),
        ({"t1": "done", "t2": "failed"}, 1),
        ({"t1": "needs_review"}, 1),
    ],
)
def test_wait_exits_0_only_if_all_are_done(peer, typed, statuses, code):
    peer(wait_tasks=at_rest(**statuses))
    result = typed("task", "wait", *statuses)
    assert result.code == code
    assert result.out.splitlines() == [f"{name}  {status}" for name, status in statuses.items()]


def test_wait_goes_on_until_all_are_at_rest(peer, typed):
    answers = [at_rest(t1="ready"), at_rest(t1="running"), at_rest(t1="done")]
    there = peer(wait_tasks=lambda _: answers.pop(0))
    result = typed("task", "wait", "t1")
    assert (result.code, result.out) == (0, "t1  done\n")
    assert len(there.calls) == 3


def test_wait_gives_up_after_its_time_limit(peer, typed):
    there = peer(wait_tasks=at_rest(t1="running"))
    result = typed("task", "wait", "t1", "--timeout", "0.05")
    assert (result.code, result.err) == (1, "Not at rest after 0.05 s.\n")
    assert all(arguments["timeout_s"] <= 0.05 for _, arguments in there.calls)


def test_wait_outlives_a_restart_of_the_daemon(peer, typed):
    def restart(_: object) -> dict[str, object]:
        there.answers["wait_tasks"] = at_rest(t1="done")
        raise HangUp

    there = peer(wait_tasks=lambda _: at_rest(t1="running"))
    first = there.answers["wait_tasks"]

    def once(arguments: dict[str, object]) -> dict[str, object]:
        there.answers["wait_tasks"] = restart
        return first(arguments)

    there.answers["wait_tasks"] = once
    result = typed("task", "wait", "t1")
    assert (result.code, result.out, result.err) == (0, "t1  done\n", "")


@pytest.mark.parametrize("verb", ["retry", "cancel", "approve", "reject"])
def test_a_persons_judgement_reaches_the_daemon_with_its_note(peer, typed, verb):
    there = peer(**{f"{verb}_task": {"id": "t1", "said": verb}})
    result = typed("task", verb, "t1", "--note", "because")
    assert result.code == 0
    assert there.calls == [(f"{verb}_task", {"task": "t1", "note": "because"})]
    assert result.out.startswith("t1 ")


def test_several_tasks_are_judged_at_once_and_a_refusal_stops_no_other(peer, typed):
    there = peer(cancel_task=refuse_t2)
    result = typed("task", "cancel", "t1", "t2", "t3")
    assert (result.code, result.out) == (1, "t1 is cancelled.\nt3 is cancelled.\n")
    assert result.err == "t2 is done. Look.\n"
    assert [arguments["task"] for _, arguments in there.calls] == ["t1", "t2", "t3"]
    answer = json.loads(typed("task", "cancel", "t1", "t2", "--json").out)
    assert answer == {"answers": [{"id": "t1", "said": "cancel"}], "refused": 1}


def test_all_tasks_of_a_status_are_judged(peer, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    there = peer(list_tasks={"tasks": [{"id": "t1"}, {"id": "t2"}]}, retry_task={"id": "t", "said": "retry"})
    assert typed("task", "retry", "--status", "failed").code == 0
    assert there.calls[0] == ("list_tasks", {"path": str(tmp_path), "status": "failed", "limit": 1000})
    assert [arguments for _, arguments in there.calls[1:]] == [{"task": "t1"}, {"task": "t2"}]


@pytest.mark.parametrize("words", [(), ("t1", "--status", "failed")])
def test_judging_needs_ids_or_a_status_and_not_both(peer, typed, words):
    peer()
    result = typed("task", "retry", *words)
    assert (result.code, "Which tasks?" in result.err) == (2, True)


def test_a_description_comes_from_a_file_or_standard_input(peer, typed, tmp_path, monkeypatch):
    there = peer(add_task={"id": "t1"}, update_task={"id": "t1", "status": "ready"})
    (tmp_path / "what.md").write_text("all of it\n")
    typed("task", "add", "x", "-d", f"@{tmp_path}/what.md")
    typed("task", "update", "t1", "-d", f"@{tmp_path}/what.md")
    assert [arguments["description"] for _, arguments in there.calls] == ["all of it\n"] * 2
    lost = typed("task", "add", "x", "-d", "@nowhere.md")
    assert (lost.code, "nowhere.md" in lost.err) == (1, True)


def test_without_a_title_and_a_terminal_it_says_what_to_type(peer, typed):
    peer()
    result = typed("task", "add")
    assert (result.code, 'toryo task add "what is wanted"' in result.err) == (2, True)


def test_on_a_terminal_without_a_title_the_editor_is_asked(peer, toryo_home, tmp_path, monkeypatch):
    there = peer(add_task={"id": "t1"})
    editor = tmp_path / "editor"
    editor.write_text(
        '#!/bin/sh\n{ echo "mend the door"; echo; echo "it creaks"; cat "$1"; } > x; mv x "$1"\n'
    )
    editor.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    assert lines_on_a_terminal(toryo_home, 80, "task", "add")[-1] == "t1  mend the door"
    (call,) = [arguments for tool, arguments in there.calls if tool == "add_task"]
    assert (call["title"], call["description"]) == ("mend the door", "it creaks")
    monkeypatch.setenv("EDITOR", "true")
    assert "Nothing was written" in "\n".join(lines_on_a_terminal(toryo_home, 80, "task", "add"))
