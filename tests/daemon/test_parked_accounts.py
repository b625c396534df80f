"""A usage limit or an outage parks a run and its account: nothing new of it starts before its time."""

from __future__ import annotations

import pytest
from whole_daemon import Body, Shop

from toryo.domain.times import iso
from toryo.engine.context import HeadContext
from toryo.protocol.kinds.run import Limited, Said, Usage
from toryo.store.tables import runs


@pytest.fixture
def claude(shop: Shop) -> Shop:
    """`dev` is driven by claude; so is a second agent, and a third by something else."""
    shop.add_agent("dev", client="claude", project=shop.project)
    shop.add_agent("second", client="claude", project=shop.project)
    shop.add_agent("other", client="command", project=shop.project)
    return shop


def limit(shop: Shop, in_s: float | None = None, why: str = "usage_limit", conversation: str = "c1") -> Said:
    resets_at = "" if in_s is None else str(iso(shop.daemon.now() + in_s))
    limited = Limited(why=why, message="5-hour limit", resets_at=resets_at)
    usage = Usage(input_tokens=100, output_tokens=7)
    return Said(
        client_version="2.1",
        model="m1",
        conversation=conversation,
        result="error",
        usage=usage,
        limited=limited,
    )


def begin(shop: Shop, agent: str = "dev") -> Body:
    """The order to run of the next task of that agent."""
    claimed = shop.hands.claim(agent, shop.project, f"request-{len(shop.hands.answers)}")
    assert claimed["claimed"], claimed
    shop.hands.prepare()
    return shop.hands.start()


def park(shop: Shop, said: Said, agent: str = "dev") -> None:
    order = begin(shop, agent)
    shop.hands.exit(order, 1, said)
    shop.hands.collect(0)


def test_a_run_at_its_limit_is_parked_and_its_task_says_until_when(claude: Shop) -> None:
    task = claude.add_task()
    park(claude, limit(claude, 3600))
    found = claude.task(task)
    assert (found["status"], found["reason"]) == ("ready", "parked")
    assert found["detail"].startswith("usage limit of claude until ")
    assert found["detail"].endswith(" UTC: 5-hour limit")
    (run,) = found["runs"]
    assert (run["outcome"], run["reason"], run["live"]) == ("parked", "usage_limit:5-hour limit", False)
    assert run["parked_until"] > str(iso(claude.daemon.now()))


def test_nothing_new_of_the_account_starts_meanwhile_and_everything_else_does(claude: Shop) -> None:
    claude.add_task()
    park(claude, limit(claude, 3600))
    waiting = claude.add_task(agent="second")
    claude.add_task(agent="other")
    assert not claude.hands.should_start("dev", claude.project)
    assert not claude.hands.should_start("second", claude.project)
    refused = claude.hands.claim("second", claude.project, "another-request")
    assert (refused["claimed"], refused["waiting_for"].split(" until ")[0]) == (
        False,
        "usage limit of claude",
    )
    assert claude.task(waiting)["waiting_for"].startswith("usage limit of claude until ")
    assert claude.hands.should_start("other", claude.project)


def test_when_the_time_is_over_the_same_conversation_is_gone_on_with(claude: Shop) -> None:
    task = claude.add_task()
    park(claude, limit(claude, 3600))
    claude.daemon.pass_time(3601)
    kinds = [one["kind"] for one in claude.daemon.person("list_events", task=task, limit=200)["events"]]
    assert kinds[-1] == "run_parking_over"
    order = begin(claude)
    assert (order["inputs"]["purpose"], order["inputs"]["resume"]) == ("implement", "c1")
    prompt = claude.hands.call("fetch_blob", hash=order["inputs"]["prompt"])["text"]
    assert "stopped by a usage limit in the middle" in prompt
    assert [run["generation"] for run in claude.task(task)["runs"]] == [1, 2]


def test_a_conversation_of_another_client_is_not_gone_on_with(claude: Shop) -> None:
    claude.add_task()
    park(claude, limit(claude, 60))
    claude.add_agent("dev", client="codex", project=claude.project)
    assert begin(claude)["inputs"]["resume"] == ""


def test_without_a_moment_the_waits_grow_with_each_run_in_a_row(claude: Shop) -> None:
    task = claude.add_task()
    for minutes in (1, 2, 4):
        park(claude, limit(claude, why="outage", conversation=""))
        assert not claude.hands.should_start("dev", claude.project)
        claude.daemon.pass_time(60 * minutes - 5)
        assert not claude.hands.should_start("dev", claude.project)
        claude.daemon.pass_time(6)
        assert claude.hands.should_start("dev", claude.project)
    assert claude.state(task) == "ready parked"


def test_too_many_in_a_row_wait_for_a_person_whose_yes_is_one_more(claude: Shop) -> None:
    task = claude.add_task()
    for _ in range(9):
        claude.daemon.pass_time(1801)
        park(claude, limit(claude, why="outage"))
    assert claude.state(task) == "needs_review outage"
    claude.daemon.person("approve_task", task=task)
    assert claude.state(task) == "ready parked"
    assert claude.hands.should_start("dev", claude.project)


@pytest.mark.parametrize("which", ["task", "other task", "run"])
def test_a_person_ends_the_waiting_of_the_whole_account(claude: Shop, which: str) -> None:
    task = claude.add_task()
    waiting = claude.add_task(agent="second")
    park(claude, limit(claude, 3600))
    park_of = claude.task(task)["runs"][-1]["id"]
    if which == "run":
        assert claude.daemon.person("release_run", run=park_of)["waiting_ended"] is True
    else:
        claude.daemon.person("retry_task", task=task if which == "task" else waiting)
    assert claude.hands.should_start("dev", claude.project)
    assert claude.hands.should_start("second", claude.project)
    assert claude.state(task) == "ready parked"
    order = begin(claude)
    assert (order["generation"], order["inputs"]["resume"]) == (2, "c1")


def test_status_shows_the_account_that_waits(claude: Shop) -> None:
    task = claude.add_task()
    park(claude, limit(claude, 3600))
    (account,) = claude.daemon.person("get_status")["parked"]
    assert (account["client"], account["why"], account["tasks"]) == ("claude", "usage_limit", [task])
    assert (account["message"], account["machine"]) == ("5-hour limit", claude.hands.machine)
    claude.daemon.pass_time(3601)
    assert claude.daemon.person("get_status")["parked"] == []


def test_evidence_has_what_the_client_said_of_each_run(claude: Shop) -> None:
    task = claude.add_task()
    park(claude, limit(claude, 10))
    (run,) = claude.daemon.person("get_evidence", task=task)["runs"]
    assert (run["client"], run["client_version"], run["model"]) == ("claude", "2.1", "m1")
    assert (run["usage"]["input_tokens"], run["usage"]["output_tokens"]) == (100, 7)
    assert (run["conversation"], run["denied"], len(run["prompt_hash"])) == ("c1", [], 64)


def test_exit_0_without_a_result_is_a_failure_that_names_itself(claude: Shop) -> None:
    task = claude.add_task()
    claude.hands.exit(begin(claude), 0, Said(result="none", denied=("Bash",)))
    claude.hands.collect(1)
    found = claude.task(task)
    assert (found["status"], found["reason"]) == ("failed", "no_result")
    assert found["detail"] == "claude: exited 0, but its record has no result; denied: Bash"
    assert found["runs"][-1]["denied"] == ["Bash"]


def test_a_parked_run_and_its_end_are_what_the_raw_facts_say(claude: Shop) -> None:
    task = claude.add_task()
    park(claude, limit(claude, why="outage"))
    park_id = claude.task(task)["runs"][-1]["id"]
    assert claude.daemon.person("recompute")["differences"] == []
    claude.daemon.person("release_run", run=park_id)
    assert claude.daemon.person("recompute")["differences"] == []

    def waiting(context: HeadContext) -> float | None:
        with context.store.read() as tx:
            row = runs.get(tx, park_id)
        return row.parked_until if row else 0

    assert claude.daemon.do(waiting) is None


def test_a_wait_that_we_chose_lasts_as_long_when_the_clock_is_set_back(claude: Shop) -> None:
    task = claude.add_task()
    park(claude, limit(claude, why="outage"))
    claude.daemon.set_clock(-5 * 3600)
    assert not claude.hands.should_start("dev", claude.project)
    claude.daemon.pass_time(61)
    assert claude.hands.should_start("dev", claude.project)
    claude.daemon.set_clock(-5 * 3600)
    assert claude.hands.should_start("dev", claude.project), "a wait that is over does not come back"
    assert claude.task(task)["status"] == "ready"
    assert claude.daemon.person("recompute")["differences"] == []


def test_a_moment_that_the_service_named_is_a_moment_of_the_clock(claude: Shop) -> None:
    claude.add_task()
    park(claude, limit(claude, 3600))
    claude.daemon.set_clock(-1800)
    claude.daemon.pass_time(3700)
    assert not claude.hands.should_start("dev", claude.project)
    claude.daemon.pass_time(1800)
    assert claude.hands.should_start("dev", claude.project)
