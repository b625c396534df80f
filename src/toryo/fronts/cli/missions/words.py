"""Steering verbs of one mission: answer, approve, reject, say, set, pause, resume, cancel, budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.domain.errors import UsageError
from toryo.fronts.cli.missions.requests import BUDGET_KEYS, answers_of, budget_of
from toryo.fronts.cli.parsing import count, verb
from toryo.fronts.client import inner
from toryo.fronts.text.output import one_line, paint, plain, print_json

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk
    from toryo.protocol.views.missions import MissionView, SaidToMission

MISSION_HELP = "a mission, or the beginning of its id"


def _mission(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mission", metavar="ID", help=MISSION_HELP)


def _declare_answer(parser: argparse.ArgumentParser) -> None:
    _mission(parser)
    parser.add_argument("answers", nargs="*", metavar="QID=TEXT", help="a question and its answer")
    parser.add_argument("--defaults", action="store_true", help="the others take their defaults")
    verb(
        parser,
        answer,
        "toryo mission answer n3kd92m1 --defaults",
        "toryo mission answer n3kd92m1 Q1=Redis Q2='100 a minute'",
        "toryo mission answer n3kd92m1            # on a terminal: asks",
        hands=True,
        json=True,
    )


def _declare_approve(parser: argparse.ArgumentParser) -> None:
    _mission(parser)
    parser.add_argument("--version", type=count, metavar="N", help="only if this version of the plan waits")
    verb(parser, approve, "toryo mission approve n3kd92m1", hands=True, json=True)


def _declare_reject(parser: argparse.ArgumentParser) -> None:
    _mission(parser)
    parser.add_argument(
        "reason", metavar="REASON", help="what is to be different; it is planned anew with it"
    )
    parser.add_argument("--version", type=count, metavar="N", help="only if this version of the plan waits")
    verb(parser, reject, 'toryo mission reject n3kd92m1 "two tasks are enough"', hands=True, json=True)


def _declare_say(parser: argparse.ArgumentParser) -> None:
    _mission(parser)
    parser.add_argument("text", metavar="TEXT", help="what you want to tell it; - reads standard input")
    verb(
        parser,
        say,
        'toryo mission say n3kd92m1 "and log every refused request"',
        "toryo mission say n3kd92m1 'run it'       # approves a plan that waits",
        hands=True,
        json=True,
    )


def _declare_set(parser: argparse.ArgumentParser) -> None:
    _mission(parser)
    parser.add_argument(
        "--parallelism", type=count, required=True, metavar="N", help="at most so many tasks at once"
    )
    verb(parser, put, "toryo mission set n3kd92m1 --parallelism 2", hands=True, json=True)


def _declare_pause(parser: argparse.ArgumentParser) -> None:
    _mission(parser)
    parser.add_argument("--now", action="store_true", help="also stop its runs; `resume` goes on with them")
    verb(
        parser,
        pause,
        "toryo mission pause n3kd92m1",
        "toryo mission pause n3kd92m1 --now",
        hands=True,
        json=True,
    )


def _declare_resume(parser: argparse.ArgumentParser) -> None:
    _mission(parser)
    verb(parser, resume, "toryo mission resume n3kd92m1", hands=True, json=True)


def _declare_cancel(parser: argparse.ArgumentParser) -> None:
    _mission(parser)
    verb(parser, cancel, "toryo mission cancel n3kd92m1", hands=True, json=True)


def _declare_budget(parser: argparse.ArgumentParser) -> None:
    _mission(parser)
    parser.add_argument(
        "limits", nargs="+", metavar="KEY=N", help=f"{', '.join(BUDGET_KEYS)}; 0 takes a limit away"
    )
    verb(
        parser,
        budget,
        "toryo mission budget n3kd92m1 tokens=500000 minutes=90",
        "toryo mission budget n3kd92m1 usd=0",
        hands=True,
        json=True,
    )


def verbs_of_words() -> Group:
    return {
        "answer": ("answer its questions; on a terminal it asks them", _declare_answer),
        "approve": ("approve its plan: the work starts", _declare_approve),
        "reject": ("refuse its plan with a reason: it is planned anew", _declare_reject),
        "say": ("tell it something: a new demand, or words about a plan that waits", _declare_say),
        "set": ("change how many of its tasks run at once", _declare_set),
        "pause": ("start nothing new; --now also stops its runs", _declare_pause),
        "resume": ("go on with a paused mission", _declare_resume),
        "cancel": ("end a mission for good; what it left is kept", _declare_cancel),
        "budget": ("limit its turns, tokens, minutes or dollars", _declare_budget),
    }


def answer(args: argparse.Namespace, desk: Desk) -> int:
    given = answers_of(args.answers)
    from toryo.fronts.text import questions

    if given or args.defaults:
        code = _say(args, desk, "answer_mission", {"answers": given, "defaults": args.defaults})
        if not args.json and not args.defaults:
            _print_left(inner(desk.call("show_mission", {"mission": args.mission}), "mission"))
        return code
    from toryo.fronts.cli.missions.conversation import ask_all, is_here

    now: MissionView = inner(desk.call("show_mission", {"mission": args.mission}), "mission")
    asked = questions.open_questions(now)
    if not asked:
        print(f"{now['id']} asks nothing.")
        return 0
    if args.json or not is_here():
        raise UsageError("There is nobody to ask here.", hint=questions.lines_to_type(now["id"], asked)[0])
    print(questions.batch(asked))
    print(questions.how_to_answer(asked))
    given = ask_all(asked)
    return _say(args, desk, "answer_mission", {"answers": given, "defaults": len(given) < len(asked)})


def _print_left(now: MissionView) -> None:
    """What still holds it up after some answers."""
    from toryo.fronts.text import questions

    if left := questions.open_questions(now):
        print(f"Still open: {', '.join(plain(one['id']) for one in left)}")
        for line in questions.lines_to_type(now["id"], left):
            print(f"  → {paint(plain(line), 'cyan')}")


def approve(args: argparse.Namespace, desk: Desk) -> int:
    return _say(args, desk, "approve_mission", {"version": args.version})


def reject(args: argparse.Namespace, desk: Desk) -> int:
    return _say(args, desk, "reject_mission", {"reason": args.reason, "version": args.version})


def say(args: argparse.Namespace, desk: Desk) -> int:
    from toryo.fronts.cli.files import read_stdin

    text = read_stdin() if args.text == "-" else args.text
    if not text.strip():
        raise UsageError("There is nothing to say.", hint='`toryo mission say ID "the words"`')
    return _say(args, desk, "say_mission", {"text": text})


def put(args: argparse.Namespace, desk: Desk) -> int:
    return _say(args, desk, "set_mission", {"parallelism": args.parallelism})


def pause(args: argparse.Namespace, desk: Desk) -> int:
    return _say(args, desk, "pause_mission", {"now": args.now})


def resume(args: argparse.Namespace, desk: Desk) -> int:
    return _say(args, desk, "resume_mission", {})


def cancel(args: argparse.Namespace, desk: Desk) -> int:
    return _say(args, desk, "cancel_mission", {})


def budget(args: argparse.Namespace, desk: Desk) -> int:
    return _say(args, desk, "budget_mission", {"budget": budget_of(args.limits)})


OUTCOMES = {
    "answer": "has your answers.",
    "approve": "is approved: the work starts.",
    "reject": "is planned anew with your reason.",
    "say": "has it.",
    "set": "is changed.",
    "pause": "is paused; `toryo mission resume {id}` goes on.",
    "resume": "goes on.",
    "cancel": "is cancelled.",
    "budget": "has its limits.",
}


def _say(args: argparse.Namespace, desk: Desk, tool: str, words: dict[str, Any]) -> int:
    from toryo.fronts.cli.missions.model import hand_over_settings

    hand_over_settings(desk)
    said: SaidToMission = desk.call(tool, {"mission": args.mission, **words})
    if args.json:
        print_json(said)
    elif said["already"]:
        print(f"{said['mission']}: nothing changed, somebody was first: {one_line(said['by'])}")
    else:
        outcome = OUTCOMES.get(said["said"], "has it.")
        print(f"{said['mission']} {outcome.format(id=said['mission'])}")
    return 0
