"""The spool of a run without a screen: each message is put once and handed over once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from toryo.workbench.runs import hearing

WORDS = 'Mind the "varnish" \\ $HOME `x` ü 茶\n\n\ttwo\n'
MAIN = '{"session_id":"s","tool_name":"Bash","tool_input":{"agent_id":"mine"},"tool_response":{}}'
SUB = '{"session_id":"s","agent_id":"a1","agent_type":"general-purpose","tool_name":"Bash"}'
PUT = """
import sys
from pathlib import Path
from toryo.workbench.runs import hearing
hearing.put(Path(sys.argv[1]), hearing.name_of(1, "m1"), "once")
"""


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "a run"
    folder.mkdir()
    hearing.make_room(folder)
    hearing.hook_command(folder, "PostToolUse")  # as a launch leaves it
    return folder


def put(run_dir: Path, number: int, text: str) -> str:
    return hearing.put(run_dir, hearing.name_of(number, f"m{number}"), text)


def hook(
    run_dir: Path, event: str = "PostToolUse", how: str = "json", given: str = MAIN
) -> subprocess.CompletedProcess[str]:
    """As a CLI runs it: by a shell, elsewhere, with its JSON on standard input."""
    line = hearing.hook_command(run_dir, event, how)  # type: ignore[arg-type]
    return subprocess.run(
        ["sh", "-c", line], input=given, capture_output=True, text=True, cwd="/", check=False, timeout=30
    )


def test_where_nothing_waits_the_hook_says_nothing(run_dir):
    done = hook(run_dir)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_program_without_hooks_finds_the_words_alone(tmp_path):
    hearing.make_room(tmp_path)
    put(tmp_path, 1, WORDS)
    assert [path.name for path in (tmp_path / "said" / "000001-m1").iterdir()] == ["text"]
    assert (tmp_path / "said" / "000001-m1" / "text").read_text() == WORDS


def test_words_are_given_as_they_were_said_and_only_once(run_dir):
    assert put(run_dir, 1, WORDS) == "waiting"
    told = json.loads(hook(run_dir).stdout)["hookSpecificOutput"]
    assert told["hookEventName"] == "PostToolUse"
    assert told["additionalContext"] == f"{hearing.PREFACE}\n\n{WORDS.strip()}\n\n"
    assert hearing.state(run_dir, "000001-m1") == "heard"
    assert (run_dir / "heard" / "000001-m1" / "text").read_text() == WORDS
    assert hook(run_dir).stdout == ""


def test_at_the_end_of_a_turn_words_keep_the_agent_from_ending(run_dir):
    put(run_dir, 1, WORDS)
    told = json.loads(hook(run_dir, "Stop").stdout)
    assert (told["decision"], WORDS.strip() in told["reason"]) == ("block", True)
    put(run_dir, 2, WORDS)
    done = hook(run_dir, "Stop", "plain")
    assert (done.returncode, done.stdout, WORDS.strip() in done.stderr) == (2, "", True)
    assert hook(run_dir, "Stop", "plain").returncode == 0


def test_several_are_given_together_in_the_order_in_which_they_were_said(run_dir):
    for number in (2, 11, 1):
        put(run_dir, number, f"words {number}.")
    told = json.loads(hook(run_dir, "AfterTool").stdout)["hookSpecificOutput"]["additionalContext"]
    assert [one for one in told.split("\n") if one.startswith("words")] == [
        "words 1.",
        "words 2.",
        "words 11.",
    ]


def test_words_are_not_for_a_sub_agent(run_dir):
    put(run_dir, 1, "hello")
    assert hook(run_dir, given=SUB).stdout == ""
    assert hearing.state(run_dir, "000001-m1") == "waiting"
    assert "hello" in hook(run_dir).stdout


def test_hooks_that_run_at_once_hand_over_each_message_once(run_dir):
    for number in range(1, 9):
        put(run_dir, number, f"<{number}>")
    with ThreadPoolExecutor(8) as pool:
        told = "".join(done.stdout for done in pool.map(lambda _: hook(run_dir), range(8)))
    assert [told.count(f"<{number}>") for number in range(1, 9)] == [1] * 8


@pytest.mark.parametrize("taken", ["not", "renamed", "deleted"])
def test_the_same_message_is_put_once_whatever_became_of_it(run_dir, taken):
    put(run_dir, 1, "once")
    place = run_dir / "said" / "000001-m1"
    if taken == "renamed":
        place.rename(run_dir / "heard" / place.name)
    if taken == "deleted":
        shutil.rmtree(place)
    assert put(run_dir, 1, "twice") == ("waiting" if taken == "not" else "heard")
    assert len(list((run_dir / "said").iterdir())) == (taken == "not")


@pytest.mark.parametrize("step", ["words.written", "words.put"])
def test_killed_while_words_are_put_they_are_there_once_after_the_next_try(run_dir, tmp_path, step):
    (tmp_path / "crash").write_text(step)
    env = dict(os.environ) | {"TORYO_CRASH_FILE": str(tmp_path / "crash")}
    argv = [sys.executable, "-c", PUT, str(run_dir)]
    assert subprocess.run(argv, env=env, check=False, timeout=30).returncode == -9
    assert put(run_dir, 1, "once") == "waiting"
    assert json.dumps(hook(run_dir).stdout).count("once") == 1
    assert put(run_dir, 1, "once") == "heard"


def test_two_coordinators_at_one_message_put_it_once(run_dir):
    argv = [sys.executable, "-c", PUT, str(run_dir)]
    at_once = [subprocess.Popen(argv) for _ in range(3)]
    taken = 0
    while any(one.poll() is None for one in at_once):
        for place in (run_dir / "said").iterdir():
            place.rename(run_dir / "heard" / f"{place.name}.{taken}")  # by somebody who names it otherwise
            taken += 1
    assert [one.wait(30) for one in at_once] == [0, 0, 0]
    assert taken + len(list((run_dir / "said").iterdir())) == 1


def test_a_message_with_a_strange_id_stays_in_the_spool(run_dir):
    name = hearing.name_of(1, "../../m 1")
    assert hearing.put(run_dir, name, "hello") == "waiting"
    assert [one.name for one in (run_dir / "said").iterdir()] == ["000001-______m_1"]
