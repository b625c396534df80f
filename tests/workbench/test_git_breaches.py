"""Breaches: what a run wrote outside its scope, and what it did to things that are not its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from benches import Bench, commit_only, make_bench
from repositories import commit_files, git, make_repository
from toryo.protocol.kinds.scope import ScopeInputs
from toryo.protocol.kinds.work import Collected, Foreign
from toryo.workbench.git.trash.retire import clean

SCOPE = ScopeInputs(exclude=("secrets/",), write=("src/",))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path, {"README.md": "hello\n", "src/a.py": "a\n", "docs/d.md": "d\n"})


def committed(bench: Bench, **more: object) -> dict[str, str]:
    """What the commits in the worktree of `r1` break, by path."""
    path = bench.repo / ".worktrees" / "fix-t1"
    git(path, "add", "-A", "--sparse")
    git(path, "commit", "-q", "-m", "tricks")
    made = bench.prepare()
    seen = bench.collect(made, scope=SCOPE, **more)
    return {violation.path: violation.rule for violation in seen.violations}


def test_a_mode_a_rename_out_of_the_scope_and_a_deletion_are_writes(bench: Bench) -> None:
    path = Path(bench.prepare().worktree)
    (path / "README.md").chmod(0o755)
    git(path, "mv", "src/a.py", "moved.py")
    git(path, "rm", "-q", "docs/d.md")
    assert committed(bench) == {"README.md": "write", "moved.py": "write", "docs/d.md": "write"}


def test_links_that_lead_out_or_to_what_is_excluded_are_breaches_and_others_are_not(bench: Bench) -> None:
    path = Path(bench.prepare().worktree)
    (path / "src" / "deep").mkdir()
    for name, target in {
        "src/absolute": "/etc/passwd",
        "src/out": "../../../README.md",
        "src/deep/out": "../../..",
        "src/secret": "../secrets/key",
        "src/secrets-folder": "../secrets",
        "src/git": "../.git/config",
        "src/fine": "../README.md",
        "src/deep/fine": "../a.py",
        "docs-link": "src",
    }.items():
        (path / name).symlink_to(target)
    broken = committed(bench)
    assert broken.pop("docs-link") == "write"
    assert set(broken.values()) == {"link"}
    assert sorted(broken) == [
        "src/absolute",
        "src/deep/out",
        "src/git",
        "src/out",
        "src/secret",
        "src/secrets-folder",
    ]


def test_the_settings_folder_is_the_settings_folder_as_link_file_or_in_capitals(bench: Bench) -> None:
    path = Path(bench.prepare().worktree)
    (path / ".toryo").symlink_to("src")
    (path / ".Toryo").mkdir()
    (path / ".Toryo" / "config.yaml").write_text("checks: []\n")
    assert committed(bench) == {".toryo": "settings", ".Toryo/config.yaml": "settings"}


def test_a_repository_committed_by_accident_is_a_breach_and_a_submodule_is_not(
    bench: Bench, tmp_path: Path
) -> None:
    path = Path(bench.prepare().worktree)
    make_repository(path / "src" / "embedded", {"e.txt": "e\n"})
    inner = make_repository(tmp_path / "inner")
    git(path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "src/sub")
    assert committed(bench) == {".gitmodules": "write", "src/embedded": "embedded"}


def test_a_protected_file_behind_a_rename_is_seen(bench: Bench) -> None:
    commit_only(bench.repo, {"src/ci.yml": "steps\n"})
    path = Path(bench.prepare().worktree)
    git(path, "mv", "src/ci.yml", "src/other.txt")
    assert committed(bench, protected=("*.yml",)) == {"src/ci.yml": "protected"}


# ── what is not its own ───────────────────────────────────────────────────────────────────────────────


def kept(bench: Bench, seen: Collected, name: str) -> str:
    """What a foreign change was before, as git shows it after the user's own gc."""
    found = next(one for one in seen.foreign if one.name == name)
    assert found.kept, found
    git(bench.repo, "reflog", "expire", "--expire=now", "--all")
    git(bench.repo, "gc", "-q", "--prune=now")
    return git(bench.repo, "show", found.kept)


def test_the_users_edits_settings_and_hooks_can_be_had_back(bench: Bench) -> None:
    hook = bench.repo / ".git" / "hooks" / "pre-push"
    hook.write_text("#!/bin/sh\necho mine\n")
    hook.chmod(0o755)
    git(bench.repo, "config", "alias.mine", "status")
    (bench.repo / "docs" / "d.md").write_text("an unsaved thought\n")
    (bench.repo / "untracked.txt").write_text("never added\n")
    made = bench.prepare()
    path = Path(made.worktree)
    hook.write_text("#!/bin/sh\nexit 1\n")
    git(path, "config", "alias.mine", "!rm -rf /")
    (bench.repo / ".git" / "info" / "exclude").write_text("*\n")
    (bench.repo / "docs" / "d.md").write_text("overwritten\n")
    (bench.repo / "untracked.txt").unlink()
    (bench.repo / "README.md").write_text("overwritten too\n")
    seen = bench.collect(made)
    assert {(one.what, one.name) for one in seen.foreign} == {
        ("hooks", "pre-push"),
        ("config", "config"),
        ("config", "info/exclude"),
        ("checkout", "docs/d.md"),
        ("checkout", "untracked.txt"),
        ("checkout", "README.md"),
    }
    assert "echo mine" in kept(bench, seen, "pre-push")
    assert "mine = status" in kept(bench, seen, "config")
    assert kept(bench, seen, "docs/d.md") == "an unsaved thought"
    assert kept(bench, seen, "untracked.txt") == "never added"
    assert kept(bench, seen, "README.md") == "hello"
    assert bench.collect(made).foreign == seen.foreign  # told again after a crash


def test_moved_and_deleted_refs_and_dropped_stashes_can_be_had_back(bench: Bench) -> None:
    for text in ("older", "newer"):
        (bench.repo / "README.md").write_text(f"{text}\n")
        git(bench.repo, "stash", "push", "-q")
    git(bench.repo, "tag", "-a", "v1", "-m", "words of a tag")
    git(bench.repo, "branch", "topic")
    topic = commit_only(bench.repo, {"t.txt": "t\n"}, "only on topic")
    git(bench.repo, "branch", "-f", "topic", topic)
    git(bench.repo, "reset", "-q", "--hard", "HEAD~1")
    made = bench.prepare()
    path = Path(made.worktree)
    git(path, "stash", "clear")
    git(path, "tag", "-d", "v1")
    git(path, "branch", "-q", "-D", "topic")
    git(path, "update-ref", "refs/heads/main", commit_files(path, {"x.txt": "x\n"}))
    seen = bench.collect(made)
    named = {one.name: one for one in seen.foreign}
    assert {"refs/stash", "refs/tags/v1", "refs/heads/topic", "refs/heads/main"} <= set(named)
    assert "words of a tag" in kept(bench, seen, "refs/tags/v1")
    assert "only on topic" in kept(bench, seen, "refs/heads/topic")
    stashes = git(bench.repo, "for-each-ref", "--format=%(refname)", "refs/toryo/foreign/r1/stash-*").split()
    assert sorted(git(bench.repo, "show", f"{ref}:README.md") for ref in stashes) == ["newer", "older"]
    assert named["refs/stash"].kept in stashes


def strange(bench: Bench, seen: Collected) -> set[tuple[str, str]]:
    def short(one: Foreign) -> tuple[str, str]:
        return one.what, one.name

    return {short(one) for one in seen.foreign}


def test_another_tasks_branch_and_worktree_and_the_users_own_are_missed(bench: Bench, tmp_path: Path) -> None:
    git(bench.repo, "worktree", "add", "-q", "-b", "mine", str(tmp_path / "mine"))
    other = bench.prepare("other", run="r2")
    head = commit_files(Path(other.worktree), {"o.txt": "o\n"})
    made = bench.prepare()
    path = Path(made.worktree)
    git(path, "worktree", "remove", "-f", "-f", other.worktree)
    git(path, "branch", "-q", "-D", other.branch)
    git(path, "worktree", "remove", str(tmp_path / "mine"))
    git(path, "worktree", "add", "-q", "--detach", str(tmp_path / "agents-own"))
    seen = bench.collect(made)
    assert strange(bench, seen) == {
        ("ref", "refs/heads/agent/other"),
        ("worktree", "other"),
        ("worktree", "mine"),
        ("worktree", "agents-own"),
    }
    assert git(bench.repo, "rev-parse", "refs/toryo/foreign/r1/refs/heads/agent/other") == head
    theirs = bench.collect(other, run="r2")
    assert theirs.problem
    assert theirs.problem.code == "branch_missing"


def test_what_toryo_retired_meanwhile_is_not_missed_nor_what_it_made(bench: Bench) -> None:
    other = bench.prepare("other", run="r2")
    made = bench.prepare()
    assert clean(bench.clean_inputs(other, run="r2")).freed
    bench.prepare("third", run="r3")
    assert bench.collect(made).foreign == ()
    assert not (bench.runs / "r1" / "before").exists()


def test_a_name_that_was_taken_does_not_make_the_run_miss_its_own_branch(bench: Bench) -> None:
    git(bench.repo, "branch", "agent/fix-t1")
    made = bench.prepare()
    assert made.name == "fix-t1-2"
    commit_files(Path(made.worktree), {"x.txt": "x\n"})
    assert bench.collect(made).foreign == ()
