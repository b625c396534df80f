"""Messages of units on their parent's real screen: one after the other, every sign as it was sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stage_of_windows import Stage
from toryo.coordinator.acts.say import say
from toryo.protocol.kinds.say import SayInputs, SayWaiting, Spoken
from toryo.reconciler.bus import lines
from toryo.workbench.runs import hearing
from waiting import eventually

STRANGE = {
    "marks": "It's \"done\"! Really! !! !$ ;; $HOME $(id) `ls` \\n \\ 'x' & | > < * ? ~ # %",
    "unicode": "日本語の完了報告 ümläute 🎉 👩\u200d👧 —",
    "lines": "first line\nsecond\r\n\tthird",
    "keys": "C-c Escape Enter {braces} [brackets] #{pane_id} ;",
    "dashes": "-l --literal -- -",
    "long": "日x" * 400,
}


@pytest.fixture
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("w"))
    yield made
    made.close()


def said(stage: Stage, line: str, number: int) -> Spoken | SayWaiting:
    inputs = SayInputs(run="r1", message=f"m{number}", text="hash", speaker="unit", number=number)
    return say(inputs, stage.run_dir("r1"), stage.windows, lambda: line)


def test_every_sign_of_a_message_arrives_unchanged_and_in_order(stage: Stage) -> None:
    stage.tui("r1", prompt="the prompt")
    told = [lines.from_child("root-api", "progress", {"message": text}) for text in STRANGE.values()]
    told += [lines.from_parent("root", "instruct", {"text": text}) for text in STRANGE.values()]
    for number, line in enumerate(told, 1):
        assert said(stage, line, number) == Spoken(delivered=True, seen=True), line
    assert [stage.received("r1", number) for number in range(2, len(told) + 2)] == told


def test_a_screen_that_is_gone_is_a_problem_to_be_told_and_no_crash(stage: Stage) -> None:
    stage.tui("r1", prompt="/exit")
    stage.exited("r1")
    spoken = said(stage, "[CHILD:root-a] Status: progress, Message: x", 1)
    assert isinstance(spoken, Spoken)
    assert spoken.problem is not None
    assert spoken.problem.code in ("no_window", "not_ready")


def test_a_message_of_a_unit_is_given_to_a_hook_as_it_is_and_a_persons_words_with_their_preface(
    tmp_path: Path,
) -> None:
    hearing.make_room(tmp_path)
    hearing.hook_command(tmp_path, "PostToolUse")
    line = "[CHILD:root-a] Status: completed, Message: it's done"
    hearing.put(tmp_path, "000001-m1", line, "")
    hearing.put(tmp_path, "000002-m2", "hello")
    assert (tmp_path / "said" / "000001-m1" / "plain").read_text() == f"{line}\n\n"
    assert (tmp_path / "said" / "000002-m2" / "plain").read_text().startswith(hearing.PREFACE)
    assert eventually(lambda: (tmp_path / "said" / "000001-m1" / "text").read_text() == line)
