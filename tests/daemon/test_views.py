"""Every tool of people answers what its view says; all other calls of this folder are judged so too."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from whole_daemon import Body, Shop, WholeDaemon

from answer_views import adapters, insist_view
from toryo.daemon.tools.table import table
from toryo.domain.words import CheckResult
from toryo.engine.context import CallerKind
from toryo.protocol.asks import AskAnswer
from toryo.protocol.base import Model
from toryo.protocol.kinds.gate import Checked
from toryo.protocol.kinds.notify import Notified
from toryo.protocol.kinds.repository import Adopted, CheckFound, Surveyed, Unadopted
from toryo.protocol.kinds.run import Said, Usage
from toryo.protocol.kinds.say import Spoken
from toryo.protocol.kinds.work import Collected, CommitLine, Foreign, Restored, Snapshot, Violation
from toryo.settings import Home
from waiting import eventually

PEOPLE = [tool.name for tool in table().allowed(CallerKind.OPERATOR)]
SETTINGS = {
    "config.yaml": "base: main\ndod: {checks: [{type: tests_pass, command: make test}]}\n",
    "agents/coder.yaml": "name: coder\nclient: command\ncommand: sh it.sh\n",
    "memory/style.md": "# Style\nShort lines.\n",
}
HEALTH = {"clients": [{"name": "claude", "path": "/bin/claude", "tested": True}], "uid": 7, "programs": {}}


ELSEWHERE = {
    *("shutdown", "approve_target", "retry_target", "release_account", "issue_planner_key"),
    *("start_mission", "list_missions", "show_mission", "wait_mission", "answer_mission", "approve_mission"),
    *("reject_mission", "say_mission", "set_mission", "pause_mission", "resume_mission", "cancel_mission"),
    *("budget_mission", "export_mission"),
    *("get_review", "mark_hunks", "comment_review", "change_comment", "send_review"),
    *("spawn_tree", "unit_tree", "stop_unit", "pause_unit", "resume_unit", "retry_unit"),
    *("show_branch", "delete_branch", "merge_branch", "open_branch", "start_on_branch", "summarise_branch"),
    *("send_to_unit", "list_messages", "clear_messages", "export_messages"),
}
"""Called in tests of targets, missions, reviews, branches, units and the bus, where answers are judged so."""


class Person:
    """Calls tools and notes which; a coordinator answers the orders that a call leads to."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.called: set[str] = set()

    def ask(self, tool: str, *answers: tuple[str, str, Model], **arguments: Any) -> Body:
        """`answers`: (kind of the order, kind of the fact, the fact), or an ask's answer."""
        self.called.add(tool)
        self.shop.daemon.settle()
        with ThreadPoolExecutor(1) as pool:
            call = pool.submit(self.shop.daemon.person, tool, **arguments)
            for kind, fact, body in answers:
                if isinstance(body, AskAnswer):
                    self.shop.hands.answer(self.shop.hands.ask(kind), body)
                else:
                    self.shop.hands.report(self.shop.hands.order(kind), fact, body)
            return call.result(60)  # type: ignore[no-any-return]


@pytest.fixture
def person(shop: Shop) -> Person:
    return Person(shop)


def read(**fields: Any) -> tuple[str, str, Model]:
    return "", "", AskAnswer(ended=True, **fields)


def survey(shop: Shop, **more: Any) -> tuple[str, str, Model]:
    path = shop.daemon.person("get_project", project=shop.project)["project"]["path"]
    return "survey", "surveyed", Surveyed(root=path, base="main", base_commit="1" * 40, **more)


def as_settings(person: Person) -> None:
    person.ask("list_config")
    person.ask("set_config", key="notify", value="cat")
    person.ask("get_config", key="session.max_timeout")
    for notified in (Notified(exit_code=0), Notified(timed_out=True, seconds=10)):
        person.ask("test_notify", ("notify", "notified", notified))
    person.ask("unset_config", key="notify")


def as_projects(person: Person) -> None:
    shop = person.shop
    offered = CheckFound(type="lint", command="ruff check")
    person.ask("survey_path", survey(shop, offered=(offered,), lfs=True), path="/elsewhere")
    person.ask("look_at_settings", survey(shop), project=shop.project)
    person.ask(
        "sync_agents", survey(shop, settings_files=SETTINGS, settings_from="commit"), project=shop.project
    )
    for tool in ("list_memory", "preview_memory", "archive_project", "activate_project", "get_project"):
        person.ask(tool, project=shop.project)
    person.ask("show_memory", project=shop.project, name="style")
    person.ask("list_projects")
    found = Surveyed(root="/new", base="main", project=shop.project)
    adopted = Adopted(project=shop.project, root="/new")
    moved = ("survey", "surveyed", found), ("adopt", "adopted", adopted)
    person.ask("move_project", *moved, project=shop.project, path="/new")
    found = Surveyed(root="/other", base="main", base_commit="1" * 40, clients={"claude": "/bin/claude"})
    adopted = Adopted(project="p2", root="/other", tip="1" * 40, tip_tree="2" * 40, wrote=("refs/toryo/x",))
    begun = ("survey", "surveyed", found), ("adopt", "adopted", adopted)
    person.ask("register_project", *begun, path="/other", name="other")
    unadopted = Unadopted(removed=("refs/toryo",), kept=("a",), bundle="/b", done=True)
    person.ask("remove_project", ("unadopt", "unadopted", unadopted), project="p2")


def as_agents(person: Person) -> None:
    project = person.shop.project
    person.ask("add_agent", name="ann", client="outside", scope={"write": ["src/**"]}, project=project)
    for tool in (
        "list_agents",
        "assign_agent",
        "disable_agent",
        "enable_agent",
        "get_agent",
        "unassign_agent",
    ):
        person.ask(tool, **({} if tool == "list_agents" else {"agent": "ann"}), project=project)
    person.ask("new_passkey", agent="ann")
    person.shop.authenticate()
    person.ask("list_sessions")
    person.ask("release_agent", agent="dev", project=project)
    person.ask("remove_agent", agent="ann")


def as_tasks(person: Person) -> None:
    project = person.shop.project
    parent = person.ask("add_task", title="Whole", project=project, held=True)["id"]
    task = person.ask("add_task", title="Part", project=project, parent=parent, after=[parent], agent="dev")[
        "id"
    ]
    person.ask("approve_task", task=parent)
    person.ask("list_tasks", project=project)
    person.ask("get_task", task=parent)
    person.ask("wait_tasks", tasks=[parent, task], timeout_s=0)
    person.ask("wait_task", task=task, timeout_s=0)
    person.ask("update_task", task=task, status="done")
    person.ask("worker_prompt", task=task)
    for tool in ("cancel_task", "retry_task", "cancel_task"):
        person.ask(tool, task=task)
    person.ask("cancel_task", task=parent)
    held = person.ask("add_task", title="No", project=project, held=True, write=["a"], timeout_s=5)["id"]
    person.ask("reject_task", task=held)


def fail_with_work(person: Person) -> str:
    """A task whose run said and left all that a run can."""
    shop, hands = person.shop, person.shop.hands
    task = shop.add_task()
    hands.claim("dev", shop.project, "first-request")
    hands.prepare()
    order = hands.start()
    window = read(body={"argv": ["tmux", "attach"]})
    person.ask("attach_run", window, id=task)
    screen = read(text="> ", body={"columns": 160, "rows": 50, "cursor": [2, 0]})
    person.ask("read_screen", screen, id=task, colours=True)
    found = read(body={"matches": [{"start": 7, "text": "an error"}]})
    person.ask("search_log", found, task=task, text="error")
    person.ask("say", ("say", "spoken", Spoken(delivered=True, seen=True)), id=task, text="mind the ü")
    person.ask("read_log", read(text="hello\n", body={"times": [[0, "12:00"]], "said": []}), task=task)
    person.ask("stop_run", run=order["run"])
    said = Said(client_version="1", usage=Usage(input_tokens=3, cost_usd=0.5), denied=("Bash",), message="no")
    hands.exit(order, code=1, said=said)
    left = Collected(
        head="3" * 40,
        branch="agent/it",
        log=(CommitLine(id="3" * 40, subject="Mend"),),
        changed_files=("a.txt",),
        violations=(Violation(path="a.txt", rule="write"),),
        foreign=(Foreign(what="ref", name="refs/heads/x"),),
        snapshot=Snapshot(ref="refs/toryo/snapshots/r", commit="5" * 40, uncommitted=("b.txt",)),
        commits=1,
        new_commits=1,
    )
    hands.report(hands.order("collect"), "collected", left)
    return task


def as_repository(person: Person, task: str) -> None:
    commit = {"id": "3" * 40, "subject": "Mend", "author": "dev", "at": "2026-01-01T00:00:00Z"}
    person.ask("list_commits", read(body={"commits": [commit]}), task=task)
    person.ask("list_commits", read(body={"commits": []}), project=person.shop.project, head="x")
    text = read(text="x\n", body={"commit": "3" * 40, "binary": False})
    person.ask("read_file", text, task=task, file="a.txt")
    entry = {"name": "a.txt", "kind": "file", "size": 2, "executable": False}
    person.ask("read_tree", read(body={"commit": "3" * 40, "entries": [entry]}), task=task)
    branch = {
        "name": "main",
        "kind": "local",
        "commit": "3" * 40,
        "committed_at": "2026-01-01T00:00:00Z",
        "subject": "Mend",
        "ahead": 0,
        "behind": None,
        "worktree": "/x",
        "is_target": True,
    }
    body = {"target_commit": "3" * 40, "branches": [branch]}
    person.ask("list_branches", read(body=body), project=person.shop.project)


def as_failed_work(person: Person) -> None:
    task = fail_with_work(person)
    for tool in ("get_evidence", "get_task", "dismiss_task"):
        person.ask(tool, task=task)
    person.ask("list_runs")
    person.ask("get_run", run=person.ask("get_task", task=task)["task"]["runs"][0]["id"])
    person.ask("read_diff", read(text="+x\n"), task=task)
    as_repository(person, task)
    person.ask("read_check", task=task)
    restored = Restored(path="/there", files=2)
    person.ask("restore_snapshot", ("restore", "restored", restored), task=task, destination="/there")
    left = read(body={"there": True, "on_branch": True, "commits": 1, "files": [], "worktree": "/w"})
    person.ask("get_hand_work", left, task=task)
    person.ask("submit_task", left, task=task)
    person.shop.hands.collect(commits=0)
    person.ask("cancel_task", task=task)


def as_landed_work(person: Person) -> None:
    shop, hands = person.shop, person.shop.hands
    passed = Checked(result=CheckResult.PASSED, exit_code=0, duration_s=1.5)
    task = shop.add_task("Land it", checks=["make test"])
    hands.claim("dev", shop.project, "second-request")
    hands.prepare()
    hands.exit(hands.start())
    hands.collect()
    hands.build()
    person.ask("read_check", task=task)
    hands.report(hands.order("check"), "checked", passed)
    hands.land()
    for tool in ("get_evidence", "get_task"):
        person.ask(tool, task=task)
    person.ask("verify_task", ("check", "checked", passed), task=task)
    person.ask("read_diff", read(text="+x\n"), task=task)
    person.ask("revert_task", task=task)


def as_outside_work(person: Person) -> None:
    shop = person.shop
    task = shop.add_task("Outside")
    session = person.ask("start_session", task=task, agent="dev")["session"]
    person.ask("end_session", session=session, exit_code=0, artifacts=["a"], dod_result="merged", error="e")
    again = shop.add_task("Outside again")
    person.ask("release_run", run=person.ask("start_session", task=again, agent="dev")["session"])


def as_installation(person: Person) -> None:
    person.ask("health_check")
    person.ask("list_events", last=1000, titles=True)
    person.ask("get_status")
    person.ask("issue_coordinator_key", machine="m", name="other")
    person.ask("recompute")
    person.ask("doctor", survey(person.shop), read(body=HEALTH))


def test_every_tool_of_people_answers_what_its_view_says(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toryo.daemon.tools.sessions.PREPARING_S", 0.05)
    as_settings(person)
    as_agents(person)
    as_tasks(person)
    as_failed_work(person)
    as_landed_work(person)
    as_outside_work(person)
    as_projects(person)
    as_installation(person)
    person.ask("list_targets")
    person.ask("get_target", target="main", project=person.shop.project)
    person.ask("list_accounts")
    person.ask("why", id=person.shop.project)
    assert person.called | ELSEWHERE == set(PEOPLE), "a tool that is new here"


def test_the_answer_of_a_daemon_that_ends_is_what_its_view_says(tmp_path: Path) -> None:
    daemon = WholeDaemon(Home(tmp_path / "home"))
    assert daemon.person("shutdown")["pid"] == os.getpid()
    eventually(lambda: daemon.head.stopped.is_set())


def test_every_tool_of_people_names_the_view_of_its_answers() -> None:
    assert set(adapters()) == set(PEOPLE)


@pytest.mark.parametrize("wrong", [{"tip": "x"}, {"id": None}, {"targets": [{"name": "main"}]}])
def test_a_key_more_or_less_or_of_another_type_would_be_noticed(shop: Shop, wrong: Body) -> None:
    answer = shop.daemon.person("get_project", project=shop.project)
    with pytest.raises(ValidationError):
        insist_view("get_project", {**answer, "project": {**answer["project"], **wrong}})
