"""`toryo planner use`, `key` and `check`: which model is asked, and whether it answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.whole_daemon import WholeDaemon
from planner.scripted_cli import claude_lines, scripted_cli
from rehearsal.model_process import model_process
from toryo.settings import Home

KEY = "sk-the-KEY-0123456789abcdef"
CHECKS = {"model": [{"purpose": "check", "replies": [{"answer": {"alive": True}}]}]}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    daemon = WholeDaemon(Home(tmp_path / "home"))
    yield daemon.home
    daemon.close()


def toryo(home: Home, *words: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, "TORYO_HOME": str(home.path), **env}
    argv = [sys.executable, "-P", "-m", "toryo", "planner", *words]
    return subprocess.run(
        argv, env=given, input=stdin, capture_output=True, text=True, timeout=60, check=False
    )


def test_an_endpoint_is_chosen_its_key_kept_and_the_model_tried(home, tmp_path):
    with model_process(tmp_path, CHECKS) as model:
        used = toryo(home, "use", "--url", f"{model.url}/v1", "--model", "tea-1")
        kept = toryo(home, "key", stdin=f"{KEY}\n")
        checked = toryo(home, "check")
        as_json = toryo(home, "check", "--json")
        requests = model.requests()
    assert (used.returncode, kept.returncode) == (0, 0), used.stderr + kept.stderr
    assert home.planner_api_key.read_text() == f"{KEY}\n"
    assert home.planner_api_key.stat().st_mode & 0o777 == 0o600
    assert KEY not in used.stdout + kept.stdout + home.config.read_text()
    assert checked.returncode == 0, checked.stderr
    assert "tea-1 answers" in checked.stdout
    assert f"{model.url}/v1" in checked.stdout
    assert json.loads(as_json.stdout)["via"] == "http"
    assert [one["headers"]["x-toryo-purpose"] for one in requests] == ["check", "check"]
    assert len((home.logs / "agent.master.llm.jsonl").read_text().splitlines()) == 2


def test_a_cli_is_chosen_and_takes_the_endpoint_out(home, tmp_path):
    cli = scripted_cli(tmp_path / "bin", *claude_lines('{"alive": true}'))
    assert toryo(home, "use", "--url", "http://127.0.0.1:9/v1", "--model", "x").returncode == 0
    used = toryo(home, "use", "claude", "--json")
    said = json.loads(used.stdout)
    assert (said["via"], said["base_url"], said["model"]) == ("claude", "", "")
    assert "127.0.0.1:9" not in home.config.read_text()
    checked = toryo(home, "check", PATH=str(cli.program.parent))
    assert checked.returncode == 0, checked.stderr
    assert "tea-large answers" in checked.stdout
    assert "claude, as installed here" in checked.stdout


def test_without_settings_the_line_that_sets_them_is_told(home):
    done = toryo(home, "check")
    assert done.returncode == 1
    assert "AI settings are required" in done.stderr
    assert "toryo planner use" in done.stderr


def test_a_refusal_and_an_outage_are_told(home, tmp_path):
    script = {"model": [{"purpose": "check", "replies": [{"deny": True}]}]}
    with model_process(tmp_path, script) as model:
        env = {"TORYO_PLANNER_BASE_URL": f"{model.url}/v1", "TORYO_PLANNER_MODEL": "m"}
        refused = toryo(home, "check", **env)
    away = toryo(home, "check", **env)
    assert refused.returncode == 1
    assert "HTTP 401" in refused.stderr
    assert away.returncode != 0
    assert "Traceback" not in away.stderr


def test_a_model_that_does_not_answer_in_json_is_named(home, tmp_path):
    script = {"model": [{"purpose": "check", "replies": [{"say": "Hello!"}]}]}
    with model_process(tmp_path, script) as model:
        env = {"TORYO_PLANNER_BASE_URL": f"{model.url}/v1", "TORYO_PLANNER_MODEL": "m"}
        done = toryo(home, "check", **env)
    assert done.returncode == 1
    assert "not in JSON" in done.stderr


@pytest.mark.parametrize("words", [("use", "--url", "http://x"), ("use", "claude", "--url", "http://x")])
def test_half_a_choice_is_a_usage_error(home, words):
    assert toryo(home, *words).returncode == 2


@pytest.mark.parametrize("text", ["", "two words", "a\nb"])
def test_what_is_no_key_is_not_kept(home, text):
    done = toryo(home, "key", stdin=text)
    assert done.returncode == 1
    assert "key" in done.stderr
    assert not home.planner_api_key.exists()


@pytest.mark.parametrize(
    "url", ["ftp://x/v1", "127.0.0.1:11434/v1", "http://", "http://[::1", "http://h:99999", "http://a b/v1"]
)
def test_what_is_no_address_of_an_endpoint_is_refused_at_once_and_not_asked(home, url):
    used = toryo(home, "use", "--url", url, "--model", "m")
    assert (used.returncode, "That address" in used.stderr) == (2, True)
    assert not home.config.exists()
    checked = toryo(home, "check", TORYO_PLANNER_BASE_URL=url, TORYO_PLANNER_MODEL="m")
    assert checked.returncode == 1
    assert "AI settings are required" in checked.stderr or "The address of the planner" in checked.stderr
    assert "toryo planner use" in checked.stderr or "unset TORYO_PLANNER_BASE_URL" in checked.stderr


def test_a_password_in_an_address_and_a_key_for_a_variables_name_are_refused_and_not_repeated(home):
    words = ("use", "--model", "m", "--url")
    for wrong in ((*words, f"http://me:{KEY}@h/v1"), (*words, "http://h/v1", "--key-env", KEY)):
        used = toryo(home, *wrong)
        assert used.returncode == 2
        assert "`toryo planner key`" in used.stderr
        assert KEY not in used.stderr + used.stdout
    assert not home.config.exists()


def test_a_check_says_that_it_asks_only_once(home):
    assert toryo(home, "use", "--url", "http://127.0.0.1:1/v1", "--model", "m").returncode == 0
    checked = toryo(home, "check")
    assert checked.returncode == 1
    assert "It was asked once." in checked.stderr
