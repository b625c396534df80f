"""The demo from first to last: set the stage, type a user's commands, watch, judge, tell, leave no trace."""

from __future__ import annotations

import json
import signal
import tempfile
import time
from pathlib import Path

from toryo import __version__
from toryo.domain.errors import UserError
from toryo.domain.words import Access
from toryo.fronts.demo import report, screens
from toryo.fronts.demo.expectations import Expectation, judge
from toryo.fronts.demo.gathering import gather
from toryo.fronts.demo.leaving import leave, processes_of
from toryo.fronts.demo.plan import AGENTS, TASKS
from toryo.fronts.demo.repository import CHECK, FILES, NAME
from toryo.fronts.demo.stage import KEEP_HINT, Stage, StepFailed, look_for_git
from toryo.fronts.demo.story import Story
from toryo.fronts.demo.watching import watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import NoReturn

    from toryo.fronts.demo.gathering import Answers
    from toryo.fronts.demo.screens import Screen
    from toryo.fronts.demo.watching import Watch

REST_WITHIN_S = 120
LOOK_EVERY_S = 0.1


def play(*, keep: str | None, as_json: bool) -> int:
    """The exit code: 0 only if everything is exactly as it should be."""
    look_for_git()
    begun = time.monotonic()
    stage = Stage(_root(keep))
    _listen()
    screen = screens.choose(json=as_json)
    try:
        answers = _perform(stage, screen)
    finally:
        _ignore()  # half a clean-up would be worse than a late one
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


def _root(keep: str | None) -> Path:
    if keep is None:
        return Path(tempfile.mkdtemp(prefix="toryo-demo-")).resolve()
    root = Path(keep).expanduser().absolute()
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UserError(f"{root} is there and not empty.", hint="Name a directory that does not exist yet.")
    root.mkdir(parents=True, exist_ok=True)
    return root.resolve()


def _listen() -> None:
    """A signal that would end us in mid-air becomes an exception, so that everything is cleaned up."""

    def end(number: int, _: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, end)


def _ignore() -> None:
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)


def _perform(stage: Stage, screen: Screen) -> Answers:
    screen.say(
        f"Toryo {__version__} demo: {len(TASKS)} tasks, {len(AGENTS)} agents, one small real repository."
    )
    screen.say("The plan is given; no model is called: the agents are scripts. No key needed.\n")
    stage.build()
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
        _wait(screen, seen)
        return gather(
            stage, ids, lambda: screen.show(seen.look(), "asking git and toryo whether all that is so")
        )
    finally:
        seen.end()
        screen.show(seen.story, "stopping daemon and coordinator")


def _add_agents(stage: Stage) -> None:
    for one in AGENTS:
        script = str(stage.script(one.name))
        more = ("--access", str(one.access)) if one.access is not Access.SEALED else ()
        stage.toryo(
            "agent", "add", one.name, "--client", "scripted", "--command", script, "--role", one.role, *more
        )


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


def _wait(screen: Screen, seen: Watch) -> None:
    end = time.monotonic() + REST_WITHIN_S
    while not seen.look().at_rest:
        if time.monotonic() > end:
            raise StepFailed(f"The tasks are not at rest after {REST_WITHIN_S} s.", hint=KEEP_HINT)
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
    }
