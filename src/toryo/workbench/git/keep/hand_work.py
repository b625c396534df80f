"""Hand work in a task's worktree: what a person made since it was collected, and the commit of what they
did not commit themselves. Whether that may land or must be kept is left to the daemon.
"""

from __future__ import annotations

from typing import Any

from toryo.protocol.asks import LeftRead
from toryo.protocol.base import Problem
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.door.layout import Worktree
from toryo.workbench.git.inspect import status
from toryo.workbench.git.keep import snapshots

MOST_NAMED = 20


def commit_rest(worktree: Worktree, seen: status.Status | None, message: str) -> Problem | None:
    """Commit what lies there, as its person; nothing where all is committed. The snapshot was made before."""
    if seen is None or seen.unmerged:
        return None  # said by what is collected
    paths = [path for path in (*seen.changed, *seen.untracked) if _is_theirs(path)]
    merging = worktree.admin is not None and (worktree.admin / "MERGE_HEAD").exists()
    if not paths and not merging:
        return None
    if seen.branch != worktree.branch:
        said = f"{worktree.path} is not on {worktree.branch}, and has files that are not committed."
        return Problem(code="not_on_branch", message=said, hint=f"git switch {worktree.branch}")
    git = worktree.git
    if paths:
        named = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
        argv = ("add", "-A", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul")
        git.do(*argv, stdin=named, env={"GIT_LITERAL_PATHSPECS": "1"})
    # asked of nobody: a signature may need a person's password, and our hooks are the checks
    plain = (("commit.gpgSign", "false"),)
    git.do("commit", "-q", "--no-verify", "-m", message, env=_person(git), config=plain)
    return None


def made_since(inputs: LeftRead) -> dict[str, Any]:
    """What the worktree and its branch hold beyond what was collected (`head` and `snapshot`)."""
    worktree = layout.find_worktree(inputs.repo, inputs.worktree, inputs.branch)
    git = worktree.objects
    branch = git.commit_of(layout.head_ref(inputs.branch)) or ""
    seen = status.read(worktree.git, every_file=True) if worktree.is_there else None
    made = _commits(git, inputs.head, branch) if branch else 0
    if seen is not None:
        made += len(snapshots.unreachable(worktree, inputs.run)) if not made else 0
    return {
        "there": seen is not None,
        "worktree": str(worktree.path),
        "branch": branch,
        "on_branch": seen is not None and seen.branch == inputs.branch,
        "unmerged": [layout.shown(path) for path in seen.unmerged[:MOST_NAMED]] if seen else [],
        "uncommitted": sum(1 for path in (*seen.changed, *seen.untracked) if _is_theirs(path)) if seen else 0,
        "commits": made,
        "files": _files(worktree, seen, inputs.snapshot) if seen else [],
    }


def _commits(git: Git, head: str, branch: str) -> int:
    """How many the branch has that were not collected; at least one if it was moved elsewhere."""
    if not head or branch == head or git.commit_of(head) is None:
        return 0
    return max(1, int(git.do("rev-list", "--count", branch, f"^{head}", "--")))


def _files(worktree: Worktree, seen: status.Status, snapshot: str) -> list[str]:
    """Those that are otherwise than in the snapshot; without one, all that are not committed."""
    dirty = {path for path in (*seen.changed, *seen.untracked) if _is_theirs(path)}
    git = worktree.objects
    if not snapshot or git.commit_of(snapshot) is None:
        return sorted(layout.shown(path) for path in dirty)[:MOST_NAMED]
    held = snapshots.look(worktree)
    if held.why_left_out:
        return sorted(layout.shown(path) for path in dirty)[:MOST_NAMED]
    argv = ("diff", "--no-renames", "--name-only", "-z", "--ignore-submodules=all", snapshot, held.tree)
    changed = {path for path in git.do(*argv, "--").split("\0") if path}
    # what is ignored is nobody's work: only what a commit has, or could have
    ignored = changed - dirty - _listed(git, f"{snapshot}^1") - _listed(git, seen.commit)
    return sorted(layout.shown(path) for path in changed - ignored if _is_theirs(path))[:MOST_NAMED]


def _listed(git: Git, commit: str) -> set[str]:
    if not commit or git.commit_of(commit) is None:
        return set()
    return set(git.do("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit).split("\0"))


def _is_theirs(path: str) -> bool:
    """Not what Toryo writes for agents, and no repository inside: that is nobody's file."""
    return not path.startswith(".aiagent/") and not path.endswith("/")


def _person(git: Git) -> dict[str, str]:
    """Who the repository's own settings say works there; ours where nobody is named."""
    found: dict[str, str] = {}
    for word, key in (("NAME", "user.name"), ("EMAIL", "user.email")):
        listed = git.run("config", "--show-scope", "--get-all", "-z", key).text.split("\0")
        pairs = list(zip(listed[::2], listed[1::2], strict=False))
        values = [value for scope, value in pairs if scope != "command" and value]
        if values:
            found |= {f"GIT_AUTHOR_{word}": values[-1], f"GIT_COMMITTER_{word}": values[-1]}
    return found
