"""Trees of units on real git: agents that divide the work themselves, each landing one level up."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from house import House

from repositories import git
from waiting import eventually

UNIT = """\
set -e
cd "$TARGET_REPO"
echo "$UNIT_ID $TORYO_PURPOSE" >> {said}
case "$UNIT_ID $TORYO_PURPOSE" in
{cases}
*integrate) ;;
*)
    echo "by $UNIT_ID" > "$UNIT_ID.txt"
    git add "$UNIT_ID.txt" && git commit -qm "work of $UNIT_ID" ;;
esac
"""


def breakdown(*ids: str, more: str = "") -> str:
    listed = "".join(f"  - {{id: {one}, description: 'Part {one}.'{more}}}\n" for one in ids)
    return f"tasks:\n{listed}"


def splits(unit: str, *ids: str) -> str:
    """The case of a unit that divides its work."""
    text = breakdown(*ids)
    return (
        f"'{unit} decompose')\n    cat > task-breakdown.yml <<'END'\n{text}END\n"
        "    toryo spawn --from-breakdown ;;"
    )


def a_tree(house: House, *cases: str) -> Path:
    """An agent whose units do what the cases say; the file that has who ran for what."""
    said = house.root / "said"
    house.agent(UNIT.format(said=said, cases="\n".join(cases)))
    (house.repo / "requirements.yml").write_text("goal: three small files\n")
    return said


def units(house: House) -> dict[str, dict[str, str]]:
    return {one["unit"]: one for one in json.loads(house.ok("unit", "tree", "--json"))["units"]}


def test_a_parent_that_lives_reads_in_its_files_that_its_child_has_landed(
    make_house: Callable[..., House],
) -> None:
    house = make_house()
    both = "children-status.yml task-breakdown.yml"
    seen = f'until [ "$(grep -l completed {both} | wc -l)" = 2 ]; do sleep 0.1; done'
    waits = f"--from-breakdown\n    {seen}\n    cat task-breakdown.yml > {house.root}/read ;;"
    lives = splits("root", "one").replace("--from-breakdown ;;", waits)
    a_tree(house, lives)
    house.read("spawn", "--yes", "--onto", "main")
    assert house.rest("root", limit_s=80) == 0, house.story("root") + house.ok("unit", "tree")
    (task,) = yaml.safe_load((house.root / "read").read_text())["tasks"]
    assert task == {"id": "one", "description": "Part one.", "status": "completed"}


def test_two_children_land_on_the_roots_branch_and_the_root_on_the_base(
    make_house: Callable[..., House],
) -> None:
    house = make_house()
    said = a_tree(house, splits("root", "one", "two"))
    begun = house.read("spawn", "--yes", "--onto", "main")
    before = git(house.repo, "rev-parse", "main")
    assert house.rest("root", limit_s=80) == 0, house.story("root") + house.ok("unit", "tree")
    assert {name: one["status"] for name, one in units(house).items()} == {
        "root": "done",
        "root-one": "done",
        "root-two": "done",
    }
    assert said.read_text().split("\n")[0] == "root decompose"
    assert said.read_text().split("\n")[-2] == "root integrate"
    assert {"root-one.txt", "root-two.txt"} <= house.files_on("main")
    assert not {"task-breakdown.yml", "children-status.yml", "requirements.yml"} & house.files_on("main")
    first = git(house.repo, "log", "--first-parent", "--format=%s", f"{before}..main").splitlines()
    assert len(first) == 1
    assert begun["branch"] in first[0]


def landings_between(house: House, leaf: str, base: str) -> list[str]:
    """The first-parent merges on the way from a commit to the base, as git alone tells them."""
    return git(
        house.repo, "log", "--merges", "--ancestry-path", "--format=%s", f"{leaf}..{base}"
    ).splitlines()


@pytest.mark.long
def test_thirteen_units_on_three_levels_land_one_level_up_each(make_house: Callable[..., House]) -> None:
    house = make_house()
    parts = [f"root-{one}" for one in "abc"]
    leaves = [f"{part}-{leaf}" for part in parts for leaf in ("x", "y", "z")]
    a_tree(
        house,
        splits("root", "a", "b", "c"),
        *(splits(part, "x", "y", "z") for part in parts),
        "'root integrate')\n    while [ ! -e {gate} ]; do sleep 0.1; done ;;".format(
            gate=house.root / "gate"
        ),
    )
    house.ok("spawn", "--yes", "--onto", "main")
    start = git(house.repo, "rev-parse", "main")
    eventually(
        lambda: units(house)["root"]["reason"] == "integrate", what="the root integrates", within_s=160
    )
    heads = {
        one: git(house.repo, "log", "-1", "--format=%H", "--all", "--grep", f"work of {one}$")
        for one in leaves
    }
    assert all(heads.values())
    for one, commit in heads.items():
        reached = git(house.repo, "branch", "--contains", commit, "--format=%(refname:short)").splitlines()
        assert "main" not in reached, f"{one} is on the base before its root landed"
    assert git(house.repo, "rev-parse", "main") == start
    (house.root / "gate").touch()
    assert house.rest("root", limit_s=60) == 0, house.story("root")
    assert len(units(house)) == 13
    assert {one["status"] for one in units(house).values()} == {"done"}
    for one, commit in heads.items():
        way = landings_between(house, commit, "main")
        above = one.rpartition("-")[0]
        found = [
            next(line for line in way if f"Land agent/{name}-t" in line) for name in (one, above, "root")
        ]
        assert sorted(found, key=way.index, reverse=True) == found, "one level after the other"
    assert {f"{one}.txt" for one in leaves} <= house.files_on("main")
    assert house.recomputed() == []


@pytest.mark.long
def test_a_failing_grandchild_is_divided_anew_by_its_parent(make_house: Callable[..., House]) -> None:
    house = make_house()
    again = splits("root-a", "small").replace("'root-a decompose')", "'root-a integrate')", 1)
    a_tree(
        house,
        splits("root", "a"),
        splits("root-a", "big"),
        again.replace("cat >", "[ -e once ] && exit 0; touch once; cat >", 1),
        "'root-a-big decompose')\n    exit 7 ;;",
    )
    house.ok("spawn", "--yes", "--onto", "main")
    assert house.rest("root", limit_s=150) == 0, house.story("root") + house.ok("unit", "tree")
    found = {name: f"{one['status']} {one['reason']}".strip() for name, one in units(house).items()}
    assert found == {
        "root": "done",
        "root-a": "done",
        "root-a-big": "failed exit:7",
        "root-a-small": "done",
    }
    assert "root-a-small.txt" in house.files_on("main")


@pytest.mark.long
def test_children_go_on_while_their_parent_is_killed_and_it_integrates(
    make_house: Callable[..., House],
) -> None:
    house = make_house()
    gate = house.root / "gate"
    a_tree(
        house,
        splits("root", "one").replace(" ;;", "\n    kill -9 $$ ;;"),
        f"'root-one decompose')\n    while [ ! -e {gate} ]; do sleep 0.1; done\n"
        "    echo x > one.txt; git add one.txt; git commit -qm one ;;",
    )
    house.ok("spawn", "--yes", "--onto", "main")
    eventually(
        lambda: units(house)["root"]["reason"] == "waiting_for_children", what="the root waits", within_s=60
    )
    gate.touch()
    assert house.rest("root", limit_s=90) == 0, house.story("root")
    assert "one.txt" in house.files_on("main")


@pytest.mark.long
def test_a_claim_or_an_edited_status_file_changes_nothing(make_house: Callable[..., House]) -> None:
    house = make_house()
    first, seen = house.root / "first", house.root / "seen"
    a_tree(
        house,
        splits("root", "one").replace(
            " ;;",
            f"\n    cp children-status.yml {first}"
            "\n    echo 'children: [{unit_id: root-one, status: completed}]' > children-status.yml ;;",
        ),
        """'root-one decompose')\n    toryo post --type child_completed --data '{"message": "all done"}'\n"""
        """    toryo post --type result --data '{"is_error": false, "status": "completed"}'\n    exit 0 ;;""",
        f"'root integrate')\n    cp children-status.yml {seen}; git status --porcelain >> {seen} ;;",
    )
    house.ok("spawn", "--yes", "--onto", "main")
    assert house.rest("root", limit_s=90) == 1
    listed = yaml.safe_load(first.read_text())["children"]
    assert [(one["unit_id"], one["status"]) for one in listed] == [("root-one", "pending")]
    claims = [one["type"] for one in map(json.loads, house.ok("bus", "export").splitlines())]
    assert claims[:2] == ["child_completed", "result"]
    assert units(house)["root-one"]["status"] == "cancelled", "with its parent"
    assert f"{units(house)['root']['status']} {units(house)['root']['reason']}" == "failed children_failed"
    assert tuple(
        next(line.strip() for line in seen.read_text().splitlines() if name in line)
        for name in ("status:", "reason:")
    ) == ("status: running", "reason: not_split")
    assert "??" not in seen.read_text()


@pytest.mark.long
def test_no_child_starts_before_a_person_approves_the_first_breakdown(
    make_house: Callable[..., House],
) -> None:
    house = make_house()
    said = a_tree(house, splits("root", "one", "two"))
    begun = house.read("spawn", "--onto", "main")
    eventually(
        lambda: house.read("mission", "show", begun["mission"])["status"] == "awaiting_approval",
        what="it asks",
        within_s=60,
    )
    assert [one["id"] for one in house.read("mission", "show", begun["mission"])["plan"]["tasks"]] == [
        "one",
        "two",
    ]
    assert {units(house)[name]["reason"] for name in ("root-one", "root-two")} == {"plan_ready"}
    assert said.read_text() == "root decompose\n"
    refused = house.toryo("spawn", "--yes")
    assert refused.returncode == 1
    assert "lives in" in refused.stderr
    house.ok("mission", "approve", begun["mission"])
    assert house.rest("root", limit_s=90) == 0, house.story("root")
    eventually(  # its worktrees and branches are retired first
        lambda: house.read("mission", "show", begun["mission"])["status"] == "completed",
        what="the mission's end",
        within_s=60,
    )


def test_without_requirements_nothing_is_spawned_and_the_file_is_named(
    make_house: Callable[..., House],
) -> None:
    house = make_house()
    refused = house.toryo("spawn")
    assert (refused.returncode, "requirements.yml" in refused.stderr) == (1, True)
    (house.repo / "requirements.yml").write_text("a: [1\nb: 2\n")
    wrong = house.toryo("spawn")
    assert (wrong.returncode, "requirements.yml, line" in wrong.stderr) == (1, True), wrong.stderr
    (house.repo / "requirements.yml").write_text("roles: [common]\n")
    ansible = house.toryo("spawn")
    assert (ansible.returncode, "Ansible" in ansible.stderr) == (1, True), ansible.stderr
    outside = house.toryo("spawn", "--from-breakdown")
    assert outside.returncode == 2


@pytest.mark.long
def test_a_new_directory_with_uncommitted_requirements_becomes_a_finished_tree(
    make_house: Callable[..., House],
) -> None:
    house = make_house(init=False)
    new = house.root / "new"
    new.mkdir()
    (new / "requirements.yml").write_text("goal: one file\n")
    house.repo = new
    refused = house.toryo("spawn")
    assert refused.returncode == 1
    assert "spawn --yes" in refused.stderr
    begun = house.read("spawn", "--yes")
    assert set(begun) == {"mission", "task", "unit", "branch"}
    seen = house.root / "seen"
    a_tree(
        house,
        splits("root", "one"),
        f"'root-one decompose')\n    cp requirements.yml {seen}\n    echo x > one.txt\n"
        "    git add one.txt\n    git commit -qm one ;;",
    )
    assert house.rest("root", limit_s=60) == 0, house.story("root")
    assert seen.read_text() == "goal: one file\n"
    assert house.files_on("main") == {"one.txt"}
    assert git(new, "log", "--format=%s", "main").splitlines()[-1] == "Begin"


WRITES = "echo '{text}' > shared.txt\n    git add shared.txt\n    git commit -qm 'work of {text}' ;;"


@pytest.mark.long
def test_a_conflict_between_siblings_is_resolved_by_the_later_child(make_house: Callable[..., House]) -> None:
    house = make_house()
    said = a_tree(
        house,
        splits("root", "one", "two"),
        *(f"'root-{one} decompose')\n    {WRITES.format(text=one)}" for one in ("one", "two")),
        "*resolve)\n    echo both > shared.txt\n    git add shared.txt\n    git commit -qm both ;;",
    )
    house.ok("spawn", "--yes", "--onto", "main")
    assert house.rest("root", limit_s=120) == 0, house.story("root")
    assert house.text_on("shared.txt") == "both"
    assert said.read_text().count(" resolve") == 1


@pytest.mark.long
def test_a_conflict_that_no_child_resolves_is_put_together_by_the_parent(
    make_house: Callable[..., House],
) -> None:
    house = make_house()
    seen = house.root / "seen"
    a_tree(
        house,
        splits("root", "one", "two"),
        *(f"'root-{one} decompose')\n    {WRITES.format(text=one)}" for one in ("one", "two")),
        "*resolve)\n    git merge --abort ;;",
        f"'root integrate')\n    cp \"$1\" {seen}\n"
        "    other=$(grep -o 'agent/root-[a-z]*-t[a-z0-9]*' \"$1\" | head -1)\n"
        '    git merge -q "$other" || true\n    echo together > shared.txt\n'
        "    git add shared.txt\n    git commit -qm together ;;",
    )
    house.ok("spawn", "--yes", "--onto", "main")
    assert house.rest("root", limit_s=150) == 0, house.story("root")
    assert house.text_on("shared.txt") == "together"
    assert "(conflict" in seen.read_text()


@pytest.mark.long
def test_a_tree_that_was_paused_is_still_paused_after_a_reboot_and_goes_on(
    make_house: Callable[..., House],
) -> None:
    house = make_house()
    gate = house.root / "gate"
    a_tree(
        house,
        splits("root", "one"),
        f"'root-one decompose')\n    touch {gate}.begun\n    while [ ! -e {gate} ]; do sleep 0.1; done\n"
        "    echo x > one.txt; git add one.txt; git commit -qm one ;;",
    )
    house.ok("spawn", "--yes", "--onto", "main")
    eventually(Path(f"{gate}.begun").exists, what="the child works", within_s=60)
    eventually(lambda: units(house)["root"]["reason"] == "waiting_for_children", what="the root waits")
    house.ok("unit", "pause", "root")
    house.reboot()
    house.ok("up")
    eventually(lambda: house.task("root-one")["runs"][0]["outcome"] == "lost", what="lost", within_s=60)
    eventually(lambda: units(house)["root-one"]["reason"] == "paused", what="it does not begin again")
    gate.touch()
    assert len(house.task("root-one")["runs"]) == 1
    house.ok("unit", "resume", "root")
    assert house.rest("root", limit_s=90) == 0, house.story("root")
    runs = house.task("root-one")["runs"]
    assert [one["outcome"] for one in runs] == ["lost", "succeeded"]
    assert "one.txt" in house.files_on("main")
    assert house.recomputed() == []


COPIED = "worktree_files: [.env.local]\n"


@pytest.mark.long
@pytest.mark.parametrize("is_unit", [False, True])
def test_a_copied_file_that_an_agent_commits_by_force_does_not_land(
    make_house: Callable[..., House], is_unit: bool
) -> None:
    house = make_house({"README.md": "hello\n", ".toryo/config.yaml": COPIED})
    (house.repo / ".env.local").write_text("TOKEN=secret\n")
    house.agent(
        "mkdir -p src; echo x > src/x.txt; git add src/x.txt; git add -f .env.local; git commit -qm work",
        write="src/**",
    )
    if is_unit:
        (house.repo / "requirements.yml").write_text("goal: one file\n")
        house.ok("spawn", "--yes", "--onto", "main")
        name = "root"
    else:
        name = house.add("Write it")
    assert house.rest(name) == 0, house.story(name)
    assert "src/x.txt" in house.files_on("main")
    assert ".env.local" not in house.files_on("main")


@pytest.mark.long
def test_a_retry_of_a_unit_whose_children_had_landed_brings_all_their_files_again(
    make_house: Callable[..., House],
) -> None:
    house = make_house()
    mended = house.root / "mended"
    left = house.root / "left"
    a_tree(
        house,
        splits("root", "one", "two").replace("    cat", f"    ls >> {left}; cat", 1),
        f"'root integrate')\n    [ -e {mended} ] || exit 3 ;;",
    )
    house.ok("spawn", "--yes", "--onto", "main")
    assert house.rest("root", limit_s=90) == 1
    assert (units(house)["root"]["status"], units(house)["root-one"]["status"]) == ("failed", "done")
    mended.touch()
    house.ok("unit", "retry", "root")
    assert house.rest("root", limit_s=90) == 0, house.story("root") + house.ok("unit", "tree")
    assert {"root-one.txt", "root-two.txt"} <= house.files_on("main")
    assert "task-breakdown.yml" not in left.read_text(), "it begins without what it divided before"
    assert house.recomputed() == []


@pytest.mark.long
def test_each_unit_has_its_place_in_its_environment_and_the_projects_own_frame(
    make_house: Callable[..., House],
) -> None:
    house = make_house({"README.md": "hello\n", ".toryo/frames/unit.md": "OUR OWN FRAME\n"})
    seen = house.root / "seen"
    seen.mkdir()
    looks = (
        f'cp "$1" {seen}/$UNIT_ID.prompt; env > {seen}/$UNIT_ID.env\n'
        f"for name in UNIT_REQUIREMENTS PARENT_BREAKDOWN PARENT_REQUIREMENTS; do\n"
        f'  eval "path=\\$$name"; if [ -n "$path" ]; then cat "$path" > {seen}/$UNIT_ID.$name; fi\ndone\n'
    )
    early = f"    toryo spawn --from-breakdown 2> {seen}/early || true; cat"
    a_tree(house, splits("root", "one").replace("    cat", early, 1))
    agent = house.root / "worker.sh"
    agent.write_text(agent.read_text().replace("case ", f"{looks}case ", 1))
    house.ok("spawn", "--yes", "--onto", "main", "--env", "PAGE_SIZE=20")
    assert house.rest("root", limit_s=90) == 0, house.story("root")
    found = units(house)
    assert "There is no task-breakdown.yml in" in (seen / "early").read_text()

    def environment(unit: str) -> dict[str, str]:
        lines = (seen / f"{unit}.env").read_text().splitlines()
        return dict(line.partition("=")[::2] for line in lines)

    root, one = environment("root"), environment("root-one")
    assert (root["UNIT_ID"], root["PARENT_BRANCH"], root["PAGE_SIZE"]) == ("root", "main", "20")
    assert not {"PARENT_UNIT_ID", "PARENT_BREAKDOWN", "PARENT_REQUIREMENTS"} & set(root)
    assert (one["UNIT_ID"], one["PARENT_UNIT_ID"], one["PAGE_SIZE"]) == ("root-one", "root", "20")
    assert one["PARENT_BRANCH"] == found["root"]["branch"]
    for unit, told in (("root", root), ("root-one", one)):
        place = Path(told["TARGET_REPO"])
        assert place.name.startswith(f"{unit}-t"), "its own worktree"
        names = ("UNIT_REQUIREMENTS", "PARENT_BREAKDOWN", "PARENT_REQUIREMENTS")
        assert all(Path(told[name]).is_relative_to(place) for name in names if name in told)
    assert (seen / "root.UNIT_REQUIREMENTS").read_text() == "goal: three small files\n"
    assert "Part one." in (seen / "root-one.UNIT_REQUIREMENTS").read_text()
    assert "id: one" in (seen / "root-one.PARENT_BREAKDOWN").read_text()
    assert (seen / "root-one.PARENT_REQUIREMENTS").read_text() == "goal: three small files\n"
    assert "OUR OWN FRAME" in (seen / "root-one.prompt").read_text()
    assert "You are the root unit" in (seen / "root.prompt").read_text()
