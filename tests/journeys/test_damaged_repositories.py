"""Repositories with something lost or in the way: the damage is named with a way out, nothing is written, and
work goes on once it was mended."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from house import House, build
from typed_commands import Done, refused, run, tree

from repositories import git, make_repository

FILES = {"README.md": "hello\n", "sub/file": "x\n"}


@pytest.fixture(scope="module")
def inn() -> Iterator[House]:
    root = Path(tempfile.mkdtemp(prefix="tj"))
    house = build(root)
    try:
        house.ok("up")
        yield house
    finally:
        house.close()
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture
def repo(inn: House) -> Iterator[Path]:
    path = make_repository(Path(tempfile.mkdtemp(dir=inn.root)) / "repo", FILES)
    yield path
    shutil.rmtree(path.parent)


def init(inn: House, repo: Path) -> Done:
    return run(("init", "--yes"), env=inn.env, cwd=repo)


def object_of(repo: Path, name: str) -> Path:
    found = git(repo, "rev-parse", name).strip()
    return repo / ".git" / "objects" / found[:2] / found[2:]


@contextmanager
def lost(path: Path, instead: bytes | None = None) -> Iterator[None]:
    """Gone, or something else in its place; put back afterwards."""
    kept = path.with_name(f"{path.name}.kept")
    path.rename(kept)
    if instead is not None:
        path.write_bytes(instead)
    yield
    if instead is not None:
        path.unlink()
    kept.rename(path)


@pytest.mark.parametrize("instead", [None, b"garbage"], ids=["lost", "corrupt"])
@pytest.mark.parametrize("name", ["HEAD", "HEAD^{tree}", "HEAD:sub"])
def test_init_names_lost_objects_and_writes_nothing(
    inn: House, repo: Path, name: str, instead: bytes | None
) -> None:
    with lost(object_of(repo, name), instead):
        before = tree(repo)
        told = refused(init(inn, repo))
        assert f"The repository {repo} is damaged: " in told
        assert f"Hint: `git -C {repo} fsck --full` names what is lost" in told
        assert tree(repo) == before
    assert init(inn, repo).code == 0


@pytest.mark.parametrize("text", [b"", b"garbage", b"\xff\0", b"ref: nowhere/x\n"], ids=repr)
def test_a_damaged_head_is_no_reason_to_make_a_new_repository(inn: House, repo: Path, text: bytes) -> None:
    with lost(repo / ".git" / "HEAD", text):
        before = tree(repo)
        told = refused(init(inn, repo))
        assert f"{repo / '.git'} is damaged: {repo / '.git' / 'HEAD'} names no branch and no commit." in told
        assert f"Hint: Name the branch that was checked out: `echo 'ref: refs/heads/BRANCH' > {repo}" in told
        assert tree(repo) == before
    assert init(inn, repo).code == 0


def test_the_rest_of_a_repository_is_not_taken_for_the_one_around_it(inn: House, repo: Path) -> None:
    inner = make_repository(repo / "inner", FILES)
    with lost(inner / ".git" / "HEAD", b"garbage"):
        before = tree(repo)
        told = refused(init(inn, inner / "sub"))
        assert f"{inner / '.git'} is damaged: {inner / '.git' / 'HEAD'} names no branch" in told
        assert tree(repo) == before
    assert init(inn, inner / "sub").code == 0
    assert (inner / ".toryo" / "config.yaml").exists()
    (inner / "link").symlink_to(make_repository(repo.parent / "other", FILES) / "sub")
    assert init(inn, inner / "link").code == 0
    assert (repo.parent / "other" / ".toryo" / "config.yaml").exists()


@pytest.mark.parametrize("name", ["objects", "refs"])
def test_a_git_directory_without_its_parts_is_damaged(inn: House, repo: Path, name: str) -> None:
    with lost(repo / ".git" / name):
        below = repo / "sub"
        told = refused(init(inn, below))
        assert f"{repo / '.git'} is damaged: {repo / '.git' / name} is not there." in told
        assert "git init" not in told


def test_a_broken_branch_is_not_taken_for_a_repository_without_commits(inn: House, repo: Path) -> None:
    with lost(repo / ".git" / "refs" / "heads" / "main", b"zzz\n"):
        told = refused(init(inn, repo))
        assert "refs/heads/main is no commit that can be read" in told
        assert "fsck" in told
    assert init(inn, repo).code == 0


def test_a_checkout_whose_git_directory_is_gone_says_where_that_was(inn: House, repo: Path) -> None:
    git(repo, "worktree", "add", "-q", str(repo.parent / "linked"))
    with lost(repo / ".git"):
        told = refused(init(inn, repo.parent / "linked"))
        assert f"{repo.parent / 'linked' / '.git'} is damaged: it names no git directory ({repo}" in told
        assert "git worktree repair" in told


@pytest.mark.parametrize(
    ("name", "make"),
    [
        (".toryo", Path.touch),
        (".worktrees", Path.touch),
        (".worktrees", lambda path: path.symlink_to("/nowhere")),
        (".aiagent", Path.touch),
    ],
    ids=["settings", "worktrees", "worktrees, a link", "agents' files"],
)
def test_init_names_what_lies_in_the_place_of_a_folder_and_writes_nothing(
    inn: House, repo: Path, name: str, make: Callable[[Path], None]
) -> None:
    make(repo / name)
    before = tree(repo)
    told = refused(init(inn, repo))
    assert f"{name} is " in told
    assert f"ove {name} away" in told or f"Move {repo / name} away (`mv " in told
    assert tree(repo) == before
    (repo / name).unlink()
    assert init(inn, repo).code == 0


def test_a_place_for_worktrees_that_the_settings_name_is_looked_at_too(inn: House, repo: Path) -> None:
    (repo / ".toryo").mkdir()
    (repo / ".toryo" / "config.yaml").write_text("worktrees: ../file/trees\n")
    (repo.parent / "file").touch()
    before = tree(repo)
    assert f"{repo.parent / 'file'} is not a folder" in refused(init(inn, repo))
    assert tree(repo) == before


def test_a_git_directory_that_cannot_be_written_is_nobodys_and_told_with_a_way_out(
    inn: House, repo: Path
) -> None:
    lock = repo / ".git" / "config.lock"
    lock.touch()
    before = tree(repo)
    told = refused(init(inn, repo))
    assert f"git could not write in {repo}: " in told
    assert f"Hint: If no git runs there: `rm {lock}`." in told
    (repo / ".git" / "toryo").rmdir()  # empty: nobody's marks are in it
    assert tree(repo) == before
    lock.unlink()
    (repo / ".git" / "toryo").touch()
    told = refused(init(inn, repo))
    assert f"{repo / '.git' / 'toryo'} cannot be written: File exists." in told
    assert f"Hint: `ls -ld {repo / '.git'}`" in told
    (repo / ".git" / "toryo").unlink()
    assert init(inn, repo).code == 0


@pytest.mark.long
@pytest.mark.parametrize("what", ["file", "commit", "tree", "blob", "head"])
def test_a_run_that_cannot_be_prepared_says_what_to_do_and_goes_on_when_it_was_done(
    make_house: Callable[..., House], what: str
) -> None:
    house = make_house()
    house.ok("init", "--yes", "--base", "main")
    house.agent("echo x > made && git add made && git commit -q -m made")
    place = house.repo / ".worktrees"
    names = {"commit": "main", "tree": "main^{tree}", "blob": "main:README.md"}
    if what == "file":
        place.touch()
        task = house.add("work")
        assert house.rest(task) == 1
        place.unlink()
        said = f"Move {place} away"
    elif what == "head":
        with lost(house.repo / ".git" / "HEAD", b"garbage"):
            task = house.add("work")
            assert house.rest(task) == 1
        said = f"{house.repo / '.git' / 'HEAD'} names no branch and no commit. Name the branch"
    else:
        with lost(object_of(house.repo, names[what])):
            task = house.add("work")
            assert house.rest(task) == 1
        said = f"`git -C {house.repo} fsck --full` names what is lost"
    assert house.state(task) == "needs_review prepare_failed"
    assert said in house.ok("task", "show", task), house.story(task)
    assert not list((house.repo / ".git").glob("worktrees/*")), "nothing half-made stays registered"
    house.ok("task", "retry", task)
    assert house.rest(task) == 0, house.story(task)
