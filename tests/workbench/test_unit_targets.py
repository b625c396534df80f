"""Targets of units, their worktrees and files, and what is a unit's own work, on real git."""

from __future__ import annotations

from pathlib import Path

import pytest

from benches import Bench, commit_only, make_bench
from repositories import commit_files, git
from toryo.domain.units import CONTRACT
from toryo.protocol.kinds.landing import CandidateInputs, Head, Published, PublishInputs
from toryo.protocol.kinds.run import Prepared
from toryo.protocol.kinds.scope import ScopeInputs
from toryo.protocol.kinds.units import OpenTargetInputs, TargetOpened, UnitFile
from toryo.workbench.git.door import layout
from toryo.workbench.git.keep import snapshots
from toryo.workbench.git.landing import candidates, unit_targets
from toryo.workbench.git.publish import publish
from toryo.workbench.git.worktrees import unit_files
from toryo.workbench.git.worktrees.prepare import prepare

PRIVATE = ScopeInputs(private=CONTRACT)
TEXTS = {"r": "goal: x\n", "s": "children: []\n"}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


def unit(bench: Bench, run: str = "r1", **more: object) -> Prepared:
    wanted = (UnitFile(path="requirements.yml", blob="r"), UnitFile(path="children-status.yml", blob="s"))
    inputs = bench.inputs("root-t1", run, scope=PRIVATE, files=wanted, **more)
    made = prepare(inputs, bench.runs / run, text_of=TEXTS.__getitem__)
    assert made.problem is None, made.problem
    return made


def opened(bench: Bench, *, close: bool = False) -> TargetOpened:
    inputs = OpenTargetInputs(repo=str(bench.repo), target="agent/root-t1", close=close)
    return unit_targets.open_target(inputs)


def landing(bench: Bench, tip: str, *, name: str = "child-t2") -> tuple[str, str]:
    """A child's work merged onto the unit's tip: the landing and the child's head."""
    made = bench.prepare(name, f"run-{name}", base=tip, task="t2")
    head = commit_files(Path(made.worktree), {f"{name}.txt": "c\n"}, f"work of {name}")
    inputs = CandidateInputs(
        repo=str(bench.repo),
        target="agent/root-t1",
        tip=tip,
        heads=(Head(task="t2", branch=made.branch, commit=head),),
        message="Land it\n",
        date="2026-01-01T00:00:00Z",
        private=CONTRACT,
    )
    built = candidates.build(inputs, bench.runs / "bench")
    assert built.commit, built
    git(bench.repo, "update-ref", "refs/toryo/tips/agent/root-t1", built.commit)
    return built.commit, head


def published(bench: Bench, made: Prepared, old: str, new: str, *, run: str = "r1") -> Published:
    inputs = PublishInputs(
        repo=str(bench.repo), target=made.branch, old=old, new=new, set_aside=run, worktree=made.worktree
    )
    answer = publish.publish(inputs, bench.runs / "publish.json")
    assert isinstance(answer, Published), answer
    return answer


def test_a_units_target_is_opened_where_its_branch_stands_and_repeated_it_stays(bench: Bench) -> None:
    made = unit(bench)
    first = opened(bench)
    assert (first.problem, first.commit) == (None, made.head)
    newer = commit_files(Path(made.worktree), {"a.txt": "a\n"})
    assert opened(bench).commit == newer
    landed, _ = landing(bench, newer)
    again = opened(bench)
    assert again.commit == landed, "a tip that children landed on is not set back"
    assert again.tree == git(bench.repo, "rev-parse", f"{landed}^{{tree}}")


def test_a_target_without_its_branch_is_a_problem(bench: Bench) -> None:
    found = opened(bench)
    assert found.problem is not None
    assert found.problem.code == "branch_missing"


def test_a_closed_targets_ref_goes_unless_it_alone_holds_accepted_work(bench: Bench) -> None:
    made = unit(bench)
    tip = opened(bench).commit
    landed, _ = landing(bench, tip)
    assert not opened(bench, close=True).closed
    assert git(bench.repo, "rev-parse", "refs/toryo/tips/agent/root-t1") == landed
    published(bench, made, tip, landed)
    assert opened(bench, close=True).closed
    assert git(bench.repo, "for-each-ref", "refs/toryo/tips/agent/") == ""


def test_what_lies_in_a_units_worktree_is_kept_and_the_worktree_set_to_what_landed(bench: Bench) -> None:
    made = unit(bench)
    tip = opened(bench).commit
    landed, _ = landing(bench, tip)
    here = Path(made.worktree)
    (here / "README.md").write_text("mine\n")
    (here / "child-t2.txt").write_text("in the way\n")
    answer = published(bench, made, tip, landed)
    assert (answer.published, git(here, "rev-parse", "HEAD")) == (True, landed)
    assert (here / "child-t2.txt").read_text() == "c\n"
    assert git(here, "status", "--porcelain") == ""
    kept = {
        name: git(bench.repo, "show", f"{answer.snapshot}:{name}") for name in ("README.md", "child-t2.txt")
    }
    assert kept == {"README.md": "mine", "child-t2.txt": "in the way"}
    assert published(bench, made, tip, landed).published, "repeated, it is there already"


def test_a_publish_that_broke_off_between_files_and_branch_is_done_again_and_loses_nothing(
    bench: Bench,
) -> None:
    made = unit(bench)
    tip = opened(bench).commit
    landed, _ = landing(bench, tip)
    here = Path(made.worktree)
    (here / "README.md").write_text("mine\n")
    worktree = layout.find_worktree(bench.repo, here, made.branch)
    snapshots.take(worktree, "r1", f"aside-{landed[:12]}")
    git(here, "read-tree", "-u", "--reset", landed)
    answer = published(bench, made, tip, landed)
    assert git(bench.repo, "show", f"{answer.snapshot}:README.md") == "mine"
    assert (git(here, "rev-parse", "HEAD"), git(here, "status", "--porcelain")) == (landed, "")


def test_a_clean_worktree_is_set_without_a_snapshot_that_would_be_told(bench: Bench) -> None:
    made = unit(bench)
    tip = opened(bench).commit
    landed, _ = landing(bench, tip)
    assert published(bench, made, tip, landed).snapshot == ""


def test_files_of_a_unit_are_there_ignored_and_written_anew_at_each_run(bench: Bench) -> None:
    made = unit(bench)
    here = Path(made.worktree)
    assert (here / "requirements.yml").read_text() == "goal: x\n"
    assert git(here, "status", "--porcelain") == ""
    (here / "children-status.yml").write_text("children: [{unit_id: x, status: completed}]\n")
    (here / "task-breakdown.yml").write_text("tasks: []\n")
    assert git(here, "status", "--porcelain") == ""
    unit(bench, "r2", existing=True)
    assert (here / "children-status.yml").read_text() == "children: []\n", "it is right again"
    assert (here / "task-breakdown.yml").read_text() == "tasks: []\n"


def test_the_persons_own_ignored_files_stay_ignored_beside_a_units(bench: Bench, tmp_path: Path) -> None:
    own = tmp_path / "ignored by me"
    own.write_text("*.scratch")
    git(bench.repo, "config", "core.excludesFile", str(own))
    here = Path(unit(bench).worktree)
    (here / "a.scratch").write_text("x")
    (here / "task-breakdown.yml").write_text("x")
    (here / "seen.txt").write_text("x")
    assert git(here, "status", "--porcelain") == "?? seen.txt"
    (bench.repo / "task-breakdown.yml").write_text("x")
    assert "task-breakdown.yml" in git(bench.repo, "status", "--porcelain"), "only in the unit's worktree"


OURS = "parent_unit: root\ntotal_tasks: 1\ntasks:\n- {id: a, description: x, status: completed}\n"
WANTED = (UnitFile(path="task-breakdown.yml", blob="b"), UnitFile(path="children-status.yml", blob="s"))


@pytest.mark.parametrize(
    ("there", "stays"),
    [
        ("# mine\ntasks: [{id: a, description: x}]\n", False),
        ("tasks: [{id: a, description: x, status: pending}]\n", False),
        ("tasks: [{id: a, description: x, status: nearly}]\n", True),
        ("tasks: [{id: a, description: y}]\n", True),
        ("tasks: [{id: a, description: x}, {id: b, description: z}]\n", True),
        ("estimate: 3 days\ntasks: [{id: a, description: x}]\n", True),
        ("tasks: [", True),
    ],
)
def test_a_breakdown_is_written_anew_unless_it_holds_what_nobody_was_told(
    bench: Bench, there: str, stays: bool
) -> None:
    made = unit(bench)
    here = Path(made.worktree)
    (here / "task-breakdown.yml").write_text(there)
    (here / "children-status.yml").write_text("children: [{unit_id: x, status: completed}]\n")
    worktree = layout.find_worktree(bench.repo, here, made.branch)
    kept = unit_files.refresh(worktree, WANTED, {**TEXTS, "b": OURS}.__getitem__)
    assert kept == (("task-breakdown.yml",) if stays else ())
    assert (here / "task-breakdown.yml").read_text() == (there if stays else OURS)
    assert (here / "children-status.yml").read_text() == "children: []\n"
    assert git(here, "status", "--porcelain") == ""


def test_a_link_that_an_agent_left_in_place_of_a_file_is_not_followed(bench: Bench, tmp_path: Path) -> None:
    here = Path(unit(bench).worktree)
    (tmp_path / "precious").write_text("precious\n")
    (here / "children-status.yml").unlink()
    (here / "children-status.yml").symlink_to(tmp_path / "precious")
    unit(bench, "r2", existing=True)
    assert (tmp_path / "precious").read_text() == "precious\n"
    assert not (here / "children-status.yml").is_symlink()


def test_a_tracked_requirements_file_stays_an_ordinary_one(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, {"requirements.yml": "tracked: yes\n"})
    made = unit(bench)
    assert (Path(made.worktree) / "requirements.yml").read_text() == "tracked: yes\n"


def test_untracked_files_that_the_settings_name_are_copied_and_never_what_is_excluded(bench: Bench) -> None:
    (bench.repo / ".env.local").write_text("A=1\n")
    (bench.repo / ".env").write_text("SECRET=1\n")
    names = (".env.local", ".env", "README.md", "../outside")
    scope = ScopeInputs(exclude=(".env",), private=(*CONTRACT, *names))
    made = bench.prepare("root-t1", scope=scope, copies=names)
    here = Path(made.worktree)
    assert (here / ".env.local").read_text() == "A=1\n"
    assert not (here / ".env").exists()
    assert (here / "README.md").read_text() == "hello\n"
    assert git(here, "status", "--porcelain") == ""


def test_files_that_were_committed_all_the_same_do_not_land_and_break_no_scope(bench: Bench) -> None:
    made = unit(bench)
    tip = opened(bench).commit
    child = bench.prepare("child-t2", "r2", base=tip, scope=ScopeInputs(write=("src/**",), private=CONTRACT))
    files = {"src/a.txt": "a\n", "task-breakdown.yml": "tasks: []\n"}
    head = commit_files(Path(child.worktree), files)
    scope = ScopeInputs(write=("src/**",), private=CONTRACT)
    assert bench.collect(child, "r2", scope=scope, target=made.branch).violations == ()
    inputs = CandidateInputs(
        repo=str(bench.repo),
        target=made.branch,
        tip=tip,
        heads=(Head(task="t2", branch=child.branch, commit=head),),
        message="Land it\n",
        date="2026-01-01T00:00:00Z",
        private=CONTRACT,
    )
    built = candidates.build(inputs, bench.runs / "bench")
    assert built.restored == ("task-breakdown.yml",)
    assert "task-breakdown.yml" not in git(bench.repo, "ls-tree", "-r", "--name-only", built.commit)


def test_a_private_path_that_the_target_tracks_is_judged_like_any_file(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, {"requirements.yml": "tracked: yes\n"})
    made = bench.prepare("t1", base=git(bench.repo, "rev-parse", "main"))
    commit_only(Path(made.worktree), {"requirements.yml": "mine: yes\n", ".env.local": "A=1\n"})
    scope = ScopeInputs(write=("src/**",), private=(*CONTRACT, ".env.local"))
    found = bench.collect(made, scope=scope).violations
    assert [(one.path, one.rule) for one in found] == [("requirements.yml", "write")]


def test_a_units_own_work_is_what_it_committed_and_not_what_its_children_landed(bench: Bench) -> None:
    made = unit(bench)
    here = Path(made.worktree)
    own = commit_only(here, {"skeleton.txt": "s\n"}, "a skeleton")
    opened(bench)
    landed, _ = landing(bench, own)
    published(bench, made, own, landed)
    commit_only(here, {"src/join.txt": "j\n"}, "put together")
    seen = bench.collect(made, landed=(landed,), scope=ScopeInputs(write=("src/**",), private=CONTRACT))
    assert [line.subject for line in seen.log] == ["put together", "a skeleton"]
    assert (seen.commits, seen.changed_files) == (2, ("skeleton.txt", "src/join.txt"))
    assert [one.path for one in seen.violations] == ["skeleton.txt"], "its children's paths are theirs"


def test_what_a_unit_merges_itself_from_elsewhere_is_its_own_work(bench: Bench) -> None:
    made = unit(bench)
    here = Path(made.worktree)
    tip = opened(bench).commit
    landed, _ = landing(bench, tip)
    published(bench, made, tip, landed)
    git(here, "checkout", "-q", "-b", "aside", "main")
    commit_only(here, {"stray.txt": "x\n"}, "stray")
    git(here, "checkout", "-q", made.branch)
    git(here, "merge", "-q", "--no-ff", "-m", "take it", "aside")
    seen = bench.collect(made, landed=(landed,), scope=ScopeInputs(write=("src/**",), private=CONTRACT))
    assert "stray.txt" in [one.path for one in seen.violations]


def test_a_unit_that_only_has_its_childrens_work_has_no_commit_of_its_own(bench: Bench) -> None:
    made = unit(bench)
    tip = opened(bench).commit
    landed, _ = landing(bench, tip)
    published(bench, made, tip, landed)
    seen = bench.collect(made, landed=(landed,))
    assert (seen.commits, seen.new_commits, seen.head) == (0, 0, landed)


def test_what_a_unit_brings_is_counted_with_what_its_children_landed(bench: Bench) -> None:
    made = unit(bench)
    tip = opened(bench).commit
    landed, _ = landing(bench, tip)
    published(bench, made, tip, landed)
    here = Path(made.worktree)
    (here / "picture.bin").write_bytes(b"\0\1")
    commit_only(here, {"README.md": "other\nwords\n"})
    git(here, "add", "picture.bin")
    git(here, "commit", "-qm", "a picture")
    seen = bench.collect(made, landed=(landed,), counted=True)
    assert [(one.path, one.added, one.removed) for one in seen.stat] == [
        ("README.md", 2, 1),
        ("child-t2.txt", 1, 0),
        ("picture.bin", None, None),
    ]
    assert seen.stat_count == 3
    assert bench.collect(made, landed=(landed,)).stat == ()
