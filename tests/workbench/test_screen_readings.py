"""What is read from a screen or a hook's file, case by case."""

from __future__ import annotations

import json
import textwrap

import pytest

from toryo.workbench.terminals.hooks import turn_is_over
from toryo.workbench.terminals.marker import QUESTION, with_marker
from toryo.workbench.terminals.screen_text import ScreenReading, clean, is_ready, marker_printed, tail

PROMPT = "Mend the login form.\nWhen you are finished, print\nTORYO_TASK_DONE\nin a line of its own."
ECHO = """
│ > Mend the login form.           │
│   When you are finished, print   │
│   TORYO_TASK_DONE                  │
│   in a line of its own.          │
"""


@pytest.mark.parametrize(
    ("screen", "printed"),
    [
        (ECHO, False),
        (ECHO + "● I will print TORYO_TASK_DONE when I am done.", False),
        (ECHO + "● TORYO_TASK_DONE", True),
        ("● All is well.\n  TORYO_TASK_DONE\n> ", True),
        # the frame broke the prompt's line elsewhere
        ("> Mend the login form. When you are finished,\n  print\n  TORYO_TASK_DONE\n  in a line", False),
        ("[Pasted text #1 +4 lines]\n● Done.\nTORYO_TASK_DONE", True),
        ("", False),
    ],
)
def test_the_marker_counts_in_a_line_of_its_own_that_is_no_copy_of_the_prompt(screen, printed):
    assert marker_printed(screen, PROMPT) is printed


SIDEBAR = """
  ┃  Mend the login form.                    日本        Context
  ┃  When you are finished, print                       8,500 tokens
  ┃  TORYO_TASK_DONE                                    4% used
  ┃  in a line of its own. 日本語                         $0.00 spent
"""


def test_a_sidebar_hides_neither_the_marker_nor_that_it_is_a_copy():
    assert not marker_printed(SIDEBAR, PROMPT)
    assert not marker_printed(SIDEBAR.replace("日本        ", "            "), PROMPT)
    assert marker_printed(SIDEBAR + "     TORYO_TASK_DONE                  LSPs are disabled\n", PROMPT)
    assert marker_printed("     All is done.\n     TORYO_TASK_DONE          4% used\n", with_marker("do it"))


@pytest.mark.parametrize("width", [20, 40, 60, 80, 110, 156])
@pytest.mark.parametrize("text", [with_marker("Mend the login form."), QUESTION])
def test_what_asks_for_the_marker_never_counts_as_the_marker(width, text):
    rows = [row for line in text.split("\n") for row in textwrap.wrap(line, width) or [""]]
    echo = "".join(f"  ┃  {row.ljust(width)}   Context\n" for row in rows)
    asked = f"{with_marker('Mend the login form.')}\n{QUESTION}"
    assert not marker_printed(echo, asked)
    assert not marker_printed("\n".join(rows), asked)
    assert marker_printed(f"{echo}\n  TORYO_TASK_DONE\n", asked)


@pytest.mark.parametrize("prompt", ["TORYO_TASK_DONE", "TORYO_TASK_DONE\nTORYO_TASK_DONE"])
def test_a_prompt_that_is_only_the_marker_never_ends_a_run(prompt):
    assert not marker_printed(f"> {prompt}\n● TORYO_TASK_DONE", "TORYO_TASK_DONE")


def sight(screen: str, words: str) -> ScreenReading:
    return ScreenReading(screen, tail(words))


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
