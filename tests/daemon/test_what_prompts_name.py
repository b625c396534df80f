"""Every prompt names what decides about the work, how to set the worktree up, and to work test-first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from whole_daemon import Shop

from toryo.domain.words import Purpose
from toryo.protocol.kinds.repository import Surveyed
from toryo.usecases.runs.prompt import PromptParts, compose

SETTINGS = """\
base: main
setup: [npm ci, "npm run build"]
dod: {checks: [{type: tests_pass, command: npm test}, {type: lint_passes, command: npm run lint}]}
task_types:
  bug: {goals: [{type: test_added, pattern: "**/*.test.*"}]}
"""


def settings(shop: Shop, text: str) -> None:
    found = Surveyed(root="/x", base="main", settings_files={"config.yaml": text}, settings_from="commit")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.person, "sync_agents", project=shop.project)
        shop.hands.report(shop.hands.order("survey"), "surveyed", found)
        asked.result(30)


def prompt(shop: Shop, **wishes: object) -> str:
    task = shop.add_task(**wishes)
    return str(shop.daemon.person("worker_prompt", task=task, agent="dev")["prompt"])


def test_a_prompt_names_the_checks_of_the_project_and_of_the_task_and_the_goals_of_its_type(
    shop: Shop,
) -> None:
    settings(shop, SETTINGS)
    text = prompt(shop, type="bug", checks=["make smoke", "npm test"])
    decides = text.partition("## What decides\n\n")[2]
    assert decides.splitlines()[1:] == [
        "- `npm test` exits 0",
        "- `npm run lint` exits 0",
        "- `make smoke` exits 0",
        "- test_added: a file that is added or gains lines matches `**/*.test.*`",
        "",
        "This worktree was set up by `npm ci && npm run build`. "
        "Run that again where dependencies changed or are missing.",
    ]
    assert "newest state of `main`" in decides.splitlines()[0]
    assert "test_added" not in prompt(shop, type="feature")


@pytest.mark.parametrize("wanted", [True, False])
def test_the_order_to_run_has_the_set_up_unless_the_project_wants_none(shop: Shop, wanted: bool) -> None:
    settings(shop, "base: main\nsetup: [npm ci]\nsetup_inputs: [package-lock.json]\n")
    if not wanted:
        settings(shop, "base: main\nsetup: [npm ci]\nworktree_setup: false\n")
    text = prompt(shop)
    assert ("To set this worktree up, run in it: `npm ci`" in text) == (not wanted)
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    inputs = shop.hands.start()["inputs"]
    assert inputs["setup"]["commands"] == (["npm ci"] if wanted else [])


def test_an_outside_agent_sets_its_worktree_up_itself(shop: Shop) -> None:
    settings(shop, "base: main\nsetup: [npm ci]\n")
    shop.add_agent("guest", client="outside", project=shop.project)
    task = shop.add_task(agent="guest")
    told = shop.daemon.person("worker_prompt", task=task, agent="guest")["prompt"]
    assert "To set this worktree up, run in it: `npm ci`" in told


def test_without_any_check_a_prompt_says_so(shop: Shop) -> None:
    text = prompt(shop)
    assert "No check is configured" in text
    assert "To set this worktree up" not in text


@pytest.mark.parametrize("purpose", [Purpose.IMPLEMENT, Purpose.FIX, Purpose.RESOLVE])
def test_agents_are_told_to_work_test_first(purpose: Purpose) -> None:
    text = compose(PromptParts("t1", "Mend it", "bug", "high", purpose=purpose))
    assert "Work test-first: write the test, see it fail, then make it pass." in text
