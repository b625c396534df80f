"""An act of people is the same act by the command line, by the page and by the terminal front."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "daemon"))
from mission_shop import MissionShop
from three_fronts import Act, Fronts
from whole_daemon import WORK, Body

from toryo.domain.actions import Do
from toryo.domain.times import iso
from toryo.protocol.kinds.gate import Checked
from toryo.protocol.kinds.repository import Surveyed
from toryo.protocol.kinds.run import Limited, Said, Started, Usage
from toryo.protocol.kinds.work import Collected
from toryo.protocol.wire import ToolFailed
from toryo.settings import Home

NUMBERS = itertools.count()
QUESTIONS = {
    "title": "Limits",
    "size": "small",
    "questions": [{"id": "Q1", "text": "Per user or per address?", "default": "user"}],
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MissionShop]:
    folder = tmp_path_factory.mktemp("v")
    opened = MissionShop(Home(folder / "home"), folder)
    opened.daemon.person("set_config", key="planner.base_url", value="http://127.0.0.1:9/v1")
    opened.daemon.person("set_config", key="planner.model", value="tea")
    try:
        yield opened
    finally:
        opened.daemon.close()


@pytest.fixture(scope="module")
def fronts(shop: MissionShop) -> Iterator[Fronts]:
    opened = Fronts(shop)
    yield opened
    opened.close()


def end(shop: MissionShop, subject: str) -> None:
    """Nothing of it is left to do for hands and planner, which the next one needs."""
    tool = {"t": "cancel_task", "n": "cancel_mission"}.get(subject[0])
    if tool:
        with contextlib.suppress(ToolFailed):
            shop.daemon.person(tool, **{tool.removeprefix("cancel_"): subject})
    shop.daemon.settle()


# ── subjects ──


def agent(shop: MissionShop) -> str:
    """One of its own for each subject: none waits for another's slot."""
    name = f"a{next(NUMBERS)}"
    shop.add_agent(name, "claude", project=shop.project)
    return name


def held(shop: MissionShop) -> str:
    return shop.add_task(held=True)


def begun(shop: MissionShop, task: str, name: str) -> Body:
    assert shop.hands.claim(name, shop.project, f"request-{next(NUMBERS)}")["claimed"]
    shop.hands.prepare(shop.hands.order("prepare", task=task))
    order = shop.hands.order("run", task=task)
    shop.hands.report(order, "started", Started(shim_pid=1, pid=2, started_at="", boot="b"))
    return order


def collected(shop: MissionShop, task: str, commits: int = 0) -> None:
    fact = Collected(head=WORK, commits=commits, new_commits=commits, changed_count=commits)
    shop.hands.report(shop.hands.order("collect", task=task), "collected", fact)


def ended(shop: MissionShop, code: int, *, runs: int = 1, commits: int = 0) -> str:
    """A task whose runs ended so."""
    name = agent(shop)
    task = shop.add_task(agent=name)
    for _ in range(runs):
        shop.hands.exit(begun(shop, task, name), code)
        collected(shop, task, commits)
    return task


def failed(shop: MissionShop) -> str:
    return ended(shop, 1)


def reviewed(shop: MissionShop) -> str:
    """Its agent left nothing, twice."""
    return ended(shop, 0, runs=2)


def landed(shop: MissionShop) -> str:
    task = ended(shop, 0, commits=1)
    commit = f"{next(NUMBERS):040x}"
    shop.hands.build(commit)
    shop.hands.land(commit)
    return task


def running(shop: MissionShop) -> str:
    name = agent(shop)
    task = shop.add_task(agent=name)
    begun(shop, task, name)
    return task


def running_run(shop: MissionShop) -> str:
    return str(shop.task(running(shop))["runs"][-1]["id"])


def parked_run(shop: MissionShop) -> str:
    parked_account(shop)
    return str(shop.daemon.person("list_runs")["runs"][0]["id"])


def parked_account(shop: MissionShop) -> str:
    name = agent(shop)
    task = shop.add_task(agent=name)
    limited = Limited(why="usage_limit", message="5-hour limit", resets_at=str(iso(shop.daemon.now() + 3600)))
    said = Said(conversation="c1", result="error", usage=Usage(), limited=limited)
    shop.hands.exit(begun(shop, task, name), 1, said)
    collected(shop, task)
    return "claude"


def outside_session(shop: MissionShop) -> str:
    shop.session()
    return "dev"


def plan(shop: MissionShop) -> str:
    return shop.planned()


def questions(shop: MissionShop) -> str:
    mission = shop.begin()
    shop.planner.answer("question", QUESTIONS)
    return mission


def active(shop: MissionShop) -> str:
    mission = plan(shop)
    shop.daemon.person("approve_mission", mission=mission)
    return mission


def paused(shop: MissionShop) -> str:
    mission = active(shop)
    shop.daemon.person("pause_mission", mission=mission)
    return mission


def red_target(shop: MissionShop) -> str:
    """`main` of a project of its own, whose base fails its own check; the project."""
    project = shop.add_project(f"p{next(NUMBERS)}")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, "sync_agents", project=project)
        files = {"config.yaml": "base: main\ndod: {checks: [{command: make test}]}\n"}
        found = Surveyed(root="/x", base="main", settings_files=files, settings_from="commit")
        shop.hands.report(shop.hands.order("survey"), "surveyed", found)
        asked.result(30)
    for _ in range(2):
        failed = Checked(result="failed", exit_code=2, tail="boom")
        shop.hands.report(shop.hands.order("check", project=project), "checked", failed)
    return project


def tree(shop: MissionShop) -> str:
    """Its root, which waits for an agent."""
    wish = {"project": shop.project, "onto": "main", "requirements": "goal: a shop\n", "at_once": True}
    return str(shop.daemon.person("spawn_tree", agent="dev", **wish)["task"])


def paused_tree(shop: MissionShop) -> str:
    root = tree(shop)
    shop.daemon.person("pause_unit", unit=root)
    return root


def stopped_tree(shop: MissionShop) -> str:
    root = tree(shop)
    shop.daemon.person("stop_unit", unit=root)
    return root


BEGIN: dict[str, Callable[[MissionShop], str]] = {
    one.__name__: one
    for one in (
        *(held, failed, reviewed, landed, running, running_run, parked_run, parked_account),
        *(outside_session, plan, questions, active, paused),
        *(tree, paused_tree, stopped_tree, red_target),
    )
}


ACTS = {
    "approve a task": Act("held", "task approve {it}", "/tasks/{it}/approve", key=Do.APPROVE),
    "reject a task": Act(
        "reviewed",
        "task reject {it} --note why",
        "/tasks/{it}/reject",
        {"note": "why"},
        Do.REJECT,
        words="why",
    ),
    "retry a task": Act("failed", "task retry {it}", "/tasks/{it}/retry", key=Do.RETRY),
    "cancel a task": Act("held", "task cancel {it}", "/tasks/{it}/cancel", key=Do.CANCEL),
    "dismiss a task": Act("failed", "task dismiss {it}", "/tasks/{it}/dismiss", key=Do.DISMISS),
    "submit a task": Act("reviewed", "task submit {it}", "/tasks/{it}/submit", key=Do.SUBMIT),
    "revert a task": Act("landed", "task revert {it}", "/tasks/{it}/revert", key=Do.REVERT),
    "say something to an agent": Act(
        "running", "task say {it} 'in lib/'", "/say/{it}", {"text": "in lib/"}, Do.SAY, words="in lib/"
    ),
    "release a run": Act("parked_run", "run release {it}", "/runs/{it}/release", key=Do.RELEASE_RUN),
    "release an account": Act(
        "parked_account", "account release {it}", "/accounts/release", {"client": "{it}"}, Do.RELEASE_ACCOUNT
    ),
    "answer a mission": Act(
        "questions", "mission answer {it} --defaults", "/missions/{it}/answer", {"defaults": True}
    ),
    "approve a plan": Act("plan", "mission approve {it}", "/missions/{it}/approve", words="y"),
    "reject a plan": Act(
        "plan",
        "mission reject {it} smaller",
        "/missions/{it}/reject",
        {"reason": "smaller"},
        Do.REJECT_MISSION,
        words="smaller",
    ),
    "say something to a mission": Act(
        "active", "mission say {it} more", "/missions/{it}/say", {"text": "more"}, words="more"
    ),
    "pause a mission": Act("active", "mission pause {it}", "/missions/{it}/pause", words="/pause"),
    "pause a mission now": Act(
        "active", "mission pause {it} --now", "/missions/{it}/pause", {"now": True}, words="/pause now"
    ),
    "resume a mission": Act("paused", "mission resume {it}", "/missions/{it}/resume", words="/resume"),
    "cancel a mission": Act("active", "mission cancel {it}", "/missions/{it}/cancel", words="/cancel"),
    "limit a mission": Act(
        "active",
        "mission budget {it} tokens=9",
        "/missions/{it}/budget",
        {"budget": {"tokens": 9}},
        Do.BUDGET_MISSION,
        {"limit": "tokens=9"},
    ),
    "stop a run": Act("running_run", "run stop {it}", "/runs/{it}/stop", is_pressed=False),
    "stop a unit": Act("tree", "unit stop {it}", "/units/{it}/stop", is_pressed=False),
    "pause a unit": Act("tree", "unit pause {it}", "/units/{it}/pause", is_pressed=False),
    "resume a unit": Act("paused_tree", "unit resume {it}", "/units/{it}/resume", key=Do.RESUME_UNIT),
    "retry a unit": Act("stopped_tree", "unit retry {it}", "/units/{it}/retry", is_pressed=False),
    "end an outside session": Act(
        "outside_session",
        "agent release {it} --project {project}",
        "/agents/{it}/end-session",
        {"project": "{project}"},
        is_pressed=False,
    ),
    **{
        f"{verb} a target": Act(
            "red_target",
            f"target {verb} main --project {{it}}",
            f"/target/{verb}",
            {"target": "main", "project": "{it}"},
            key,
            {"project": "{it}"},
            subject="main",
        )
        for verb, key in (("approve", Do.APPROVE_TARGET), ("retry", Do.RETRY_TARGET))
    },
}


@pytest.mark.parametrize("name", ACTS)
def test_an_act_leaves_the_same_verb_row_and_events_by_every_front(
    shop: MissionShop, fronts: Fronts, name: str
) -> None:
    act = ACTS[name]
    left = {}
    for front in ("typed", "clicked", *(("pressed",) if act.is_pressed else ())):
        where = {"it": BEGIN[act.begin](shop), "project": shop.project, "machine": shop.hands.machine}
        left[front] = fronts.left_by(front, act, where)
        end(shop, where["it"])
    first = left.pop("typed")
    assert first, "it left nothing"
    for front, then in left.items():
        assert then == first, front
