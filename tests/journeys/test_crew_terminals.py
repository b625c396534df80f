"""Real CLIs on their own screens, in windows of our tmux: driven by Toryo, to be looked at and spoken to."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from crew_house import FILES, LONG_S, Crew, crew, part, reports, writes

from waiting import eventually

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * LONG_S)]

ON_SCREEN = ("--style", "interactive", "--access", "connected")
HOLD = {
    "run": """touch "$HOME/held"
for i in 1 2 3 4 5 6 7 8 9 0; do for j in 1 2 3 4 5 6 7 8 9 0; do
  [ -e "$HOME/go" ] && break 2; sleep 0.25
done; done"""
}
"""At most 25 seconds: no CLI lets a command run for ever."""
STRANGE = "with 'quotes', $HOME, `ticks`, {braces}, ümläute, 茶\n\n- a list\n    - of \\two\n" + "x" * 3000
WORDS = "Please mind the varnish, carpenter."


def held(house: Crew) -> Path:
    """The agent is in the middle of a tool call; the file that lets it go on."""
    home = Path(house.env["HOME"])
    eventually((home / "held").exists, within_s=LONG_S, what="the agent's first tool call")
    return home / "go"


def attached_shows(argv: list[str], wanted: bytes) -> None:
    """As `toryo attach` does it in a person's terminal; then the person's terminal is closed."""
    outer, inner = pty.openpty()
    env = {"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8"}
    with subprocess.Popen(argv, stdin=inner, stdout=inner, stderr=inner, env=env) as terminal:
        os.close(inner)
        os.set_blocking(outer, False)
        seen = bytearray()

        def shows() -> bool:
            try:
                seen.extend(os.read(outer, 65536))
            except (BlockingIOError, OSError):
                assert terminal.poll() is None, bytes(seen)
            return wanted in seen

        try:
            eventually(shows, within_s=30, what=f"{wanted!r} on the screen")
        finally:
            terminal.terminate()
            os.close(outer)


@pytest.mark.parametrize("client", ["claude", "codex", "gemini"])
def test_a_task_is_done_on_the_clis_own_screen_which_can_be_attached_to(client: str) -> None:
    # a moment before the first call: on its screen, Claude Code does not wait for MCP servers
    steps = (HOLD, {"call": "authenticate"}, *writes("src/a.txt"), *reports("on screen"))
    with crew(client, part("Add a file", *steps, {"say": "All is done."}), worker=ON_SCREEN) as house:
        task = house.add("Add a file", "-d", STRANGE)
        go = held(house)
        run = house.run(task)
        attached = house.read("attach", task)
        assert attached["run"] == run["id"]
        attached_shows(attached["argv"], b"toryo " + run["id"].encode())
        if client == "claude":
            assert house.ok("task", "say", task, WORDS) == f"{run['id']} has it.\n"
        go.touch()
        house.lands(task)
        (run,) = house.task(task)["runs"]
        assert (run["outcome"], run["exit_code"], run["message"]) == ("succeeded", 0, "All is done.")
        assert [one["summary"] for one in run["claims"]] == ["on screen"]
        assert house.text_on("src/a.txt") == "fine"
        assert (house.run_dir(run["id"]) / "turn-end.jsonl").exists()
        signals = (house.run_dir(run["id"]) / "signals.jsonl").read_text()
        assert [json.loads(line)["source"] for line in signals.splitlines()] == ["hook"]
        asked = house.requests("Add a file")
        prompt = (house.run_dir(run["id"]) / "prompt.md").read_text()
        assert json.dumps(prompt.strip())[1:-1] in json.dumps(asked[0]["body"])
        assert (WORDS in json.dumps(asked[-1]["body"])) == (client == "claude")
        refused = house.toryo("attach", task, "--json")
        assert (refused.returncode, refused.stdout) == (1, "")
        assert f"Nothing of {task} runs now." in refused.stderr


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_losing_the_tmux_server_ends_the_run_as_a_fact_and_another_one_gets_a_new_window(client: str) -> None:
    with crew(client, part("Add a file", HOLD, *writes("src/a.txt")), worker=ON_SCREEN) as house:
        task = house.add("Add a file")
        go = held(house)
        argv = house.read("attach", task)["argv"]
        killed = [*argv[: argv.index("attach-session")], "kill-server"]
        subprocess.run(killed, env=house.env, check=True, timeout=30)
        go.touch()
        assert house.rest(task, limit_s=LONG_S) != 0
        (run,) = house.task(task)["runs"]
        assert (house.task(task)["status"], run["outcome"]) == ("failed", "failed")
        assert json.loads((house.run_dir(run["id"]) / "exit.json").read_text())["terminal_lost"]
        assert house.pids_of_runs() == []
        house.ok("task", "retry", task)
        house.lands(task)
        assert house.text_on("src/a.txt") == "fine"


COLOURS = [{"label": "Red", "description": "as fire"}, {"label": "Blue", "description": "as water"}]
COLOUR = {"question": "Which colour?", "header": "Colour", "multiSelect": False, "options": COLOURS}
ASKS = {
    "claude": {"call": {"tool": "AskUserQuestion", "arguments": {"questions": [COLOUR]}}},
    "gemini": {"call": {"tool": "ask_user", "arguments": {"questions": [COLOUR | {"type": "choice"}]}}},
}


@pytest.mark.parametrize(("client", "answer"), [("claude", "2"), ("claude", "Take green."), ("gemini", "2")])
def test_an_agent_that_asks_on_its_screen_needs_a_person_and_words_answer_it(
    client: str, answer: str
) -> None:
    steps = (ASKS[client], HOLD, *writes("src/a.txt"), {"say": "All is done."})
    with crew(client, part("Add a file", *steps), worker=ON_SCREEN) as house:
        task = house.add("Add a file")
        house.until(task, lambda one: one["reason"] == "waiting_for_input", what="it waits for a person")
        # Gemini CLI tells first that it waits, and then for what
        asked = "its agent asks: Which colour? (1 Red, 2 Blue)"
        eventually(lambda: [one["why"] for one in house.read("status")["needs_you"]] == [asked], what=asked)
        (listed,) = house.read("status")["needs_you"]
        assert listed["task"] == task
        house.ok("task", "say", task, answer)
        house.until(task, lambda one: one["reason"] == "implement", what="it goes on", within_s=10)
        assert house.read("status")["needs_you"] == []
        held(house).touch()
        house.lands(task)
        asked = json.dumps(
            house.requests("Add a file")[-1]["body"]["messages" if client == "claude" else "contents"]
        )
        assert ("Blue" if answer == "2" else answer) in asked.split("as water")[-1]


ASK_FIRST = {".claude/settings.json": json.dumps({"permissions": {"ask": ["Bash(cp:*)"]}})}
"""A person's own rule, which no permission of ours goes over."""


def test_an_agent_that_asks_for_a_permission_on_its_screen_gets_it_from_a_person() -> None:
    steps = ({"run": "cp README.md allowed"}, HOLD, *writes("src/a.txt"), {"say": "All is done."})
    script = part("Add a file", *steps)
    with crew("claude", script, files=FILES | ASK_FIRST, worker=ON_SCREEN) as house:
        task = house.add("Add a file")
        house.until(task, lambda one: one["reason"] == "waiting_for_input", what="it waits for a person")
        (listed,) = house.read("status")["needs_you"]
        assert listed["why"] == "its agent asks: may it use Bash: cp README.md allowed"
        assert listed["lines"][0].startswith(f"toryo task say {task} ")
        house.ok("task", "say", task, "1")
        house.until(task, lambda one: one["reason"] == "implement", what="it goes on", within_s=10)
        go = held(house)
        (run,) = house.task(task)["runs"]
        assert (Path(run["worktree"]) / "allowed").is_file()
        go.touch()
        house.lands(task)


GEMINI_ASKS_FIRST = """\
[[rule]]
toolName = "run_shell_command"
commandPrefix = "cp"
decision = "ask_user"
priority = 900
"""
"""A person's own policy, which goes over `--yolo`."""


def test_a_permission_that_gemini_asks_for_on_its_screen_is_given_by_a_person() -> None:
    steps = ({"run": "cp README.md allowed"}, HOLD, *writes("src/a.txt"), {"say": "All is done."})
    with crew("gemini", part("Add a file", *steps), worker=ON_SCREEN) as house:
        policies = Path(house.env["HOME"]) / ".gemini" / "policies"
        policies.mkdir(parents=True)
        (policies / "mine.toml").write_text(GEMINI_ASKS_FIRST)
        task = house.add("Add a file")
        house.until(task, lambda one: one["reason"] == "waiting_for_input", what="it waits for a person")
        (listed,) = house.read("status")["needs_you"]
        assert "cp README.md allowed" in listed["why"]
        house.ok("task", "say", task, "1")
        go = held(house)
        eventually(lambda: house.task(task)["reason"] == "implement", within_s=10, what="it goes on")
        (run,) = house.task(task)["runs"]
        assert (Path(run["worktree"]) / "allowed").is_file()
        go.touch()
        house.lands(task)


def test_opencode_on_its_screen_has_finished_soon_after_it_printed_the_marker() -> None:
    says = {"say": "All is done.\n\nTORYO_TASK_DONE"}
    with crew("opencode", part("Add a file", HOLD, *writes("src/a.txt"), says), worker=ON_SCREEN) as house:
        task = house.add("Add a file", "--timeout", "200")
        held(house).touch()  # until then nothing but the echo of the prompt had been on the screen
        house.lands(task)
        (run,) = house.task(task)["runs"]
        assert (run["outcome"], run["exit_code"]) == ("succeeded", 0)
        place = house.run_dir(run["id"])
        (signal,) = [json.loads(line) for line in (place / "signals.jsonl").read_text().splitlines()]
        assert signal["source"] == "marker"
        assert 0 < signal["at"] - house.requests("Add a file")[-1]["at"] < 10
        assert "TORYO_TASK_DONE" not in (place / "prompt.md").read_text()
        assert (place / "typed.md").read_text().startswith((place / "prompt.md").read_text().rstrip())
