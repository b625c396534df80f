"""The demo from first to last: set the stage, type a user's commands, watch, judge, tell, leave no trace."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from toryo import __version__
from toryo.domain.words import Access
from toryo.fronts.demo import mission_text, model, report, screens
from toryo.fronts.demo.expectations import Expectation, judge
from toryo.fronts.demo.gathering import gather
from toryo.fronts.demo.leaving import ignore, leave, listen, processes_of
from toryo.fronts.demo.plan import AGENTS, SENTENCE, TASKS
from toryo.fronts.demo.repository import CHECK, FILES, NAME
from toryo.fronts.demo.request import Request
from toryo.fronts.demo.stage import MODEL, Stage, StepFailed, look_for_git, new_root
from toryo.fronts.demo.story import Story
from toryo.fronts.demo.watching import watch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toryo.fronts.demo.gathering import Answers
    from toryo.fronts.demo.screens import Screen
    from toryo.fronts.demo.watching import Watch

REST_WITHIN_S = 120
REST_OF_CLIENTS_WITHIN_S = 300
"""A real CLI takes seconds to begin."""
LOOK_EVERY_S = 0.1
TOLD_WITHIN_S = 5
PLANNERS = ("claude", "codex")
"""Clients that can be the planner's model, too."""


def play(*, keep: str | None, as_json: bool, client: str = "") -> int:
    """The exit code: 0 only if everything is exactly as it should be."""
    look_for_git()
    begun = time.monotonic()
    stage = Stage(new_root(keep, "toryo-demo-"), client)
    listen()
    screen = screens.choose(json=as_json)
    try:
        answers = _perform(stage, screen)
    finally:
        ignore()  # half a clean-up would be worse than a late one
        leave(stage, keep=keep is not None)
        screen.close()
    expectations = [*judge(answers), _no_trace(stage, kept=keep is not None)]
    took_s = round(time.monotonic() - begun, 3)
    if as_json:
        print(json.dumps(_as_json(stage, answers, expectations, took_s), indent=2, ensure_ascii=False))
    else:
        print("\n" + report.whole(stage, answers, expectations, kept=keep is not None, took_s=took_s))
    return exit_code(expectations)


def exit_code(expectations: Sequence[Expectation]) -> int:
    return 0 if all(one.ok for one in expectations) else 1


def _perform(stage: Stage, screen: Screen) -> Answers:
    screen.say(f"Toryo {__version__} demo: one sentence, {len(AGENTS)} agents, one small real repository.")
    screen.say(f"{_who(stage)}\n")
    stage.build()
    given = model.start(stage, stage.script(MODEL), (stage.client,) if stage.client else ())
    stage = given.at(stage)
    if stage.client:
        model.look_for(given, stage.client, stage)
    _set_up(stage, screen, given.url)
    seen = watch(stage)
    try:
        request = Request(stage, REST_OF_CLIENTS_WITHIN_S if stage.client else REST_WITHIN_S)
        screen.command(f'toryo do "{SENTENCE}" \\\n      --defaults --yes', "")
        _follow(stage, screen, seen, request)
        missing = [task.title for task in TASKS if task.number not in seen.story.ids]
        if missing:
            told = f"`toryo do` exited {request.exit_code}, and there is no task “{missing[0]}”"
            raise StepFailed(f"{told}: {request.said[-1000:]}", hint=stage.keep_hint)
        answers = gather(
            stage,
            seen.story.ids,
            seen.story.mission.id,
            lambda: screen.show(seen.look(), "asking git and toryo whether all that is so"),
        )
        return replace(answers, exit_code=request.exit_code)
    finally:
        seen.end()
        screen.show(seen.story, "stopping the processes")


def _set_up(stage: Stage, screen: Screen, url: str) -> None:
    """What a user does once: the project, who works, who plans."""
    screen.command(f"git init {NAME} && git commit", f"{len(FILES)} files, 3 tests")
    screen.show(Story(), "starting a daemon and a coordinator of its own")
    stage.toryo("init", "--yes")
    screen.command("toryo init --yes", f"found the check: {CHECK}")
    screen.show(Story(), "adding agents")
    _add_agents(stage)
    screen.command("toryo agent add NAME …", ", ".join(one.name for one in AGENTS))
    if stage.client in PLANNERS:
        stage.toryo("planner", "use", stage.client)
        screen.command(f"toryo planner use {stage.client}", f"{stage.client} plans, too")
    else:
        stage.toryo("planner", "use", "--url", f"{url}/v1", "--model", "scripted")
        screen.command("toryo planner use --url URL …", "the scripted model plans")


def _who(stage: Stage) -> str:
    if not stage.client:
        return "No key needed: the model and the agents are scripts, everything else is real."
    return f"No key needed: the agents are {stage.client} itself, its model is a script on this machine."


def _add_agents(stage: Stage) -> None:
    for one in AGENTS:
        words = ["agent", "add", one.name, "--role", one.role, "--client", stage.client or "scripted"]
        words += [] if stage.client else ["--command", str(stage.script(one.name))]
        words += ["--access", str(one.access)] if one.access is not Access.SEALED else []
        stage.toryo(*words)


def _follow(stage: Stage, screen: Screen, seen: Watch, request: Request) -> None:
    """Until `toryo do` has ended, and all that it led to was seen."""
    is_told = False
    while not request.is_over:
        story = seen.look()
        if story.mission.is_approved and not is_told:
            is_told = True
            mission = stage.read("mission", "show", story.mission.id)
            screen.say("\n".join(mission_text.brief(mission, screen.columns)))
        screen.show(story, "watching `toryo events -f`")
        time.sleep(LOOK_EVERY_S)
    end = time.monotonic() + TOLD_WITHIN_S
    while not seen.look().mission.is_over and time.monotonic() < end:  # the events come a moment later
        time.sleep(LOOK_EVERY_S)
    screen.show(seen.story, "watching `toryo events -f`")


def _no_trace(stage: Stage, *, kept: bool) -> Expectation:
    left = [str(pid) for pid, _ in processes_of(stage.root)]
    if stage.root.exists() and not kept:
        left.append(str(stage.root))
    what = "no process of the demo is left" + ("" if kept else ", and no file")
    return Expectation(what, not left, ", ".join(left) or "nothing")


def _as_json(
    stage: Stage, answers: Answers, expectations: list[Expectation], took_s: float
) -> dict[str, object]:
    return {
        "ok": exit_code(expectations) == 0,
        "duration_s": took_s,
        "mission": answers.mission,
        "asked": [{"purpose": one.purpose, "dialect": one.dialect} for one in answers.asked],
        "tasks": list(answers.tasks.values()),
        "evidence": list(answers.evidence.values()),
        "expectations": [one.as_json() for one in expectations],
        "repository": str(stage.repo),
        "home": str(stage.toryo_home),
        "client": stage.client,
    }
