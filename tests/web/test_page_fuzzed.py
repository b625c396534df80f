"""The API under schemathesis for two minutes: requests made of its OpenAPI document, right and bent ones, to
every route; nothing is a bug, every failure has its way out, and the installation works on as it did."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_client import PageClient, a_house

from journeys.house import House
from rehearsal.model_process import model_process
from toryo.domain.errors import ToryoError
from toryo.fronts.web import failures

SECONDS = int(os.environ.get("TORYO_FUZZ_PAGE", "120"))
HERE = Path(__file__).parent
EXCLUDED: dict[str, str] = {}
"""Path → why it is not asked. As yet there is none: what ends the daemon has no route, and what names a
program or a path is asked with one that does no harm (`fuzzed_page`)."""
WORKS = "echo new > new-$TORYO_RUN.txt\ngit add -A\ngit commit -qm work\n"
MODEL = {
    "model": [
        {"purpose": "question", "replies": [{"answer": {"title": "m", "size": "small", "questions": []}}]},
        {
            "purpose": "plan",
            "replies": [
                {
                    "answer": {
                        "spec": "# Feature Specification: m",
                        "plan": "# Implementation Plan: m",
                        "tasks": [{"id": "T001", "title": "one", "description": "d", "checks": ["true"]}],
                    }
                }
            ],
        },
    ]
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with a_house() as made, model_process(Path(tmp_path_factory.mktemp("model")), MODEL) as model:
        made.agent(WORKS, "works")
        made.ok("planner", "use", "--url", f"{model.url}/v1", "--model", "tea")
        yield made


def names_of(house: House) -> dict[str, list[str]]:
    """Of what is there, by the argument that takes it."""
    done = house.add("is done", "--agent", "works")
    held = house.add("is held", "--agent", "works", "--hold")
    house.rest(done)
    shown = house.task(done)
    run, project = shown["runs"][-1]["id"], shown["project"]
    mission = json.loads(house.ok("do", "fuzzed", "--no-wait", "--json"))["mission"]
    return {
        "task": [done, held],
        "run": [run],
        "id": [run, done, held],
        "unit": [done],
        "mission": [mission],
        "project": [project],
        "agent": ["works"],
        "target": ["main"],
        "client": ["command"],
        "file": ["README.md"],
        "key": ["ask_silent", "approval", "budget.turns"],
        "text": ["agent"],
        "reason": ["not like this"],
        "requirements": ["goal: tea"],
        "type": ["instruct", "task"],
        "status": ["done", "open"],
    }


@pytest.mark.long
@pytest.mark.timeout(900)
def test_two_minutes_of_requests_find_no_bug_and_disturb_nobody(
    house: House, page: PageClient, tmp_path: Path
) -> None:
    (tmp_path / "names").write_text(json.dumps(names_of(house)))
    (tmp_path / "scratch").mkdir()
    # the token is in no command line
    (tmp_path / "st.toml").write_text('headers = { Authorization = "Bearer ${TORYO_FUZZ_TOKEN}" }\n')
    env = {
        **os.environ,
        "PYTHONPATH": str(HERE),
        "SCHEMATHESIS_HOOKS": "fuzzed_page",
        "TORYO_FUZZ_NAMES": str(tmp_path / "names"),
        "TORYO_FUZZ_SCRATCH": str(tmp_path / "scratch"),
        "TORYO_FUZZ_TOKEN": page.token,
    }
    daemon = house.read("status")["daemon"]["pid"]
    checks = "not_a_server_error,a_failure_has_a_way_out,status_code_conformance,response_schema_conformance"
    argv = [str(Path(sys.executable).parent / "st"), "--config-file", str(tmp_path / "st.toml"), "run"]
    argv += [f"{page.origin}/openapi.json", "--max-time", str(SECONDS), "--checks", checks]
    argv += ["--phases", "examples,coverage,fuzzing", "--continue-on-failure", "--request-timeout", "60"]
    argv += ["--generation-database", "none", "--no-color", "--warnings", "off"]
    argv += [word for path in EXCLUDED for word in ("--exclude-path", path)]
    done = subprocess.run(
        argv, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=SECONDS + 300, check=False
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
    routes = sum(len(methods) for methods in page.get("/openapi.json")["paths"].values())
    assert f"Tested: {routes - len(EXCLUDED)}\n" in done.stdout, done.stdout[-3000:]
    assert house.read("status")["daemon"]["pid"] == daemon
    assert house.recomputed() == []
    page.post(f"/api/projects/{house.read('project', 'list')['projects'][0]['id']}/activate")
    house.agent(WORKS, "afterwards")
    task = house.add("goes on as before", "--agent", "afterwards")
    house.rest(task)
    assert house.state(task).startswith("done"), house.story(task)


def test_every_kind_of_error_has_its_status() -> None:
    """Else a mistake of a person's is told as a fault of the server."""

    def kinds(of: type[ToryoError]) -> set[str]:
        return {of.kind}.union(*(kinds(one) for one in of.__subclasses__()))

    assert kinds(ToryoError) - set(failures.STATUS) == {"error"}
