"""Files that a mission lands, by real daemon and coordinator: on the target, by evidence, beside people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from house import House

from repositories import commit_files, git
from toryo.domain.words import FilesPurpose
from toryo.engine.orders.files import scan_of, want_scan
from toryo.engine.subjects.files import files_landings, land_files
from toryo.settings import Home
from toryo.store.database.blobs import Blobs
from toryo.store.database.engine import Store, Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import LandingRow
from toryo.store.tables import missions, projects, tasks
from waiting import eventually

MakeHouse = Callable[..., House]
FOLDER = "specs/SPEC-0000001A"
SPEC, TASKS = f"{FOLDER}/spec.md", f"{FOLDER}/tasks.md"
FILES = [(SPEC, "# What is wanted\n"), (TASKS, "- [ ] T001 Begin\n")]
CHECK = {
    "README.md": "hello\n",
    "Makefile": "test:\n\tsh check.sh\n",
    "check.sh": "! grep -rq BROKEN specs src\n",
}


def while_down(house: House, work: Callable[[Tx], Any]) -> Any:
    """What no tool does yet, straight into the store."""
    house.ok("down")
    store = Store.open(Home(house.home).database)
    try:
        with store.change() as tx:
            found = work(tx)
    finally:
        store.close()
    house.ok("up")
    return found


def mission_of(house: House, target: str = "main") -> MissionRow:
    row = MissionRow(
        id="n1",
        project=house.read("project", "list")["projects"][0]["id"],
        target=target,
        text="do it",
        spec_dir=FOLDER,
        created_at=1,
        changed_at=1,
        status="completed",
    )
    while_down(house, lambda tx: missions.insert(tx, row))
    return row


def land(house: House, mission: MissionRow, files: Any = FILES, version: int = 1) -> None:
    def work(tx: Tx) -> str:
        return land_files(tx, mission, FilesPurpose.SPEC, version, files, "docs(specs): SPEC-0000001A")

    while_down(house, work)


def seen(house: House, look: Callable[[Tx], Any]) -> Any:
    """Beside the daemon: only read."""
    store = Store.open(Home(house.home).database)
    try:
        with store.read() as tx:
            return look(tx)
    finally:
        store.close()


def landing(house: House) -> LandingRow:
    return seen(house, lambda tx: files_landings(tx, "n1"))[-1]  # type: ignore[no-any-return]


def until_ended(house: House) -> LandingRow:
    def ended() -> LandingRow | None:
        row = landing(house)
        return row if row.ended and (row.ended != "landed" or row.published_at) else None

    return eventually(ended, what="the end of the landing", within_s=60)  # type: ignore[return-value]


def test_files_land_through_the_gate_and_are_on_the_branch_by_one_commit(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    before = git(house.repo, "rev-parse", "main")
    land(house, mission_of(house))
    row = until_ended(house)
    assert (row.ended, row.verdict) == ("landed", "green"), house.story()
    assert house.text_on(SPEC) == "# What is wanted"
    assert house.text_on(TASKS) == "- [ ] T001 Begin"
    assert git(house.repo, "rev-list", f"{before}..main").split() == [row.candidate]
    assert "docs(specs): SPEC-0000001A" in git(house.repo, "log", "-1", "--format=%B", "main")
    assert house.recomputed() == []


def test_red_files_end_red_and_the_branch_is_as_it_was(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    before = git(house.repo, "rev-parse", "main")
    land(house, mission_of(house), [(SPEC, "BROKEN\n")])
    row = until_ended(house)
    assert (row.ended, "make test" in row.ended_detail) == ("red", True), house.story()
    assert git(house.repo, "rev-parse", "main") == before
    assert house.recomputed() == []


def test_a_persons_commit_comes_first_and_the_files_are_written_on_it(
    make_house: MakeHouse,
) -> None:
    house = make_house(CHECK, branch="main")
    mission = mission_of(house)

    def work(tx: Tx) -> str:
        found = land_files(tx, mission, FilesPurpose.SPEC, 1, FILES, "docs: the spec")
        commit_files(house.repo, {"mine.txt": "mine\n", SPEC: "# Another\n"}, "mine")
        return found

    while_down(house, work)
    row = until_ended(house)
    assert row.ended == "landed", house.story()
    assert (house.text_on(SPEC), house.text_on("mine.txt")) == ("# What is wanted", "mine")
    assert git(house.repo, "status", "--porcelain") == ""


def test_the_same_files_uncommitted_in_the_checkout_are_no_hindrance_and_others_are_named(
    make_house: MakeHouse,
) -> None:
    house = make_house(CHECK, branch="main")
    (house.repo / FOLDER).mkdir(parents=True)
    for path, text in FILES:
        (house.repo / path).write_text(text)
    mission = mission_of(house)
    land(house, mission)
    assert until_ended(house).ended == "landed", house.story()
    assert git(house.repo, "status", "--porcelain", "specs") == ""
    (house.repo / TASKS).write_text("- [ ] mine\n")
    land(house, mission, [(TASKS, "- [x] T001 Begin\n")], version=2)
    waits = "landing waits for the checkout"
    eventually(lambda: seen(house, lambda tx: waiting_of(tx, mission)) == [TASKS], what=waits, within_s=60)
    assert (house.repo / TASKS).read_text() == "- [ ] mine\n"
    git(house.repo, "checkout", "-q", TASKS)
    assert until_ended(house).ended == "landed"
    assert (house.repo / TASKS).read_text() == "- [x] T001 Begin\n"


def waiting_of(tx: Tx, mission: MissionRow) -> list[str]:
    target = projects.target(tx, mission.project, mission.target)
    return list(target.waiting) if target else []


def test_files_that_are_there_already_need_no_commit(make_house: MakeHouse) -> None:
    house = make_house({**CHECK, **dict(FILES)})
    before = git(house.repo, "rev-parse", "main")
    land(house, mission_of(house))
    row = until_ended(house)
    assert (row.ended, row.candidate) == ("landed", before), house.story()
    assert house.recomputed() == []


def test_a_missions_task_finds_its_spec_and_its_own_ticks_do_not_land(make_house: MakeHouse) -> None:
    house = make_house({**CHECK, **dict(FILES)})
    house.agent(
        'printf %s "$SPECIFY_FEATURE_DIRECTORY" > where.txt\n'
        f"[ -e {TASKS} ] && touch saw-it.txt\n"
        f"cat {SPEC} >> where.txt && echo '- [x] T001 Begin' > {TASKS}\n"
        f"git add --sparse {TASKS} && git add -A && git commit -qm work"
    )
    mission = mission_of(house)
    task = house.add("Begin", "--hold")
    while_down(house, lambda tx: tasks.update(tx, task, mission=mission.id))
    house.ok("task", "approve", task)
    assert house.rest(task) == 0, house.story(task)
    assert house.text_on("where.txt") == f"{FOLDER}# What is wanted"
    assert "saw-it.txt" not in house.files_on()
    assert house.text_on(TASKS) == "- [ ] T001 Begin"
    assert house.evidence(task)["restored"] == [TASKS]
    assert house.recomputed() == []


def test_a_scan_is_kept_with_its_text(make_house: MakeHouse) -> None:
    house = make_house({**CHECK, "AGENTS.md": "Use tabs.\n"})
    mission = mission_of(house)
    commit = git(house.repo, "rev-parse", "main")

    def work(tx: Tx) -> bool:
        project = projects.get(tx, mission.project)
        assert project is not None
        return want_scan(tx, project, commit)

    assert while_down(house, work)
    look = "the scan"
    row = eventually(
        lambda: seen(house, lambda tx: scan_of(tx, mission.project, commit)), what=look, within_s=60
    )
    assert row.has_tests
    text = Blobs(Home(house.home).blobs).get(row.text)
    assert text is not None
    assert "Use tabs." in text
    assert "`make test`" in text
