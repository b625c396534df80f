"""Prepared worktrees in small real repositories, for tests of the workbench."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repositories import git, make_repository
from toryo.domain.words import Purpose
from toryo.protocol.kinds.repository import AdoptInputs
from toryo.protocol.kinds.run import Prepared, PrepareInputs
from toryo.protocol.kinds.scope import ScopeInputs
from toryo.protocol.kinds.work import CleanInputs, Collected, CollectInputs
from toryo.workbench.git.worktrees.adopt import adopt
from toryo.workbench.git.worktrees.collect import collect
from toryo.workbench.git.worktrees.prepare import prepare


@dataclass(frozen=True)
class Bench:
    """An adopted repository and a home for run directories."""

    repo: Path
    runs: Path

    def inputs(self, name: str = "fix-t1", run: str = "r1", **more: Any) -> PrepareInputs:
        filled = {
            "repo": str(self.repo),
            "run": run,
            "task": "t1",
            "agent": "worker",
            "client": "command",
            "purpose": Purpose.IMPLEMENT,
            "name": name,
            "base": git(self.repo, "rev-parse", "main"),
            "target": "main",
            "prompt": "f" * 64,
        }
        return PrepareInputs(**(filled | more))

    def prepare(self, name: str = "fix-t1", run: str = "r1", **more: Any) -> Prepared:
        """Prepare and insist that there was no problem."""
        made = prepare(self.inputs(name, run, **more), self.runs / run)
        assert made.problem is None, made.problem
        return made

    def collect(self, made: Prepared, run: str = "r1", **more: Any) -> Collected:
        filled = {
            "repo": str(self.repo),
            "run": run,
            "worktree": made.worktree,
            "branch": made.branch,
            "base": made.base,
            "start": made.head,
            "target": "main",
        }
        return collect(CollectInputs(**(filled | more)), self.runs / run)

    def clean_inputs(
        self, made: Prepared, run: str = "r1", keep: tuple[str, ...] = (), runs: tuple[str, ...] = ()
    ) -> CleanInputs:
        return CleanInputs(
            repo=str(self.repo), run=run, worktree=made.worktree, branch=made.branch, keep=keep, runs=runs
        )


def make_bench(tmp_path: Path, files: dict[str, str] | None = None) -> Bench:
    repo = make_repository(tmp_path / "repo", files)
    adopted = adopt(AdoptInputs(path=str(repo), project="p1", installation="here", base="main"))
    assert adopted.problem is None
    return Bench(repo, tmp_path / "runs")


def commit_only(where: Path, files: dict[str, str], message: str = "change") -> str:
    """Commit these files and nothing else that lies there, as in the user's checkout."""
    for name, text in files.items():
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(text)
    git(where, "add", "--", *files)
    git(where, "commit", "-q", "-m", message)
    return git(where, "rev-parse", "HEAD")


def without(*patterns: str) -> ScopeInputs:
    return ScopeInputs(exclude=patterns)


def files_in(folder: Path) -> set[str]:
    """Everything below, without `.git` and what Toryo writes for agents."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir())
    return {path.as_posix() for path in found if path.parts[0] not in (".git", ".aiagent")}
