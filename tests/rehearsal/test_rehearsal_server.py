"""The scripted model as a server: what it keeps, how it hangs and refuses, how it begins and ends."""

from __future__ import annotations

import contextlib
import http.client
import subprocess
import sys
import threading

import pytest

from rehearsal.model_process import ModelProcess, model_process
from rehearsal.test_rehearsal_dialects import request, said
from waiting import eventually


def test_every_request_is_kept_whole_but_for_its_keys(tmp_path):
    with model_process(tmp_path, [{"run": "ls"}]) as model:
        body = request("anthropic", "Grüße, 茶屋")
        model.ask(
            "/v1/messages", body, **{"x-api-key": "k-1", "authorization": "Bearer k-2", "x-own": "seen"}
        )
        model.ask("/v1beta/models/m:generateContent?key=k-3", request("gemini", "go"))
        first, second = model.requests()
    assert first["body"] == body
    assert (first["part"], first["line"], first["verb"], first["called"]) == (1, 1, "run", "Bash")
    assert first["headers"]["x-own"] == "seen"
    assert second["dialect"] == "gemini"
    assert not any(key in model.kept.read_text() for key in ("k-1", "k-2", "k-3"))
    assert model.kept.stat().st_mode & 0o777 == 0o600


def test_a_refused_request_finds_the_connection_closed(tmp_path):
    with model_process(tmp_path, [{"refuse": True}, {"say": "well"}]) as model:
        with pytest.raises((ConnectionError, http.client.RemoteDisconnected)):
            model.ask("/v1/messages", request("anthropic", "go"))
        assert model.ask("/v1/messages", request("anthropic", "go")).status == 200


def test_deny_is_the_answer_to_a_wrong_key(tmp_path):
    with model_process(tmp_path, [{"deny": True}]) as model:
        assert model.ask("/v1/messages", request("anthropic", "go")).status == 401


def test_a_late_answer_comes_late_and_others_do_not_wait_for_it(tmp_path):
    script = {
        "model": [
            {"when": "slow", "replies": [{"hang": 20, "say": "late"}]},
            {"replies": [{"say": "at once"}]},
        ]
    }
    with model_process(tmp_path, script) as model:
        slow = threading.Thread(target=_ask_quietly, args=(model, "slow"))
        slow.start()
        eventually(lambda: model.requests(), within_s=30, what="the slow request is there")
        text, _ = said("anthropic", model.ask("/v1/messages", request("anthropic", "go")).json)
        assert text == "at once"
        assert slow.is_alive()
    slow.join(30)
    assert not slow.is_alive(), "the end of the server ends the waiting too"


def _ask_quietly(model: ModelProcess, prompt: str) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException):
        model.ask("/v1/messages", request("anthropic", prompt))


def test_a_hang_alone_ends_without_an_answer(tmp_path):
    with model_process(tmp_path, [{"hang": 0.1}, {"say": "well"}]) as model:
        with pytest.raises((ConnectionError, http.client.RemoteDisconnected)):
            model.ask("/v1/messages", request("anthropic", "go"))
        assert model.ask("/v1/messages", request("anthropic", "go")).status == 200


def test_what_is_no_model_is_not_found_and_nothing_breaks(tmp_path):
    with model_process(tmp_path, [{"say": "nobody asks"}]) as model:
        assert model.ask("/v1/nowhere", {}).status == 404
        assert model.ask("/v1/messages", [1]).status == 400
        line = http.client.HTTPConnection("127.0.0.1", model.port, timeout=30)
        line.request("GET", "/v1/models")
        assert line.getresponse().status == 200
        line.close()


def test_a_reply_for_which_no_tool_is_offered_says_so(tmp_path):
    with model_process(tmp_path, [{"run": "git push"}]) as model:
        body = request("anthropic", "go")
        body["tools"] = [{"name": "Read", "input_schema": {"type": "object"}}]
        text, called = said("anthropic", model.ask("/v1/messages", body).json)
    assert called == ""
    assert "was not run: git push" in text


def test_a_wrong_script_is_refused_in_words_and_nothing_is_served(tmp_path):
    script = tmp_path / "s.yaml"
    script.write_text("- shout: x\n")
    argv = [sys.executable, "-P", "-m", "toryo.rehearsal", str(script), "--port-file", str(tmp_path / "port")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "no reply is called shout" in done.stderr
    assert "Hint:" in done.stderr
    assert not (tmp_path / "port").exists()
