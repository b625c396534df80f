"""An unedited spec-kit folder of thirty tasks is taken in, done without a model, and ticked by evidence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from house import House

from repositories import commit_files, git
from toryo.domain.speckit.tasks_file import parse

FOLDER = "specs/004-parcel-tracking"
TASKS = (Path(__file__).parents[1] / "domain" / "speckit_tasks.md").read_text()
WORK = 'echo "$TORYO_RUN" > "$TORYO_RUN.txt"; git add -A; git commit -qm work'
MakeHouse = Callable[..., House]


def test_a_folder_that_is_not_committed_is_refused_with_gits_line_and_committed_it_is_done(
    make_house: MakeHouse,
) -> None:
    house = make_house({"Makefile": "test:\n\ttrue\n"}, branch="main")
    house.agent(WORK)
    folder = house.repo / FOLDER
    folder.mkdir(parents=True)
    (folder / "spec.md").write_text("# Feature Specification: Parcels\n")
    (folder / "tasks.md").write_text(TASKS)
    refused = house.toryo("do", "--from", FOLDER, "--yes")
    assert refused.returncode == 1
    assert f"git add {FOLDER} && git commit" in refused.stderr
    commit_files(house.repo, {}, "docs: parcels")
    done = house.toryo("do", "--from", FOLDER, "--yes", "--json", limit_s=300)
    assert done.returncode == 0, done.stdout + done.stderr + house.story()
    told = json.loads(done.stdout)
    assert (told["status"], told["spec"], len(told["tasks"])) == ("completed", f"{FOLDER}/", 30)
    landed = house.text_on(f"{FOLDER}/tasks.md", "main")
    assert all(one.done for one in parse(landed))
    changed = git(house.repo, "diff", "--numstat", "main", "HEAD~0", "--", FOLDER)
    assert changed == "", "the checkout follows"
    assert [line for line in landed.splitlines() if not line.startswith("- [")] == [
        line for line in TASKS.rstrip("\n").splitlines() if not line.startswith("- [")
    ]
    assert len(house.started()) == 28, "two were ticked"
    assert house.recomputed() == []
    lines = (house.home / "logs" / "coordinator-main.jsonl").read_text().splitlines()
    agents = [one for one in map(json.loads, lines) if one["logger"] == "agent.sub"]
    assert len([one for one in agents if one["message"] == "Agent begins"]) == 28
    assert len([one for one in agents if one.get("exit_code") == 0]) == 28
