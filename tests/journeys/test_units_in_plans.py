"""A task of a plan that divides itself, through the real processes and on real git."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from house import House
from mission_house import WORD, fresh, missions, part, plan, question, task

from repositories import git
from waiting import eventually

AGENT = """\
case "$UNIT_ID $TORYO_PURPOSE" in
*-left\\ *|*-right\\ *)
    until [ -e {go} ]; do sleep 0.1; done
    echo "by $UNIT_ID" > "${{UNIT_ID##*-}}.txt"; git add -A; git commit -qm "work of $UNIT_ID" ;;
t001_*decompose)
    cp "$UNIT_REQUIREMENTS" {requirements}
    printf 'tasks:\\n' > task-breakdown.yml
    printf -- '  - {{id: %s, description: Half.}}\\n' left right >> task-breakdown.yml
    toryo spawn --from-breakdown ;;
*integrate) grep -c '^\\[CHILD:' "$1" > {told} ;;
*) ls > {seen}; echo after > after.txt; git add -A; git commit -qm after ;;
esac
"""


@pytest.mark.long
def test_a_planned_unit_divides_itself_and_what_depends_on_it_builds_on_the_whole(
    make_house: Callable[..., House], tmp_path: Path
) -> None:
    house = make_house(init=False)
    files = {name: house.root / name for name in ("go", "requirements", "told", "seen")}
    script = (
        part("question", question(), when=WORD),
        part("plan", plan(task("A", unit=True), task("B", "A")), when=WORD),
    )
    with missions(house, tmp_path, *script, agent=False) as played:
        house.agent(AGENT.format(**files))
        word = fresh()
        mission = played.begin(f"Do {word}")
        played.stands(mission, "awaiting_approval plan_ready")
        assert "a unit: its agent may divide it" in house.ok("mission", "show", mission)
        start = git(house.repo, "rev-parse", "side")
        house.ok("mission", "approve", mission)
        unit = f"t001_part_a_of_{word}"

        def states() -> dict[str, str]:
            tree = json.loads(house.ok("unit", "tree", unit, "--json"))
            return {one["unit"]: one["reason"] or one["status"] for one in tree["units"]}

        eventually(lambda: len(states()) == 3, what="it divides itself", within_s=60)
        eventually(lambda: states()[unit] == "waiting_for_children", what="it waits", within_s=30)
        assert house.state(unit) == "blocked waiting_for_children"
        assert [one["status"] for one in played.shown(mission)["plan"]["tasks"]] == ["blocked", "blocked"]
        assert git(house.repo, "rev-parse", "side") == start
        files["go"].touch()
        played.completes(mission)
        assert states() == {unit: "done", f"{unit}-left": "done", f"{unit}-right": "done"}
        assert {"left.txt", "right.txt"} <= set(files["seen"].read_text().split())
        assert files["told"].read_text() == "2\n"
        assert f"description: write {word}\n" in files["requirements"].read_text()
        landed = git(house.repo, "log", "--first-parent", "--merges", "--format=%s", f"{start}..side")
        assert [f"{unit}"[:40] in line for line in landed.splitlines()] == [False, True]
        assert house.recomputed() == []
