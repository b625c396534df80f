"""Target branches, observed without an order: where those of the projects on this machine stand."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from pathlib import Path

from toryo.coordinator.daemon_calls import Project, Target
from toryo.domain.errors import Hindered, ToryoError
from toryo.place.reporter import Reporter
from toryo.processes import TimeLimit
from toryo.protocol.kinds.target import OnTarget, TargetSeen
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.refusals import Refusal
from toryo.workbench.git.inspect import identity
from toryo.workbench.git.landing import tips

log = logging.getLogger(__name__)

_Stamp = tuple[object, ...]

GONE: _Stamp = ("gone",)
"""There is no repository at the project's path: it was moved or deleted."""


class Targets:
    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._lock = threading.Lock()
        self._projects: dict[str, Project] = {}
        self._stamps: dict[tuple[str, str], _Stamp] = {}
        self._reported: dict[tuple[str, str], TargetSeen] = {}

    def look(self, projects: Iterable[Project]) -> None:
        self._projects = {project.id: project for project in projects}
        for project in self._projects.values():
            self._look_at(project)

    def look_again_at_known(self) -> bool:
        """Whether a branch is elsewhere: what the daemon published since it named the project is not known
        here, and the sight may have been compared with an older commit."""
        with self._lock:
            told = dict(self._reported)
        for project in list(self._projects.values()):
            self._look_at(project)
        with self._lock:
            return self._reported != told

    def know(self, projects: Iterable[Project]) -> None:
        self._projects |= {project.id: project for project in projects}

    def forget(self, project_id: str) -> None:
        """It is being taken out of its repository; a project that stays is named again."""
        with self._lock:
            self._projects.pop(project_id, None)

    def look_at(self, project_id: str) -> bool:
        """False: the project is not known here."""
        project = self._projects.get(project_id)
        if project is not None:
            self._look_at(project)
        return project is not None

    def directory(self, project_id: str) -> str:
        """Empty: the project is not known here."""
        project = self._projects.get(project_id)
        return project.directory if project is not None else ""

    def sight(self, project_id: str, directory: str, target: Target) -> TargetSeen:
        """Where a branch is, for somebody who waits; a move is reported too."""
        project = Project(project_id, "", directory, (), (target,))
        with self._lock:
            self._look_at_target(project, target)
            return self._reported[(project_id, target.name)]

    def look_again(self, project_id: str, target: str) -> None:
        """After a move of ours, done or refused: told at once and even if it is the same sight as before,
        because the daemon may have taken the move for granted meanwhile."""
        with self._lock:
            self._stamps.pop((project_id, target), None)
            self._reported.pop((project_id, target), None)
        project = self._projects.get(project_id)
        if project is not None:
            self._look_at(project)

    def _look_at(self, project: Project) -> None:
        with self._lock:
            for target in project.targets:
                try:
                    self._look_at_target(project, target)
                except (ToryoError, OSError, TimeLimit) as failed:
                    log.warning(
                        "Target could not be looked at",
                        extra={"project": project.id, "target": target.name, "reason": str(failed)[:500]},
                    )

    def _look_at_target(self, project: Project, target: Target) -> None:
        key = (project.id, target.name)
        # the stamp before the look: a move in between is then seen the next time, never lost
        stamp = _stamp(project.directory, target)
        if self._stamps.get(key) == stamp:
            return
        seen = look(project.id, project.directory, target)
        if self._reported.get(key) != seen:
            self._reporter.report(
                "target_seen", seen.model_dump(mode="json"), subject=f"target:{project.id}/{target.name}"
            )
            self._reported[key] = seen
        self._stamps[key] = stamp


def _stamp(directory: str, target: Target) -> _Stamp:
    """Changes whenever the branch or its tip may have moved; some stats instead of four processes."""
    try:
        common = layout.common_dir(directory)
    except FileNotFoundError:
        return GONE
    refs = (layout.head_ref(target.name), layout.tip_ref(target.name), "packed-refs", "reftable/tables.list")
    marks = ("toryo/project", "toryo/owner")
    return directory, target.published, *(_stat(common / name) for name in (*refs, *marks))


def look(project: str, directory: str, target: Target) -> TargetSeen:
    found = identity.presence(directory, project)
    if found != "here":
        return TargetSeen(
            project=project,
            target=target.name,
            commit="",
            tree="",
            relation=found,
            path=directory,
            contains_published=not target.published,
        )
    owner = identity.read_mark(layout.common_dir(directory), "owner")
    seen = tips.look(directory, project, target.name, target.published)
    return seen.model_copy(update={"owner": owner, "path": directory})


def moved(project: str, repo: str, target: str, believed: OnTarget) -> TargetSeen | None:
    """Where the branch is, if a person moved it since the daemon saw it; None: an order may build on it."""
    if not believed.seen:
        return None
    try:
        if not tips.is_moved(repo, target, believed.seen):
            return None
        return look(project, repo, Target(target, believed.published))
    except Hindered:
        raise
    except (ToryoError, OSError, Refusal, TimeLimit) as failed:
        # the order itself meets what is wrong there, and says so
        reason = str(failed)[:500]
        log.warning("Target not read", extra={"project": project, "target": target, "reason": reason})
        return None


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
