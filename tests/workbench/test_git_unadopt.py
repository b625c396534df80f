"""Everything of Toryo's goes out of a repository, nobody's work does, and it may be interrupted anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from benches import Bench, make_bench
from repositories import commit_files, git
from toryo.protocol.kinds.repository import AdoptInputs, Unadopted, UnadoptInputs
from toryo.workbench.git.trash.retire import clean
from toryo.workbench.git.worktrees import unadopt as removal
from toryo.workbench.git.worktrees.adopt import adopt
from toryo.workbench.git.worktrees.unadopt import unadopt


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


def taken_out(bench: Bench, **more: object) -> Unadopted:
    inputs = {
        "repo": str(bench.repo),
        "project": "p1",
        "installation": "here",
        "bundle": str(bench.runs / "removed" / "p1.bundle"),
        "extension": True,
    }
    return unadopt(UnadoptInputs(**(inputs | more)))


def traces(repo: Path) -> str:
    """The git directory's own files, and every ref: without objects and what git itself notes of the past."""
    names = [str(path.relative_to(repo)) for path in repo.rglob("*") if path.is_file()]
    kept = [name for name in sorted(names) if not name.startswith((".git/objects", ".git/logs"))]
    files = (".git/config", ".git/info/exclude")
    return "\n".join([*kept, *(repo.joinpath(name).read_text() for name in files), git(repo, "for-each-ref")])


def test_a_repository_is_left_without_a_trace(bench: Bench) -> None:
    made = bench.prepare()
    commit_files(Path(made.worktree), {"a.txt": "a\n"})
    bench.collect(made)
    git(bench.repo, "merge", "-q", "--ff-only", made.branch)
    assert clean(bench.clean_inputs(made)).freed
    bench.prepare("idle", "r2")
    told = taken_out(bench)
    assert (told.problem, told.done) == (None, True)
    left = traces(bench.repo)
    assert "toryo" not in left
    assert "agent/" not in left
    assert "worktree" not in left
    assert git(bench.repo, "worktree", "list", "--porcelain").count("worktree ") == 1
    assert not (bench.repo / ".worktrees").exists()
    assert taken_out(bench) == Unadopted(done=True), "repeated, there is nothing left"


@pytest.mark.parametrize("touched", ["no", "changed", "joined", "committed"])
def test_settings_that_only_init_wrote_go_and_those_that_a_person_touched_stay(
    bench: Bench, touched: str
) -> None:
    config = bench.repo / ".toryo" / "config.yaml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("base: main\n")
    about = {"path": str(bench.repo), "project": "p1", "installation": "here", "base": "main"}
    assert adopt(AdoptInputs(**about, written=(".toryo/config.yaml",))).problem is None
    match touched:
        case "changed":
            config.write_text("base: main\nsetup: [make]\n")
        case "joined":
            (config.parent / "mine.md").write_text("m\n")
        case "committed":
            git(bench.repo, "add", ".toryo")
            git(bench.repo, "commit", "-q", "-m", "settings")
    would = taken_out(bench, dry_run=True)
    assert config.exists()
    told = taken_out(bench)
    assert (".toryo/config.yaml" in told.removed, config.parent.exists()) == (
        touched == "no",
        touched != "no",
    )
    assert would.removed == told.removed


def test_work_stays_and_is_named_with_the_line_that_removes_it(bench: Bench) -> None:
    left, ahead = bench.prepare("left", "r1"), bench.prepare("ahead", "r2")
    (Path(left.worktree) / "draft.txt").write_text("draft\n")
    head = commit_files(Path(ahead.worktree), {"a.txt": "a\n"})
    told = taken_out(bench)
    assert (Path(left.worktree) / "draft.txt").read_text() == "draft\n"
    assert git(bench.repo, "rev-parse", ahead.branch) == head
    assert not Path(ahead.worktree).exists()
    for line in (f"git worktree remove --force {left.worktree}", f"git branch -D {ahead.branch}"):
        assert any(f"`{line}`" in one for one in told.kept), told.kept
        git(bench.repo, *line.split()[1:])
    assert "agent/left" in git(bench.repo, "for-each-ref"), "a branch that is checked out stays"


def test_what_only_our_refs_hold_comes_back_from_the_bundle(bench: Bench) -> None:
    made = bench.prepare()
    (Path(made.worktree) / "draft.txt").write_text("draft\n")
    snapshot = bench.collect(made).snapshot
    assert snapshot is not None
    assert clean(bench.clean_inputs(made)).freed
    told = taken_out(bench)
    assert git(bench.repo, "for-each-ref", "refs/toryo") == ""
    git(bench.repo, "fetch", "-q", told.bundle, "refs/toryo/*:refs/restored/*")
    assert git(bench.repo, "show", f"{snapshot.commit}:draft.txt") == "draft"
    assert snapshot.commit in git(bench.repo, "for-each-ref", "refs/restored")


def test_a_dry_run_says_the_same_and_changes_nothing(bench: Bench) -> None:
    bench.prepare()
    (Path(bench.prepare("left", "r2").worktree) / "draft.txt").write_text("draft\n")
    before = traces(bench.repo)
    would = taken_out(bench, dry_run=True)
    assert traces(bench.repo) == before
    told = taken_out(bench)
    assert (would.removed, would.done) == (told.removed, False)
    assert would.kept == tuple(one for one in told.kept if "bundle" not in one)


@pytest.mark.parametrize("step", ["_branches", "_refs", "_settings", "_aiagent", "_own_folder"])
def test_an_interrupted_removal_is_finished_by_the_next(bench: Bench, monkeypatch, step: str) -> None:
    made = bench.prepare()
    (Path(made.worktree) / "draft.txt").write_text("draft\n")
    bench.collect(made)
    clean(bench.clean_inputs(made))

    def dies(_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(removal, step, dies)
        with pytest.raises(KeyboardInterrupt):
            taken_out(bench)
    assert taken_out(bench).done
    assert "toryo" not in traces(bench.repo)
    bundles = sorted((bench.runs / "removed").glob("*.bundle"))
    assert len(bundles) == 1, "what was secured once is not written over"


def test_another_projects_or_installations_repository_is_not_touched(bench: Bench) -> None:
    before = traces(bench.repo)
    for wrong, code in (({"project": "p2"}, "other_project"), ({"installation": "there"}, "owned_elsewhere")):
        problem = taken_out(bench, **wrong).problem
        assert problem is not None
        assert problem.code == code
    assert traces(bench.repo) == before


def test_settings_of_the_user_stay(bench: Bench) -> None:
    exclude = bench.repo / ".git" / "info" / "exclude"
    exclude.write_text(f"mine\n{exclude.read_text()}also mine")
    git(bench.repo, "config", "--worktree", "core.sparseCheckout", "true")
    told = taken_out(bench)
    assert [line for line in exclude.read_text().splitlines() if not line.startswith("#")] == [
        "mine",
        "also mine",
    ]
    assert git(bench.repo, "config", "extensions.worktreeConfig") == "true"
    assert any("worktreeConfig" in one for one in told.kept)
    again = AdoptInputs(path=str(bench.repo), project="p2", installation="here", base="main")
    assert adopt(again).problem is None, "and it may be adopted again"
