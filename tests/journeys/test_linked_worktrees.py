"""Commands typed in a linked worktree: its project is known, and work starts from and lands on its branch."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from house import House

from repositories import commit_files, git

FOLDER = "specs/002-greeting"
TASKS = "# Tasks: Greeting\n\n## Phase 1: Setup\n\n- [ ] T001 Greet in hello.txt\n"
WORK = "echo hello > hello.txt; git add -A; git commit -qm work"


@pytest.fixture
def house(make_house: Callable[..., House]) -> House:
    """The base is `main`, which is checked out in the repository itself."""
    house = make_house({"Makefile": "test:\n\ttrue\n"}, branch="main")
    house.agent(WORK)
    house.ok("planner", "use", "--url", "http://127.0.0.1:9/v1", "--model", "tea")
    return house


def linked(house: House, name: str, *words: str) -> Path:
    """A worktree beside the repository."""
    git(house.repo, "worktree", "add", "-q", *words, str(house.root / name))
    return house.root / name


def typed(house: House, folder: Path, *words: str) -> str:
    done = house.toryo(*words, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_spec_kit_folder_of_a_linked_worktree_is_taken_in_and_lands_on_its_branch(house: House) -> None:
    feature = linked(house, "feature", "-b", "feature")
    folder = feature / FOLDER
    folder.mkdir(parents=True)
    (folder / "spec.md").write_text("# Feature Specification: Greeting\n")
    (folder / "tasks.md").write_text(TASKS)
    refused = house.toryo("do", "--from", FOLDER, cwd=feature)
    assert refused.returncode == 1
    assert f"git add {FOLDER} && git commit" in refused.stderr
    commit_files(feature, {}, "docs: greeting")
    done = house.toryo("do", "--from", "002-greeting", "--yes", cwd=feature / "specs", limit_s=180)
    assert done.returncode == 0, done.stdout + done.stderr + house.story()
    assert "lands on feature\n" in done.stdout
    assert "hello.txt" in house.files_on("feature") - house.files_on("main")
    assert "- [x] T001" in house.text_on(f"{FOLDER}/tasks.md", "feature")
    assert (feature / "hello.txt").exists(), "the checkout follows"
    shown = json.loads(typed(house, feature, "mission", "list", "--json"))["missions"]
    written = json.loads(typed(house, feature, "mission", "export", shown[0]["id"], "--force", "--json"))[
        "wrote"
    ]
    assert {Path(one).parents[2] for one in written} == {feature}


def test_a_sentence_in_a_linked_worktree_lands_on_its_branch_and_an_agents_branch_is_left_alone(
    house: House,
) -> None:
    inner = linked(house, "repo/inner", "-b", "inner")
    assert "lands on inner" in typed(house, inner, "do", "Greet", "--no-wait")
    of_an_agent = ("--lock", "--reason", "toryo run r1", "-b", "agent/y")
    for words, why in (
        (("-b", "agent/x"), "agent/x is an agent's"),
        (("--detach",), "no branch is checked"),
        (of_an_agent, "this is the worktree of an agent"),
    ):
        told = typed(house, linked(house, words[0], *words), "do", "Greet", "--no-wait")
        assert "lands on main\n" in told
        assert f"note: {why}" in told
    git(house.repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(house.repo), "sub")
    told = typed(house, house.repo / "sub", "do", "Greet", "--no-wait")
    assert "lands on main\nnote: this is another repository" in told


def test_every_verb_knows_the_project_of_a_linked_worktree(house: House) -> None:
    beside = linked(house, "beside", "-b", "feature")
    task = json.loads(typed(house, beside, "task", "add", "Greet", "--json"))["id"]
    assert house.rest(task) == 0, house.story(task)
    assert "hello.txt" in house.files_on("main"), "a task without --onto lands on the base"
    for words in (
        ("task", "list"),
        ("mission", "list"),
        ("agent", "show", "worker"),
        ("project", "show"),
        ("target", "show", "main"),
        ("branch", "show", "feature"),
        ("why", "main"),
        ("memory", "list"),
        ("status",),
    ):
        typed(house, beside, *words)
