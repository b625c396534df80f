"""Two repositories that each define an agent `coder`: each works with its own prompt, command and scope."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from house import House

from repositories import git, make_repository
from waiting import eventually

MakeHouse = Callable[..., House]


def definition(word: str, folder: str) -> str:
    return (
        f"name: coder\nclient: command\nsystem_prompt: I am of {word}.\nscope: {{write: ['{folder}/**']}}\n"
        f"command: sh .toryo/{word}.sh {{prompt_file}}\n"
    )


def files_of(word: str) -> dict[str, str]:
    work = f'grep -q "I am of {word}" "$1" || exit 9\nmkdir -p {word}\necho {word} > {word}/work.txt\n'
    return {
        "README.md": "hello\n",
        ".toryo/config.yaml": "base: main\n",
        ".toryo/agents/coder.yaml": definition(word, word),
        f".toryo/{word}.sh": work + "git add -A && git commit -qm work\n",
    }


def in_repository(house: House, repo: Path, *argv: str) -> str:
    done = house.toryo(*argv, cwd=repo)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def land(house: House, repo: Path) -> str:
    task = str(json.loads(in_repository(house, repo, "task", "add", "Work", "--json"))["id"])
    house.toryo("task", "wait", task, "--timeout", "60", cwd=repo)
    return f"{task} {house.state(task)}"


def test_each_repository_works_with_its_own_agent_and_a_sync_changes_no_other(make_house: MakeHouse) -> None:
    house = make_house(files_of("front"), branch="main")
    front, back = house.repo, make_repository(house.root / "back", files_of("back"))
    in_repository(house, back, "init", "--yes")
    for repo, word in ((front, "front"), (back, "back")):
        assert land(house, repo).endswith("done"), house.story()
        assert git(repo, "show", f"main:{word}/work.txt") == word
    (back / ".toryo/agents/coder.yaml").write_text(definition("back", "elsewhere"))
    git(back, "commit", "-qam", "another scope")
    in_repository(house, back, "agent", "sync")
    git(front, "reset", "-q", "--hard", "HEAD~1")
    git(back, "rm", "-qr", "back")
    git(back, "commit", "-qm", "once more")
    eventually(lambda: house.read("status")["needs_you"], what="the reset of front is seen")
    in_repository(house, front, "target", "approve", "main")
    assert land(house, front).endswith("done"), house.story()
    assert land(house, back).endswith("needs_review scope_violation"), house.story()


def test_a_removed_project_leaves_the_page_and_the_other_repository_alone(make_house: MakeHouse) -> None:
    house = make_house(files_of("front"), branch="main")
    front, back = house.repo, make_repository(house.root / "back", files_of("back"))
    in_repository(house, back, "init", "--yes")
    in_repository(house, back, "task", "add", "Never", "--hold")
    eventually(lambda: house.read("status")["needs_you"])
    in_repository(house, back, "project", "remove", "--yes")
    assert git(back, "for-each-ref", "refs/toryo/", "refs/heads/agent/") == ""
    assert not (back / ".git" / "toryo").exists()
    told = house.read("status")
    assert ([one["name"] for one in told["projects"]], told["needs_you"]) == (["repo"], [])
    of_back = house.ok("events", "--project", "back").splitlines()
    assert "every trace of Toryo was taken out" in of_back[-1]
    assert not any("archived" in line for line in of_back)
    assert "back" not in house.ok("completion", "--names", "projects").split()
    assert land(house, front).endswith("done"), house.story()
