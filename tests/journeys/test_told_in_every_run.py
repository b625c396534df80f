"""What a further run must know is in its prompt, also when the run before it came to nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from house import House

from waiting import eventually

MakeHouse = Callable[..., House]
CHECK = {
    "README.md": "hello\n",
    "Makefile": "test:\n\tsh check.sh\n",
    "check.sh": "if grep -rq BROKEN src 2>/dev/null; then echo src-says-BROKEN; exit 1; fi\n",
}
BREAK_FIRST = (
    'if [ "$TORYO_PURPOSE" = implement ]; then mkdir -p src; echo BROKEN > src/a.txt\n'
    "  git add -A; git commit -qm work; exit 0; fi\n"
)
MEND_IF_TOLD = (
    'grep -q src-says-BROKEN "$1" || exit 9\necho mended > src/a.txt; git add -A; git commit -qm mended'
)


def test_a_fix_run_after_one_without_a_commit_is_told_the_output_too(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    mark = house.root / "idle"
    house.agent(
        f"{BREAK_FIRST}[ -e {mark} ] || {{ touch {mark}; exit 0; }}\n"
        f'grep -q "without a commit" "$1" || exit 8\n{MEND_IF_TOLD}'
    )
    task = house.add("Idle once")
    assert house.rest(task) == 0, house.story(task)
    assert [run["purpose"] for run in house.task(task)["runs"]] == ["implement", "fix", "fix"]


def test_a_fix_run_after_a_lost_one_is_told_the_output_too(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    mark = house.root / "shim"
    house.agent(
        f"{BREAK_FIRST}if [ ! -e {mark} ]; then echo $PPID > {mark}.new; mv {mark}.new {mark}\n"
        "  exec sleep 2; fi\n"
        f'grep -q "was lost" "$1" || exit 8\n{MEND_IF_TOLD}'
    )
    task = house.add("Be lost once")
    eventually(mark.exists, within_s=30, what="the fix run works")
    shim = int(mark.read_text())
    os.kill(shim, signal.SIGKILL)
    assert house.rest(task) == 0, house.story(task)
    assert [run["outcome"] for run in house.task(task)["runs"]] == ["succeeded", "lost", "succeeded"]


def test_a_resolve_run_after_one_without_a_commit_is_told_the_paths_too(make_house: MakeHouse) -> None:
    house = make_house(CHECK | {"list.txt": "first\n"})
    mark, both = house.root / "idle", house.root
    house.agent(
        'if [ "$TORYO_PURPOSE" = resolve ]; then\n'
        f"  [ -e {mark} ] || {{ touch {mark}; exit 0; }}\n"
        '  grep -q "without a commit" "$1" || exit 8\n  grep -q "^- list.txt" "$1" || exit 9\n'
        "  grep -v '^[<=>]' list.txt > both && mv both list.txt\n"
        "else\n"
        '  word=$(sed -n "s/.*: Word //p" "$1" | head -1); echo "$word" >> list.txt; touch '
        f"{both}/$word\n  n=0; while [ ! -e {both}/one ] || [ ! -e {both}/two ]; do sleep 0.05\n"
        "    n=$((n+1)); [ $n -gt 600 ] && exit 7; done\n"
        "fi\n"
        "git add -A && git commit -qm work",
        slots="2",
    )
    tasks = [house.add("Word one"), house.add("Word two")]
    assert house.rest(*tasks) == 0, house.story(*tasks)
    assert sorted(house.text_on("list.txt").split()) == ["first", "one", "two"]
