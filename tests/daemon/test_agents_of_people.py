"""Agents as people define, change and remove them; and what a machine says of its clients."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from whole_daemon import Body, Shop

from toryo.domain.errors import UserError
from toryo.engine.context import HeadContext
from toryo.protocol.asks import AskAnswer
from toryo.protocol.kinds.repository import Surveyed
from toryo.store.tables import projects
from toryo.usecases.agents.definition import changed, instructions
from toryo.usecases.agents.files import agents_in
from toryo.usecases.agents.of_projects import first_agent


def agent(shop: Shop, name: str = "dev") -> Body:
    found: Body = shop.daemon.person("get_agent", agent=name)["agent"]
    return found


def refused(shop: Shop, tool: str, **arguments: Any) -> Body:
    return shop.daemon.refused(shop.daemon.operator, tool, **arguments)


def test_adding_an_agent_again_changes_only_what_is_said(shop: Shop) -> None:
    first = {"model": "m1", "scope": {"write": ["src/**"], "exclude": ["*.key"]}, "access": "connected"}
    shop.add_agent("coder", client="claude", project=shop.project, **first)
    answer = shop.daemon.person(
        "add_agent", name="coder", project=shop.project, slots=3, scope={"write": None}, skills={"a": "# A"}
    )
    assert (answer["changed"], answer["passkey"]) == (True, None)
    found = agent(shop, "coder")
    assert (found["client"], found["model"], found["access"], found["slots"]) == (
        "claude",
        "m1",
        "connected",
        3,
    )
    assert (found["scope"], found["skills"]) == ({"write": None, "exclude": ["*.key"]}, ["a"])


def test_outside_a_project_an_agent_is_added_and_changed_and_assigned_nowhere(shop: Shop) -> None:
    answer = shop.daemon.person("add_agent", name="coder", client="codex", path="/nowhere")
    assert (answer["projects"], answer["default_of"]) == ([], [])
    shop.daemon.person("add_agent", name="dev", model="m2", path="/nowhere")
    assert (agent(shop, "coder")["projects"], agent(shop)["model"]) == ([], "m2")
    assert agent(shop)["projects"] == [shop.project]


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "opencode"])
def test_the_agent_clis_are_clients_that_need_no_command(shop: Shop, client: str) -> None:
    shop.add_agent("coder", client=client, project=shop.project)
    assert agent(shop, "coder")["client"] == client


def test_a_client_that_a_user_defined_is_known_by_its_file_or_by_the_hands(shop: Shop) -> None:
    assert refused(shop, "add_agent", name="x", client="mine")["error"] == "There is no client 'mine'."
    folder = shop.daemon.home.path / "clients"
    folder.mkdir()
    (folder / "mine.yaml").write_text("program: mine\nargv: [mine]\n")
    shop.add_agent("x", client="mine", project=shop.project)
    shop.hands.call(
        "register_coordinator",
        machine=shop.hands.machine,
        name="main",
        boot="b",
        pid=1,
        clients={"its": "/its"},
    )
    shop.add_agent("y", client="its", project=shop.project)
    assert (agent(shop, "x")["client"], agent(shop, "y")["client"]) == ("mine", "its")


def test_an_interactive_agent_gets_a_terminal_by_itself(shop: Shop) -> None:
    shop.add_agent("coder", client="claude", style="interactive", project=shop.project)
    assert (agent(shop, "coder")["style"], agent(shop, "coder")["terminal"]) == ("interactive", "tmux")
    shop.daemon.person("add_agent", name="coder", style="exec", project=shop.project)
    assert (agent(shop, "coder")["style"], agent(shop, "coder")["terminal"]) == ("exec", "tmux")


@pytest.mark.parametrize(
    ("wish", "hint"),
    [
        ({"client": "claude", "style": "interactive", "terminal": "plain"}, "--terminal tmux"),
        ({"client": "command", "command": "x", "style": "interactive"}, "--style"),
        ({"client": "claude", "skills": {"../x": "y"}}, "lower case"),
        ({"client": "claude", "skills": {"x": "y" * 100_001}}, "files"),
    ],
)
def test_what_cannot_work_is_refused_with_a_way_out(shop: Shop, wish: Body, hint: str) -> None:
    assert hint in refused(shop, "add_agent", name="x", **wish)["hint"]


def test_a_new_passkey_voids_the_old_one(shop: Shop) -> None:
    answer = shop.daemon.person("new_passkey", agent="dev")
    assert answer["passkey"] != shop.passkey
    refusal = shop.daemon.refused(
        "", "authenticate", agent_id="dev", project_id=shop.project, passkey=shop.passkey
    )
    assert refusal["error"]
    assert shop.authenticate(passkey=answer["passkey"])["success"]


def test_an_agent_that_is_needed_is_not_removed(shop: Shop) -> None:
    task = shop.add_task()
    body = refused(shop, "remove_agent", agent="dev")
    assert (task in body["error"], f"toryo task cancel {task}" in body["hint"]) == (True, True)
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    run = shop.hands.start()["run"]
    assert refused(shop, "remove_agent", agent="dev")["hint"] == f"toryo run stop {run}"


def test_a_removed_agent_leaves_its_tasks_and_its_name_to_a_new_one(shop: Shop) -> None:
    shop.add_agent("second", client="claude", project=shop.project)
    shop.daemon.person("assign_agent", agent="second", project=shop.project, default=True)
    task = shop.add_task(agent="second")
    shop.daemon.person("cancel_task", task=task)
    shop.daemon.settle()

    def default() -> str:
        return str(shop.daemon.person("get_project", project=shop.project)["project"]["default_agent"])

    assert default() == "second"
    shop.daemon.person("remove_agent", agent="second")
    assert refused(shop, "get_agent", agent="second")
    assert (shop.task(task)["agent"], default()) == ("second", "dev")
    assert shop.add_agent("second", client="codex", project=shop.project)


FILE = "name: coder\nclient: claude\nstyle: interactive\nskills: [tidy]\n"


def test_an_agent_file_names_its_skills_and_its_style() -> None:
    (found,) = agents_in({"agents/coder.yaml": FILE, "skills/tidy/SKILL.md": "# Tidy"})
    assert (found.style, found.terminal, found.skills) == ("interactive", "tmux", {"tidy": "# Tidy"})


def test_a_skill_without_its_file_is_a_mistake_of_the_settings() -> None:
    with pytest.raises(UserError, match=r"\.toryo/skills/tidy/SKILL\.md is not there"):
        agents_in({"agents/coder.yaml": FILE})


def test_sync_brings_skills_and_style_into_the_store(shop: Shop) -> None:
    files = {"agents/coder.yaml": FILE, "skills/tidy/SKILL.md": "# Tidy"}
    surveyed = Surveyed(
        root="/x",
        base="main",
        base_commit="1" * 40,
        base_tree="2" * 40,
        settings_files=files,
        settings_from="commit",
    )
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, "sync_agents", project=shop.project)
        shop.hands.report(shop.hands.order("survey"), "surveyed", surveyed)
        assert asked.result(30)["added"] == ["coder"]
    found = agent(shop, "coder")
    assert (found["style"], found["terminal"], found["skills"]) == ("interactive", "tmux", ["tidy"])


def test_a_project_begins_with_a_cli_that_is_on_path(shop: Shop) -> None:
    def begin(context: HeadContext, on_path: tuple[str, ...]) -> tuple[str, str]:
        with context.store.change() as tx:
            for one in projects.agents_of(tx, shop.project):
                projects.unassign(tx, shop.project, one.id)
            row = first_agent(tx, shop.project, on_path)
        return row.id, row.client

    assert shop.daemon.do(begin, ("codex",)) == ("dev", "command")
    shop.daemon.person("remove_agent", agent="dev")
    assert shop.daemon.do(begin, ()) == ("worker", "")
    assert shop.daemon.do(begin, ("codex", "claude")) == ("worker", "claude")


def test_the_system_prompt_is_in_the_prompt_only_where_no_context_holds_it(shop: Shop) -> None:
    def told(context: HeadContext, client: str) -> str:
        from toryo.store.tables import agents

        with context.store.change() as tx:
            agents.update(tx, "dev", client=client, system_prompt="WHO", prompt="RULES")
            row = agents.get(tx, "dev")
            assert row is not None
            return instructions(row)

    assert [shop.daemon.do(told, one) for one in ("command", "claude")] == ["WHO\n\nRULES", "RULES"]


def test_a_definition_that_says_nothing_has_the_defaults() -> None:
    wish = changed(None, "x", {})
    assert (wish.slots, wish.access, wish.style, wish.terminal, dict(wish.skills)) == (
        0,
        "sealed",
        "exec",
        "plain",
        {},
    )


def examined(shop: Shop, body: Body) -> Body:
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, "doctor")
        shop.hands.report(shop.hands.order("survey"), "surveyed", Surveyed(root="/x", base="main"))
        shop.hands.answer(shop.hands.ask("health"), AskAnswer(ended=True, body=body))
        return asked.result(60)


def a_client(name: str, **fields: Any) -> Body:
    told = {"name": name, "path": f"/bin/{name}", "version": "1.0", "tested": True, "problem": "", "hint": ""}
    return told | fields


def test_doctor_lists_what_each_machine_has_and_what_is_wrong_with_it(shop: Shop) -> None:
    shop.add_agent("coder", client="gemini", project=shop.project)
    clients = [
        a_client("claude"),
        a_client("codex", tested=False),
        a_client("mine", path="/h/mine.yaml", version="", tested=False, problem="argv: missing"),
        a_client("gemini", path="", version="", tested=False),
    ]
    answer = examined(shop, {"uid": 4_000_000, "clients": clients})
    (machine,) = answer["machines"]
    assert (machine["machine"], machine["uid"], machine["clients"]) == (
        shop.hands.machine,
        4_000_000,
        clients,
    )
    told = {one["what"]: one["level"] for one in answer["findings"]}
    assert told["the client mine (/h/mine.yaml): argv: missing"] == "warning"
    assert told["codex 1.0 was not tested with this Toryo"] == "note"
    assert told["the agent coder is driven by gemini, which is not installed"] == "warning"
    assert "another uid" in answer["isolation"]


def test_doctor_understands_hands_of_an_older_version(shop: Shop) -> None:
    answer = examined(shop, {"clients": {"claude": "/bin/claude"}})
    (machine,) = answer["machines"]
    assert [(one["name"], one["path"], one["tested"]) for one in machine["clients"]] == [
        ("claude", "/bin/claude", False)
    ]
    assert "your own uid" in answer["isolation"]


def test_doctor_says_that_nobody_is_there_to_look(shop: Shop) -> None:
    shop.daemon.pass_time(1000)
    answer = shop.daemon.person("doctor")
    assert ("error", "toryo up") in {(one["level"], one["hint"]) for one in answer["findings"]}
    assert answer["machines"] == []
