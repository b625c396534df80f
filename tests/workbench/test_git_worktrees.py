"""Prepare: names, sparse scopes, crashes, merges, many at once."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benches import Bench, commit_only, files_in, make_bench, without
from repositories import commit_files, git, make_repository
from toryo.domain.naming import task_name
from toryo.domain.scopes import Scope
from toryo.protocol.kinds.scope import ScopeInputs
from toryo.workbench.git.door import layout
from toryo.workbench.git.keep import trash
from toryo.workbench.git.worktrees import begin_merge, sparse
from toryo.workbench.git.worktrees import prepare as worktrees
from toryo.workbench.git.worktrees.prepare import prepare

SECRETS = {
    ".env": "KEY=1\n",
    "secrets/key.pem": "k\n",
    "src/deep/.env": "KEY=2\n",
    "src/deep/secrets/more/key": "k\n",
    "src/app.py": "app\n",
    "README.md": "hello\n",
    ".toryo/config.yaml": "a: 1\n",
}
OPEN = {"src/app.py", "README.md", ".toryo/config.yaml"}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_bench(tmp_path)


def branches(repo: Path) -> set[str]:
    return set(git(repo, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").split("\n"))


def test_a_new_worktree_is_locked_on_its_own_branch_at_the_base(bench: Bench) -> None:
    made = bench.prepare("fix-t1")
    path = bench.repo / ".worktrees" / "fix-t1"
    assert (made.name, made.worktree, made.branch) == ("fix-t1", str(path), "agent/fix-t1")
    assert made.head == made.base == git(path, "rev-parse", "HEAD")
    assert git(path, "symbolic-ref", "HEAD") == "refs/heads/agent/fix-t1"
    assert git(path, "status", "--porcelain") == ""
    assert files_in(path) == {"README.md"}
    assert "locked toryo run r1" in git(bench.repo, "worktree", "list", "--porcelain")
    assert (path / ".aiagent" / "agents" / "worker").is_dir()
    assert git(bench.repo, "status", "--porcelain") == ""
    assert made.prompt_hash == "f" * 64
    before = json.loads((bench.runs / "r1" / "before.json").read_text())
    assert before["refs"] == {"refs/heads/main": made.base}


def test_the_ignore_file_for_agents_is_completed_not_replaced(bench: Bench) -> None:
    (bench.repo / ".aiagent").mkdir()
    (bench.repo / ".aiagent" / ".gitignore").write_text("mine\nlogs/\n")
    bench.prepare()
    assert (bench.repo / ".aiagent" / ".gitignore").read_text() == "mine\nlogs/\nagents/\n"


def test_titles_of_symbols_or_japanese_give_names_that_git_takes(bench: Bench) -> None:
    for title, expected in (
        ("日本語の題", "task-t7"),
        ("!?#..", "task-t7-2"),
        ("Mend: a/b\\c~^", "mend-a-b-c-t7"),
    ):
        made = bench.prepare(task_name(title, "t7"), run=f"r{expected}")
        assert made.branch == f"agent/{expected}"


def test_a_name_that_a_branch_a_folder_or_a_worktree_has_gets_a_number(bench: Bench) -> None:
    git(bench.repo, "branch", "agent/a")
    git(bench.repo, "pack-refs", "--all")
    (bench.repo / ".worktrees" / "b").mkdir(parents=True)
    git(bench.repo, "worktree", "add", "-q", "-b", "mine", str(bench.repo / ".worktrees" / "c"))
    git(bench.repo, "branch", "agent/d/sub")
    for name in "abcd":
        assert bench.prepare(name, run=f"r{name}").name == f"{name}-2"
    assert bench.prepare("a", run="again").name == "a-3"


def test_a_base_that_is_not_there_is_a_problem_not_an_exception(bench: Bench) -> None:
    made = prepare(bench.inputs(base="1" * 40), bench.runs / "r1")
    assert made.problem
    assert made.problem.code == "base_missing"
    assert branches(bench.repo) == {"main"}


def test_a_repository_that_moved_is_a_problem(bench: Bench) -> None:
    made = prepare(bench.inputs(repo=str(bench.repo) + "-gone"), bench.runs / "r1")
    assert made.problem
    assert made.problem.code == "repository_missing"


def test_worktrees_can_lie_under_another_root(bench: Bench, tmp_path: Path) -> None:
    assert bench.prepare(worktree_root=str(tmp_path / "far")).worktree == str(tmp_path / "far" / "fix-t1")
    bench.prepare("two", run="r2", worktree_root="wt")
    assert git(bench.repo, "status", "--porcelain") == ""


def test_excluded_files_are_absent_at_any_depth_though_read_is_everything(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, SECRETS)
    made = bench.prepare(scope=without(".env", "secrets/"))
    path = Path(made.worktree)
    assert files_in(path) == OPEN
    assert git(path, "status", "--porcelain") == ""
    # nothing was written for the user's own checkout
    assert (bench.repo / ".env").exists()
    assert git(bench.repo, "status", "--porcelain") == ""


def test_a_missions_ticked_list_is_not_in_its_worktrees_and_its_change_is_no_breach(tmp_path: Path) -> None:
    tasks = "specs/SPEC-1/tasks.md"
    bench = make_bench(tmp_path, {tasks: "- [ ] T001\n", "specs/SPEC-1/spec.md": "# What\n"})
    scope = ScopeInputs(write=("src/**",), kept_out=(tasks,))
    made = bench.prepare(scope=scope)
    path = Path(made.worktree)
    assert files_in(path) == {"specs/SPEC-1/spec.md"}
    assert git(path, "status", "--porcelain") == ""
    (path / tasks).write_text("- [x] T001\n")
    git(path, "add", "--sparse", tasks)
    (path / "src").mkdir()
    (path / "src/a.txt").write_text("a\n")
    git(path, "add", "src/a.txt")
    git(path, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-q", "-m", "work")
    seen = bench.collect(made, scope=scope)
    assert (seen.violations, seen.foreign) == ((), ())
    assert set(seen.changed_files) == {"src/a.txt", tasks}


def test_excluded_files_stay_absent_after_a_later_merge_that_brings_them(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    made = bench.prepare(scope=without(".env", "secrets/"))
    commit_only(bench.repo, {".env": "K\n", "a/secrets/x": "x\n", "new.txt": "n\n"})
    path = Path(made.worktree)
    git(path, "-c", "user.name=a", "-c", "user.email=a@localhost", "merge", "-q", "--no-edit", "main")
    assert files_in(path) == {"README.md", "new.txt"}


def test_a_narrow_scope_checks_out_what_it_reads_or_writes_and_the_settings(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, {**SECRETS, "docs/a.md": "a\n", "tests/t.py": "t\n"})
    scope = ScopeInputs(exclude=(".env", "secrets/"), read=("docs/",), write=("src/**",))
    made = bench.prepare(scope=scope)
    assert files_in(Path(made.worktree)) == {"docs/a.md", "src/app.py", ".toryo/config.yaml"}


def test_the_setting_is_mended_where_somebody_removed_it_or_excludes_would_not_hold(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, SECRETS)
    git(bench.repo, "config", "--unset", "extensions.worktreeConfig")
    made = bench.prepare(scope=without(".env", "secrets/"))
    assert files_in(Path(made.worktree)) == OPEN
    git(Path(made.worktree), "sparse-checkout", "reapply")
    assert files_in(Path(made.worktree)) == OPEN


NAMES = ["a", "b.py", ".env", "secrets", "x y", "src"]
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)
GLOBS = st.one_of(
    PATHS,
    PATHS.map(lambda path: path + "/"),
    PATHS.map(lambda path: path + "/**"),
    PATHS.map(lambda path: "/" + path),
    st.sampled_from(["*.py", "**/a", "src/*", "[ab]*", "?", "src/**/a", "x y", "**"]),
)


@pytest.fixture(scope="module")
def forest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with many of the paths that the patterns name."""
    folder = tmp_path_factory.mktemp("forest")
    tops = [f"{one}/{two}/{three}" for one in ("a", ".env", "src") for two in NAMES for three in NAMES]
    files = {f"{path}/f.txt" if path.endswith("src") else path: "x" for path in tops}
    make_repository(folder / "r", {**files, "b.py": "x", "x y": "x", "secrets/.env/a": "x", "top": "x"})
    return folder / "r"


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    read=st.lists(GLOBS, min_size=1, max_size=3),
    write=st.one_of(st.none(), st.lists(GLOBS, max_size=2)),
    exclude=st.lists(GLOBS, max_size=3),
)
def test_git_checks_out_exactly_what_the_scope_lets_read(
    forest: Path, read: list[str], write: list[str] | None, exclude: list[str]
) -> None:
    scope = Scope(tuple(exclude), tuple(read), None if write is None else tuple(write))
    lines = "".join(f"{line}\n" for line in sparse.patterns(scope))
    (forest / ".git" / "info" / "sparse-checkout").write_text(lines)
    on = ("-c", "core.sparseCheckout=true", "-c", "core.sparseCheckoutCone=false")
    git(forest, *on, "read-tree", "-m", "-u", "HEAD")
    tracked = git(forest, *on, "ls-files").split("\n")
    assert files_in(forest) == {path for path in tracked if scope.may_read(path)}


def test_ten_prepares_at_once_all_succeed_with_names_of_their_own(bench: Bench) -> None:
    def one(number: int) -> str:
        return bench.prepare("same", run=f"r{number}", scope=without(".env")).worktree

    with ThreadPoolExecutor(10) as crew:
        made = list(crew.map(one, range(10)))
    assert len(set(made)) == 10
    assert all(git(Path(path), "status", "--porcelain") == "" for path in made)


def test_a_prepare_that_comes_after_its_run_was_retired_makes_nothing_new(bench: Bench) -> None:
    first = bench.prepare("fix-t1")
    (bench.runs / "r1" / "started.json").write_text("{}")
    Path(first.worktree).rename(bench.repo.parent / "retired")
    before = branches(bench.repo)
    assert bench.prepare("fix-t1") == first
    assert not Path(first.worktree).exists()
    assert branches(bench.repo) == before


def test_a_complete_prepare_repeated_reports_the_same_worktree(bench: Bench) -> None:
    first = bench.prepare()
    (Path(first.worktree) / "left.txt").write_text("work\n")
    assert bench.prepare() == first
    assert (Path(first.worktree) / "left.txt").exists()


def test_a_half_made_worktree_is_trashed_and_made_again_under_its_name(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as crash:
        crash.setattr(worktrees, "_check_out", die)
        with pytest.raises(Killed):
            prepare(bench.inputs(), bench.runs / "r1")
    path = bench.repo / ".worktrees" / "fix-t1"
    assert files_in(path) == set()  # registered, not checked out
    (path / "half.txt").write_text("half\n")
    other = bench.prepare(run="r2")
    assert other.name == "fix-t1-2"
    again = bench.prepare()
    assert (again.name, files_in(path)) == ("fix-t1", {"README.md"})
    kept = trash.find(layout.common_dir(bench.repo), "r1-half")
    assert kept
    assert files_in(Path(kept.files)) == {"half.txt"}
    assert branches(bench.repo) == {"main", "agent/fix-t1", "agent/fix-t1-2"}


LOCKS = ("worktrees/fix-t1/index.lock", "worktrees/fix-t1/HEAD.lock", "refs/heads/agent/fix-t1.lock")
"""What a `git commit` leaves that was killed: by a reboot, a time limit, a stop."""


def test_locks_that_a_dead_git_of_a_run_left_are_gone_once_the_run_was_collected(bench: Bench) -> None:
    made = bench.prepare()
    locks = [layout.common_dir(bench.repo) / lock for lock in LOCKS]
    for lock in locks:
        lock.write_text("")
    bench.collect(made)
    assert all(lock.exists() for lock in locks)  # an outside agent's: nobody knows whether it lives
    (bench.runs / "r1" / "started.json").write_text("{}")
    assert bench.collect(made).problem is None
    assert not any(lock.exists() for lock in locks)


def test_locks_that_nobody_lets_go_do_not_keep_the_next_run_from_committing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(begin_merge, "INDEX_WAIT_S", 0.1)
    first = bench.prepare()
    for lock in LOCKS:
        (layout.common_dir(bench.repo) / lock).write_text("")
    again = bench.prepare(run="r2", existing=True)
    assert again.worktree == first.worktree
    assert commit_files(Path(again.worktree), {"work.txt": "work\n"})


def test_a_branch_made_just_before_a_crash_is_used_for_the_name_again(bench: Bench) -> None:
    inputs = bench.inputs()
    (bench.runs / "r1").mkdir(parents=True)
    intent = {"branch": "agent/fix-t1", "base": inputs.base}
    (bench.runs / "r1" / worktrees.INTENT).write_text(json.dumps(intent))
    git(bench.repo, "branch", "agent/fix-t1", inputs.base)
    assert bench.prepare().name == "fix-t1"


def test_a_later_run_uses_the_tasks_worktree_with_what_is_in_it(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    head = commit_files(path, {"a.txt": "a\n"})
    (path / "open.txt").write_text("not committed\n")
    again = bench.prepare(run="r2", existing=True)
    assert (again.worktree, again.branch, again.head) == (made.worktree, made.branch, head)
    assert (path / "open.txt").exists()


def test_a_missing_worktree_or_branch_of_a_later_run_is_a_problem(bench: Bench) -> None:
    made = bench.prepare()
    Path(made.worktree).rename(bench.repo.parent / "elsewhere")
    answer = prepare(bench.inputs(run="r2", existing=True), bench.runs / "r2")
    assert answer.problem
    assert answer.problem.code == "worktree_missing"
    (bench.repo.parent / "elsewhere").rename(made.worktree)
    git(bench.repo, "update-ref", "-d", "refs/heads/agent/fix-t1")
    answer = prepare(bench.inputs(run="r3", existing=True), bench.runs / "r3")
    assert answer.problem
    assert answer.problem.code == "branch_missing"


def test_a_worktree_whose_git_file_was_deleted_is_mended(bench: Bench) -> None:
    made = bench.prepare()
    (Path(made.worktree) / ".git").unlink()
    bench.prepare(run="r2", existing=True)
    assert git(Path(made.worktree), "symbolic-ref", "HEAD") == "refs/heads/agent/fix-t1"


def test_a_worktree_left_on_another_branch_comes_back_and_loses_nothing(bench: Bench) -> None:
    made = bench.prepare()
    path = Path(made.worktree)
    git(path, "checkout", "-q", "--detach")
    stray = commit_files(path, {"README.md": "stray\n"})
    (path / "README.md").write_text("dirty\n")
    again = bench.prepare(run="r2", existing=True)
    assert git(path, "symbolic-ref", "HEAD") == "refs/heads/agent/fix-t1"
    assert again.head == made.head
    kept = "refs/toryo/snapshots/r2/0"
    assert git(bench.repo, "show", f"{kept}:README.md") == "dirty"
    git(bench.repo, "merge-base", "--is-ancestor", stray, kept)


def conflicting(bench: Bench) -> str:
    """A worktree whose README.md conflicts with main's new commit; that commit."""
    made = bench.prepare(scope=without(".env", "secrets/"))
    commit_files(Path(made.worktree), {"README.md": "ours\n"})
    return commit_only(bench.repo, {"README.md": "theirs\n", ".env": "K\n", "other.txt": "o\n"})


def test_a_resolve_run_begins_with_the_merge_and_its_conflicts(bench: Bench) -> None:
    theirs = conflicting(bench)
    made = bench.prepare(run="r2", existing=True, merge=theirs, scope=without(".env", "secrets/"))
    path = Path(made.worktree)
    assert git(path, "rev-parse", "MERGE_HEAD") == theirs
    assert git(path, "diff", "--name-only", "--diff-filter=U") == "README.md"
    assert files_in(path) == {"README.md", "other.txt"}
    # killed before it could report: the begun merge, with what was resolved meanwhile, stays
    (path / "README.md").write_text("both\n")
    (bench.runs / "r2" / worktrees.MARKER).unlink()
    bench.prepare(run="r2", existing=True, merge=theirs, scope=without(".env", "secrets/"))
    assert (path / "README.md").read_text() == "both\n"


def test_leftovers_in_the_way_of_a_merge_are_snapshotted_then_cleared(bench: Bench) -> None:
    theirs = conflicting(bench)
    path = bench.repo / ".worktrees" / "fix-t1"
    (path / "other.txt").write_text("my own\n")
    bench.prepare(run="r2", existing=True, merge=theirs)
    assert git(path, "rev-parse", "MERGE_HEAD") == theirs
    assert git(bench.repo, "show", "refs/toryo/snapshots/r2/0:other.txt") == "my own"


def test_a_scope_that_changed_between_runs_is_applied(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, SECRETS)
    made = bench.prepare()
    assert (Path(made.worktree) / ".env").exists()
    bench.prepare(run="r2", existing=True, scope=without(".env", "secrets/"))
    assert files_in(Path(made.worktree)) == OPEN
