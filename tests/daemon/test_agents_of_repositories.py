"""What a repository defines in `.toryo/agents/` belongs to that project alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from whole_daemon import Body, Shop

from toryo.protocol.kinds.repository import Surveyed
from toryo.usecases.runs.claim import worker_prompt


def coder(prompt: str, command: str = "sh mine.sh", write: str = "**") -> dict[str, str]:
    text = f"name: coder\nclient: command\ncommand: {command}\nsystem_prompt: {prompt}\n"
    return {"agents/coder.yaml": text + f"scope:\n  write: ['{write}']\n"}


def sync(shop: Shop, project: str, files: dict[str, str]) -> Body:
    surveyed = Surveyed(
        root="/x",
        base="main",
        base_commit="1" * 40,
        base_tree="2" * 40,
        settings_files=files,
        settings_from="commit",
    )
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, "sync_agents", project=project)
        shop.hands.report(shop.hands.order("survey"), "surveyed", surveyed)
        answer: Body = asked.result(30)
    return answer


def shown(shop: Shop, project: str) -> Body:
    found: Body = shop.daemon.person("get_agent", agent="coder", project=project)["agent"]
    return found


def test_claude_code_means_claude(shop: Shop) -> None:
    sync(shop, shop.project, {"agents/coder.yaml": "name: coder\nclient: claude-code\n"})
    assert shown(shop, shop.project)["client"] == "claude"
    shop.add_agent("second", client="claude-code")
    assert shop.daemon.person("get_agent", agent="second")["agent"]["client"] == "claude"


def two(shop: Shop) -> str:
    """Both repositories define an agent `coder`; the id of the second."""
    back = shop.add_project("back")
    sync(shop, shop.project, coder("I am of front.", "sh front.sh", "front/**"))
    sync(shop, back, coder("I am of back.", "sh back.sh", "back/**"))
    return back


def test_two_repositories_with_one_name_have_each_their_own_prompt_command_and_scope(shop: Shop) -> None:
    back = two(shop)
    mine, other = shown(shop, shop.project), shown(shop, back)
    assert (mine["system_prompt"], other["system_prompt"]) == ("I am of front.", "I am of back.")
    assert (mine["command"], other["command"]) == ("sh front.sh", "sh back.sh")
    assert (mine["scope"]["write"], other["scope"]["write"]) == (["front/**"], ["back/**"])
    assert (mine["projects"], other["projects"]) == ([shop.project], [back])
    assert (mine["project_name"], other["project_name"]) == ("front", "back")


def test_agent_sync_in_one_repository_never_changes_another(shop: Shop) -> None:
    back = two(shop)
    before = shown(shop, shop.project)
    assert sync(shop, back, coder("I am new.", "sh new.sh"))["changed"] == ["coder"]
    assert shown(shop, shop.project) == before
    assert shown(shop, back)["command"] == "sh new.sh"


def test_a_run_and_its_profile_are_those_of_the_projects_own_agent(shop: Shop) -> None:
    back = two(shop)
    shop.daemon.person("add_agent", name="coder", client="command", command="sh all.sh", path="/nowhere")
    for project, script in ((shop.project, "sh front.sh"), (back, "sh back.sh")):
        task = shop.add_task(project=project, agent="coder")
        assert "I am of" in shop.daemon.do(worker_prompt, task, "")["prompt"]
        claimed = shop.hands.claim("coder", project, f"request-{project}")
        assert claimed["then"]["inputs"]["command"] == script
        profile = shop.hands.call("get_subordinate_profile", agent_id="coder", project_id=project)
        assert profile["system_prompt"] == shown(shop, project)["system_prompt"]


def test_a_clash_with_an_agent_of_the_whole_installation_is_said_and_changes_neither(shop: Shop) -> None:
    shop.add_agent("coder", path="/nowhere", system_prompt="I am everybody's.")
    answer = sync(shop, shop.project, coder("I am of front."))
    assert answer["added"] == ["coder"]
    assert any("agent coder of the whole installation" in note for note in answer["notes"])
    assert shown(shop, shop.project)["system_prompt"] == "I am of front."
    everybodys = shop.daemon.person("get_agent", agent="coder")["agent"]
    assert (everybodys["system_prompt"], everybodys["project"]) == ("I am everybody's.", None)


def test_another_project_is_not_lent_what_a_repository_defines(shop: Shop) -> None:
    sync(shop, shop.project, coder("I am of front."))
    back = shop.add_project("back")
    assert "coder" not in [one["id"] for one in shop.daemon.person("list_agents", project=back)["agents"]]
    why = shop.daemon.refused(shop.daemon.operator, "add_task", title="x", project=back, agent="coder")
    assert "belongs to front" in why["error"]


def test_agents_of_one_name_are_disabled_and_removed_one_by_one(shop: Shop) -> None:
    back = two(shop)
    shop.daemon.person("disable_agent", agent="coder", project=back)
    assert (shown(shop, shop.project)["status"], shown(shop, back)["status"]) == ("active", "disabled")
    shop.daemon.person("remove_agent", agent="coder", project=back)
    assert shown(shop, shop.project)["projects"] == [shop.project]
    listed = shop.daemon.person("list_agents")["agents"]
    assert [one["project_name"] for one in listed if one["id"] == "coder"] == ["front"]


def test_a_name_that_only_projects_have_is_asked_for_where_it_is_not_clear(shop: Shop) -> None:
    two(shop)
    why = shop.daemon.refused(shop.daemon.operator, "get_agent", agent="coder")
    assert "2 projects have an agent 'coder'" in why["error"]


def test_a_passkey_is_the_names_in_every_project(shop: Shop) -> None:
    back = two(shop)
    passkey = shop.daemon.person("new_passkey", agent="coder")["passkey"]
    for project in (shop.project, back):
        assert shop.authenticate("coder", project, passkey)["agent_name"] == "coder"


def test_an_agent_whose_file_is_gone_is_named_with_the_line_that_takes_it_out(shop: Shop) -> None:
    sync(shop, shop.project, coder("I am of front."))
    notes = sync(shop, shop.project, {"config.yaml": "{}"})["notes"]
    assert any("toryo agent remove coder" in note for note in notes)
