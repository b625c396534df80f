"""`toryo attach` and `toryo task say`: the agent's own screen, and words for it."""

from __future__ import annotations

import json
import os
import pty
import sys

import pytest

from toryo.domain.errors import Refused, UsageError, UserError
from toryo.fronts.cli.look import attach
from toryo.fronts.cli.parsing import make_parser
from toryo.fronts.cli.work import say as saying
from toryo.fronts.client import Desk
from waiting import eventually

ATTACHED = {"run": "r1", "argv": ["/bin/sh", "-c", "tty && echo TMUX=$TMUX && echo shown"]}
TYPED = """
import sys
from toryo.fronts.cli.look import attach
from toryo.fronts.client import Desk
from toryo.fronts.cli.parsing import make_parser
parser = make_parser("attach", "")
attach.declare(parser, "attach")
args = parser.parse_args(sys.argv[1:])
args.act(args, Desk({}, reads=args.reads, hands=args.hands))
"""


def say(*words: str) -> int:
    parser = make_parser("task say", "")
    saying.declare_say(parser)
    args = parser.parse_args(words)
    with Desk({}, reads=args.reads, hands=args.hands) as desk:
        code: int = args.act(args, desk)
        return code


def test_attach_becomes_the_command_that_the_daemon_names(peer, monkeypatch):
    there = peer(attach_run=ATTACHED)
    monkeypatch.setenv("TMUX", "/tmp/of-a-person,1,0")
    pid, screen = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", TYPED, "t1"])
    shown = b""

    def is_shown() -> bool:
        nonlocal shown
        try:
            shown += os.read(screen, 4096)
        except OSError:  # its other side is closed
            return True
        return b"shown" in shown

    eventually(is_shown, within_s=30)
    os.close(screen)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) in (0, -1)  # or hung up by us after its last word
    assert b"TMUX=\r\n" in shown
    assert b"not a tty" not in shown
    assert there.arguments_of("attach_run") == {"id": "t1"}


def test_attach_without_a_terminal_says_what_to_do_instead(peer):
    there = peer(attach_run=ATTACHED)
    parser = make_parser("attach", "")
    attach.declare(parser, "attach")
    args = parser.parse_args(["t1"])
    with Desk({}, reads=args.reads, hands=args.hands) as desk, pytest.raises(UserError) as refused:
        args.act(args, desk)
    assert "toryo log -f t1" in refused.value.hint
    assert there.calls == []


def test_attach_can_print_the_command_for_a_program(peer, capfd):
    peer(attach_run=ATTACHED)
    parser = make_parser("attach", "")
    attach.declare(parser, "attach")
    args = parser.parse_args(["t1", "--json"])
    with Desk({}, reads=args.reads, hands=args.hands) as desk:
        assert args.act(args, desk) == 0
    assert json.loads(capfd.readouterr().out)["argv"] == ATTACHED["argv"]


def test_words_are_said_and_it_is_told_that_they_were_seen(peer, capfd):
    there = peer(say={"message": "m1", "run": "r1", "delivered": True, "seen": True})
    assert say("t1", "hurry up") == 0
    assert capfd.readouterr().out == "r1 has it.\n"
    asked = there.arguments_of("say")
    assert (asked["id"], asked["text"], asked["message"][0]) == ("t1", "hurry up", "m")


@pytest.mark.parametrize(("reader", "how"), [("hook", "after the tool call"), ("program", "$TORYO_SAID")])
def test_words_that_wait_for_the_agents_next_step_are_told_so(peer, capfd, reader, how):
    peer(say={"message": "m1", "run": "r1", "delivered": False, "seen": False, "waiting": reader})
    assert say("t1", "hurry up") == 0
    told = capfd.readouterr().out
    assert told.startswith("It waits for r1,")
    assert how in told
    assert "toryo run show r1" in told


def test_an_answer_to_a_question_is_told_as_that(peer, capfd):
    peer(say={"message": "m1", "run": "", "answered": "t1", "delivered": False, "seen": False})
    assert say("t1", "by date") == 0
    assert capfd.readouterr().out == "t1 goes on with your answer.\n"


def test_the_help_of_say_shows_how_it_is_typed(capfd):
    parser = make_parser("task say", "")
    saying.declare_say(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(["--help"])
    told = " ".join(capfd.readouterr().out.split())
    assert 'toryo task say t3kd92m1 "the tests are in tests/unit"' in told
    assert "git diff | toryo task say t3k -" in told
    assert "after their next tool call" in told


def test_words_that_nobody_saw_arrive_exit_1_and_name_the_way_to_look(peer, capfd):
    peer(say={"message": "m1", "run": "r1", "delivered": False, "seen": False})
    assert say("t1", "hurry up") == 1
    assert "toryo attach r1" in capfd.readouterr().out


def test_what_is_said_can_come_from_standard_input(peer, monkeypatch, tmp_path):
    there = peer(say={"message": "m1", "run": "r1", "delivered": True, "seen": True})
    (tmp_path / "words").write_text("two\nlines\n")
    with open(tmp_path / "words") as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert say("t1", "-", "--json") == 0
    assert there.arguments_of("say")["text"] == "two\nlines\n"


def test_nothing_is_not_said(peer):
    there = peer(say={})
    with pytest.raises(UsageError):
        say("t1", "  ")
    assert there.calls == []


def test_words_that_cannot_be_typed_are_told_with_their_way_out(peer, capfd):
    problem = {"code": "no_window", "message": "no window", "hint": "`toryo run show r1`"}
    peer(say={"message": "m1", "run": "r1", "delivered": False, "seen": False, "problem": problem})
    with pytest.raises(Refused, match="no window") as refused:
        say("t1", "hello")
    assert refused.value.hint == "`toryo run show r1`"
    assert say("t1", "hello", "--json") == 1
    assert json.loads(capfd.readouterr().out)["problem"] == problem
