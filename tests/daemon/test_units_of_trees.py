"""Trees of units through the daemon: spawned once, within limits and scopes, approved, steered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tree_shop import REQUIREMENTS, Tree, part
from whole_daemon import Body

from toryo.domain.units import CONTRACT, PARENT_BREAKDOWN
from toryo.engine.project_settings import SettingsWrong, parse_settings
from toryo.engine.units.subtrees import stop_tree
from toryo.protocol.kinds.run import Exited, Stopped
from toryo.protocol.kinds.work import Cleaned
from toryo.settings import Home
from toryo.store.tables import projects


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Tree]:
    opened = Tree(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.daemon.close()


def test_a_breakdown_that_is_spawned_twice_spawns_nothing_twice_and_a_later_task_alone(shop: Tree) -> None:
    token = shop.begin()
    first = shop.spawn(token, part("users"), part("log-in"))
    assert [one["unit"] for one in first["spawned"]] == ["root-users", "root-log_in"]
    again = shop.spawn(token, part("users"), part("log-in"))
    assert (again["spawned"], len(again["known"])) == ([], 2)
    more = shop.spawn(token, part("users"), part("pages", depends_on=["users"]))
    assert [one["unit"] for one in more["spawned"]] == ["root-pages"]
    shop.open()
    assert shop.units() == {
        "root": "running decompose",
        "root-users": "ready",
        "root-log_in": "ready",
        "root-pages": "blocked dependency",
    }


def test_a_task_without_an_id_is_passed_over_with_a_warning(shop: Tree) -> None:
    token = shop.begin()
    found = shop.spawn(token, breakdown="tasks:\n  - description: x\n  - {id: a, description: y}\n")
    assert (len(found["warnings"]), [one["unit"] for one in found["spawned"]]) == (1, ["root-a"])
    wrong = shop.daemon.refused(token, "spawn_children", breakdown="parent_unit: root\n")
    assert "no list `tasks`" in wrong["error"]
    assert "line 1" in shop.daemon.refused(token, "spawn_children", breakdown="a: [1")["error"]


def test_children_start_on_their_parents_branch_once_it_is_a_target(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a", checks=["make a"]))
    assert shop.units()["root-a"] == "blocked base_gate"
    shop.open()
    assert shop.units()["root-a"] == "ready"
    child = shop.task("root-a")
    assert (child["checks"], child["agent"]) == (["make a"], "dev")
    targets = shop.daemon.person("list_targets", project=shop.project)["targets"]
    assert [one["name"] for one in targets] == [shop.begun["branch"], "main"]


def test_a_childs_scope_lies_inside_its_parents(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a", write=["src/a/**"]))
    shop.open()
    shop.end()
    inner = shop.run("root-a")
    assert "beyond" in shop.refused(inner, part("b", write=["docs/**"]))
    assert shop.spawn(inner, part("b", write=["src/a/b.py"]))["spawned"][0]["unit"] == "root-a-b"
    shop.open()
    assert shop.task("root-a-b")["write"] == ["src/a/b.py"]


@pytest.mark.parametrize(
    ("tasks", "why"),
    [
        ([part("a", depends_on=["z"])], "not in it"),
        ([part("a", depends_on=["b"]), part("b", depends_on=["a"])], "wait for each other"),
        ([part("a", agent="nobody")], "does not work"),
        ([part("a", write=["../x"])], "leaves the repository"),
        ([part(str(number)) for number in range(9)], "units.children"),
    ],
)
def test_a_breakdown_that_cannot_be_meant_is_refused_whole(shop: Tree, tasks: list[Body], why: str) -> None:
    token = shop.begin()
    assert why in shop.refused(token, *tasks)
    assert list(shop.units()) == ["root"]


def test_the_run_of_a_plain_task_has_no_children_and_a_persons_key_spawns_none(shop: Tree) -> None:
    shop.begin()
    shop.add_agent("linked", access="connected")
    shop.daemon.person("assign_agent", agent="linked", project=shop.project)
    shop.add_task(agent="linked")
    claimed = shop.hands.claim("linked", shop.project, "request-plain")
    shop.hands.prepare(claimed["order"])
    order = shop.hands.order("run", run=claimed["run_id"])
    assert "only units" in shop.refused(shop.run_token(order), part("a"))
    assert "a run's token" in shop.daemon.refused(shop.daemon.operator, "spawn_children")["error"]


def test_a_run_that_has_ended_spawns_nothing_any_more(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"))
    shop.open()
    shop.end()
    assert "has ended" in shop.refused(token, part("b"))
    assert shop.units()["root"] == "blocked waiting_for_children"


def test_without_a_yes_no_child_starts_and_a_rejection_has_the_root_divide_anew(shop: Tree) -> None:
    token = shop.begin(at_once=False)
    shop.spawn(token, part("a"), part("b"))
    shop.open()
    shop.end()
    assert shop.units()["root-a"] == "blocked plan_ready"
    mission = shop.begun["mission"]
    assert shop.daemon.person("show_mission", mission=mission)["mission"]["status"] == "awaiting_approval"
    shop.daemon.person("reject_mission", mission=mission, reason="one part is enough")
    assert shop.units() == {
        "root": "ready children_at_rest",
        "root-a": "cancelled cancelled",
        "root-b": "cancelled cancelled",
    }
    again = shop.run("root", "request-again")
    shop.spawn(again, part("whole"))
    assert shop.units()["root-whole"] == "blocked plan_ready"
    shop.daemon.person("approve_mission", mission=mission)
    assert shop.units()["root-whole"] == "ready"


def test_a_second_tree_in_the_project_is_refused_while_one_lives(shop: Tree) -> None:
    shop.begin()
    told = shop.daemon.refused(
        shop.daemon.operator, "spawn_tree", project=shop.project, requirements=REQUIREMENTS
    )
    assert "lives in" in told["error"]
    shop.daemon.person("stop_unit", unit="root")
    shop.hands.report(shop.hands.order("stop"), "stopped", Stopped(asked=True, gone=True))
    shop.hands.exit(shop.running, 1)
    shop.hands.collect(0)
    assert shop.units()["root"] == "cancelled cancelled"
    shop.hands.report(shop.hands.order("clean"), "cleaned", Cleaned(freed=True))
    assert shop.daemon.person("spawn_tree", project=shop.project, requirements=REQUIREMENTS)["unit"] == "root"


def test_stopping_a_unit_stops_all_below_it_and_nothing_beside_it(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"), part("b"))
    shop.open()
    shop.end()
    inner = shop.run("root-a")
    shop.spawn(inner, part("x"))
    shop.daemon.person("stop_unit", unit="root-a")
    found = shop.units()
    assert (found["root-a-x"], found["root-b"]) == ("cancelled cancelled", "ready")


def test_a_paused_unit_and_all_below_it_start_nothing_until_it_is_resumed(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"), part("b"))
    shop.open()
    shop.daemon.person("pause_unit", unit="root-a")
    assert (shop.units()["root-a"], shop.units()["root-b"]) == ("ready paused", "ready")
    shop.daemon.person("resume_unit", unit="root-a")
    assert shop.units()["root-a"] == "ready"


def test_the_same_breakdown_three_times_stops_the_tree_until_a_person_lets_it_go_on(shop: Tree) -> None:
    token = shop.begin()
    for round_ in range(3):
        if round_ < 2:
            shop.spawn(token, part("a"))
            if round_ == 0:
                shop.open()
            shop.end()
            shop.daemon.person("stop_unit", unit="root-a")
            token = shop.run("root", f"request-{round_}-again")
        else:
            assert "spawned 3 times" in shop.refused(token, part("a"))
    mission = shop.daemon.person("unit_tree", project=shop.project)
    assert (mission["status"], mission["reason"]) == ("paused", "tree_stopped")
    assert "3 times" in mission["detail"]
    shop.daemon.person("resume_unit", unit="root")
    assert shop.daemon.person("unit_tree", project=shop.project)["status"] == "active"
    assert shop.spawn(token, part("a"))["spawned"], "counted from there on"
    assert shop.daemon.person("unit_tree", project=shop.project)["status"] == "active"


def test_a_tree_of_which_nothing_has_landed_is_counted_anew_once_a_person_lets_it_go_on(shop: Tree) -> None:
    settings = {"units": {"children": 20, "total": 50, "fruitless": 3}}
    shop.daemon.change(projects.update, shop.project, settings=settings)
    token = shop.begin()
    shop.spawn(token, part("a"), part("b"))
    assert "4 units were spawned and none has landed" in shop.refused(token, part("c"))
    shop.daemon.person("resume_unit", unit="root")
    for name in "cde":
        assert shop.spawn(token, part(name))["spawned"]
    assert "none has landed" in shop.refused(token, part("f"))
    shop.daemon.person("pause_unit", unit="root")
    shop.daemon.person("resume_unit", unit="root")
    assert shop.spawn(token, part("f"))["spawned"], "the word of a person, whatever else they paused"


def test_why_and_the_verbs_of_tasks_take_a_units_id(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"))
    shop.open()
    shop.end()
    told = shop.daemon.person("why", id="root")
    assert "waiting_for_children" in str(told)
    assert shop.task("root-a")["title"] == "Part a"
    assert shop.daemon.person("get_task", task="root@/nowhere")["task"]["id"] == shop.begun["task"]


def test_a_units_prompt_has_its_frame_and_an_integrate_run_hears_of_the_children(shop: Tree) -> None:
    token = shop.begin()
    text = shop.daemon.person("worker_prompt", task="root")["prompt"]
    assert "You are the root unit" in text
    shop.spawn(token, part("a"))
    shop.open()
    shop.end()
    inner = shop.daemon.person("worker_prompt", task="root-a")["prompt"]
    assert "You are one unit of a tree" in inner
    shop.daemon.person("stop_unit", unit="root-a")
    assert shop.units()["root"] == "ready children_at_rest"
    again = shop.daemon.person("worker_prompt", task="root")["prompt"]
    assert "`root-a`: error (cancelled" in again


def test_a_unit_that_is_retried_begins_anew_without_the_children_it_had(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"))
    shop.open()
    shop.end()
    inner = shop.run("root-a")
    shop.spawn(inner, part("x"))
    shop.daemon.person("stop_unit", unit="root-a")
    shop.hands.report(shop.hands.order("stop"), "stopped", Stopped(asked=True, gone=True))
    shop.end(1)
    assert shop.units()["root-a"] == "cancelled cancelled"
    shop.daemon.person("retry_unit", unit="root-a")
    assert shop.units()["root-a"] == "ready"
    assert shop.units()["root"] == "blocked waiting_for_children"


def test_a_unit_that_is_paused_now_stops_its_run_and_goes_on_when_it_is_resumed(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"))
    shop.open()
    shop.end()
    shop.run("root-a")
    shop.daemon.person("pause_unit", unit="root", now=True)
    assert shop.units()["root-a"] == "running decompose"
    shop.hands.report(shop.hands.order("stop"), "stopped", Stopped(asked=True, gone=True))
    stopped = Exited(exit_code=None, signal="SIGTERM", stopped=True)
    shop.hands.report(shop.running, "exited", stopped)
    shop.hands.collect(0)
    assert shop.units()["root-a"] == "ready paused"
    shop.daemon.person("resume_unit", unit="root")
    assert shop.units()["root-a"] == "ready resumed"


def test_a_stopped_tree_is_in_attention_with_the_line_that_lets_it_go_on(shop: Tree) -> None:
    token = shop.begin()
    shop.daemon.change(stop_tree, shop.begun["mission"], "again")
    assert shop.units()["root"] == "running decompose"
    (wish,) = shop.daemon.person("get_status", project=shop.project)["needs_you"]
    assert (wish["reason"], wish["type"]) == ("tree_stopped", f"toryo mission resume {shop.begun['mission']}")
    assert token


@pytest.mark.parametrize("name", [".env", "../outside", "/etc/passwd", "secrets/key", "*.local"])
def test_a_worktree_file_that_agents_may_not_see_or_that_is_no_path_is_refused(name: str) -> None:
    text = f"worktree_files: ['.env.local', '{name}']\n"
    with pytest.raises(SettingsWrong, match=r"line 1: worktree_files\.1"):
        parse_settings(text)
    assert parse_settings("worktree_files: [.env.local]\n").worktree_files == (".env.local",)


def test_copies_of_untracked_files_are_taken_out_of_what_a_unit_and_a_plain_task_land(shop: Tree) -> None:
    shop.daemon.change(projects.update, shop.project, settings={"worktree_files": [".env.local"]})
    shop.begin()
    shop.hands.exit(shop.running)
    shop.hands.collect(1)
    assert shop.hands.order("candidate")["inputs"]["private"] == [*CONTRACT, ".env.local"]
    shop.hands.build()
    shop.hands.land()
    shop.add_task()
    claimed = shop.hands.claim("dev", shop.project, "request-plain")
    shop.hands.prepare(claimed["order"])
    shop.hands.exit(shop.hands.start())
    shop.hands.collect(1)
    assert shop.hands.order("candidate")["inputs"]["private"] == [".env.local"]


def test_root_unit_and_worker_are_each_instructed_in_their_own_words(shop: Tree) -> None:
    def instruction(token: str, agent: str = "dev") -> str:
        wish = {"agent_id": agent, "project_id": shop.project, "passkey": ""}
        session = shop.daemon.by(token, "authenticate", **wish)["session_token"]
        return str(shop.daemon.by(token, "get_my_task", session_token=session)["instruction"])

    token = shop.begin()
    shop.spawn(token, part("a"))
    shop.open()
    root, unit = instruction(token), instruction(shop.run("root-a"))
    shop.add_agent("linked", access="connected")
    shop.daemon.person("assign_agent", agent="linked", project=shop.project)
    shop.add_task(agent="linked")
    claimed = shop.hands.claim("linked", shop.project, "request-plain")
    shop.hands.prepare(claimed["order"])
    worker = instruction(shop.run_token(shop.hands.order("run", run=claimed["run_id"])), "linked")
    assert len({root, unit, worker}) == 3
    assert "requirements.yml" in root
    assert "implement nothing" in root
    assert "scoped-requirements.yml" in unit
    assert all("spawn_children" in text for text in (root, unit))
    assert "spawn_children" not in worker


def test_spawning_answers_with_the_state_of_the_children_and_so_does_the_inbox(shop: Tree) -> None:
    token = shop.begin()
    assert shop.daemon.by(token, "read_messages")["children_status"] == ""
    found = shop.spawn(token, part("a"))
    assert yaml.safe_load(found["children_status"]) == {
        "children": [{"unit_id": "root-a", "status": "pending"}]
    }
    shop.open()
    shop.run("root-a")
    read = yaml.safe_load(shop.daemon.by(token, "read_messages")["children_status"])
    assert [(one["unit_id"], one["status"]) for one in read["children"]] == [("root-a", "running")]
    plain = shop.daemon.by(shop.run_token(shop.running), "read_messages")
    assert plain["children_status"] == "", "it has no children"


NOTED = """\
parent_unit: root
estimate: 3 days
tasks:
- id: a
  description: Part a
  status: in my head
  owner: {team: web, since: 2026-01-02}
  requirements: {pages: 2}
- id: b
  description: Part b
  status: completed
  depends_on: [a]
"""


def test_what_a_parent_notes_in_its_breakdown_is_kept_and_only_toryo_says_completed(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, breakdown=NOTED.replace("in my head", "an older note"))
    shop.spawn(token, breakdown=NOTED)
    shop.open()
    shop.end()

    def shown() -> Any:
        shop.run("root-a" if shop.units()["root-a"] == "ready" else "root-b")
        order = next(
            one
            for name, answer in reversed(shop.hands.answers)
            if name == "claim_run" and (one := answer.get("order"))
        )
        files = {one["path"]: one["blob"] for one in order["inputs"]["files"]}
        text = shop.hands.call("fetch_blob", hash=files[PARENT_BREAKDOWN])["text"]
        return yaml.safe_load(text)

    assert shown() == {
        "parent_unit": "root",
        "total_tasks": 2,
        "tasks": [
            {
                "id": "a",
                "description": "Part a",
                "status": "in my head",
                "owner": {"team": "web", "since": "2026-01-02"},
                "requirements": {"pages": 2},
            },
            {"id": "b", "description": "Part b", "depends_on": ["a"], "status": "pending"},
        ],
        "estimate": "3 days",
    }
    shop.hands.exit(shop.running)
    shop.hands.collect(1)
    shop.hands.build()
    shop.hands.land()
    assert [one["status"] for one in shown()["tasks"]] == ["completed", "pending"]


def test_a_breakdown_that_unfolds_without_end_is_refused(shop: Tree) -> None:
    token = shop.begin()
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    text = "\n".join([*lines, "tasks:", "- {id: a, description: x, note: *a8}"])
    told = shop.daemon.refused(token, "spawn_children", breakdown=text)
    assert "is too long" in told["error"]
