"""A person sets a command and is told by it, without looking."""

from __future__ import annotations

import json
from collections.abc import Callable

from house import House

from waiting import eventually


def test_a_person_sets_a_command_tries_it_and_is_told_once_even_after_a_restart(
    make_house: Callable[..., House],
) -> None:
    house = make_house()
    inbox = house.root / "inbox"

    def lines() -> list[dict[str, str]]:
        return [json.loads(line) for line in inbox.read_text().splitlines()] if inbox.exists() else []

    none = house.toryo("notify", "test")
    assert (none.returncode, "toryo config set notify" in none.stderr) == (1, True)
    house.ok("config", "set", "notify", "echo oops; exit 3")
    failed = house.toryo("notify", "test")
    assert (failed.returncode, failed.stdout) == (
        1,
        "ran: echo oops; exit 3\nIt failed: exit 3: oops\n  oops\n",
    )
    house.ok("config", "set", "notify", f"cat >> {inbox}")
    assert "It ended with exit code 0" in house.ok("notify", "test")
    assert [line["event"] for line in lines()] == ["test"]
    assert f"cat >> {inbox}" in house.ok("config")
    assert house.ok("config", "get", "ask_silent") == "600\n"

    house.agent("exit 1")
    task = house.add("Mend the door", "--agent", "worker")
    house.rest(task)
    eventually(lambda: len(lines()) == 2, what="the person was told", within_s=20)
    assert (lines()[1]["event"], lines()[1]["task"]) == ("failed", task)
    house.ok("down")
    house.ok("up")
    house.ok("notify", "test")
    assert [line["event"] for line in lines()] == ["test", "failed", "test"]
