"""Every prompt names what decides about the work, how to set the worktree up, and to work test-first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from whole_daemon import Shop

from toryo.domain.words import Purpose
from toryo.protocol import models
from toryo.usecases.prompts import PromptParts, compose

SETTINGS = """\
base: main
setup: [npm ci, "npm run build"]
dod: {checks: [{type: tests_pass, command: npm test}, {type: lint_passes, command: npm run lint}]}
task_types:
  bug: {goals: [{type: test_added, pattern: "**/*.test.*"}]}
"""


def settings(shop: Shop, text: str) -> None:
    found = models.Surveyed(
        root="/x", base="main", settings_files={"config.yaml": text}, settings_from="commit"
    )
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
        "- test_added: a changed file matches `**/*.test.*`",
        "",
        "To set this worktree up, run in it: `npm ci && npm run build`",
    ]
    assert "newest state of `main`" in decides.splitlines()[0]
    assert "test_added" not in prompt(shop, type="feature")


def test_without_any_check_a_prompt_says_so(shop: Shop) -> None:
    text = prompt(shop)
    assert "No check is configured" in text
    assert "To set this worktree up" not in text


@pytest.mark.parametrize("purpose", [Purpose.IMPLEMENT, Purpose.FIX, Purpose.RESOLVE])
def test_agents_are_told_to_work_test_first(purpose: Purpose) -> None:
    text = compose(PromptParts("t1", "Mend it", "bug", "high", purpose=purpose))
    assert "Work test-first: write the test, see it fail, then make it pass." in text
