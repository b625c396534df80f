"""The demo from first to last: set the stage, type a user's commands, watch, judge, tell, leave no trace."""

from __future__ import annotations

import json
import time

from toryo import __version__
from toryo.domain.words import Access
from toryo.fronts.demo import model, report, screens
from toryo.fronts.demo.expectations import Expectation, judge
from toryo.fronts.demo.gathering import gather
from toryo.fronts.demo.leaving import ignore, leave, listen, processes_of
from toryo.fronts.demo.plan import AGENTS, TASKS
from toryo.fronts.demo.repository import CHECK, FILES, NAME
from toryo.fronts.demo.stage import MODEL, Stage, StepFailed, look_for_git, new_root
from toryo.fronts.demo.story import Story
from toryo.fronts.demo.watching import watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from toryo.fronts.demo.gathering import Answers
    from toryo.fronts.demo.screens import Screen
    from toryo.fronts.demo.watching import Watch

REST_WITHIN_S = 120
REST_OF_CLIENTS_WITHIN_S = 300
"""A real CLI takes seconds to begin."""
LOOK_EVERY_S = 0.1


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
    screen.say(
        f"Toryo {__version__} demo: {len(TASKS)} tasks, {len(AGENTS)} agents, one small real repository."
    )
    screen.say(f"{_who(stage)} No key needed.\n")
    stage.build()
    if stage.client:
        given = model.start(stage, stage.script(MODEL), (stage.client,))
        stage = given.at(stage)
        model.look_for(given, stage.client, stage)
    screen.command(f"git init {NAME} && git commit", f"{len(FILES)} files, 3 tests")
    screen.show(Story(), "starting a daemon and a coordinator of its own")
    stage.toryo("init", "--yes")
    screen.command("toryo init --yes", f"found the check: {CHECK}")
    screen.show(Story(), "adding agents")
    _add_agents(stage)
    screen.command("toryo agent add NAME …", ", ".join(one.name for one in AGENTS))
    seen = watch(stage)
    try:
        ids = _add_tasks(stage, screen, seen)
        within_s = REST_OF_CLIENTS_WITHIN_S if stage.client else REST_WITHIN_S
        _wait(screen, seen, within_s, stage.keep_hint)
        return gather(
            stage, ids, lambda: screen.show(seen.look(), "asking git and toryo whether all that is so")
        )
    finally:
        seen.end()
        screen.show(seen.story, "stopping daemon and coordinator")


def _who(stage: Stage) -> str:
    if not stage.client:
        return "The plan is given; no model is called: the agents are scripts."
    return f"The plan is given; the agents are {stage.client} itself, its model is a script on this machine."


def _add_agents(stage: Stage) -> None:
    for one in AGENTS:
        words = ["agent", "add", one.name, "--role", one.role, "--client", stage.client or "scripted"]
        words += [] if stage.client else ["--command", str(stage.script(one.name))]
        words += ["--access", str(one.access)] if one.access is not Access.SEALED else []
        stage.toryo(*words)


def _add_tasks(stage: Stage, screen: Screen, seen: Watch) -> dict[int, str]:
    ids: dict[int, str] = {}
    for task in TASKS:
        words = ["task", "add", task.title, "-d", task.description, "--agent", task.agent]
        for other in task.after:
            words += ["--after", ids[other]]
        ids[task.number] = str(stage.read(*words)["id"])
        if task is TASKS[0]:
            screen.command("toryo task add TITLE --agent NAME …", f"{len(TASKS)} tasks")
        screen.show(seen.look(), "adding tasks")
    return ids


def _wait(screen: Screen, seen: Watch, within_s: float, hint: str) -> None:
    end = time.monotonic() + within_s
    while not seen.look().at_rest:
        if time.monotonic() > end:
            raise StepFailed(f"The tasks are not at rest after {within_s:g} s.", hint=hint)
        screen.show(seen.story, "watching `toryo events -f`")
        time.sleep(LOOK_EVERY_S)


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
        "tasks": list(answers.tasks.values()),
        "evidence": list(answers.evidence.values()),
        "expectations": [one.as_json() for one in expectations],
        "repository": str(stage.repo),
        "home": str(stage.toryo_home),
        "client": stage.client,
    }
