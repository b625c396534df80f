"""`toryo task say`: words for an agent while it works."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from toryo.domain.errors import Refused, UsageError
from toryo.fronts.cli.parsing import verb
from toryo.fronts.client import inner
from toryo.fronts.text.output import Progress, print_json

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.client import Desk
    from toryo.protocol.views.answer import ProblemView
    from toryo.protocol.views.runs import RunView, Spoken

ANSWER_S = 45.0
"""The daemon waits 30 s for the words to be seen or to lie ready."""
ABOUT = (
    "Words for an agent while it works. On its own screen it reads them at once; Claude Code, Codex and\n"
    "Gemini CLI get them after their next tool call, or as one more turn instead of the end; a command of\n"
    "yours finds them in $TORYO_SAID. `toryo task show` says whether they were heard.\n"
    "An agent that ended with a question goes on with them as the answer."
)


def declare_say(parser: argparse.ArgumentParser) -> None:
    parser.description = ABOUT
    parser.add_argument("id", metavar="ID", help="a task or its run, or the beginning of its id")
    parser.add_argument("text", metavar="TEXT", help="what you want to tell it; - reads standard input")
    verb(
        parser,
        say,
        'toryo task say t3kd92m1 "the tests are in tests/unit"',
        "git diff | toryo task say t3k -",
        hands=True,
        json=True,
    )


def say(args: argparse.Namespace, desk: Desk) -> int:
    from toryo.fronts.cli.files import read_stdin

    text = read_stdin() if args.text == "-" else args.text
    if not text.strip():
        raise UsageError("There is nothing to say.", hint='`toryo task say ID "the words"`')
    # with an id of ours: asked again after a daemon was killed, it is said once
    words = {"id": args.id, "text": text, "message": f"m{os.urandom(5).hex()}"}
    with Progress("waiting for the agent to take it") as progress:
        answer: Spoken = desk.call_through("say", words, timeout_s=ANSWER_S, on_wait=progress.tick)
    problem, run = answer.get("problem"), answer.get("run")
    if args.json:
        print_json(answer)
    elif problem:
        raise Refused(str(problem["message"]), hint=_way_out(desk, answer["run"], problem, text))
    elif answer.get("answered"):
        print(f"{answer['answered']} goes on with your answer.")
    elif answer.get("seen"):
        print(f"{run} has it.")
    elif answer.get("waiting"):
        print(f"{WAITS[answer['waiting']]}. Whether it was heard: toryo run show {run}".format(run=run))
    else:
        print(f"{run} was told, but nobody saw that it took it. Look: toryo attach {run}")
    return 0 if answer.get("seen") or answer.get("waiting") or answer.get("answered") else 1


WAITS = {
    "hook": "It waits for {run}, which gets it after the tool call that it is at, or before it ends",
    "program": "It waits for {run}, whose program finds it in $TORYO_SAID, if it looks there",
}


def _way_out(desk: Desk, named: str, problem: ProblemView, text: str) -> str:
    """Lines with the real names: an agent without a screen hears it in its next prompt."""
    if problem.get("code") != "no_screen":
        return str(problem.get("hint") or "")
    import shlex

    run: RunView = inner(desk.call("get_run", {"run": named}), "run")
    task = str(run["task"])
    told = str(inner(desk.call("get_task", {"task": task}), "task").get("description") or "")
    # a new description takes the old one's place
    whole = "\n\n".join(part for part in (told.strip(), text.strip()) if part)
    lines = (
        f"toryo run stop {run['id']}",
        f"toryo task wait {task}",
        f"toryo task update {task} -d {shlex.quote(whole)}",
        f"toryo task retry {task}",
    )
    about = "Its client hears you only with `style: interactive`. This stops it and starts it again with it:"
    return "\n".join([about, *(f"  {line}" for line in lines)])
