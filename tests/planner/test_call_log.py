"""The log of calls: prompt and answer of each, for the owner alone, without secrets."""

from __future__ import annotations

import json

import pytest

from toryo.planner.call_log import CallLog, masked
from toryo.planner.models.model import Outage, Reply, Request, Turn, Usage, Voice

KEY = 'k"e\\y-of-ours'


def test_every_call_is_a_line_with_prompt_and_answer(tmp_path):
    log = CallLog(tmp_path / "logs", [KEY])
    request = Request("plan", f"RULES {KEY}", (Turn(Voice.PERSON, "go 茶"),))
    reply = Reply(f"answer {KEY}", Usage(1, 7, 3, 0.5, "observed"), "tea", cut=True)
    log.answered({"mission": "n1", "nested": {"list": [KEY]}}, request, reply, 1.23456)
    log.failed({}, request, Outage(f"no {KEY}"), 0.1)
    log.close()
    first, second = [json.loads(line) for line in log.file.read_text().splitlines()]
    assert log.file.name == "agent.master.llm.jsonl"
    assert log.file.stat().st_mode & 0o777 == 0o600
    assert (first["logger"], first["purpose"], first["mission"]) == ("agent.master.llm", "plan", "n1")
    assert first["prompt"] == [{"voice": "person", "text": "go 茶"}]
    assert (first["answer"], first["cut"], first["input_tokens"]) == ("answer ***", True, 7)
    assert (second["error"], second["message"]) == ("Outage", "no ***")
    assert KEY not in log.file.read_text()
    assert json.dumps(KEY)[1:-1] not in log.file.read_text()


def test_a_full_log_begins_anew_and_stays_the_owners_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("toryo.planner.call_log.LARGEST", 2000)
    log = CallLog(tmp_path)
    for _ in range(20):
        log.failed({}, Request("plan", "x" * 500, ()), Outage("y"), 0)
    log.close()
    files = sorted(tmp_path.iterdir())
    assert len(files) == 4
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdEFGH12345678",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAABCDEFGHIJKLMNOP",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3.SflKxwRJSMeKKF2QT4",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
        "coord_abcdefghijklmnopqrstuvwx",
    ],
)
def test_obvious_secrets_are_masked_whoever_wrote_them(secret):
    assert masked(f"a {secret} b") == "a *** b"


def test_a_bearer_token_is_masked_and_ordinary_words_are_not():
    assert masked("Authorization: Bearer abcdef0123456789") == "Authorization: Bearer ***"
    plain = "pass_through the run_id to sk-learn, T001, bearer of news"
    assert masked(plain) == plain
