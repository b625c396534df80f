"""Collect: what a run left, and what it should have left alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benches import Bench, commit_only, make_bench
from repositories import commit_files, git
from toryo.protocol.kinds.scope import ScopeInputs
from toryo.protocol.kinds.work import Collected


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


def broken(collected: Collected) -> dict[str, str]:
    return {violation.path: violation.rule for violation in collected.violations}


def foreign(collected: Collected) -> set[tuple[str, str]]:
    return {(change.what, change.name) for change in collected.foreign}


def test_an_honest_run_is_described_and_nothing_is_held_against_it(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    commit_files(path, {"日本.txt": "a\n"}, "add a file\n\nwith a body")
    head = commit_files(path, {"src/b.txt": "b\n"}, "second")
    seen = bench.collect(made)
    assert seen.problem is None
    assert (seen.head, seen.branch, seen.commits, seen.new_commits) == (head, "agent/fix-t1", 2, 2)
    assert [line.subject for line in seen.log] == ["second", "add a file"]
    assert (seen.changed_files, seen.changed_count) == (("src/b.txt", "日本.txt"), 2)
    assert (seen.violations, seen.foreign, seen.unmerged, seen.kept_worktree) == ((), (), (), "")
    assert seen.snapshot
    assert seen.snapshot.uncommitted == ()


def test_a_run_without_a_commit_says_so_and_its_files_are_in_the_snapshot(bench: Bench) -> None:
    made = bench.prepare()
    (Path(made.worktree) / "left.txt").write_text("left\n")
    seen = bench.collect(made)
    assert (seen.commits, seen.new_commits, seen.changed_files) == (0, 0, ())
    assert seen.snapshot
    assert seen.snapshot.uncommitted == ("left.txt",)


def test_a_history_that_was_begun_anew_is_described_whole(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    git(path, "checkout", "-q", "--orphan", "anew")
    git(path, "rm", "-rqf", ".")
    head = commit_files(path, {"new.txt": "n\n"}, "anew")
    git(path, "branch", "-q", "-M", "anew", made.branch)
    seen = bench.collect(made)
    assert seen.problem is None
    assert (seen.head, seen.commits) == (head, 1)
    assert {"new.txt", "README.md"} <= set(seen.changed_files)
    assert seen.snapshot


def test_a_pattern_that_wants_more_tests_is_met_by_new_files_and_new_lines_only(tmp_path: Path) -> None:
    tests = ("deleted", "edited", "shorter", "moved", "longer")
    bench = make_bench(tmp_path, {f"{name}.test.js": f"one {name}\ntwo\nthree\n" for name in tests})
    made = bench.prepare()
    path = Path(made.worktree)
    (path / "deleted.test.js").unlink()
    git(path, "mv", "moved.test.js", "elsewhere.test.js")
    edits = {"edited.test.js": "one\ntwo\nthree\n", "shorter.test.js": "one\n"}
    more = {"longer.test.js": "one longer\ntwo\nthree\nfour\n", "new.test.js": "n\n", "日本/é.test.js": "n\n"}
    for name, text in (edits | more).items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(text)
    git(path, "add", "-A")
    git(path, "commit", "-qm", "edit tests")
    patterns = [f"{name}.test.js" for name in (*tests, "elsewhere", "new", "日本/é")]
    seen = bench.collect(made, wanted=patterns, more=patterns)
    assert seen.matched == tuple(patterns)
    assert seen.more == ("longer.test.js", "new.test.js", "日本/é.test.js")
    assert bench.collect(made, wanted=patterns).more is None


def test_a_later_run_counts_its_own_commits_beside_all_of_the_branch(bench: Bench) -> None:
    made = bench.prepare()
    commit_files(Path(made.worktree), {"a.txt": "a\n"})
    again = bench.prepare(run="r2", existing=True)
    commit_files(Path(made.worktree), {"b.txt": "b\n"})
    seen = bench.collect(again, run="r2")
    assert (seen.commits, seen.new_commits) == (2, 1)
    assert seen.changed_files == ("a.txt", "b.txt")


def test_each_path_names_the_strongest_rule_it_breaks(bench: Bench) -> None:
    made = bench.prepare()
    names = (".toryo/config.yaml", "secrets/k", "src/ok.py", "src/ci.yml", "docs/x.md")
    commit_files(Path(made.worktree), dict.fromkeys(names, "x\n"))
    scope = ScopeInputs(exclude=("secrets/",), write=("src/", ".toryo/", "secrets/"))
    seen = bench.collect(made, scope=scope, protected=("*.yml",))
    assert broken(seen) == {
        ".toryo/config.yaml": "settings",
        "secrets/k": "exclude",
        "docs/x.md": "write",
        "src/ci.yml": "protected",
    }


def test_a_breach_that_a_later_commit_took_back_is_still_one(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    commit_files(path, {"secrets/k": "k\n"})
    (path / "secrets" / "k").unlink()
    commit_files(path, {"ok.txt": "ok\n"})
    seen = bench.collect(made, scope=ScopeInputs(exclude=("secrets/",)))
    assert seen.changed_files == ("ok.txt",)
    assert broken(seen) == {"secrets/k": "exclude"}


def advance(bench: Bench, files: dict[str, str]) -> str:
    """A landing of another task: tip and branch move together."""
    commit = commit_only(bench.repo, files)
    git(bench.repo, "update-ref", "refs/toryo/tips/main", commit)
    return commit


def resolved(bench: Bench, *merging: str) -> Collected:
    made = bench.prepare()
    path = Path(made.worktree)
    commit_files(path, {"README.md": "ours\n"})
    tip = advance(bench, {"README.md": "theirs\n", "other/file.txt": "o\n"})
    again = bench.prepare(run="r2", existing=True, merge=tip if not merging else "")
    if merging:
        git(path, "merge", "-q", *merging, tip)
    commit_files(path, {"README.md": "both\n"}, "resolve")
    return bench.collect(again, run="r2", scope=ScopeInputs(write=("README.md",)))


def test_what_a_resolve_run_merged_from_the_target_is_not_its_change(bench: Bench) -> None:
    seen = resolved(bench)
    assert (seen.commits, seen.new_commits) == (2, 1)
    assert (seen.changed_files, seen.violations, seen.unmerged) == (("README.md",), (), ())


def test_a_merge_that_threw_the_targets_side_away_is_seen(bench: Bench) -> None:
    seen = resolved(bench, "-s", "ours", "--no-edit")
    assert broken(seen) == {"other/file.txt": "write"}


def test_a_persons_commit_on_a_branch_ahead_of_the_tip_is_not_an_outside_runs_work(bench: Bench) -> None:
    made = bench.prepare()
    commit_only(bench.repo, {".toryo/config.yaml": "dispatch: hold\n", "y.txt": "y\n"}, "mine")
    git(bench.repo, "checkout", "-q", "-b", "task-t1")
    commit_only(bench.repo, {"z.txt": "z\n"}, "work of the orchestrator")
    git(bench.repo, "checkout", "-q", "main")
    goals = ("y.txt", "z.txt")
    seen = bench.collect(made, brought="task-t1", wanted=goals, more=goals)
    assert (seen.problem, seen.commits, seen.changed_files) == (None, 1, ("z.txt",))
    assert (seen.violations, seen.matched, seen.more) == ((), ("z.txt",), ("z.txt",))


def test_conflicts_left_in_the_index_are_named(bench: Bench) -> None:
    made = bench.prepare()
    commit_files(Path(made.worktree), {"README.md": "ours\n"})
    tip = advance(bench, {"README.md": "theirs\n"})
    again = bench.prepare(run="r2", existing=True, merge=tip)
    seen = bench.collect(again, run="r2")
    assert seen.unmerged == ("README.md",)
    assert seen.snapshot
    git(bench.repo, "merge-base", "--is-ancestor", tip, seen.snapshot.commit)


def test_foreign_refs_config_hooks_and_checkout_changes_are_seen(bench: Bench) -> None:
    (bench.repo / "dirty.txt").write_text("the user's\n")
    made = bench.prepare()
    path = Path(made.worktree)
    git(path, "tag", "v9")
    git(path, "branch", "mine")
    git(path, "config", "alias.x", "status")
    (bench.repo / ".git" / "hooks" / "pre-commit").write_text("#!/bin/sh\n")
    (bench.repo / "README.md").write_text("edited from the run\n")
    (bench.repo / "dirty.txt").write_text("the user's, and more\n")
    assert foreign(bench.collect(made)) == {
        ("ref", "refs/tags/v9"),
        ("ref", "refs/heads/mine"),
        ("config", "config"),
        ("hooks", "pre-commit"),
        ("checkout", "README.md"),
        ("checkout", "dirty.txt"),
    }


def test_a_persons_commits_amends_and_resets_of_the_target_are_no_act_of_the_agent(bench: Bench) -> None:
    advance(bench, {"b.txt": "b\n", "c.txt": "c\n", "d.txt": "d\n"})
    git(bench.repo, "reset", "-q", "--hard")
    (bench.repo / "b.txt").write_text("half done\n")
    (bench.repo / "notes").mkdir()
    (bench.repo / "notes" / "n.txt").write_text("n\n")
    made = bench.prepare()
    git(bench.repo, "add", "b.txt", "notes")
    git(bench.repo, "commit", "-q", "-m", "mine")
    assert bench.collect(made).foreign == ()
    (bench.repo / "b.txt").write_text("better\n")
    git(bench.repo, "commit", "-q", "-a", "--amend", "-m", "mine, better")
    assert bench.collect(made, attempt=2).foreign == ()
    git(bench.repo, "reset", "-q", "--soft", "main~2")
    assert bench.collect(made, attempt=3).foreign == ()
    git(bench.repo, "reset", "-q", "--hard", "main")
    assert bench.collect(made, attempt=4).foreign == ()
    (bench.repo / "README.md").write_text("an edit that nobody committed\n")
    assert foreign(bench.collect(made, attempt=5)) == {("checkout", "README.md")}


def test_an_edit_that_a_reset_of_the_target_threw_away_was_thrown_away_by_the_person(bench: Bench) -> None:
    advance(bench, {"b.txt": "b\n"})
    git(bench.repo, "reset", "-q", "--hard")
    (bench.repo / "README.md").write_text("not to be kept\n")
    made = bench.prepare()
    git(bench.repo, "reset", "-q", "--hard", "main~1")
    assert bench.collect(made).foreign == ()


def test_a_target_put_on_the_runs_own_commits_from_its_worktree_is_foreign(bench: Bench) -> None:
    advance(bench, {"b.txt": "b\n"})
    made = bench.prepare()
    work = commit_files(Path(made.worktree), {"w.txt": "w\n"})
    git(bench.repo, "merge", "-q", "--ff-only", work)  # by a person, in their checkout
    assert bench.collect(made).foreign == ()
    git(bench.repo, "checkout", "-q", "--detach", "main~1")
    git(bench.repo, "branch", "-q", "-f", "main", "main~1")
    more = commit_files(Path(made.worktree), {"x.txt": "x\n"})
    git(Path(made.worktree), "update-ref", "refs/heads/main", more)
    assert ("ref", "refs/heads/main") in foreign(bench.collect(made, attempt=2))


def test_a_deleted_target_is_foreign_and_a_switch_of_the_persons_checkout_is_theirs(bench: Bench) -> None:
    made = bench.prepare()
    git(bench.repo, "checkout", "-q", "--detach")
    git(bench.repo, "branch", "-q", "-D", "main")
    assert foreign(bench.collect(made)) == {("ref", "refs/heads/main")}


def test_branches_commits_and_stashes_that_a_person_makes_in_their_checkout_are_no_act_of_the_agent(
    bench: Bench,
) -> None:
    made = bench.prepare()
    git(bench.repo, "switch", "-q", "-c", "topic")
    assert bench.collect(made).foreign == ()
    commit_files(bench.repo, {"mine.txt": "m\n"})
    (bench.repo / "README.md").write_text("half done\n")
    git(bench.repo, "stash", "push", "-q")
    git(bench.repo, "switch", "-q", "-")
    assert bench.collect(made, attempt=2).foreign == ()
    (bench.repo / "notes.txt").write_text("n\n")
    git(Path(made.worktree), "branch", "theirs", "topic~1")
    git(Path(made.worktree), "branch", "more", made.branch)
    assert foreign(bench.collect(made, attempt=3)) >= {("checkout", "notes.txt"), ("ref", "refs/heads/more")}


def test_a_stash_that_went_is_told_whatever_else_a_person_did(bench: Bench) -> None:
    (bench.repo / "README.md").write_text("kept\n")
    git(bench.repo, "stash", "push", "-q")
    made = bench.prepare()
    (bench.repo / "README.md").write_text("newer\n")
    git(bench.repo, "stash", "push", "-q")
    git(bench.repo, "stash", "drop", "-q", "stash@{1}")
    assert foreign(bench.collect(made)) == {("stash", "refs/stash")}


def test_what_toryo_itself_moved_is_not_foreign(bench: Bench) -> None:
    made = bench.prepare()
    other = bench.prepare("other", run="r2")
    commit_files(Path(other.worktree), {"o.txt": "o\n"})
    published = advance(bench, {"b.txt": "b\n"})
    git(bench.repo, "update-ref", "refs/toryo/candidates/x", published)
    assert bench.collect(made).foreign == ()
    # accepted further than published by now
    git(Path(other.worktree), "merge", "-q", "--no-edit", published)
    git(bench.repo, "update-ref", "refs/toryo/tips/main", "agent/other")
    assert bench.collect(made, attempt=2).foreign == ()


def test_commits_of_a_run_that_left_its_branch_are_kept_but_do_not_count(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    kept = commit_files(path, {"a.txt": "a\n"})
    git(path, "checkout", "-q", "--detach")
    stray = commit_files(path, {"stray.txt": "s\n"})
    seen = bench.collect(made)
    assert (seen.head, seen.commits, seen.changed_files) == (kept, 1, ("a.txt",))
    assert seen.snapshot
    git(bench.repo, "merge-base", "--is-ancestor", stray, seen.snapshot.commit)


def test_a_deleted_worktree_is_a_problem_with_what_the_branch_still_holds(bench: Bench) -> None:
    made = bench.prepare()
    head = commit_files(Path(made.worktree), {"a.txt": "a\n"})
    shutil.rmtree(made.worktree)
    seen = bench.collect(made)
    assert seen.problem
    assert seen.problem.code == "worktree_missing"
    assert (seen.head, seen.commits, seen.changed_files) == (head, 1, ("a.txt",))
    assert seen.snapshot
    git(bench.repo, "merge-base", "--is-ancestor", head, seen.snapshot.commit)


def test_a_deleted_branch_is_a_problem_and_its_commits_are_in_the_snapshot(bench: Bench) -> None:
    made = bench.prepare()
    head = commit_files(Path(made.worktree), {"a.txt": "a\n"})
    git(bench.repo, "update-ref", "-d", "refs/heads/agent/fix-t1")
    seen = bench.collect(made)
    assert seen.problem
    assert seen.problem.code == "branch_missing"
    assert seen.snapshot
    git(bench.repo, "merge-base", "--is-ancestor", head, seen.snapshot.commit)


def test_a_worktree_that_lost_its_git_file_never_reaches_the_users_checkout(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    (path / ".git").unlink()
    (path / "left.txt").write_text("left\n")
    (bench.repo / "users.txt").write_text("the user's\n")
    seen = bench.collect(made)
    assert seen.snapshot
    assert seen.snapshot.uncommitted == ("left.txt",)


def test_the_list_of_changed_files_is_bounded_and_counted(bench: Bench) -> None:
    made = bench.prepare()
    commit_files(Path(made.worktree), {f"n/{number}.txt": "x" for number in range(1010)})
    seen = bench.collect(made, scope=ScopeInputs(write=("n/",)))
    assert (len(seen.changed_files), seen.changed_count) == (1000, 1010)
