"""Reads of the API that name what is not there: a path instead of an id, an offset beyond the end, a file."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from page_client import PageClient

from journeys.house import House

BEYOND = 2**62
"""The largest offset that the document allows."""
PATHS = (
    "../../../../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..\\..\\etc\\passwd",
    "/etc/passwd",
    "....//....//etc/passwd",
    ".",
    "..",
    "t1/../../operator.key",
    "\0/etc/passwd",
    "file:///etc/passwd",
)


@pytest.fixture(scope="module")
def task(house: House) -> str:
    made = house.add("is read", "--agent", "works")
    house.rest(made)
    return made


def told(page: PageClient, path: str) -> tuple[int, dict[str, Any]]:
    answer = page.ask("GET", path, page.bearer)
    return answer.status, answer.json()


@pytest.mark.parametrize("named", PATHS)
@pytest.mark.parametrize("how", ["as it is", "quoted", "quoted twice"])
def test_the_id_of_a_log_names_a_task_and_never_a_path(page: PageClient, named: str, how: str) -> None:
    secret = (page.house.home / "operator.key").read_text().strip()
    asked = {"as it is": quote(named, safe="/%.\\:"), "quoted": quote(named, safe="")}
    path = asked.get(how, quote(quote(named, safe=""), safe=""))
    answer = page.ask("GET", f"/api/logs/{path}", page.bearer)
    assert answer.status == 404, answer.text
    assert set(answer.json()) == {"error", "hint"}
    assert "root:" not in answer.text
    assert secret not in answer.text


@pytest.mark.parametrize(
    "read",
    [
        "log?",
        "log?raw=true&",
        "log/search?text=agent&",
        "commits?",
        "diff?",
        "tree?",
        "file?file=README.md&",
    ],
)
def test_beyond_the_end_there_is_nothing_and_no_failure(page: PageClient, task: str, read: str) -> None:
    status, answer = told(page, f"/api/tasks/{task}/{read}offset={BEYOND}")
    assert status == 200, answer
    found = [answer[name] for name in ("text", "matches", "commits", "entries") if name in answer]
    assert found
    assert not any(found)


def test_what_is_not_in_a_repository_is_said_with_a_way_out(page: PageClient, task: str) -> None:
    for read in (
        "file?file=none.md",
        "tree?folder=none",
        "file?file=../README.md",
        "file?file=README.md&commit=none",
    ):
        status, answer = told(page, f"/api/tasks/{task}/{read}")
        assert status == 400, (read, answer)
        assert answer["error"], read
        assert answer["hint"], read


def test_a_folder_that_is_not_there_is_a_persons_mistake(page: PageClient, house: House) -> None:
    answer = page.ask("POST", "/api/projects", page.bearer, {"path": str(house.root / "none")})
    assert (answer.status, bool(answer.json()["hint"])) == (400, True), answer.text
