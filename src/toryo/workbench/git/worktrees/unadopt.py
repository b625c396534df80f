"""Unadopt: take what Toryo put into a repository out of it again, and no work of anybody's with it.

What only refs of ours hold goes into a bundle first; worktrees and branches with work stay, and are named
with the line that removes them. The marks go last: whoever is killed before that repeats it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from toryo.domain.naming import PREFIX
from toryo.protocol.base import Problem
from toryo.protocol.kinds.repository import Unadopted, UnadoptInputs
from toryo.workbench.git.door import layout, locks
from toryo.workbench.git.door.git import OURS, Git, GitFailed
from toryo.workbench.git.inspect import identity, written_settings
from toryo.workbench.git.keep import trash
from toryo.workbench.git.worktrees import adopt

MARKS = ("project", "owner")
OURS_IN_AIAGENT = ("logs", "agents")
EMPTY = "empty bundle"


@dataclass
class _Plan:
    """What goes and what stays, in words; with `really`, it is done as it is said."""

    repo: Path
    common: Path
    inputs: UnadoptInputs
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    bundle: str = ""

    @property
    def really(self) -> bool:
        return not self.inputs.dry_run

    @property
    def git(self) -> Git:
        return layout.git_on(self.common)

    def stays(self, what: str, line: str) -> None:
        self.kept.append(f"{what}: `{line}` removes it")


def unadopt(inputs: UnadoptInputs) -> Unadopted:
    """Repeated after a crash: what is gone already is not spoken of. One at a time."""
    with locks.held(Path(inputs.bundle).parent / "removing.lock"):
        return _unadopt(inputs)


def _unadopt(inputs: UnadoptInputs) -> Unadopted:
    found = identity.presence(inputs.repo, inputs.project)
    if found == "gone":
        return Unadopted(problem=_problem("not_a_repository", f"There is no repository at {inputs.repo}."))
    common = layout.common_dir(inputs.repo)
    if found == "other":
        whose = identity.read_mark(common, "project")
        if not whose:  # it was taken out before
            return Unadopted(done=not inputs.dry_run)
        return Unadopted(
            problem=_problem("other_project", f"{inputs.repo} belongs to another project ({whose}).")
        )
    # without that mark a removal was interrupted
    owned = identity.read_mark(common, "owner")
    problem = (identity.owned_elsewhere(inputs.repo, inputs.installation) if owned else None) or _unfinished(
        common
    )
    if problem:
        return Unadopted(problem=problem)
    plan = _Plan(Path(inputs.repo), common, inputs)
    try:
        _worktrees(plan)
        _branches(plan)
        _refs(plan)
        _settings(plan)
        _aiagent(plan)
        _written_settings(plan)
        _own_folder(plan)
    except (GitFailed, OSError) as failed:
        hint = "What was done stays done: type it again once that is mended."
        return Unadopted(problem=Problem(code="not_removed", message=str(failed)[:2000], hint=hint))
    return Unadopted(removed=tuple(plan.removed), kept=tuple(plan.kept), bundle=plan.bundle, done=plan.really)


def _unfinished(common: Path) -> Problem | None:
    """A publication that was interrupted in mid-write is finished first: its note has what it replaced."""
    if not any((common / "toryo" / "publish").glob("*.json")):
        return None
    hint = "`toryo status` shows what it waits for."
    return Problem(code="publishing", message="A merge into your branch is under way there.", hint=hint)


def _worktrees(plan: _Plan) -> None:
    roots = set()
    with locks.registration(plan.common):
        for admin in list(layout.admin_dirs(plan.common)):
            path = layout.registered_at(admin)
            if path is None or not layout.lock_holder(admin):
                continue  # a person's own
            roots.add(path.parent)
            if not path.is_dir():
                _prune(plan, admin, path)
            elif why := _holds(path):
                if plan.really:
                    (admin / "locked").unlink(missing_ok=True)
                plan.stays(f"worktree {path} ({why})", f"git worktree remove --force {path}")
            elif plan.really and not _remove_worktree(plan, admin, path):
                plan.stays(f"worktree {path} (git does not remove it)", f"git worktree remove --force {path}")
            else:
                plan.removed.append(f"worktree {path}")
        for entry in list(trash.entries(plan.common)):
            roots.add(Path(entry.worktree).parent)
            plan.removed.append(f"worktree in the trash: {entry.files}")
            if plan.really:
                trash.delete(plan.common, entry)
    _remove_empty(plan, plan.common / "worktrees")
    for root in (*roots, plan.repo / ".worktrees"):
        _remove_empty(plan, root / ".trash")
        _remove_empty(plan, root)


def _remove_worktree(plan: _Plan, admin: Path, path: Path) -> bool:
    """By git, which looks once more for files that nobody has."""
    (admin / "locked").unlink(missing_ok=True)
    return plan.git.run("worktree", "remove", str(path)).code == 0


def _prune(plan: _Plan, admin: Path, path: Path) -> None:
    plan.removed.append(f"what git knows of the worktree {path}, which is gone")
    if plan.really:
        shutil.rmtree(admin)


def _holds(path: Path) -> str:
    """What would be lost with that worktree; empty: nothing."""
    git = Git(path)
    if git.do("status", "--porcelain", "--untracked-files=all"):
        return "it holds files that are not committed"
    if not git.do(
        "for-each-ref", "--contains", "HEAD", "--count=1", "refs/heads", "refs/tags", "refs/remotes"
    ):
        return "its commit is on no branch"
    return ""


def _branches(plan: _Plan) -> None:
    """Ours go where another branch has all their commits."""
    listed = plan.git.do("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads").split("\n")
    commits = dict(line.split() for line in listed if line)
    ours = {ref: commit for ref, commit in commits.items() if ref.startswith(layout.head_ref(PREFIX))}
    others = [ref for ref in commits if ref not in ours]
    used = {layout.symbolic_head(place) for place in (plan.common, *layout.admin_dirs(plan.common))}
    going = set(_going(plan))
    for ref, commit in ours.items():
        name = ref.removeprefix("refs/heads/")
        is_used = ref in used and (plan.really or ref not in going)
        merged = any(commit == commits[other] or plan.git.is_ancestor(commit, other) for other in others)
        if is_used or not merged:
            plan.stays(f"branch {name}{'' if merged else ' (not merged)'}", f"git branch -D {name}")
            continue
        plan.removed.append(f"branch {name}")
        if plan.really:
            plan.git.do("update-ref", "-d", ref, commit)


def _going(plan: _Plan) -> Iterator[str]:
    """Branches of worktrees that a removal would take away before it comes to the branches."""
    for admin in layout.admin_dirs(plan.common):
        path = layout.registered_at(admin)
        if f"worktree {path}" in plan.removed:
            yield layout.symbolic_head(admin)


def _refs(plan: _Plan) -> None:
    listed = plan.git.do("for-each-ref", "--format=%(objectname) %(refname)").split("\n")
    refs = {ref: held for held, _, ref in (line.partition(" ") for line in listed if line)}
    ours = {ref: held for ref, held in refs.items() if ref.startswith(OURS)}
    if not ours:
        return
    plan.removed.append(f"{len(ours)} refs under {OURS}")
    if not plan.really:
        return
    users = [ref for ref in refs if ref not in ours]
    bundle = _bundle(plan, ours, users)
    if bundle is not None:
        plan.bundle = str(bundle)
        back = f"git fetch {bundle} 'refs/toryo/*:refs/restored/*'"
        plan.kept.append(f"work that only these refs held, in {bundle}: `{back}` brings it back")
    deletes = "".join(f"delete {ref} {held}\n" for ref, held in ours.items())
    plan.git.do("update-ref", "--stdin", stdin=deletes.encode(), limit_s=600)


def _bundle(plan: _Plan, ours: Iterable[str], users: Iterable[str]) -> Path | None:
    """What only ours hold, whole and verified; None: they hold nothing of their own."""
    wanted = Path(plan.inputs.bundle)
    # of a name of its own: a git that was killed leaves a lock and half a file
    half = wanted.with_name(f".{wanted.name}.{uuid.uuid4().hex}")
    names = "".join(f"{ref}\n" for ref in ours) + "".join(f"^{ref}\n" for ref in users)
    made = plan.git.run("bundle", "create", str(half), "--stdin", stdin=names.encode(), limit_s=600)
    if made.code != 0 and EMPTY in made.complaint:
        return None
    if made.code != 0:
        raise GitFailed(("bundle", "create"), made.code, made.complaint)
    plan.git.do("bundle", "verify", str(half), limit_s=600)
    with half.open("rb") as file:
        os.fsync(file.fileno())
    return half.rename(_free(wanted))


def _free(path: Path) -> Path:
    """A name that is not taken: what was kept by an interrupted removal stays."""
    number, found = 1, path
    while found.exists():
        number += 1
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return found


def _settings(plan: _Plan) -> None:
    exclude = plan.common / "info" / "exclude"
    with contextlib.suppress(FileNotFoundError):
        lines = exclude.read_text("utf-8", "surrogateescape").splitlines(keepends=True)
        left = [line for line in lines if line.strip() not in adopt.EXCLUDED]
        if left != lines:
            plan.removed += [f"info/exclude: {line.strip()}" for line in lines if line not in left]
            if plan.really:
                exclude.write_text("".join(left), "utf-8", "surrogateescape")
    if not plan.inputs.extension:
        return
    own = [plan.common / "config.worktree", *(a / "config.worktree" for a in layout.admin_dirs(plan.common))]
    going = {place / "config.worktree" for place in layout.admin_dirs(plan.common) if _is_going(plan, place)}
    if any(file.exists() for file in own if plan.really or file not in going):
        plan.kept.append("config: extensions.worktreeConfig, which settings of a worktree need")
        return
    shared = ("config", "--file", str(plan.common / "config"))
    if plan.git.run(*shared, "extensions.worktreeConfig").code == 0:
        plan.removed.append("config: extensions.worktreeConfig")
        if plan.really:
            plan.git.do(*shared, "--unset-all", "extensions.worktreeConfig")


def _is_going(plan: _Plan, admin: Path) -> bool:
    return f"worktree {layout.registered_at(admin)}" in plan.removed


def _aiagent(plan: _Plan) -> None:
    """What we wrote there; a folder that the user tracks, and files beside ours, are theirs."""
    folder = plan.repo / ".aiagent"
    if not folder.is_dir() or folder.is_symlink() or Git(plan.repo).do("ls-files", "--", ".aiagent"):
        return
    for name in OURS_IN_AIAGENT:
        if (folder / name).is_dir():
            plan.removed.append(f".aiagent/{name}")
            if plan.really:
                shutil.rmtree(folder / name)
    ignore = folder / ".gitignore"
    if plan.really and ignore.is_file() and "Generated by Toryo" in ignore.read_text("utf-8", "replace"):
        ignore.unlink()
    _remove_empty(plan, folder)


def _written_settings(plan: _Plan) -> None:
    """What only `init` wrote, and nobody changed or committed."""
    for name in written_settings.untouched(plan.repo, plan.common):
        plan.removed.append(name)
        if plan.really:
            (plan.repo / name).unlink()
            _remove_empty(plan, (plan.repo / name).parent)


def _own_folder(plan: _Plan) -> None:
    folder = plan.common / "toryo"
    plan.removed.append("toryo/ in the git directory")
    if not plan.really:
        return
    for path in sorted(folder.iterdir()):
        if path.name in MARKS:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    for name in reversed(MARKS):  # the project's goes last: by it a repeated order knows where it is
        (folder / name).unlink(missing_ok=True)
    folder.rmdir()
    for empty in (plan.common / "refs" / "toryo", plan.common / "logs" / "refs" / "toryo"):
        shutil.rmtree(empty, ignore_errors=True)


def _remove_empty(plan: _Plan, folder: Path) -> None:
    """An empty folder that we made; any other one stays."""
    if plan.really and folder.is_dir() and folder != plan.repo and not folder.is_symlink():
        with contextlib.suppress(OSError):
            folder.rmdir()


def _problem(code: str, message: str) -> Problem:
    return Problem(code=code, message=message, hint="`toryo project list` has the projects.")
