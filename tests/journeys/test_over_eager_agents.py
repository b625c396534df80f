"""Agents that reach beyond their worktree: each breach is a fact with its outcome, and all comes back."""

from __future__ import annotations

from collections.abc import Callable

from house import House

from repositories import git, make_repository
from waiting import eventually

MakeHouse = Callable[..., House]


def test_what_an_agent_does_to_the_users_things_is_named_and_can_be_had_back(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n", "b.txt": "b\n"}, branch="main")
    git(house.repo, "tag", "v1")
    (house.repo / "b.txt").write_text("stashed\n")
    git(house.repo, "stash", "push", "-q")
    (house.repo / "b.txt").write_text("an unsaved thought\n")
    before = git(house.repo, "rev-parse", "main")
    house.agent(
        f"echo new > a.txt; git add -A; git commit -qm work; cd {house.repo}\n"
        "git tag -d v1; git stash clear; git config alias.x status; echo exit 1 > .git/hooks/pre-push\n"
        "echo spoiled > b.txt; echo mine > strange.txt; git branch strange\n"
    )
    task = house.add("Spoil things")
    assert house.rest(task) == 0, house.story(task)
    shown = house.evidence(task)["foreign"]
    named = {(one["what"], one["name"]) for one in shown}
    assert named == {
        ("ref", "refs/tags/v1"),
        ("ref", "refs/heads/strange"),
        ("stash", "refs/stash"),
        ("config", "config"),
        ("hooks", "pre-push"),
        ("checkout", "b.txt"),
        ("checkout", "strange.txt"),
    }
    git(house.repo, "reflog", "expire", "--expire=now", "--all")
    git(house.repo, "gc", "-q", "--prune=now")
    kept = {one["name"]: one["kept"] for one in shown}
    assert git(house.repo, "rev-parse", f"{kept['refs/tags/v1']}^{{commit}}") == before
    assert git(house.repo, "show", f"{kept['refs/stash']}:b.txt") == "stashed"
    assert git(house.repo, "show", kept["b.txt"]) == "an unsaved thought"
    assert "alias" not in git(house.repo, "show", kept["config"])
    words = house.ok("evidence", task)
    assert "changed while it ran, by you or by the agent: hooks pre-push" in words
    assert f"by you or by the agent: checkout b.txt; as it was: git show {kept['b.txt']}" in words
    assert house.recomputed() == []


def test_a_branch_and_a_worktree_of_another_task_cost_nothing_but_a_look(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"})
    go = house.root / "go"
    house.agent(
        f"echo v > v.txt; git add -A; git commit -qm victim; touch {house.root}/works\n"
        f"while [ ! -e {go} ]; do sleep 0.05; done",
        name="victim",
    )
    house.agent(
        "git worktree remove -f -f ../victim*; git branch -D $(git branch --list 'agent/victim*' "
        "--format='%(refname:short)'); echo new > a.txt; git add -A; git commit -qm work",
        name="eager",
    )
    victim = house.add("Victim", "--agent", "victim")
    eventually((house.root / "works").exists, within_s=30)
    branch = house.task(victim)["branch"]
    head = git(house.repo, "rev-parse", branch)
    eager = house.add("Eager", "--agent", "eager")
    assert house.rest(eager) == 0, house.story(eager)
    found = {(one["what"], one["name"]): one for one in house.evidence(eager)["foreign"]}
    assert set(found) == {("ref", f"refs/heads/{branch}"), ("worktree", branch.removeprefix("agent/"))}
    assert git(house.repo, "rev-parse", found["ref", f"refs/heads/{branch}"]["kept"]) == head
    go.touch()
    assert house.rest(victim) == 1, house.story(victim)
    assert house.state(victim) == "needs_review worktree_missing"
    house.ok("task", "retry", victim)
    assert house.rest(victim) == 0, house.story(victim)
    assert house.text_on("v.txt") == "v"


def test_moving_the_target_from_a_worktree_is_seen_gated_and_cannot_hide_a_breach(
    make_house: MakeHouse,
) -> None:
    house = make_house({"a.txt": "old\n", "Makefile": "test:\n\ttest ! -e broken\n"})
    house.agent("echo x > broken; git add -A; git commit -qm bad; git update-ref refs/heads/main HEAD")
    task = house.add("Go round the gate")
    eventually(lambda: house.state(task).endswith("base_red"), within_s=60, what=house.state(task))
    assert ("ref", "refs/heads/main") in {
        (one["what"], one["name"]) for one in house.evidence(task)["foreign"]
    }
    tip = git(house.repo, "rev-parse", "refs/toryo/tips/main")
    assert "broken" not in git(house.repo, "ls-tree", "--name-only", tip)
    assert house.recomputed() == []


def test_links_secrets_and_renames_out_of_the_scope_wait_for_a_person(make_house: MakeHouse) -> None:
    house = make_house({"src/a.txt": "a\n", ".env": "KEY=1\n", "secrets/key": "k\n"})
    house.agent(
        "git merge -q main; ls -A > src/seen; ln -s ../.env src/link; git mv src/a.txt moved.txt\n"
        "mkdir -p secrets .toryo; echo k > secrets/mine; echo 'dod: {}' > .toryo/config.yaml\n"
        "git add -A --sparse; git commit -qm tricks"
    )
    task = house.add("Try everything", "--write", "src/**")
    assert house.rest(task) == 1
    assert house.state(task) == "needs_review scope_violation"
    found = {one["path"]: one["rule"] for one in house.evidence(task)["violations"]}
    assert found == {
        ".toryo/config.yaml": "settings",
        "moved.txt": "write",
        "secrets/mine": "exclude",
        "src/link": "link",
    }
    assert "violation: src/link (link)" in house.ok("evidence", task)
    house.ok("restore", task, "--to", str(house.root / "back"))
    back = house.root / "back"
    assert ".env" not in (back / "src" / "seen").read_text()
    assert not (back / ".env").exists()
    assert (back / "secrets" / "mine").read_text() == "k\n"
    assert not (back / "secrets" / "key").exists()


def test_a_conflict_within_a_secret_is_left_to_a_person(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "a\n", ".env": "KEY=1\n"}, branch="main")
    house.agent(
        f'echo "$TORYO_PURPOSE $(cat .env 2>/dev/null)" >> {house.root}/seen\n'
        "echo agents > .env; git add --sparse .env; git commit -qm touch"
    )
    task = house.add("Touch the secret")
    assert house.rest(task) == 1
    assert house.state(task) == "needs_review scope_violation"
    (house.repo / ".env").write_text("THE SECRET\n")
    git(house.repo, "commit", "-q", "-a", "-m", "my own")
    mine = git(house.repo, "rev-parse", "HEAD")
    eventually(lambda: git(house.repo, "rev-parse", "refs/toryo/tips/main") == mine, within_s=30)
    house.ok("task", "approve", task)
    eventually(lambda: house.state(task) == "needs_review conflict", within_s=60, what=house.state(task))
    assert "The conflict is in .env, which agents may not see." in house.task(task)["detail"]
    assert (house.root / "seen").read_text() == "implement \n"
    assert house.text_on(".env") == "THE SECRET"
    assert house.recomputed() == []


def test_a_repository_with_submodules_is_worked_in_and_what_a_run_leaves_in_one_comes_back(
    make_house: MakeHouse,
) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main", init=False)
    library = make_repository(house.root / "library", {"lib.txt": "lib\n"})
    allowed = ("-c", "protocol.file.allow=always")
    git(house.repo, *allowed, "submodule", "--quiet", "add", str(library), "libs/sub")
    git(house.repo, "commit", "-q", "-m", "submodule")
    assert "note: Submodules are empty in worktrees" in house.ok("init", "--yes")
    house.agent(
        "ls libs/sub; git -c protocol.file.allow=always submodule --quiet update --init\n"
        "echo changed > libs/sub/lib.txt; echo new > a.txt; git add a.txt; git commit -qm work"
    )
    task = house.add("Work beside a submodule")
    assert house.rest(task) == 0, house.story(task)
    assert (house.repo / "a.txt").read_text() == "new\n"
    assert house.task(task)["runs"][0]["kept_worktree"] == ""
    house.ok("restore", task, "--to", str(house.root / "back"))
    back = house.root / "back" / "libs" / "sub"
    assert (back / "lib.txt").read_text() == "changed\n"
    assert git(back, "rev-parse", "HEAD") == git(library, "rev-parse", "HEAD")
    assert git(house.repo, "status", "--porcelain") == "?? .toryo/"
