"""Answers to asks, one function a read: what lies on this machine and the daemon cannot see. Read only."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toryo.coordinator.answers import checks, logs, machine, repositories, screens
from toryo.coordinator.answers.diffs import Diffs
from toryo.coordinator.daemon_calls import Target
from toryo.coordinator.observe.targets import Targets
from toryo.coordinator.runs.client_records import Records
from toryo.coordinator.runs.runs import Runs
from toryo.coordinator.runs.windows import Windows
from toryo.domain.errors import ToryoError
from toryo.processes import TimeLimit
from toryo.protocol import asks
from toryo.protocol.asks import READ, Ask, AskAnswer
from toryo.protocol.base import Problem
from toryo.workbench.git.keep import hand_work

log = logging.getLogger(__name__)

AGAIN = "Ask again; `toryo doctor` says what is wrong with the machine."
LOGGED = "`logs/coordinator-NAME.jsonl` in Toryo's home has the trace."


@dataclass(frozen=True)
class Answers:
    runs: Runs
    clients: Records
    windows: Windows
    checks: Path
    """Where the checks that are carried out now have their folders."""
    targets: Targets
    diffs: Diffs = field(default_factory=Diffs)

    def answer(self, ask: Ask) -> AskAnswer:
        try:
            read = READ.validate_python(ask.read)
        except ValidationError:
            told = f"This coordinator cannot answer {str(ask.read.get('what'))[:40]!r}."
            hint = "`toryo down`, then `toryo up`: it is of another version than the daemon."
            return _problem("unknown_read", told, hint)
        try:
            return READS[read.what](self, read)
        except (ToryoError, OSError, TimeLimit, ValueError) as failed:
            code = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(failed).__name__).lower()
            hint = failed.hint if isinstance(failed, ToryoError) else ""
            return _problem(code, str(failed)[:2000] or code, hint or AGAIN)
        except Exception as bug:  # the outermost edge of an ask: whoever waits gets an answer
            log.exception("An ask failed by a bug", extra={"what": read.what})
            return _problem("bug", f"Reading failed by a bug in Toryo ({type(bug).__name__}).", LOGGED)


def _problem(code: str, message: str, hint: str) -> AskAnswer:
    return AskAnswer(problem=Problem(code=code, message=message, hint=hint), ended=True)


def _log(answers: Answers, read: asks.LogRead) -> AskAnswer:
    return logs.page(read, answers.runs, answers.clients)


def _search(answers: Answers, read: asks.SearchRead) -> AskAnswer:
    return logs.search(read, answers.runs, answers.clients)


def _window(answers: Answers, read: asks.WindowRead) -> AskAnswer:
    return screens.window(read.run, answers.windows)


def _screen(answers: Answers, read: asks.ScreenRead) -> AskAnswer:
    return screens.screen(read, answers.windows)


def _check(answers: Answers, read: asks.CheckRead) -> AskAnswer:
    return checks.printed(read, answers.checks / read.order)


def _left(answers: Answers, read: asks.LeftRead) -> AskAnswer:
    return AskAnswer(ended=True, body=hand_work.made_since(read))


def _health(answers: Answers, read: asks.HealthRead) -> AskAnswer:
    return machine.health(read, answers.runs, answers.clients)


def _target(answers: Answers, read: asks.TargetRead) -> AskAnswer:
    seen = answers.targets.sight(read.project, read.repo, Target(read.target, read.published))
    return AskAnswer(ended=True, body=seen.model_dump(mode="json"))


def _diff(answers: Answers, read: asks.DiffRead) -> AskAnswer:
    return repositories.diff(read, answers.diffs)


READS: Mapping[str, Callable[[Answers, Any], AskAnswer]] = {
    "log": _log,
    "search": _search,
    "window": _window,
    "screen": _screen,
    "check": _check,
    "left": _left,
    "health": _health,
    "target": _target,
    "diff": _diff,
    "commits": lambda _, read: repositories.commits(read),
    "file": lambda _, read: repositories.file(read),
    "tree": lambda _, read: repositories.tree(read),
    "folder": lambda _, read: repositories.folder(read),
    "branches": lambda _, read: repositories.branches(read),
}
