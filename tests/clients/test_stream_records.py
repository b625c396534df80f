"""What the recorded output of the real CLIs says of a run. The recordings are in recorded/, one run each."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from toryo.protocol.kinds.run import Said, Usage
from toryo.workbench.clients import streams
from toryo.workbench.clients.registry import AGENT_CLIS, client

RECORDED = Path(__file__).parent / "recorded"
THEN = datetime(2026, 11, 15, 15, 32, tzinfo=UTC)
NAMES = [one.name for one in AGENT_CLIS]
STREAMS = sorted(path.stem for path in RECORDED.glob("*.log") if "turn-end" not in path.stem)


def lines_of(recording: str) -> list[str]:
    return (RECORDED / f"{recording}.log").read_text().splitlines()


def said_of(recording: str, until: int | None = None) -> Said:
    return client(recording.split("-")[0]).read(lines_of(recording)[:until], THEN)


def test_claude_tells_version_model_conversation_usage_and_cost():
    said = said_of("claude-edits")
    assert (said.result, said.message, said.client_version) == ("success", "All done.", "2.1.325")
    assert said.model == "claude-opus-5-5"
    assert len(said.conversation) == 36
    assert said.usage == Usage(
        input_tokens=300, cached_tokens=80, output_tokens=40, turns=2, cost_usd=0.001716
    )


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("codex", Usage(input_tokens=200, cached_tokens=80, output_tokens=40, turns=1)),
        ("gemini", Usage(input_tokens=200, cached_tokens=80, output_tokens=40)),
        (
            "opencode",
            Usage(input_tokens=200, cached_tokens=80, output_tokens=40, turns=2, cost_usd=0.000984),
        ),
    ],
)
def test_the_others_tell_what_they_know(name, usage):
    said = said_of(f"{name}-edits")
    assert (said.result, said.message, said.usage) == ("success", "All done.", usage)
    assert said.conversation


@pytest.mark.parametrize("name", NAMES)
def test_the_agents_last_words_are_kept_whole_and_none_of_an_error(name):
    assert said_of(f"{name}-edits").words == "All done."
    assert client(name).read([]).words == ""


def test_of_very_long_last_words_the_end_is_kept():
    end = "x" * 5000 + "\n\nWhich one?"
    line = json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": end})
    words = client("claude").read([line]).words
    assert (len(words), words.endswith("x\n\nWhich one?")) == (2000, True)
    failed = json.dumps({"type": "result", "subtype": "error_max_turns", "is_error": True, "result": end})
    assert client("claude").read([failed]).words == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_resumed_run_is_the_same_conversation_and_says_whose_usage_it_counts(name):
    first, then = said_of(f"{name}-edits"), said_of(f"{name}-resumed")
    assert then.conversation == first.conversation
    more = 100 if client(name).usage_counts == "run" else first.usage.input_tokens + 100
    assert then.usage.input_tokens == (150 if name == "claude" else more)
    if name == "claude":
        assert then.usage.cost_usd == pytest.approx(0.000858)


@pytest.mark.parametrize("name", NAMES)
def test_without_the_final_record_there_is_no_result(name):
    lines = lines_of(f"{name}-edits")
    for end in range(len(lines)):
        assert client(name).read(lines[:end]).result == "none"
    assert client(name).read([]) == Said()
    assert client(name).read([lines[-1][:-20]]).result == "none"


@pytest.mark.parametrize(("recording", "tool"), [("claude-denied", "Bash"), ("opencode-denied", "bash")])
def test_denied_tools_are_named_although_the_client_is_content(recording, tool):
    said = said_of(recording)
    assert (said.result, said.denied) == ("success", (tool,))


@pytest.mark.parametrize("name", ["claude", "codex", "gemini"])
def test_the_turn_end_file_of_a_screen_is_a_result_too(name):
    said = said_of(f"{name}-turn-end")
    assert (said.result, said.message) == ("success", "All done.")
    assert said.conversation


@pytest.mark.parametrize(
    ("recording", "resets_at"),
    [
        ("claude-429-api-key", ""),
        ("claude-429-retried", ""),
        ("claude-429-subscription", "2026-11-15T17:49:08.000Z"),
        ("claude-turn-end-429", ""),
        ("codex-429", ""),
        ("gemini-429-daily", ""),
        ("gemini-429-delay", "2026-11-15T16:32:00.000Z"),
        ("opencode-429-quota", ""),
    ],
)
def test_a_usage_limit_is_no_failure_of_the_work(recording, resets_at):
    said = said_of(recording)
    assert (said.result, said.error) == ("error", "api_error")
    assert (said.limited.why, said.limited.resets_at) == ("usage_limit", resets_at)


def test_the_time_that_codex_names_is_of_this_machines_clock():
    said = said_of("codex-429-usage-limit")
    here = THEN.astimezone().replace(hour=17, minute=32)
    assert said.limited.resets_at[11:16] == here.astimezone(UTC).strftime("%H:%M")


@pytest.mark.parametrize(
    ("recording", "resets_at"),
    [
        ("codex-429-waits", ""),
        ("gemini-429-retried", ""),
        ("gemini-429-waits", "2026-11-15T17:35:04.000Z"),
        ("opencode-429-waits", ""),
    ],
)
def test_a_client_that_waits_by_itself_is_seen_while_it_runs(recording, resets_at):
    said = said_of(recording)
    assert said.result == "none"
    assert (said.limited.why, said.limited.resets_at) == ("usage_limit", resets_at)
    assert said.conversation


@pytest.mark.parametrize("recording", ["claude-500", "claude-refused", "codex-500", "codex-refused"])
def test_an_outage_is_seen_while_the_client_tries_again_and_when_it_gave_up(recording):
    said = said_of(recording)
    assert (said.result, said.error, said.limited.why) == ("error", "api_error", "outage")
    first = next(
        number for number, line in enumerate(lines_of(recording), 1) if "retry" in line or "Reconn" in line
    )
    assert said_of(recording, first).limited.why == "outage"
    assert said_of(recording, first - 1).limited is None


@pytest.mark.parametrize("recording", ["gemini-500", "gemini-refused"])
def test_gemini_tries_an_outage_again_for_minutes(recording):
    said = said_of(recording)
    assert (said.result, said.limited.why) == ("none", "outage")


def test_opencode_that_gave_up_on_a_refused_connection():
    assert said_of("opencode-refused").limited.why == "outage"


def test_a_wait_that_ended_is_forgotten():
    waited = lines_of("codex-429-waits")
    assert client("codex").read([*waited, *lines_of("codex-edits")[3:]]).limited is None


def test_a_wrong_key_is_not_waited_for():
    said = said_of("gemini-401")
    assert (said.result, said.error, said.limited) == ("error", "login", None)


@pytest.mark.parametrize("recording", STREAMS)
def test_every_line_can_be_shown_and_none_is_longer_than_a_screen_takes(recording):
    shown = [client(recording.split("-")[0]).shown(line) for line in lines_of(recording)]
    assert any(shown)
    assert all(len(text) < 1_200 for text in shown if text)
    assert not any(text.startswith('{"type"') for text in shown if text)


@pytest.mark.parametrize("name", NAMES)
def test_the_log_shows_tool_calls_words_and_the_end(name):
    shown = [client(name).shown(line) for line in lines_of(f"{name}-mcp")]
    text = "\n".join(one for one in shown if one)
    assert "get_my_task" in text
    assert "← the task" in text
    assert "All done." in text
    assert "■ success" in text


def test_lines_of_an_error_are_shown_whole_with_the_end_of_a_long_one():
    long = "E   AssertionError: " + "x" * 700
    shown = streams.answer_shown("\n".join(["FAILED", *(f"line {n}" for n in range(40)), long]), failed=True)
    assert shown.splitlines()[:3] == ["  ✗ FAILED", "    line 0", "    … 20 more lines"]
    assert (shown.splitlines()[-1].strip(), shown.count("\n")) == (long, 22)
    assert streams.answer_shown("", failed=True) == "  ✗ failed"
    end = {"type": "result", "subtype": "error_during_execution", "is_error": True, "result": f"one\n{long}"}
    assert client("claude").shown(json.dumps(end)).endswith(f"error: one\n{long}")


@pytest.mark.parametrize(
    ("stamp", "moment"),
    [
        (1794757805317, "2026-11-15T15:50:05.317Z"),
        ("2026-11-15T15:50:05.317Z", "2026-11-15T15:50:05.317Z"),
        ("2026-11-15T16:50:05+01:00", "2026-11-15T15:50:05.000Z"),
        ("soon", ""),
        (10**30, ""),
        (None, ""),
    ],
)
def test_a_record_says_when_it_was_written_if_its_client_notes_it(stamp, moment):
    assert streams.moment_of(json.dumps({"type": "x", "timestamp": stamp})) == moment


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_known_is_shown_in_short_and_text_as_it_is(name):
    one = client(name)
    assert one.shown("  plain [words]\n") == "  plain [words]"
    assert one.shown('{"type": "new_thing", "x": 1}') == '{"type":"new_thing","x":1}'
    assert one.shown("\n") is None
    assert len(one.shown('{"type": "new_thing", "x": "' + "y" * 9_000 + '"}')) <= 500
