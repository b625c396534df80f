"""Messages between units in real runs: the origin's own commands, daemon and hands killed on the way."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable

import pytest
from house import House

from waiting import eventually

MakeHouse = Callable[..., House]
SAYS = 'It\'s "done"! $HOME; 日本語 \\n'
CHILD = r"""
busctl post --type progress --data '{"message": "half way"}' >> $told 2>&1
busctl post --from "unit:$UNIT_ID" --task "$UNIT_ID" --type pr_created \
  --data '{"title": "PR #123 created"}' >> $told 2>&1
busctl post --type progress --data 'no json' >> $told 2>&1; echo "exit $?" >> $told
busctl post --type gossip >> $told 2>&1; echo "exit $?" >> $told
busctl post --type result >> $told 2>&1; echo "exit $?" >> $told
busctl send --to unit:root-b --type query --data '{}' >> $told 2>&1; echo "exit $?" >> $told
while [ ! -e $root/asked ]; do sleep 0.05; done
busctl inbox --wait 20 > $root/inbox 2>&1
busctl inbox > $root/inbox-again 2>&1
cat $root/says | busctl post --type progress --data - >> $told 2>&1
while [ ! -e $root/go ]; do sleep 0.05; done
echo work > "$UNIT_ID.txt"; git add "$UNIT_ID.txt"; git commit -qm "work of $UNIT_ID"
busctl post --type result --data '{"is_error": false}' >> $told 2>&1
"""
AGENT = """
cd "$TARGET_REPO"
root={root} told={root}/told
alias busctl=toryo
case "$UNIT_ID $TORYO_PURPOSE" in
"root decompose")
  printf 'tasks:\\n  - {{id: a, description: Part a.}}\\n' > task-breakdown.yml
  toryo spawn --from-breakdown
  while [ ! -e $root/leave ]; do
    for one in "$TORYO_SAID"/*/; do
      name=$(basename "$one")
      mv "$TORYO_SAID/$name" "$TORYO_SAID/../heard/" 2>/dev/null || continue
      cat "$TORYO_SAID/../heard/$name/text" >> $root/heard; echo >> $root/heard
    done
    sleep 0.02
  done ;;
"root integrate") cp "$1" $root/prompt ;;
root-a*) {child} ;;
esac
"""


def a_tree(house: House) -> None:
    (house.root / "says").write_text(json.dumps({"message": SAYS}, ensure_ascii=False))
    house.agent(AGENT.format(root=house.root, child=CHILD))
    (house.repo / "requirements.yml").write_text("goal: it\n")
    house.ok("spawn", "--yes", "--onto", "main")


def heard(house: House) -> list[str]:
    file = house.root / "heard"
    return file.read_text().split("\n")[:-1] if file.exists() else []


def line(status: str, message: str) -> str:
    return f"[CHILD:root-a] Status: {status}, Message: {message}"


PROGRESS, PR = line("progress", "half way"), line("pr_created", "PR #123 created")


def test_the_origins_commands_work_under_its_own_name(make_house: MakeHouse) -> None:
    house = make_house()
    a_tree(house)
    told = house.root / "told"
    eventually(lambda: heard(house) == [PROGRESS, PR], within_s=60, what="what the child said")
    eventually(lambda: told.read_text().count("exit 1") == 4, within_s=60, what="four refusals")
    for reason in ("--data is no JSON", "no message type 'gossip'", "`is_error`", "no unit 'root-b'"):
        assert reason in told.read_text()
    sent = ("send", "--to", "unit:root-a", "--type", "instruct", "--data", '{"command": "review"}')
    assert house.ok(*sent).endswith("to unit:root-a\n")
    (house.root / "asked").touch()
    strange = line("progress", SAYS)
    eventually(lambda: heard(house)[2:] == [strange], within_s=60, what="strange signs")
    assert (house.root / "inbox").read_text() == '[PERSON] Type: instruct, Data: {"command": "review"}\n'
    assert (house.root / "inbox-again").read_text() == ""
    (house.root / "leave").touch()
    eventually(lambda: house.task("root")["status"] == "blocked", within_s=60, what="the root waits")
    (house.root / "go").touch()
    assert house.rest("root", limit_s=90) == 0, house.story("root")
    assert (house.root / "prompt").read_text().count(line("completed", "Part a")) == 1
    exported = [json.loads(one) for one in house.ok("bus", "export").splitlines()]
    assert [(one["type"], one["from"], one["to"]) for one in exported] == [
        ("progress", "unit:root-a", "unit:root"),
        ("pr_created", "unit:root-a", "unit:root"),
        ("instruct", "person", "unit:root-a"),
        ("progress", "unit:root-a", "unit:root"),
        ("result", "unit:root-a", "toryo"),
        ("result", "toryo", "unit:root"),
    ]
    listed = house.read("inbox", "root")["messages"]
    assert [one["state"] for one in listed] == ["delivered"] * 4
    file = house.root / "bus.jsonl"
    for _ in range(2):
        house.ok("bus", "export", "-o", str(file))
        file.write_text(file.read_text() + '{"half a li')
    house.ok("bus", "export", "-o", str(file))
    assert [json.loads(one) for one in file.read_text().splitlines()] == exported


@pytest.mark.parametrize("victim", ["daemon", "coordinator"])
def test_what_was_said_before_somebody_was_killed_is_heard_once_and_in_order(
    make_house: MakeHouse, victim: str
) -> None:
    house = make_house()
    a_tree(house)
    eventually(lambda: heard(house) == [PROGRESS, PR], within_s=60, what="what the child said")
    daemon, coordinator = house.pids()
    os.kill(coordinator, signal.SIGSTOP)  # nobody carries it before the other is gone
    try:
        (house.root / "asked").touch()
        stored = house.ok("send", "--to", "unit:root", "--type", "instruct", "--data", '{"n": 1}')
        assert "to unit:root" in stored
    finally:
        house.kill(daemon if victim == "daemon" else coordinator)
        if victim == "daemon":
            os.kill(coordinator, signal.SIGCONT)
    house.ok("up")
    wanted = [PROGRESS, PR, '[PERSON] Type: instruct, Data: {"n": 1}', line("progress", SAYS)]
    eventually(lambda: len(heard(house)) >= 4, within_s=90, what="what was said meanwhile")
    assert heard(house) == wanted
    for name in ("leave", "go"):
        (house.root / name).touch()
    assert house.rest("root", limit_s=90) == 0, house.story("root")
    assert len(heard(house)) == len(set(heard(house)))


def test_outside_of_a_run_nobody_posts_and_a_tree_that_is_not_there_is_told(make_house: MakeHouse) -> None:
    house = make_house()
    done = house.toryo("post", "--type", "result", "--data", '{"is_error": false}')
    assert (done.returncode, "not inside a run" in done.stderr) == (1, True)
    for argv in (("send", "--to", "unit:root", "--type", "instruct"), ("inbox", "root")):
        done = house.toryo(*argv)
        assert (done.returncode, "no unit root" in done.stderr) == (1, True), done.stderr
    done = house.toryo("send", "--to", "unit:root", "--type", "instruct", "--data", "[1]")
    assert (done.returncode, "must be a JSON object" in done.stderr) == (1, True)
    assert house.ok("bus", "export") == ""
