"""Words for a running agent: typed on its screen once per message, and told when they were seen."""

from __future__ import annotations

import json
import statistics
import threading
import time
from collections.abc import Iterator

import pytest

from stage_of_windows import PATIENCE_S, Stage
from toryo.clock import wall
from toryo.coordinator.acts.say import say
from toryo.protocol.kinds.say import SayInputs, Spoken
from toryo.workbench.terminals import spool
from toryo.workbench.terminals.driver import TICK_S
from waiting import eventually


@pytest.fixture
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("w"))
    yield made
    made.close()


def said(stage: Stage, text: str, message: str = "m1", run: str = "r1") -> Spoken:
    inputs = SayInputs(run=run, message=message, text="hash")
    return say(inputs, stage.run_dir(run), stage.windows, lambda: text)


def test_words_reach_a_running_agent_after_its_prompt(stage):
    stage.tui("r1", prompt="the prompt", start_s=0.3)
    assert said(stage, "and the words\nin two lines") == Spoken(delivered=True, seen=True)
    assert stage.received("r1", 1) == "the prompt"
    assert stage.received("r1", 2) == "and the words\nin two lines"


def test_words_reach_an_agent_that_works(stage):
    stage.tui("r1", prompt="the prompt", work_s=30)
    assert said(stage, "hurry up").seen
    assert stage.received("r1", 2) == "hurry up"


def test_a_turn_that_ends_before_we_noted_the_words_is_younger_than_they_are(stage):
    """A quick agent is done before we have seen that it took them; its hint must count all the same."""
    stage.tui("r1", prompt="the prompt")
    assert said(stage, "be quick").seen
    taken = stage.folder / "r1.received" / "2.txt"
    assert taken.stat().st_mtime + TICK_S > spool.words_since(stage.run_dir("r1"))


def test_words_are_as_old_as_their_paste_however_late_they_are_seen_to_be_taken(tmp_path):
    note = spool.words_note(tmp_path, "m1")
    spool.note_typed(note, "shown")
    pasted = spool.words_since(tmp_path)
    eventually(lambda: wall() > pasted, within_s=1, what="time passes")
    spool.note_taken(note)
    assert spool.typed(note).state == "taken"
    assert spool.words_since(tmp_path) == pasted


def test_the_same_message_is_spoken_once(stage):
    stage.tui("r1")
    for _ in range(3):
        assert said(stage, "once", "m1").seen
    assert said(stage, "once", "m2").seen
    assert [stage.received("r1", number) for number in (2, 3)] == ["once", "once"]
    assert stage.count("r1") == 3


def test_messages_of_two_people_at_once_do_not_mix(stage):
    stage.tui("r1")
    texts = {f"m{number}": f"message {number} " * 50 for number in range(4)}
    threads = [threading.Thread(target=said, args=(stage, text, name)) for name, text in texts.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert {stage.received("r1", number) for number in range(2, 6)} == set(texts.values())


def test_words_keep_a_finished_turn_from_ending_the_run(stage):
    stage.tui("r1", prompt="the prompt", work_s=1.5, done_file=True)
    stage.received("r1", 1)
    assert said(stage, "one thing more").seen
    assert stage.received("r1", 2) == "one thing more"
    assert stage.exited("r1").exit_code == 0


def test_an_agent_without_a_screen_cannot_be_spoken_to(stage):
    stage.shows_log("r1", "sh", "-c", "sleep 60")
    problem = said(stage, "hello").problem
    assert problem
    assert problem.code == "no_screen"
    assert "toryo run stop r1" in problem.hint


def test_words_for_a_run_that_is_over_are_not_delivered(stage):
    stage.tui("r1", prompt="/exit")
    stage.exited("r1")
    assert said(stage, "hello") == Spoken(problem=said(stage, "hello").problem)
    assert said(stage, "hello").problem.code in ("no_window", "not_ready")


def test_words_that_were_pasted_by_a_killed_process_are_entered_and_not_pasted_again(stage):
    stage.tui("r1")
    stage.received("r1", 1)
    eventually(
        lambda: spool.typed(spool.prompt_note(stage.run_dir("r1"))).state == "taken", within_s=PATIENCE_S
    )
    note = spool.words_note(stage.run_dir("r1"), "m1")
    spool.note_typed(note, "typing", 0)
    stage.window("r1").paste("half said words")
    stage.sees("r1", "half said words")
    assert said(stage, "half said words").seen
    assert stage.received("r1", 2) == "half said words"


def test_a_message_is_with_its_agent_soon(stage):
    """Goal 9 of FLOORS.md is 20 ms; here only that it is no matter of seconds, whatever else runs."""
    stage.tui("r1")
    stage.received("r1", 1)
    took = []
    for number in range(10):
        began = time.time()
        assert said(stage, f"message number {number}", f"m{number}").seen
        file = stage.folder / "r1.received" / f"{number + 2}.txt"
        took.append(1000 * (file.stat().st_mtime - began))
    print(json.dumps({"message_ms": [round(one, 1) for one in took]}))
    assert statistics.median(took) < 2000
