"""Settings that a person edits and breaks before committing them: told at once; the ones in force stay."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from house import House

from repositories import git
from waiting import eventually

MakeHouse = Callable[..., House]
WRONG = "dod:\n  chekcs: []\n"


@pytest.mark.parametrize("committed", [True, False], ids=["committed", "uncommitted"])
def test_a_broken_edit_of_the_settings_is_on_the_next_status_page(
    make_house: MakeHouse, *, committed: bool
) -> None:
    house = make_house(branch="main")
    settings = house.repo / ".toryo" / "config.yaml"
    if committed:
        git(house.repo, "add", ".toryo")
        git(house.repo, "commit", "-qm", "settings")
        house.ok("agent", "sync")
    good = settings.read_text()
    assert "wrong settings" not in house.ok("status")

    settings.write_text(WRONG)
    page = " ".join(house.ok("status").split())
    assert "needs you" in page
    assert "the working copy" in page
    assert "dod.chekcs: there is no such key; did you mean checks?" in page
    noted = house.read("task", "add", "Something else", "--hold")["notes"]
    assert any("chekcs" in one for one in noted)
    assert "chekcs" in house.toryo("doctor").stdout

    settings.write_text(good)
    assert "wrong settings" not in house.ok("status")


def test_a_broken_edit_of_an_agents_file_is_told_too(make_house: MakeHouse) -> None:
    house = make_house(branch="main")
    house.ok("status")
    folder = house.repo / ".toryo" / "agents"
    folder.mkdir(exist_ok=True)
    (folder / "extra.yaml").write_text("name: extra\nslotz: 2\n")
    page = " ".join(house.ok("status").split())
    assert "extra.yaml" in page
    assert "slotz" in page


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("setup: " + "[" * 900 + "]" * 900 + "\n", "line 1: it is nested too deeply"),
        ("dod: {checks: [{command: 'false'}]}\ndod: {}\n", "line 2: dod: is there twice"),
    ],
    ids=["deep", "twice"],
)
def test_settings_that_cannot_be_loaded_are_a_problem_of_the_project_once_committed(
    make_house: MakeHouse, wrong: str, said: str
) -> None:
    house = make_house(branch="main")
    (house.repo / ".toryo" / "config.yaml").write_text(wrong)
    git(house.repo, "add", ".toryo")
    git(house.repo, "commit", "-qm", "settings")
    told = f"main has wrong settings, older ones are in force: .toryo/config.yaml, {said}"
    eventually(lambda: told in " ".join(house.ok("status").split()), within_s=30)
    assert "bug in Toryo" not in house.toryo("log").stdout
