"""What the scope excludes is never in an agent's worktree: whatever git the agent or Toryo runs there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benches import Bench, commit_only, files_in, make_bench, without
from repositories import commit_files, git
from toryo.protocol.kinds.gate import CheckInputs
from toryo.workbench.gates import checking
from toryo.workbench.git.worktrees.prepare import prepare

SCOPE = without(".env", "secrets/")
AGENT = ("-c", "user.name=a", "-c", "user.email=a@localhost")
SECRETS = {".env": "KEY=1\n", "secrets/key": "k\n", "src/secrets/more/key": "k\n", "src/.env": "K=2\n"}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path, {"README.md": "r\n", "src/app.py": "app\n", **SECRETS})


def secrets_in(path: Path) -> set[str]:
    return {name for name in files_in(path) if ".env" in name or "secrets" in name}


def moved_on(bench: Bench) -> str:
    """The target and its tip with other secrets, and more of them."""
    changed = dict.fromkeys(SECRETS, "newer\n")
    more = {"b/.env": "n\n", "b/secrets/new": "n\n", "other.txt": "o\n"}
    commit = commit_only(bench.repo, {**changed, **more})
    git(bench.repo, "update-ref", "refs/toryo/tips/main", commit)
    return commit


def merge(path: Path, commit: str) -> None:
    git(path, *AGENT, "merge", "-q", "--no-edit", commit)


def rebase(path: Path, commit: str) -> None:
    git(path, *AGENT, "rebase", "-q", commit)


def switch(path: Path, commit: str) -> None:
    git(path, "checkout", "-q", "--detach", commit)
    git(path, "checkout", "-q", "agent/fix-t1")
    git(path, "checkout", "-q", "--detach", commit)


def reset(path: Path, commit: str) -> None:
    git(path, "reset", "-q", "--hard", commit)


def pick(path: Path, commit: str) -> None:
    git(path, *AGENT, "cherry-pick", commit)


def stash(path: Path, commit: str) -> None:
    (path / "README.md").write_text("mine\n")
    git(path, *AGENT, "stash", "push", "-q", "-u")
    git(path, *AGENT, "merge", "-q", "--no-edit", commit)
    git(path, *AGENT, "stash", "pop", "-q")


@pytest.mark.parametrize("act", [merge, rebase, switch, reset, pick, stash])
def test_they_stay_absent_whatever_the_agent_brings_in(
    bench: Bench, act: Callable[[Path, str], None]
) -> None:
    made = bench.prepare(scope=SCOPE)
    path = Path(made.worktree)
    commit_files(path, {"src/app.py": "changed\n"})
    assert secrets_in(path) == set()
    act(path, moved_on(bench))
    assert secrets_in(path) == set()
    assert (path / "other.txt").exists()
    broken = {one.rule for one in bench.collect(made, scope=SCOPE).violations}
    assert broken == ({"exclude"} if act is pick else set())  # a copy of that commit is the run's own


def conflicting(bench: Bench, *names: str) -> tuple[Path, str]:
    """A worktree that changed these paths, which the target changed too."""
    made = bench.prepare(scope=SCOPE)
    path = Path(made.worktree)
    for name in names:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text("ours\n")
    git(path, "add", "--sparse", "--", *names)
    git(path, *AGENT, "commit", "-q", "-m", "ours")
    theirs = commit_only(bench.repo, {**dict.fromkeys(names, "THE SECRET\n"), "secrets/key": "newer\n"})
    return path, theirs


def test_a_resolve_run_whose_conflict_is_elsewhere_is_given_no_secret(bench: Bench) -> None:
    path, theirs = conflicting(bench, "README.md")
    bench.prepare(run="r2", existing=True, merge=theirs, scope=SCOPE)
    assert git(path, "diff", "--name-only", "--diff-filter=U") == "README.md"
    assert secrets_in(path) == set()


def test_a_conflict_within_a_secret_is_a_persons_and_the_secret_is_not_laid_open(bench: Bench) -> None:
    path, theirs = conflicting(bench, "README.md", ".env")
    head = git(path, "rev-parse", "HEAD")
    for _ in range(2):  # the same after a crash
        answer = prepare(bench.inputs(run="r2", existing=True, merge=theirs, scope=SCOPE), bench.runs / "r2")
        assert answer.problem
        assert (answer.problem.code, answer.problem.message) == (
            "conflict_excluded",
            "The conflict is in .env, which agents may not see. "
            "Merge main into agent/fix-t1 by hand, or retry.",
        )
        assert "THE SECRET" not in "".join((path / name).read_text() for name in files_in(path))
        assert (git(path, "rev-parse", "HEAD"), git(path, "status", "--porcelain")) == (head, "")


def test_a_secret_that_an_agents_own_merge_laid_open_is_gone_before_the_next_run(bench: Bench) -> None:
    path, theirs = conflicting(bench, ".env")
    with pytest.raises(AssertionError):
        merge(path, theirs)
    git(path, "checkout", "-q", "--theirs", "--ignore-skip-worktree-bits", "--", ".env")
    assert "THE SECRET" in (path / ".env").read_text()
    bench.prepare(run="r2", existing=True, scope=SCOPE)
    assert "THE SECRET" not in "".join((path / name).read_text() for name in files_in(path))
    assert "THE SECRET" in git(bench.repo, "show", "refs/toryo/snapshots/r2/0:.env")


def test_an_agent_that_widened_its_own_view_is_a_fact_and_the_next_run_sees_nothing(bench: Bench) -> None:
    made = bench.prepare(scope=SCOPE)
    path = Path(made.worktree)
    git(path, "sparse-checkout", "disable")
    assert secrets_in(path)
    seen = bench.collect(made, scope=SCOPE)
    assert ("config", "worktrees/fix-t1/config.worktree") in {(one.what, one.name) for one in seen.foreign}
    bench.prepare(run="r2", existing=True, scope=SCOPE)
    assert secrets_in(path) == set()
    git(path, "checkout", "-q", "HEAD", "--", ".")
    git(path, "update-index", "--no-skip-worktree", ".env")
    (path / ".env").write_text("KEY=1\n")
    bench.prepare(run="r3", existing=True, scope=SCOPE)
    assert secrets_in(path) == set()


@pytest.mark.parametrize("pattern", ["secrets/", "secrets/**", "/.env", "*.env", "src/secrets", "[s]ecrets/"])
def test_a_gate_leaves_out_what_a_worktree_leaves_out(bench: Bench, tmp_path: Path, pattern: str) -> None:
    scope = without(pattern)
    made = bench.prepare(scope=scope)
    listing = tmp_path / "listing"
    inputs = CheckInputs(
        repo=str(bench.repo),
        project="p1",
        commit=made.base,
        tree=git(bench.repo, "rev-parse", f"{made.base}^{{tree}}"),
        command=f"git ls-files -t | grep ^H | cut -c3- > {listing}; find . -type f > {listing}.all",
        exclude=scope.exclude,
    )
    checked, output = checking.check(inputs, tmp_path / "gates", tmp_path / "check", lambda: True)
    assert checked.result == "passed", output
    found = {name.removeprefix("./") for name in Path(f"{listing}.all").read_text().split()}
    assert {name for name in found if not name.startswith(".git/")} == files_in(Path(made.worktree))
    assert set(listing.read_text().split()) == files_in(Path(made.worktree))
