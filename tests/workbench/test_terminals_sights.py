"""What is read from a screen or a hook's file, case by case."""

from __future__ import annotations

import json

import pytest

from toryo.workbench.terminals.hooks import turn_is_over
from toryo.workbench.terminals.sights import Sight, clean, is_ready, marker_printed, tail

PROMPT = "Mend the login form.\nWhen you are finished, print\nGWT_TASK_DONE\nin a line of its own."
ECHO = """
│ > Mend the login form.           │
│   When you are finished, print   │
│   GWT_TASK_DONE                  │
│   in a line of its own.          │
"""


@pytest.mark.parametrize(
    ("screen", "printed"),
    [
        (ECHO, False),
        (ECHO + "● I will print GWT_TASK_DONE when I am done.", False),
        (ECHO + "● GWT_TASK_DONE", True),
        ("● All is well.\n  GWT_TASK_DONE\n> ", True),
        # the frame broke the prompt's line elsewhere
        ("> Mend the login form. When you are finished,\n  print\n  GWT_TASK_DONE\n  in a line", False),
        ("[Pasted text #1 +4 lines]\n● Done.\nGWT_TASK_DONE", True),
        ("", False),
    ],
)
def test_the_marker_counts_in_a_line_of_its_own_that_is_no_copy_of_the_prompt(screen, printed):
    assert marker_printed(screen, PROMPT) is printed


@pytest.mark.parametrize("prompt", ["GWT_TASK_DONE", "GWT_TASK_DONE\nGWT_TASK_DONE"])
def test_a_prompt_that_is_only_the_marker_never_ends_a_run(prompt):
    assert not marker_printed(f"> {prompt}\n● GWT_TASK_DONE", "GWT_TASK_DONE")


def sight(screen: str, words: str) -> Sight:
    return Sight(screen, tail(words))


def test_words_arrive_when_they_or_a_paste_stand_once_more_on_the_screen():
    before = sight("> ok\n● ok\n│ > \n", "ok")
    assert not sight("> ok\n● ok\n│ > \n", "ok").arrived(before)
    assert sight("> ok\n● ok\n│ > ok\n", "ok").arrived(before)
    assert sight("> ok\n● ok\n│ > [Pasted Content 20000 chars]", "ok").arrived(before)


@pytest.mark.parametrize(
    ("screen", "taken"),
    [
        ("│ > mend it\n│\n────\n ? for shortcuts", False),
        ("> mend it\n\n● Working\n│ > \n────\n ? for shortcuts", True),
        ("│ > mend it\n (esc to interrupt)", True),
        ("│ > \n────\n ? for shortcuts", True),
    ],
)
def test_words_are_taken_when_they_left_the_input(screen, taken):
    before = sight("│ > mend it\n────\n ? for shortcuts", "mend it")
    assert sight(screen, "mend it").taken(before) is taken


def test_an_answer_that_repeats_the_words_while_they_stand_in_the_input_is_not_taken():
    before = sight("● mend it\n│ > mend it\n────", "mend it")
    assert not sight("● mend it\n● mend it again\n│ > mend it\n────", "mend it").taken(before)


def test_control_characters_are_removed_and_everything_else_stays():
    assert (
        clean("a\x1b[201~\x07b\tc\r\nd\re\x9b31m é 日本 \U0001f600")
        == "a[201~b\tc\nd\ne31m é 日本 \U0001f600"
    )


def test_a_program_is_ready_when_one_of_its_texts_is_there():
    assert is_ready("│ ? for  shortcuts", ("Type your message", "? for shortcuts"))
    assert not is_ready("starting", ("›",))
    assert is_ready("› ", ("›",))
    assert is_ready("anything", ())
    assert not is_ready("\n\n", ())


def aside(prompt: str) -> str:
    asked = f"Generate a concise title. User prompt:\n{prompt}"
    return json.dumps({"type": "agent-turn-complete", "input-messages": [asked]})


def test_a_turn_that_only_made_a_title_is_not_the_end():
    ours = json.dumps({"type": "agent-turn-complete", "input-messages": [PROMPT]})
    assert not turn_is_over("", PROMPT)
    assert not turn_is_over(aside(PROMPT), PROMPT)
    assert turn_is_over(f"{aside(PROMPT)}\n{ours}\n", PROMPT)
    assert turn_is_over(f"{ours}\n{aside(PROMPT)}\n", PROMPT)
    assert turn_is_over("done\n", PROMPT)


def test_a_turn_with_work_in_the_background_is_not_the_end():
    assert not turn_is_over('{"background_tasks": [{"id": 1}]}', PROMPT)
    assert turn_is_over('{"background_tasks": [{"id": 1}]}\n{"background_tasks": []}', PROMPT)
