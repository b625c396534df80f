"""Survey and adopt, on real repositories."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from benches import make_bench
from repositories import commit_files, git, make_repository
from toryo.protocol.kinds.repository import (
    Adopted,
    AdoptInputs,
    CheckFound,
    KnownTarget,
    Surveyed,
    SurveyInputs,
)
from toryo.workbench.git.inspect import survey as survey_module
from toryo.workbench.git.inspect.settings_files import MOST_SETTINGS
from toryo.workbench.git.inspect.survey import survey
from toryo.workbench.git.worktrees.adopt import adopt


def look(path: Path, base: str = "") -> Surveyed:
    return survey(SurveyInputs(path=str(path), base=base), {})


def code(fact: Surveyed | Adopted) -> str:
    return fact.problem.code if fact.problem else ""


def take(repo: Path, installation: str = "here", project: str = "p1", **more: Any) -> Adopted:
    return adopt(AdoptInputs(path=str(repo), project=project, installation=installation, base="main", **more))


def test_a_repository_is_described(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    git(repo, "branch", "other")
    check = CheckFound(type="test", command="make test")
    found = survey(
        SurveyInputs(path=str(repo)), {"claude": "/bin/claude"}, (check,), ("make",), ("Makefile",)
    )
    assert found.problem is None
    clients = {"claude": "/bin/claude"}
    assert (found.root, found.git_dir) == (str(repo), str(repo / ".git"))
    assert (found.base, found.head_branch) == ("main", "main")
    assert found.base_commit == git(repo, "rev-parse", "main")
    assert found.base_tree == git(repo, "rev-parse", "main^{tree}")
    assert set(found.branches) == {"main", "other"}
    assert (found.clients, found.checks) == (clients, (check,))
    assert (found.setup, found.setup_inputs) == (("make",), ("Makefile",))
    assert found.settings_from == "none"
    assert not found.lfs
    assert not found.submodules
    assert not found.project


def test_the_root_is_the_top_of_the_main_worktree_from_a_folder_or_a_linked_worktree(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", {"a/b/c.txt": "c\n"})
    git(repo, "worktree", "add", "-q", "-b", "mine", str(tmp_path / "linked"))
    assert look(repo / "a" / "b").root == str(repo)
    linked = look(tmp_path / "linked")
    assert (linked.root, linked.base) == (str(repo), "main")


def test_a_linked_worktree_has_a_branch_of_its_own_checked_out(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", {"a/b.txt": "b\n"})
    linked = tmp_path / "linked"
    git(repo, "worktree", "add", "-q", "-b", "mine", str(linked))
    found = [look(path) for path in (repo, linked, linked / "a")]
    assert [(one.head_branch, one.base) for one in found] == [("main", "main"), *[("mine", "main")] * 2]
    git(linked, "checkout", "-q", "--detach")
    git(repo, "checkout", "-q", "-b", "other")
    assert [look(path, base="main").head_branch for path in (linked, repo)] == ["", "other"]


def test_what_is_no_repository_is_refused_with_a_way_out(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        found = look(path)
        assert code(found) == "not_a_repository"
        assert found.problem
        assert found.problem.hint


def test_a_repository_without_a_commit_is_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    assert code(look(tmp_path)) == "no_commits"


def test_bare_and_shallow_repositories_are_refused(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    commit_files(repo, {"a.txt": "a\n"})
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repo}", "shallow")
    assert code(look(tmp_path / "bare.git")) == "bare"
    assert code(look(tmp_path / "shallow")) == "shallow"


def test_a_git_that_is_too_old_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey_module, "OLDEST_GIT", (99, 0))
    assert code(look(make_repository(tmp_path / "repo"))) == "old_git"


def test_a_worktree_of_toryo_is_not_surveyed_as_a_project(tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    found = look(Path(bench.prepare().worktree))
    assert code(found) == "inside_worktree_of_toryo"
    assert found.problem
    assert str(bench.repo) in found.problem.hint


def test_a_missing_branch_and_a_detached_head_are_refused(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    assert code(look(repo, base="nope")) == "branch_missing"
    git(repo, "checkout", "-q", "--detach")
    assert code(look(repo)) == "branch_missing"
    assert look(repo, base="main").base == "main"


def test_settings_come_from_the_base_branchs_commit(tmp_path: Path) -> None:
    repo = make_repository(
        tmp_path / "repo", {".toryo/config.yaml": "a: 1\n", ".toryo/prompts/x.md": "日本\n"}
    )
    (repo / ".toryo" / "config.yaml").write_text("a: 2\n")
    found = look(repo)
    assert found.settings_files == {"config.yaml": "a: 1\n", "prompts/x.md": "日本\n"}
    assert found.settings_from == "commit"
    assert found.settings_tree == git(repo, "rev-parse", "main:.toryo")


def test_uncommitted_settings_count_only_where_the_commit_has_none(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    folder = repo / ".toryo"
    folder.mkdir()
    (folder / "config.yaml").write_text("a: 1\n")
    (folder / "link.yaml").symlink_to("/etc/hostname")
    (folder / "large.md").write_text("x" * 300_000)
    (folder / "binary").write_bytes(b"\0\1")
    found = look(repo)
    assert found.settings_files == {"config.yaml": "a: 1\n"}
    assert found.settings_from == "working copy"
    before = found.settings_tree
    (folder / "config.yaml").write_text("a: 2\n")
    assert look(repo).settings_tree != before


def test_a_config_that_is_not_committed_counts_beside_committed_agents(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", {".toryo/agents/coder.yaml": "client: claude\n"})
    assert (look(repo).settings_from, set(look(repo).settings_files)) == ("commit", {"agents/coder.yaml"})
    (repo / ".toryo" / "config.yaml").write_text("a: 1\n")
    (repo / ".toryo" / "agents" / "coder.yaml").write_text("client: codex\n")
    found = look(repo)
    assert found.settings_files == {"agents/coder.yaml": "client: claude\n", "config.yaml": "a: 1\n"}
    assert found.settings_from == "working copy"
    assert found.settings_tree == git(repo, "rev-parse", "main:.toryo")
    assert found.uncommitted == ("agents/coder.yaml",)


def test_links_and_large_files_in_committed_settings_are_left_out(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    (repo / ".toryo").mkdir()
    (repo / ".toryo" / "link.yaml").symlink_to("/etc/hostname")
    commit_files(repo, {".toryo/config.yaml": "a: 1\n", ".toryo/large.md": "x" * 300_000})
    assert look(repo).settings_files == {"config.yaml": "a: 1\n"}


UNREADABLE = [
    ("config.yaml", b"base: main\n\xff\xfe\n", "UTF-8"),
    ("config.yaml", "base: main\n".encode("utf-16"), "UTF-8"),
    ("config.yaml", b"base: main\n# " + b"x" * 300_000, "256 kB"),
    ("config.yaml", None, "link"),
    ("agents/ann.yaml", b"\0\1", "UTF-8"),
    ("prompts/ann.md", None, "link"),
    ("agents", None, "link"),
]


def put(repo: Path, name: str, content: bytes | None) -> None:
    path = repo / ".toryo" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        path.symlink_to("/etc/hostname")
    else:
        path.write_bytes(content)


@pytest.mark.parametrize(("name", "content", "why"), UNREADABLE)
@pytest.mark.parametrize("committed", [True, False])
def test_settings_that_cannot_be_read_are_a_problem_and_never_no_settings(
    tmp_path: Path, name: str, content: bytes | None, why: str, committed: bool
) -> None:
    repo = make_repository(tmp_path / "repo")
    put(repo, name, content)
    if committed:
        commit_files(repo, {})
    found = look(repo)
    assert found.problem
    assert found.problem.code == "settings_unreadable"
    assert f".toryo/{name}" in found.problem.message
    assert why in found.problem.message
    assert found.problem.hint


@pytest.mark.parametrize("committed", [True, False])
def test_a_settings_folder_that_is_a_link_is_a_problem(tmp_path: Path, committed: bool) -> None:
    repo = make_repository(tmp_path / "repo")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "config.yaml").write_text("base: main\n")
    (repo / ".toryo").symlink_to(tmp_path / "elsewhere")
    if committed:
        commit_files(repo, {})
    assert code(look(repo)) == "settings_unreadable"


def test_a_folder_in_the_place_of_the_settings_is_a_problem(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", {".toryo/config.yaml/x": "x\n"})
    assert code(look(repo)) == "settings_unreadable"


def test_what_decides_nothing_may_be_unreadable(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", {".toryo/config.yaml": "a: 1\n"})
    for name in ("memory/a.md", "agents/.DS_Store", "notes.bin"):
        put(repo, name, b"\0\1")
    commit_files(repo, {})
    assert look(repo).settings_files == {"config.yaml": "a: 1\n"}


def test_settings_are_bounded_by_the_bytes_that_they_take_in_a_line(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", {".toryo/config.yaml": "a: 1\n"})
    for number in range(6):
        put(repo, f"memory/{number}.md", ("あ" * 80_000).encode())
    for number in range(3):
        put(repo, f"memory/c{number}.md", b"\x01" * 100_000)
    commit_files(repo, {})
    files = look(repo).settings_files
    assert "config.yaml" in files
    assert len(json.dumps(files, ensure_ascii=False).encode()) <= MOST_SETTINGS
    assert len(files) > 2


def test_settings_that_are_too_large_together_are_a_problem(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", {".toryo/config.yaml": "a: 1\n"})
    for number in range(4):
        put(repo, f"prompts/{number}.md", b"x" * 250_000)
    found = look(repo)
    assert code(found) == "", "not committed, so not in force"
    commit_files(repo, {})
    found = look(repo)
    assert code(found) == "settings_unreadable"
    assert found.problem
    assert "prompts/" in found.problem.message


def test_submodules_and_lfs_are_reported(tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner")
    repo = make_repository(tmp_path / "repo", {"big/.gitattributes": "*.bin filter=lfs diff=lfs\n"})
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "libs/inner")
    git(repo, "commit", "-q", "-m", "submodule")
    found = look(repo)
    assert found.lfs
    assert found.submodules == ("libs/inner",)


def test_adopting_writes_ids_excludes_the_setting_and_the_tip_and_tells_so(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    exclude = repo / ".git" / "info" / "exclude"
    exclude.write_text("mine.txt")
    adopted = take(repo)
    assert (adopted.project, adopted.owner) == ("p1", "here")
    assert adopted.tip == git(repo, "rev-parse", "refs/toryo/tips/main") == git(repo, "rev-parse", "main")
    assert adopted.tip_tree == git(repo, "rev-parse", "main^{tree}")
    assert exclude.read_text() == "mine.txt\n.aiagent/\n.worktrees/\n"
    assert git(repo, "config", "extensions.worktreeConfig") == "true"
    assert len(adopted.wrote) == 6
    found = look(repo)
    assert (found.project, found.owner) == ("p1", "here")


def test_adopting_again_keeps_the_id_and_the_tip(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    first = take(repo)
    commit_files(repo, {"a.txt": "a\n"})
    again = take(repo, project="p2")
    assert (again.project, again.tip) == ("p1", first.tip)
    assert again.wrote == ()
    assert (repo / ".git" / "info" / "exclude").read_text().count(".worktrees/") == 1


def test_another_installation_is_refused_until_it_takes_over(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    take(repo)
    refused = take(repo, installation="there")
    assert code(refused) == "owned_elsewhere"
    assert refused.problem
    assert "--take-over" in refused.problem.hint
    assert look(repo).owner == "here"
    taken = take(repo, installation="there", take_over=True)
    assert (taken.owner, taken.project) == ("there", "p1")
    assert look(repo).owner == "there"


def test_who_takes_over_finds_the_tip_where_it_left_it_and_sees_the_branch_from_there(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    ours = take(repo).tip
    theirs = commit_files(repo, {"a.txt": "a\n"})
    git(repo, "update-ref", "refs/toryo/tips/main", theirs)
    known = KnownTarget(name="main", tip=ours, published=ours)
    taken = take(repo, installation="there", take_over=True, targets=(known,))
    assert taken.tip == git(repo, "rev-parse", "refs/toryo/tips/main") == ours
    assert [(one.commit, one.relation, one.tip) for one in taken.seen] == [(theirs, "ahead", ours)]


def test_a_tip_that_is_lost_is_not_put_back(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    theirs = take(repo).tip
    known = KnownTarget(name="main", tip="1" * 40, published=theirs)
    assert take(repo, installation="there", take_over=True, targets=(known,)).tip == theirs


def test_a_checkout_named_in_the_config_is_moved_where_worktrees_do_not_share_it(tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner")
    outer = make_repository(tmp_path / "outer")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    sub = outer / "sub"
    assert take(sub).problem is None
    assert git(sub, "rev-parse", "--show-toplevel") == str(sub)
    git(sub, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "x")
    assert git(tmp_path / "linked", "rev-parse", "--show-toplevel") == str(tmp_path / "linked")
    assert look(sub).root == str(sub)


def test_a_folder_beside_a_repository_with_a_package_json_is_proposed_for_its_worktrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repository(tmp_path / "shop")
    assert look(repo).worktrees == ""
    (repo / "package.json").write_text("{}\n")
    assert look(repo).worktrees == "../shop.worktrees"
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "shop.worktrees" / "own"))
    assert look(repo).worktrees == "../shop.worktrees"
    (tmp_path / "shop.worktrees" / "notes.txt").write_text("somebody's\n")
    assert look(repo).worktrees == "../shop.worktrees-2"
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert (look(repo).worktrees, look(repo).stays_inside) == ("", "not_writable")
    make_repository(tmp_path / "outer")
    inner = make_repository(tmp_path / "outer" / "shop")
    (inner / "package.json").write_text("{}\n")
    assert (look(inner).worktrees, look(inner).stays_inside) == ("", "another_repository")
