"""Failures of the page's own process: names of any script in a header, and what nobody expected."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from served_page import Served, scripted

PROJECT = quote("茶屋 & co")


@pytest.fixture
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    answers: dict[str, Any] = {
        "list_tasks": {"tasks": [], "more": True, "next_after": 3},
        "get_task": {"task": {"id": "t1"}},
    }
    with scripted(tmp_path_factory.mktemp("h") / "t", answers) as made:
        yield made


def asked(served: Served, path: str) -> tuple[int, str | None, Any]:
    """The status, where the next page is, the body."""
    line = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    line.request("GET", path, headers=served.bearer)
    answer = line.getresponse()
    found = answer.status, answer.getheader("link"), json.loads(answer.read())
    line.close()
    return found


def test_the_next_page_of_a_project_of_any_name_is_named(served: Served) -> None:
    status, link, _ = asked(served, f"/api/tasks?all=1&project={PROJECT}")
    next_page = f'</api/tasks?all=1&after=3&project={PROJECT}>; rel="next"'
    assert (status, link) == (200, next_page)


def test_what_nobody_expected_is_said_as_every_other_failure_is(served: Served) -> None:
    """An answer of the daemon without what its view has."""
    status, _, body = asked(served, "/api/logs/t1")
    assert status == 500
    assert set(body) == {"error", "hint"}
    assert "KeyError" in body["error"]
