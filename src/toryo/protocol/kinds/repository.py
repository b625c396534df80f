"""Orders about a repository as a whole: survey it, adopt it for an installation, take Toryo out of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from toryo.domain.words import OrderKind
from toryo.protocol.base import Kind, Model, Problem
from toryo.protocol.kinds.target import TargetSeen


class CheckFound(Model):
    type: str
    command: str


class PackageFound(Model):
    """A package of a monorepo with tests that no chosen check runs."""

    path: str
    command: str


class UnadoptInputs(Model):
    repo: str
    project: str
    installation: str
    bundle: str
    """Where to put what only Toryo's own refs hold."""
    extension: bool = False
    """It was adopt that turned `extensions.worktreeConfig` on."""
    dry_run: bool = False
    """Only say what would go and what would stay."""


class Unadopted(Model):
    problem: Problem | None = None
    removed: tuple[str, ...] = ()
    """In words, as adopt says what it wrote."""
    kept: tuple[str, ...] = ()
    bundle: str = ""
    done: bool = False


class SurveyInputs(Model):
    path: str
    base: str = ""
    """The target branch whose commit holds the settings; empty: the branch that is checked out."""
    commit: str = ""
    """Read the settings of this commit instead of the branch's: the newest tip, or where a person put it."""
    working_copy: bool = False
    """Read the settings as they lie in the checkout, whatever a commit has."""
    create: bool = False
    """A person wants a repository there, and a first commit, before anything is read."""


class KnownTarget(Model):
    """What an installation knows of a target: where it put the tip, and what it published."""

    name: str
    tip: str
    published: str


class AdoptInputs(Model):
    path: str
    project: str
    installation: str
    base: str
    take_over: bool = False
    targets: tuple[KnownTarget, ...] = ()
    worktree_root: str = ""
    """Where worktrees will be made; empty: nobody makes any there by this."""
    written: tuple[str, ...] = ()
    """Files of `.toryo/` that `init` has just written."""


StaysInside = Literal["", "not_writable", "another_repository", "taken", "unprintable"]
"""Why worktrees are made inside a repository although a folder beside it would suit its tests better."""


class Surveyed(Model):
    problem: Problem | None = None
    root: str = ""
    git_dir: str = ""
    git_version: str = ""
    head_branch: str = ""
    """Checked out at the path, which may be in a linked worktree; empty: HEAD is detached there."""
    base: str = ""
    base_commit: str = ""
    base_tree: str = ""
    branches: tuple[str, ...] = ()
    submodules: tuple[str, ...] = ()
    lfs: bool = False
    project: str = ""
    """The project id inside the git directory, if an installation adopted it."""
    owner: str = ""
    settings_files: dict[str, str] = Field(default_factory=dict)
    """Text files under .toryo/, path relative to it."""
    settings_from: Literal["commit", "working copy", "none"] = "none"
    settings_tree: str = ""
    clients: dict[str, str] = Field(default_factory=dict)
    """Known client programs on PATH: name → absolute path."""
    checks: tuple[CheckFound, ...] = ()
    setup: tuple[str, ...] = ()
    setup_inputs: tuple[str, ...] = ()
    offered: tuple[CheckFound, ...] = ()
    """Linters and type checkers that are configured there, and that nobody chose."""
    unreached: tuple[PackageFound, ...] = ()
    """Packages with tests that none of `checks` runs."""
    uncommitted: tuple[str, ...] = ()
    """Settings files that lie in the checkout otherwise than in the commit they were read from."""
    worktrees: str = ""
    """Where worktrees should be made, for a first config.yaml; empty: the default."""
    stays_inside: StaysInside = ""


class Adopted(Model):
    problem: Problem | None = None
    project: str = ""
    owner: str = ""
    root: str = ""
    tip: str = ""
    tip_tree: str = ""
    wrote: tuple[str, ...] = ()
    seen: tuple[TargetSeen, ...] = ()
    """Where the branches stand that were asked about."""


KINDS = (
    Kind(OrderKind.SURVEY, SurveyInputs, {"surveyed": Surveyed}),
    Kind(OrderKind.ADOPT, AdoptInputs, {"adopted": Adopted}),
    Kind(OrderKind.UNADOPT, UnadoptInputs, {"unadopted": Unadopted}),
)
