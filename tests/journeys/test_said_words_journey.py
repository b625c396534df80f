"""`toryo task say` to agents without a screen: real CLIs hear it once, whoever is killed meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from crew_house import LONG_S, Crew, crew, part, writes
from house import House

from toryo.protocol import wire
from waiting import eventually

MakeHouse = Callable[..., House]

HOLD = {
    "run": """touch "$HOME/held"
for i in 1 2 3 4 5 6 7 8 9 0; do for j in 1 2 3 4 5 6 7 8 9 0; do
  [ -e "$HOME/go" ] && break 2; sleep 0.1
done; done"""
}
"""At most ten seconds: no CLI lets a command run for ever."""
FIRST, SECOND = 'Mind the "varnish", ümläute and $HOME.', "One thing more, before you leave."
WORK = "echo x > x.txt && git add -A && git commit -qm work"
LISTENS = """
n=0
while [ ! -e {root}/go ] && [ $n -lt 2000 ]; do
  for one in "$TORYO_SAID"/*/; do
    name=$(basename "$one")
    mv "$TORYO_SAID/$name" "$TORYO_SAID/../heard/" 2>/dev/null || continue
    cat "$TORYO_SAID/../heard/$name/text" >> {root}/heard; echo >> {root}/heard
  done
  n=$((n+1)); sleep 0.02
done
"""


def asked_with(house: Crew, words: str) -> list[int]:
    """How often each request of the run has the words."""
    return [json.dumps(one["body"]).count(json.dumps(words)[1:-1]) for one in house.requests("Add a file")]


@pytest.mark.slow
@pytest.mark.timeout(2 * LONG_S)
@pytest.mark.parametrize("client", ["claude", "codex", "gemini"])
def test_a_real_cli_hears_it_after_a_tool_call_and_instead_of_the_end_of_its_turn(client: str) -> None:
    replies = (HOLD, *writes("src/a.txt"), {"say": "All is done.", "hang": 3}, {"say": "I heard you."})
    with crew(client, part("Add a file", *replies)) as house:
        task, home = house.add("Add a file"), Path(house.env["HOME"])
        eventually((home / "held").exists, within_s=LONG_S, what="the first tool call")
        with saying(house, task, FIRST) as says:
            spool = house.run_dir(house.run(task)["id"]) / "said"
            eventually(lambda: list(spool.iterdir()), within_s=LONG_S, what="words that wait")
            (home / "go").touch()
            says.communicate(timeout=LONG_S)
        eventually(lambda: len(house.requests("Add a file")) == 4, within_s=LONG_S, what="the last answer")
        tell(house, task, SECOND)
        house.lands(task)
        assert asked_with(house, FIRST) == [0, 1, 1, 1, 1]
        assert asked_with(house, SECOND) == [0, 0, 0, 0, 1]
        (run,) = house.task(task)["runs"]
        assert (run["outcome"], run["message"][-12:]) == ("succeeded", "I heard you.")
        words = [(FIRST, "heard"), (SECOND, "heard")]
        eventually(lambda: [(one["text"], one["state"]) for one in house.run(task)["words"]] == words)
        assert f"and heard: {SECOND}" in house.ok("task", "show", task)
        assert settings_with_our_hook(home) == []


def tell(house: Crew, task: str, words: str) -> None:
    """As `toryo task say` does, without the start of a command: the model hangs for three seconds only."""
    key = (house.home / "operator.key").read_text().strip()
    assert not wire.call(house.home / "mcp.sock", "say", {"id": task, "text": words}, key)["problem"]


def settings_with_our_hook(home: Path) -> list[Path]:
    """Nothing of it may come into what the CLI keeps for its next start by a person; Gemini CLI's own list of
    hooks that it has warned of is none of that."""
    found = [path for path in home.rglob("*") if path.suffix in (".json", ".toml") and path.is_file()]
    found = [path for path in found if path.name != "trusted_hooks.json"]
    return [path for path in found if "hear.sh" in path.read_text("utf-8", "replace")]


def listening(house: House) -> str:
    """A task whose agent, a shell script, writes down what it hears until `go` is there."""
    house.agent(LISTENS.format(root=house.root) + WORK)
    task = house.add("Listen")
    eventually(lambda: house.task(task)["status"] == "running" and house.started(), within_s=30)
    return task


def saying(house: House, task: str, words: str) -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "toryo", "task", "say", task, words]
    pipe = subprocess.PIPE
    return subprocess.Popen(argv, cwd=house.repo, env=house.env, stdout=pipe, stderr=pipe, text=True)


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in ("Z", "X")
    except OSError:
        return True


def heard(house: House) -> list[str]:
    file = house.root / "heard"
    return file.read_text().split("\n")[:-1] if file.exists() else []


def test_a_program_that_looks_hears_it_once_whoever_is_killed_meanwhile(make_house: MakeHouse) -> None:
    house = make_house(init=False)
    armed = house.root / "crash"
    house.env["TORYO_CRASH_FILE"] = str(armed)
    house.ok("init", "--yes", "--base", "main")
    task = listening(house)
    said = []
    for step in ("say.before", "words.written", "words.put", "say.after", "say.reported"):
        _, coordinator = house.pids()
        armed.write_text(step)
        said.append(f"while {step}")
        with saying(house, task, said[-1]) as says:
            eventually(lambda pid=coordinator: is_gone(pid), within_s=30, what=f"killed at {step}")
            armed.write_text("")
            house.ok("up")
            assert says.communicate(timeout=60)[0].endswith("has it.\n"), house.story(task)
        eventually(lambda: heard(house) == said, what="the agent wrote down what it took")
    (house.root / "go").touch()
    assert house.rest(task) == 0, house.story(task)
    assert heard(house) == said
    states = [(one["text"], one["state"]) for one in house.task(task)["runs"][0]["words"]]
    assert states == [(words, "heard") for words in said]
    assert house.recomputed() == []


def test_a_speaker_whose_daemon_is_killed_is_heard_once(make_house: MakeHouse) -> None:
    house = make_house()
    task = listening(house)
    daemon, coordinator = house.pids()
    os.kill(coordinator, signal.SIGSTOP)  # nobody takes the order before the daemon is gone
    try:
        with saying(house, task, "are you there") as says:
            eventually(lambda: '"run_told"' in house.ok("events", "--json", "--limit", "50"), within_s=30)
            house.kill(daemon)
            os.kill(coordinator, signal.SIGCONT)
            out, err = says.communicate(timeout=80)
    finally:
        os.kill(coordinator, signal.SIGCONT)
    assert (says.returncode, out.split()[1:]) == (0, ["has", "it."]), err + house.story(task)
    eventually(lambda: heard(house) == ["are you there"], what="the agent wrote down what it took")
    (house.root / "go").touch()
    assert house.rest(task) == 0
    assert heard(house) == ["are you there"]


def test_what_nobody_took_is_shown_when_the_run_has_ended(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent(f"while [ ! -e {house.root}/go ]; do sleep 0.02; done; {WORK}")
    task = house.add("Deaf")
    eventually(lambda: house.task(task)["status"] == "running" and house.started(), within_s=30)
    assert "$TORYO_SAID" in house.ok("task", "say", task, "can you hear me")
    assert "waiting for its next step: can you hear me" in house.ok("task", "show", task)
    (house.root / "go").touch()
    assert house.rest(task) == 0
    eventually(lambda: house.task(task)["runs"][0]["words"][0]["state"] == "unheard", within_s=30)
    for page in (("task", "show"), ("evidence",), ("run", "show")):
        name = house.started()[0] if page[0] == "run" else task
        assert "unheard: the run ended before: can you hear me" in " ".join(house.ok(*page, name).split())
    assert "run_unheard" in house.ok("events", "--json")
