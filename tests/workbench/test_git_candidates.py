"""Candidates: deterministic merges onto the tip, with the tip's attributes and the user's merge drivers."""

from __future__ import annotations

from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository
from toryo.protocol.kinds.landing import CandidateBuilt, CandidateInputs, Head
from toryo.workbench.git.landing import candidates

TIP = "refs/toryo/tips/main"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", {"a.txt": "a\n", "b.txt": "b\n"})


def branch(repo: Path, name: str, files: dict[str, str], start: str = "main") -> Head:
    git(repo, "checkout", "-q", "-b", f"agent/{name}", start)
    commit = commit_files(repo, files, name)
    git(repo, "checkout", "-q", "main")
    return Head(task=f"t{name}", branch=f"agent/{name}", commit=commit)


def inputs(repo: Path, *heads: Head, tip: str = "", message: str = "Land it") -> CandidateInputs:
    if not tip:
        tip = git(repo, "rev-parse", "main")
        git(repo, "update-ref", TIP, tip)
    return CandidateInputs(
        repo=str(repo), target="main", tip=tip, heads=heads, message=message, date="2031-02-03T04:05:06Z"
    )


def build(order: CandidateInputs, tmp_path: Path) -> CandidateBuilt:
    return candidates.build(order, tmp_path / "benches")


def test_a_fast_forwardable_branch_still_becomes_a_merge_commit_with_the_orders_words(repo, tmp_path):
    head = branch(repo, "one", {"c.txt": "c\n"})
    order = inputs(repo, head, message="Land it\n\nTask: one")
    built = build(order, tmp_path)
    assert built.problem is None
    assert git(repo, "show", "-s", "--format=%P", built.commit) == f"{order.tip} {head.commit}"
    who = git(repo, "show", "-s", "--format=%an %ae %cn %aI %ct", built.commit)
    assert who == "Toryo toryo@localhost Toryo 2031-02-03T04:05:06+00:00 1927857906"
    assert git(repo, "show", "-s", "--format=%B", built.commit).strip() == "Land it\n\nTask: one"
    assert built.tree == git(repo, "rev-parse", f"{built.commit}^{{tree}}")
    assert git(repo, "rev-parse", f"refs/toryo/candidates/{built.commit}") == built.commit


def test_a_rebuilt_candidate_has_the_same_id_and_another_date_another_one(repo, tmp_path, monkeypatch):
    order = inputs(repo, branch(repo, "one", {"c.txt": "c\n"}))
    first = build(order, tmp_path)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    git(repo, "config", "commit.gpgSign", "true")
    git(repo, "config", "user.name", "Another Name")
    assert build(order, tmp_path) == first
    assert candidates.build(order, tmp_path / "elsewhere") == first
    assert build(order.model_copy(update={"date": "2031-02-03T04:05:07Z"}), tmp_path).commit != first.commit


def test_heads_are_merged_in_order_and_nothing_is_checked_out(repo, tmp_path):
    heads = [branch(repo, name, {f"{name}.txt": name}) for name in ("one", "two", "three")]
    built = build(inputs(repo, *heads), tmp_path)
    assert git(repo, "ls-tree", "--name-only", built.commit).split() == [
        "a.txt",
        "b.txt",
        "one.txt",
        "three.txt",
        "two.txt",
    ]
    spine = git(repo, "rev-list", "--first-parent", f"main..{built.commit}").split()
    assert [git(repo, "rev-parse", f"{commit}^2") for commit in spine] == [h.commit for h in reversed(heads)]
    assert git(repo, "status", "--porcelain") == ""
    assert len(git(repo, "worktree", "list").splitlines()) == 1


def test_a_conflict_names_its_paths_the_partner_and_the_task(repo, tmp_path):
    commit_files(repo, {"日本 語.txt": "x\n", "dir/ü\t.txt": "x\n"})
    fine = branch(repo, "fine", {"c.txt": "c\n"})
    head = branch(repo, "one", {"日本 語.txt": "theirs\n", "dir/ü\t.txt": "theirs\n", "a.txt": "theirs\n"})
    commit_files(repo, {"日本 語.txt": "ours\n", "dir/ü\t.txt": "ours\n"})
    order = inputs(repo, fine, head)
    built = build(order, tmp_path)
    assert built.conflict is not None
    assert sorted(built.conflict.paths) == ["dir/ü\t.txt", "日本 語.txt"]
    assert (built.conflict.partner, built.conflict.task, built.commit) == (order.tip, "tone", "")
    assert git(repo, "for-each-ref", "refs/toryo/candidates") == ""


def two_that_append(repo: Path, path: str) -> Head:
    commit_files(repo, {path: "first\n"})
    head = branch(repo, "one", {path: "first\nfrom the branch\n"})
    commit_files(repo, {path: "first\nfrom main\n"})
    return head


@pytest.mark.parametrize("folder", ["", "deep/er/"])
def test_a_union_driver_in_any_gitattributes_of_the_tip_is_honoured(repo, tmp_path, folder):
    commit_files(repo, {f"{folder}.gitattributes": "*.log merge=union\n"})
    head = two_that_append(repo, f"{folder}changes.log")
    built = build(inputs(repo, head), tmp_path)
    assert built.conflict is None
    text = git(repo, "show", f"{built.commit}:{folder}changes.log")
    assert text.split("\n") == ["first", "from main", "from the branch"]


def test_without_the_attribute_the_same_merge_conflicts_also_right_after_one_that_had_it(repo, tmp_path):
    commit_files(repo, {"deep/.gitattributes": "*.log merge=union\n"})
    head = two_that_append(repo, "deep/changes.log")
    assert build(inputs(repo, head), tmp_path).conflict is None
    git(repo, "rm", "-q", "deep/.gitattributes")
    git(repo, "commit", "-q", "-m", "no attributes")
    assert build(inputs(repo, head), tmp_path).conflict is not None


def test_uncommitted_attributes_of_the_users_checkout_do_not_count(repo, tmp_path):
    head = two_that_append(repo, "changes.log")
    order = inputs(repo, head)
    (repo / ".gitattributes").write_text("*.log merge=union\n")
    assert build(order, tmp_path).conflict is not None


def test_the_users_own_merge_driver_is_kept(repo, tmp_path):
    commit_files(repo, {"sub/.gitattributes": "*.gen merge=mine\n"})
    git(repo, "config", "merge.mine.driver", "printf 'made by mine\\n' > %A")
    head = two_that_append(repo, "sub/x.gen")
    built = build(inputs(repo, head), tmp_path)
    assert git(repo, "show", f"{built.commit}:sub/x.gen") == "made by mine"


def test_a_tip_that_moved_is_reported_as_stale(repo, tmp_path):
    head = branch(repo, "one", {"c.txt": "c\n"})
    order = inputs(repo, head)
    moved = commit_files(repo, {"d.txt": "d\n"})
    git(repo, "update-ref", TIP, moved)
    assert build(order, tmp_path) == CandidateBuilt(stale=moved)


def test_a_branch_that_is_contained_already_has_the_tip_itself_as_its_candidate(repo, tmp_path):
    head = branch(repo, "one", {"c.txt": "c\n"})
    git(repo, "merge", "-q", "--no-ff", "-m", "by hand", head.branch)
    order = inputs(repo, head)
    tip, tree = git(repo, "rev-parse", "main"), git(repo, "rev-parse", "main^{tree}")
    assert build(order, tmp_path) == CandidateBuilt(commit=tip, tree=tree)
    at_tip = Head(task="t2", branch="main", commit=tip)
    assert build(inputs(repo, at_tip), tmp_path) == CandidateBuilt(commit=tip, tree=tree)


def test_what_is_not_in_the_hub_is_a_problem_never_an_exception(repo, tmp_path):
    unknown = Head(task="t", branch="agent/x", commit="1" * 40)
    codes = [
        build(inputs(repo, unknown), tmp_path).problem,
        build(inputs(repo, unknown, tip="2" * 40).model_copy(update={"target": "none"}), tmp_path).problem,
        build(inputs(repo, unknown).model_copy(update={"repo": str(tmp_path / "gone")}), tmp_path).problem,
    ]
    assert [problem and problem.code for problem in codes] == ["unknown_commit", "no_tip", "no_repository"]


def test_histories_without_a_common_commit_are_a_problem(repo, tmp_path):
    git(repo, "checkout", "-q", "--orphan", "other")
    commit = commit_files(repo, {"z.txt": "z\n"})
    git(repo, "checkout", "-q", "main")
    problem = build(inputs(repo, Head(task="t", branch="other", commit=commit)), tmp_path).problem
    assert problem is not None
    assert "unrelated histories" in problem.message
