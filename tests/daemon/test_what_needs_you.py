"""Tasks that only a person moves on say so where somebody waits for them, with the line to type."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest
from test_being_told import rewind
from test_status_page import remove
from whole_daemon import Body, Shop

from toryo.engine.context import HeadContext
from toryo.protocol.asks import AskAnswer
from toryo.protocol.kinds.gate import Checked
from toryo.protocol.kinds.landing import Accepted, PublishWaiting
from toryo.protocol.kinds.repository import Surveyed
from toryo.protocol.kinds.run import Exited, Signs
from toryo.protocol.kinds.target import TargetSeen
from toryo.usecases.agents.definition import NewAgent
from toryo.usecases.agents.of_projects import import_agents
from toryo.usecases.status.doctor import doctor

CHECKED = "base: main\ndod: {checks: [{command: make test}]}\n"
WRONG = "base: main\nsetup: make\n"


def surveyed(config: str, **fields: Any) -> Surveyed:
    return Surveyed(
        root="/x",
        base="main",
        settings_files={"config.yaml": config},
        **{"settings_from": "commit", **fields},
    )


def sync(shop: Shop, config: str, **fields: Any) -> Any:
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, "sync_agents", project=shop.project)
        shop.hands.report(shop.hands.order("survey"), "surveyed", surveyed(config, **fields))
        return asked.exception(30) or asked.result(30)


def waited(shop: Shop, task: str) -> Body:
    shop.daemon.settle()
    (found,) = shop.daemon.person("wait_tasks", tasks=[task], timeout_s=0)["tasks"]
    assert found["at_rest"] is False
    return found["needs_you"]  # type: ignore[no-any-return]


def test_a_program_that_is_not_there_is_named_before_a_run_and_installing_it_is_enough(shop: Shop) -> None:
    """S3-104."""
    shop.add_agent("coder", client="codex", project=shop.project)
    told = {"claude": "/bin/claude", "codex": ""}
    shop.hands.speak("tell_clients", clients=told)
    task = shop.add_task(agent="coder")
    assert shop.state(task) == "blocked no_program"
    line = "npm install -g @openai/codex"
    assert shop.task(task)["detail"] == f"codex is not on PATH; type: {line}"
    assert not shop.hands.should_start("coder", shop.project)
    assert shop.daemon.person("get_status")["needs_you"][0]["type"] == line
    shop.hands.speak("tell_clients", clients=told | {"codex": "/bin/codex"})
    assert shop.state(task) == "ready"
    assert shop.hands.claim("coder", shop.project)["claimed"]


def test_so_is_the_program_of_a_command_which_is_looked_for_before_its_task_is_claimed(shop: Shop) -> None:
    """S3-104."""
    ghost = {"client": "command", "command": "no-such-prog {prompt_file}"}
    shop.daemon.person("add_agent", name="ghost", project=shop.project, **ghost)
    task = shop.add_task(agent="ghost")
    assert shop.state(task) == "ready"
    assert shop.hands.speak("next_orders", wait_s=0)["programs"] == ["no-such-prog"]
    shop.hands.speak("tell_clients", clients={"command:no-such-prog": ""})
    assert shop.state(task) == "blocked no_program"
    assert shop.task(task)["detail"] == "no-such-prog is not on PATH"
    assert not shop.hands.claim("ghost", shop.project)["claimed"]
    typed = "toryo agent add ghost --command '…'"
    assert shop.daemon.person("get_status")["needs_you"][0]["type"] == typed
    (note,) = shop.daemon.person("add_task", title="x", project=shop.project, agent="ghost")["notes"]
    assert note == f"the program of the agent ghost is missing: no-such-prog is not on PATH; type: {typed}"
    shop.hands.register()
    assert shop.state(task) == "blocked no_program"
    (project,) = shop.hands.call("list_active_projects_with_agents")["projects"]
    assert "no-such-prog" in project["programs"]
    shop.hands.speak("tell_clients", clients={"command:no-such-prog": "/bin/no-such-prog"})
    assert shop.state(task) == "ready"
    assert "no-such-prog" not in str(shop.daemon.person("get_status")["coordinators"])


def test_a_task_whose_agent_has_no_client_names_the_client_that_is_installed(shop: Shop) -> None:
    shop.daemon.person("add_agent", name="worker", project=shop.project)
    task = shop.add_task(agent="worker")
    assert shop.state(task) == "blocked no_client"
    told = waited(shop, task)
    assert told["type"].startswith("toryo agent add worker --client command")
    assert f"toryo task update {task} --agent dev" in told["lines"]
    who = {"machine": shop.hands.machine, "name": "main", "boot": "b", "pid": 1}
    shop.hands.call("register_coordinator", **who, clients={"codex": "/bin/codex"})
    assert waited(shop, task)["type"] == "toryo agent add worker --client codex"


def test_an_agent_that_asks_needs_a_person_until_it_was_answered(shop: Shop) -> None:
    task = shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    order = shop.hands.start()
    signs = Signs(n=1, asks="Which colour? (1 Red, 2 Blue)")
    shop.hands.report(order, "signs", signs)
    assert shop.state(task) == "running waiting_for_input"
    told = waited(shop, task)
    assert told["why"] == "its agent asks: Which colour? (1 Red, 2 Blue)"
    assert told["lines"] == [f'toryo task say {task} "…"', f"toryo attach {task}"]
    (listed,) = shop.daemon.person("get_status")["needs_you"]
    assert (listed["task"], listed["type"]) == (task, f'toryo task say {task} "…"')
    shop.hands.report(order, "signs", Signs(n=2))
    assert shop.state(task) == "running implement"
    assert shop.daemon.person("get_status")["needs_you"] == []


def test_silence_is_a_fact_that_changes_no_state(shop: Shop) -> None:
    task = shop.add_task()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    order = shop.hands.start()
    (moving,) = shop.daemon.person("get_status")["moving"]
    assert moving["silent_since"] is None
    shop.hands.report(order, "signs", Signs(n=1, silent_s=720))
    assert shop.state(task) == "running implement"
    (moving,) = shop.daemon.person("get_status")["moving"]
    since = shop.task(task)["runs"][0]["silent_since"]
    assert moving["silent_since"] == since
    assert 715 < shop.daemon.now() - datetime.fromisoformat(since).timestamp() < 750
    shop.hands.exit(order)
    assert shop.task(task)["runs"][0]["silent_since"] is None


def test_a_held_task_and_what_waits_for_it_name_the_same_line(shop: Shop) -> None:
    held = shop.add_task(held=True)
    after = shop.add_task(after=[held])
    for task in (held, after):
        assert waited(shop, task)["type"] == f"toryo task approve {held}"


def test_a_task_that_goes_on_by_itself_needs_nobody(shop: Shop) -> None:
    assert waited(shop, shop.add_task()) is None


def test_a_disabled_agent_and_one_that_left_the_project_are_named(shop: Shop) -> None:
    task = shop.add_task()
    shop.daemon.person("disable_agent", agent="dev")
    assert waited(shop, task)["type"] == "toryo agent enable dev"
    shop.daemon.person("enable_agent", agent="dev")
    shop.daemon.person("unassign_agent", agent="dev", project=shop.project)
    assert waited(shop, task)["type"] == "toryo agent assign dev"
    assert shop.state(task) == "blocked agent_unassigned"
    assert [one["task"] for one in shop.daemon.person("get_status")["needs_you"]] == [task]
    shop.daemon.person("assign_agent", agent="dev", project=shop.project)
    assert shop.state(task) == "ready"


def test_an_agent_that_comes_back_by_the_projects_files_goes_on(shop: Shop) -> None:
    task = shop.add_task()
    shop.daemon.person("unassign_agent", agent="dev", project=shop.project)
    assert shop.state(task) == "blocked agent_unassigned"
    shop.daemon.do(back_by_its_file, shop.project)
    assert shop.state(task) == "ready"


def back_by_its_file(context: HeadContext, project: str) -> None:
    with context.store.change() as tx:
        import_agents(tx, project, [NewAgent("dev", client="command", command="sh it.sh")], ("command",))


def test_a_red_base_says_that_a_commit_mends_it_and_its_evidence_shows_the_check(shop: Shop) -> None:
    sync(shop, CHECKED)
    task = shop.add_task()
    failed = Checked(result="failed", exit_code=2, tail="boom")
    for _ in range(2):
        shop.hands.report(shop.hands.order("check"), "checked", failed)
    assert shop.state(task) == "blocked base_red"
    told = waited(shop, task)
    assert "commit on the target, it goes on by itself" in told["why"]
    of_target = [f"toryo target {verb} main --project front" for verb in ("approve", "retry")]
    assert told["lines"] == [f"toryo evidence {task}", *of_target]
    (check,) = shop.daemon.person("get_evidence", task=task)["base"]["checks"]
    assert (check["command"], check["exit_code"], check["output"]) == ("make test", 2, "boom")


def accepted(shop: Shop, commit: str = "4" * 40) -> str:
    """A task whose landing is accepted and not yet published."""
    task = shop.add_task()
    shop.hands.claim("dev", shop.project, request=f"request-{task}")
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    shop.hands.collect()
    shop.hands.build(commit)
    order = shop.hands.order("accept")
    shop.hands.report(order, "accepted", Accepted(moved=True, tip=commit))
    return task


def test_a_landing_that_waits_for_the_checkout_names_the_stash_and_has_not_landed(shop: Shop) -> None:
    task = accepted(shop)
    waiting = PublishWaiting(why="dirty", paths=("a b.txt",))  # as an older coordinator says it
    shop.hands.report(shop.hands.order("publish"), "publish_waiting", waiting)
    assert shop.state(task) == "landing waiting_for_checkout"
    told = waited(shop, task)
    path = shop.daemon.person("get_project", project=shop.project)["project"]["path"]
    assert told["type"] == f"git -C {path} stash push -- 'a b.txt'"
    assert f"commit or stash in {path}" in told["why"]
    shown = shop.task(task)
    assert (shown["landed_commit"], shown["accepted_commit"]) == (None, "4" * 40)
    assert shown["next"] == told["lines"] == [one["line"] for one in shown["actions"]]


def test_a_dirty_path_holds_up_every_later_landing_of_its_branch_and_that_is_said_once(shop: Shop) -> None:
    first = accepted(shop)
    waiting = PublishWaiting(why="dirty", paths=("a.txt",))
    shop.hands.report(shop.hands.order("publish"), "publish_waiting", waiting)
    later = []
    for commit in ("7" * 40, "8" * 40):
        later.append(accepted(shop, commit))
        order = shop.hands.order("publish")  # of all of them, or the branch does not move
        assert (order["inputs"]["old"], order["inputs"]["new"]) == ("1" * 40, commit)
        shop.hands.report(order, "publish_waiting", waiting)
    for task in (first, *later):
        assert shop.state(task) == "landing waiting_for_checkout"
    (told,) = shop.daemon.person("get_status")["needs_you"]
    assert (told["task"], told["behind"]) == (first, 2)
    assert told["why"].endswith("then main moves: a.txt; 2 more accepted tasks wait behind it")
    assert f"waiting for your checkout: behind {first}: commit or stash in" in waited(shop, later[1])["why"]


@pytest.mark.parametrize(
    ("why", "paths", "line", "words"),
    [
        ("dirty", ("a.txt",), "git -C '/linked one' stash push -- a.txt", "commit or stash in /linked one"),
        ("rebase", (), "git -C '/linked one' status", "finish the rebase in /linked one, then main moves"),
        ("index.lock", (), "git -C '/linked one' status", "a git is at work in /linked one (index.lock)"),
        ("missing checkout", ("/linked one",), "git -C {path} worktree list", "in /linked one, which is not"),
    ],
)
def test_a_landing_that_waits_for_another_checkout_than_the_projects_names_that_one(
    shop: Shop, why: str, paths: tuple[str, ...], line: str, words: str
) -> None:
    task = accepted(shop)
    waiting = PublishWaiting(why=why, paths=paths, checkout="/linked one")
    shop.hands.report(shop.hands.order("publish"), "publish_waiting", waiting)
    told = waited(shop, task)
    path = shop.daemon.person("get_project", project=shop.project)["project"]["path"]
    assert told["type"] == line.format(path=path)
    assert words in told["why"]
    assert shop.task(task)["next"][0] == told["type"]
    (needs,) = shop.daemon.person("get_status")["needs_you"]
    assert (needs["type"], needs["why"]) == (told["type"], told["why"])


@pytest.mark.parametrize(
    ("client", "line"),
    [
        ("command", "toryo agent add coder --command '…'"),
        ("codex", "npm install -g @openai/codex"),
    ],
)
def test_a_run_that_could_not_start_names_what_helps_before_the_retry(
    shop: Shop, client: str, line: str
) -> None:
    """What its machine says is installed decides which, never the words of the failure."""
    shop.add_agent("coder", client=client, project=shop.project)
    shop.hands.speak("tell_clients", clients={"codex": "/bin/codex"})
    task = shop.add_task(agent="coder")
    shop.hands.claim("coder", shop.project)
    shop.hands.prepare()
    order = shop.hands.order("run")
    shop.hands.speak("tell_clients", clients={})
    shop.hands.report(order, "exited", Exited(exit_code=None, could_not_start="not found"))
    if "collect" in {one["kind"] for one in shop.hands.speak("next_orders", wait_s=0)["orders"]}:
        shop.hands.collect(0)
    assert shop.state(task) == "failed could_not_start"
    update = f"toryo task update {task} --agent dev"
    assert shop.task(task)["next"] == [line, update, f"toryo task retry {task}", f"toryo task dismiss {task}"]


def test_wrong_settings_of_the_target_are_told_wherever_people_look(shop: Shop) -> None:
    sync(shop, CHECKED)
    seen = TargetSeen(
        project=shop.project,
        target="main",
        commit="5" * 40,
        tree="6" * 40,
        relation="ahead",
        settings_tree="7" * 40,
    )
    shop.hands.report({"id": "", "generation": 0}, "target_seen", seen)
    shop.hands.report(shop.hands.order("survey"), "surveyed", surveyed(WRONG, settings_tree="7" * 40))
    (problem,) = shop.daemon.person("get_status")["problems"]
    assert (
        "main has wrong settings, older ones are in force: .toryo/config.yaml, line 2: setup"
        in problem["what"]
    )
    assert problem["type"] == "mend .toryo/config.yaml and commit it on main"
    answer = shop.daemon.person("add_task", title="x", project=shop.project)
    assert answer["notes"] == [f"{problem['what']} ({problem['type']})"]
    assert "setup" in shop.daemon.person("get_evidence", task=answer["id"])["settings_problem"]
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, "doctor")
        shop.hands.report(shop.hands.order("survey"), "surveyed", surveyed(WRONG))
        shop.hands.answer(shop.hands.ask(), AskAnswer(ended=True))
        findings = asked.result(60)["findings"]
    assert (f"front: {problem['what']}", problem["type"]) in {(one["what"], one["hint"]) for one in findings}


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("setup: " + "[" * 900 + "]" * 900, "line 1: it is nested too deeply"),
        ("dod: {checks: [{command: a}]}\ndod: {}", "line 2: dod: is there twice"),
        ("setup: 2024-13-45", "line 1: this is no timestamp"),
    ],
    ids=["deep", "twice", "no date"],
)
def test_settings_that_cannot_be_loaded_leave_the_older_ones_in_force(
    shop: Shop, config: str, said: str
) -> None:
    sync(shop, CHECKED)
    seen = TargetSeen(
        project=shop.project,
        target="main",
        commit="5" * 40,
        tree="6" * 40,
        relation="ahead",
        settings_tree="7" * 40,
    )
    shop.hands.report({"id": "", "generation": 0}, "target_seen", seen)
    shop.hands.report(shop.hands.order("survey"), "surveyed", surveyed(config, settings_tree="7" * 40))
    (problem,) = shop.daemon.person("get_status")["problems"]
    told = f"main has wrong settings, older ones are in force: .toryo/config.yaml, {said}"
    assert told in problem["what"]


def test_a_sync_of_wrong_settings_says_whose_they_are(shop: Shop) -> None:
    committed = sync(shop, WRONG).body["hint"]
    assert committed == "main has them: commit the mended .toryo/ on main."
    uncommitted = sync(shop, WRONG, settings_from="working copy").body["hint"]
    assert uncommitted == "Mend .toryo/config.yaml and type `toryo agent sync` again."


def test_the_doctor_looks_at_settings_that_nobody_committed(shop: Shop) -> None:
    sync(shop, CHECKED, settings_from="working copy")
    for config, expected in ((WRONG, "has wrong settings"), (CHECKED, "settings: uncommitted")):
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(shop.daemon.person, "doctor")
            survey = surveyed(config, settings_from="working copy")
            shop.hands.report(shop.hands.order("survey"), "surveyed", survey)
            shop.hands.answer(shop.hands.ask(), AskAnswer(ended=True))
            findings = [one["what"] for one in asked.result(60)["findings"] if "settings" in one["what"]]
        assert len(findings) == 1
        assert expected in findings[0]


def test_the_doctor_names_the_line_for_a_target_that_stands_still_until_its_project_is_removed(
    shop: Shop,
) -> None:
    rewind(shop)
    found = {one["what"]: one["hint"] for one in shop.daemon.do(doctor, {})["findings"]}
    why = "the target was moved back by hand; approve to go on from where it is now"
    assert found[f"front: nothing lands on main: {why}"] == "toryo target approve main --project front"
    remove(shop, shop.project)
    assert not [one for one in shop.daemon.do(doctor, {})["findings"] if "front" in one["what"]]


def test_the_doctor_names_an_agent_whose_program_is_not_there(shop: Shop) -> None:
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, "doctor")
        shop.hands.report(shop.hands.order("survey"), "surveyed", surveyed(CHECKED))
        body = {"programs": {"sh": ""}}
        shop.hands.answer(shop.hands.ask(), AskAnswer(ended=True, body=body))
        findings = {one["what"]: one["hint"] for one in asked.result(60)["findings"]}
    what = "the program sh of the agent dev is not there"
    assert findings[what] == "toryo agent add dev --command '…'"


def test_an_archived_project_is_the_reason_of_every_task_that_waits(shop: Shop) -> None:
    """Also of one whose agent works there no more, and of one that never had any."""
    left = shop.add_task()
    shop.daemon.person("unassign_agent", agent="dev", project=shop.project)
    nobodys = shop.add_task()
    assert (shop.state(left), shop.state(nobodys)) == ("blocked agent_unassigned", "blocked no_agent")
    shop.daemon.person("archive_project", project=shop.project)
    assert {shop.state(left), shop.state(nobodys)} == {"blocked project_archived"}
    shop.daemon.person("activate_project", project=shop.project)
    assert (shop.state(left), shop.state(nobodys)) == ("blocked agent_unassigned", "blocked no_agent")
