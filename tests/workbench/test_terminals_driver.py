"""A CLI on its own screen: the prompt arrives whole and once, hints make it leave, silence never does."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from stage_of_windows import PATIENCE_S, Stage
from toryo.coordinator.runs.windows import Windows
from toryo.workbench.runs import records
from toryo.workbench.terminals import spool
from toryo.workbench.terminals.marker import QUESTION
from waiting import eventually


@pytest.fixture
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp("w"))
    yield made
    made.close()


def long_prompt(size: int) -> str:
    line = "Line \"quoted\" 'twice' `and` $HOME \\n %s; #{pane_id} 日本語 — é\tTab TORYO_TASK_DONE in it\n"
    text = "".join(f"{number} {line}" for number in range(size // len(line.encode()) + 1))
    return text + "\nTORYO_TASK_DONE\nis what you print last. 終わり"


def sources(stage: Stage, run: str) -> list[str]:
    return [one.source for one in spool.signals(stage.run_dir(run))]


def test_a_prompt_is_typed_when_the_program_is_ready_and_it_leaves_when_its_hook_fired(stage):
    stage.tui("r1", prompt="mend the login form", start_s=0.5, done_file=True)
    assert stage.received("r1") == "mend the login form"
    record = stage.exited("r1")
    assert (record.exit_code, record.stopped) == (0, False)
    assert sources(stage, "r1") == ["hook"]


@pytest.mark.parametrize("size", [20_000, 200_000])
@pytest.mark.parametrize("hidden_from", [2_000, 1_000_000])
def test_a_long_prompt_with_any_characters_arrives_whole(stage, size, hidden_from):
    prompt = long_prompt(size)
    stage.tui("r1", prompt=prompt, done_file=True, hidden_from=hidden_from)
    assert stage.received("r1") == prompt
    assert stage.exited("r1").exit_code == 0
    assert stage.count("r1") == 1


def test_control_characters_never_reach_the_program(stage):
    stage.tui("r1", prompt="one\x1b[201~\r/exit\rtwo\x03\x9b\x00 three\r\nfour\x7f", done_file=True)
    assert stage.received("r1") == "one[201~\n/exit\ntwo three\nfour"
    assert stage.exited("r1").exit_code == 0


def test_an_enter_that_was_swallowed_is_given_again(stage):
    stage.tui("r1", prompt="mend it", swallow_s=0.4, done_file=True)
    assert stage.received("r1").rstrip("\n") == "mend it"
    assert stage.exited("r1").exit_code == 0
    assert stage.count("r1") == 1


def test_a_program_without_bracketed_paste_is_given_its_prompt_too(stage):
    stage.tui("r1", prompt="one line", brackets=False, done_file=True)
    assert stage.received("r1") == "one line"


def test_the_marker_in_the_prompt_does_not_end_the_run_and_a_printed_one_does(stage):
    prompt = "Do it. When finished print\nTORYO_TASK_DONE\nand nothing else."
    stage.tui("r1", prompt=prompt, answer="working on it")
    stage.received("r1")
    stage.sees("r1", "working on it")
    stage.sees("r1", "TORYO_TASK_DONE")
    began = time.monotonic()
    while time.monotonic() - began < 5:  # longer than the driver takes between two looks
        assert not sources(stage, "r1")
        assert records.read_exit(stage.run_dir("r1")) is None
        stage.window("r1").look()
    stage.tui("r2", prompt=prompt, answer="TORYO_TASK_DONE")
    assert stage.exited("r2").exit_code == 0
    assert sources(stage, "r2") == ["marker"]


def test_a_marker_that_is_printed_while_the_agent_goes_on_ends_nothing(stage):
    go = stage.folder / "go"
    stage.tui("r1", prompt="do it", work_s=0.5, until=str(go), answer="TORYO_TASK_DONE", early=True)
    stage.sees("r1", "TORYO_TASK_DONE")
    began = time.monotonic()
    while time.monotonic() - began < 5:
        assert not sources(stage, "r1")
        stage.window("r1").look()
    go.touch()
    assert stage.exited("r1").exit_code == 0
    assert sources(stage, "r1") == ["marker"]


def test_an_agent_without_a_hook_is_asked_once_after_a_long_silence(stage):
    stage.windows = Windows(stage.folder, ask_silent_s=1)
    stage.tui("r1", prompt="do it", answer=["I looked at it.", "Still at it.", "never"])
    assert stage.received("r1", 2) == QUESTION
    stage.sees("r1", "Still at it.")
    began = time.monotonic()
    while time.monotonic() - began < 4:
        assert stage.count("r1") == 2
        assert not sources(stage, "r1")
        stage.window("r1").look()
    stage.tui("r2", prompt="do it", answer=["I looked at it.", "TORYO_TASK_DONE"])
    assert stage.exited("r2").exit_code == 0
    assert stage.count("r2") == 2
    assert sources(stage, "r2") == ["marker"]


@pytest.mark.parametrize(("ask_silent_s", "hook"), [(0, False), (0.5, True)])
def test_nobody_is_asked_where_a_hook_tells_or_the_question_is_switched_off(stage, ask_silent_s, hook):
    stage.windows = Windows(stage.folder, ask_silent_s=ask_silent_s)
    driven = {"done_file": stage.folder / "done"} if hook else {}
    stage.tui("r1", prompt="do it", answer="I looked at it.", driven=driven)
    stage.sees("r1", "I looked at it.")
    began = time.monotonic()
    while time.monotonic() - began < 3:
        assert stage.count("r1") == 1
        stage.window("r1").look()


def test_a_silent_agent_is_not_done(stage):
    stage.tui("r1", prompt="think", work_s=6, answer="thought", done_file=True)
    stage.received("r1")
    stage.sees("r1", "esc to interrupt")
    assert records.read_exit(stage.run_dir("r1")) is None
    assert stage.exited("r1").duration_s > 6


def test_an_agent_that_does_not_leave_is_terminated(stage):
    stage.tui("r1", prompt="do it", stays=True, done_file=True)
    record = stage.exited("r1")
    assert (record.stopped, record.signal) == (True, "SIGTERM")


def test_an_agent_that_ends_by_itself_needs_no_hint(stage):
    stage.tui("r1", prompt="/exit")
    assert stage.exited("r1").exit_code == 0
    assert sources(stage, "r1") == []


def test_a_prompt_that_the_command_line_gave_is_not_typed(stage):
    stage.tui("r1", prompt="typed by nobody", driven={"prompt_given": True}, done_file=True)
    stage.sees("r1", "? for shortcuts")
    (stage.folder / "r1.done").write_text("{}")
    assert stage.exited("r1").exit_code == 0
    assert stage.count("r1") == 0


def test_a_hook_that_names_work_in_the_background_is_not_the_end(stage):
    stage.tui("r1", prompt="mend it", driven={"done_file": stage.folder / "done"})
    stage.received("r1")
    (stage.folder / "done").write_text('{"background_tasks": [{"id": "a"}]}')
    began = time.monotonic()
    while time.monotonic() - began < 3:
        assert not sources(stage, "r1")
        stage.window("r1").look()
    (stage.folder / "done").write_text('{"background_tasks": []}')
    assert stage.exited("r1").exit_code == 0


def test_two_screens_are_driven_at_once_and_each_has_its_own_words(stage):
    for run in ("r1", "r2"):
        stage.tui(run, prompt=f"the prompt of {run} " * 300, start_s=0.2, done_file=True)
    for run in ("r1", "r2"):
        assert stage.received(run) == f"the prompt of {run} " * 300
        assert stage.exited(run).exit_code == 0


@pytest.mark.parametrize("step", ["screen.ready", "words.noted", "words.pasted", "words.entered"])
def test_a_driver_that_is_killed_at_any_step_types_the_prompt_once(stage, step):
    """The driver runs in a process of its own, which kills itself there; another one goes on."""
    stage.windows.close()  # nobody drives here
    stage.tui("r1", prompt="the one prompt", work_s=0.5, done_file=True)
    stage.drive_in_process("r1", killed_at=step)
    stage.windows = Windows(stage.folder)
    stage.windows.attend_all(["r1"])
    assert stage.exited("r1").exit_code == 0
    assert stage.received("r1").strip() == "the one prompt"
    assert stage.count("r1") == 1


def test_a_driver_goes_on_after_a_restart_between_prompt_and_end(stage):
    stage.tui("r1", prompt="mend it", work_s=2, done_file=True)
    stage.received("r1")
    eventually(
        lambda: spool.typed(spool.prompt_note(stage.run_dir("r1"))).state == "taken", within_s=PATIENCE_S
    )
    stage.windows.close()
    stage.windows = Windows(stage.folder)
    stage.windows.attend_all(["r1"])
    assert stage.exited("r1").exit_code == 0
    assert stage.count("r1") == 1
