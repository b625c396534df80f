"""What would hold a task up is said when it is added or given to an agent, not first when nothing happens."""

from __future__ import annotations

import pytest
from test_what_needs_you import surveyed, sync
from whole_daemon import Shop

TYPES = "base: main\ntask_types: {bug: {goals: [{type: test_added, pattern: 'tests/**'}]}}\n"


def notes(shop: Shop, **wish: str) -> list[str]:
    found = shop.daemon.person("add_task", title="x", project=shop.project, **wish)["notes"]
    assert isinstance(found, list)
    return found


def test_an_agent_that_is_disabled_or_has_no_program_is_noted(shop: Shop) -> None:
    assert notes(shop) == []
    shop.daemon.person("disable_agent", agent="dev")
    disabled = "the agent dev is disabled; type: toryo agent enable dev"
    assert notes(shop, agent="dev") == [disabled]
    task = shop.daemon.person("add_task", title="x", project=shop.project)["id"]
    assert shop.daemon.person("update_task", task=task, agent="dev")["notes"] == [disabled]
    again = shop.daemon.person("assign_agent", agent="dev", project=shop.project)
    assert again["notes"] == [disabled]
    shop.add_agent("cl", client="claude", project=shop.project)
    who = {"machine": shop.hands.machine, "name": "main", "boot": "b", "pid": 1}
    shop.hands.call("register_coordinator", **who, clients={})
    (missing,) = notes(shop, agent="cl")
    assert missing.startswith("the agent cl is driven by claude, which is not on PATH; type: npm install")
    lost = {"command": "/nowhere/agent.sh {prompt_file}", "client": "command"}
    shop.daemon.person("add_agent", name="lost", project=shop.project, **lost)
    assert notes(shop, agent="lost") == [
        "the program of the agent lost is missing: /nowhere/agent.sh is not there; "
        "type: toryo agent add lost --command '…'"
    ]


@pytest.mark.parametrize(("kind", "noted"), [("bug", False), ("task", False), ("bgu", True)])
def test_a_type_that_the_settings_do_not_know_is_noted(shop: Shop, kind: str, noted: bool) -> None:
    assert surveyed(TYPES)
    sync(shop, TYPES)
    told = ["bgu is no type in .toryo/config.yaml, so it has no goals; there is: bug"]
    assert notes(shop, type=kind) == (told if noted else [])


def test_where_no_types_are_set_every_word_will_do(shop: Shop) -> None:
    assert notes(shop, type="feature") == []
