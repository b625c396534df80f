"""Survey: what a path is to git and to Toryo, read only. Writing into the repository is left to adopt."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from toryo.protocol.kinds.repository import CheckFound, Surveyed, SurveyInputs
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git, GitFailed
from toryo.workbench.git.door.refusals import Refusal
from toryo.workbench.git.inspect import damage, settings_files, worktree_home
from toryo.workbench.git.inspect.identity import read_mark

OLDEST_GIT = (2, 38)

_Origin = Literal["commit", "working copy", "none"]
_COMMIT: _Origin = "commit"
_HERE: _Origin = "working copy"
_NONE: _Origin = "none"


def survey(
    inputs: SurveyInputs,
    clients: Mapping[str, str],
    checks: Sequence[CheckFound] = (),
    setup: Sequence[str] = (),
    setup_inputs: Sequence[str] = (),
) -> Surveyed:
    """What is at the path; a state that Toryo cannot work with is the fact's `problem`."""
    try:
        found = _survey(inputs)
    except Refusal as refusal:
        found = Surveyed(problem=refusal.problem)
    except GitFailed as failed:  # it was only to read
        found = Surveyed(problem=damage.problem_of_reading(inputs.path, failed.complaint))
    return found.model_copy(
        update={
            "clients": dict(clients),
            "checks": tuple(checks),
            "setup": tuple(setup),
            "setup_inputs": tuple(setup_inputs),
        }
    )


def _survey(inputs: SurveyInputs) -> Surveyed:
    path = Path(inputs.path).expanduser()
    if not path.is_dir():
        raise Refusal("not_a_repository", f"There is no directory {path}.", "Give the path of a repository.")
    version = _git_version(path)
    common, git_dir = _git_dirs(path)
    root = _root(path, common)
    git = Git(root)
    base, commit = _base(git, common, inputs.base)
    if inputs.commit and git.commit_of(inputs.commit):
        commit = inputs.commit
    found = git.do("ls-tree", "-r", "-z", commit)
    entries = [_entry(line) for line in found.split("\0") if line]
    committed = {} if inputs.working_copy else settings_files.committed(git, entries)
    files, origin = committed, _COMMIT if committed else _NONE
    settings_tree = git.do("rev-parse", f"{commit}:{settings_files.FOLDER}") if files else ""
    if not files and (files := settings_files.on_disk(root / settings_files.FOLDER)):
        origin, settings_tree = _HERE, settings_files.digest(files)
    elif files and settings_files.CONFIG not in files and (config := _config_here(root)):
        # without it the checks that `init` has just written down would be in force nowhere
        files, origin = dict(sorted({**committed, **config}.items())), _HERE
    home = worktree_home.propose(root, common)
    branches = git.do("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
    return Surveyed(
        root=str(root),
        git_dir=str(common),
        git_version=version,
        head_branch=layout.symbolic_head(git_dir).removeprefix("refs/heads/"),
        base=base,
        base_commit=commit,
        base_tree=git.tree_of(commit),
        branches=tuple(layout.shown(branches).split("\n")) if branches else (),
        submodules=tuple(layout.shown(name) for mode, _, name in entries if mode == "160000"),
        lfs=git.succeeds("grep", "-q", "-F", "filter=lfs", commit, "--", "*.gitattributes"),
        project=read_mark(common, "project"),
        owner=read_mark(common, "owner"),
        settings_files=files,
        settings_from=origin,
        settings_tree=settings_tree,
        uncommitted=_uncommitted(root, files) if committed else (),
        worktrees=home.setting,
        stays_inside=home.stays_inside,
    )


def _config_here(root: Path) -> dict[str, str]:
    here = settings_files.on_disk(root / settings_files.FOLDER)
    return {name: text for name, text in here.items() if name == settings_files.CONFIG}


def _uncommitted(root: Path, committed: Mapping[str, str]) -> tuple[str, ...]:
    try:
        here = settings_files.on_disk(root / settings_files.FOLDER)
    except Refusal:
        return ()  # what cannot be read there does not count yet either
    return tuple(name for name, text in here.items() if committed.get(name) != text)


def _git_version(path: Path) -> str:
    try:
        text = Git(path).do("version")
    except FileNotFoundError:
        raise Refusal("no_git", "git was not found.", "Install git 2.38 or newer.") from None
    numbers = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST_GIT:
        raise Refusal("old_git", f"{text} is too old.", "Install git 2.38 or newer.")
    return numbers[0]


def _git_dirs(path: Path) -> tuple[Path, Path]:
    """The git directory that all worktrees share, and the one of the checkout that the path is in."""
    asked = Git(path).run(
        "rev-parse", "--path-format=absolute", "--git-common-dir", "--git-dir", "--is-shallow-repository"
    )
    if asked.code != 0:
        if "dubious ownership" in asked.complaint:
            hint = f"Run `git config --global --add safe.directory {path}`."
            raise Refusal("unsafe_repository", f"{path} belongs to another user.", hint)
        if "not a git repository" not in asked.complaint:
            hint = f"Look at it with `git -C {path} status`."
            raise Refusal("unreadable_repository", f"git cannot read {path}: {asked.complaint}", hint)
        damage.refuse_git_directory(path, asked.complaint)
        raise Refusal("not_a_repository", f"{path} is in no git repository.", "Run `git init` there first.")
    common, git_dir, shallow = asked.text.splitlines()
    damage.refuse_outer(path, Path(git_dir).resolve())
    if shallow == "true":
        raise Refusal("shallow", "The repository is a shallow clone.", "Run `git fetch --unshallow` first.")
    if (Path(common) / "reftable").is_dir():
        hint = "Run `git refs migrate --ref-format=files` there first."
        raise Refusal("reftable", "It keeps its refs in reftables, which Toryo cannot read.", hint)
    if layout.lock_holder(Path(git_dir)):
        hint = f"Run it in {Path(common).parent}."
        raise Refusal("inside_worktree_of_toryo", f"{path} is a worktree that Toryo made.", hint)
    return Path(common), Path(git_dir)


def _root(path: Path, common: Path) -> Path:
    """The top of the main worktree, also when asked from a linked one."""
    bare = layout.git_on(common).run("config", "--bool", "core.bare").text.strip() == "true"
    if bare:
        hint = "Clone it (`git clone PATH`) and use the clone."
        raise Refusal("bare", f"{common} is a bare repository: it has no checkout.", hint)
    if common.name == ".git":
        return common.parent
    # a submodule or a separate git directory: git itself knows where its checkout is
    moved = layout.git_on(common).run("config", "--path", "core.worktree").text.strip()
    if moved:
        return Path(os.path.normpath(common / moved))
    top = Git(path).run("rev-parse", "--show-toplevel")
    if top.code != 0 or layout.git_dir_of(Path(top.text.strip())) != common:
        raise Refusal(
            "not_a_repository", f"{path} is no checkout.", "Run it at the top of the main checkout."
        )
    return Path(top.text.strip())


def _base(git: Git, common: Path, wanted: str) -> tuple[str, str]:
    head = layout.symbolic_head(common).removeprefix("refs/heads/")
    base = wanted or head
    if not base:
        hint = "Check a branch out, or type `toryo init --base NAME`."
        raise Refusal("branch_missing", "No branch is checked out (HEAD is detached).", hint)
    commit = git.commit_of(layout.head_ref(base))
    if commit is not None:
        return base, commit
    damage.refuse_broken(git.where, common, layout.head_ref(base))
    if not git.do("for-each-ref", "--count=1", "refs/heads"):
        raise Refusal(
            "no_commits",
            "The repository has no commit yet.",
            '`git add -A && git commit --allow-empty -m "first"`, then again.',
        )
    hint = "Name one that exists; `git branch` lists them."
    raise Refusal("branch_missing", f"There is no branch {base}.", hint)


def _entry(line: str) -> tuple[str, str, str]:
    """(mode, object, path) of a line of ls-tree."""
    facts, name = line.split("\t", 1)
    mode, _, thing = facts.split(" ")
    return mode, thing, name
