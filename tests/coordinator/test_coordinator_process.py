"""The coordinator as a separate process: its key, its log, the signal to leave."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from crew import Crew, waiting_agent

from toryo.coordinator.runs.launch import new_log
from toryo.place.logs import Masked
from waiting import eventually

START = "from toryo import settings; from toryo.coordinator.process import run_coordinator; "
START += "raise SystemExit(run_coordinator(settings.home(), 'main', False))"


@pytest.fixture
def processes(crew: Crew) -> Iterator[list[subprocess.Popen[bytes]]]:
    made: list[subprocess.Popen[bytes]] = []
    yield made
    for one in made:
        if one.poll() is None:
            one.kill()
        one.communicate(timeout=10)


def start(crew: Crew, made: list[subprocess.Popen[bytes]], **env: str) -> subprocess.Popen[bytes]:
    outer = {**os.environ, "TORYO_HOME": str(crew.home.path), **env}
    made.append(subprocess.Popen([sys.executable, "-c", START], env=outer, stderr=subprocess.PIPE))
    return made[-1]


def configure(crew: Crew, text: str) -> None:
    folder = crew.home.coordinator("main")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "coordinator.yaml").write_text(text)


def lines(crew: Crew) -> list[dict[str, object]]:
    path = crew.home.logs / "coordinator-main.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_it_asks_for_its_key_leaves_by_sigterm_and_its_agents_go_on(
    crew: Crew, repo: Path, tmp_path: Path, processes: list[subprocess.Popen[bytes]]
) -> None:
    configure(crew, "polling_interval: 0.2")
    crew.home.operator_key.write_text("op_of_a_person\n")
    first = start(crew, processes)
    eventually(lambda: any("not available" in str(line["message"]) for line in lines(crew)), within_s=20)
    crew.daemon.give(crew.run_order("r1", repo, waiting_agent(tmp_path / "end", tmp_path / "trace")))
    crew.daemon.start()
    started = eventually(lambda: crew.daemon.about("started"), within_s=20)[0]
    key = crew.home.coordinator("main") / "key"
    assert key.read_text().strip() == "coord_for_main"
    assert key.stat().st_mode & 0o777 == 0o600
    assert crew.daemon.credentials == {"op_of_a_person", "coord_for_main"}
    first.send_signal(signal.SIGTERM)
    assert first.wait(timeout=10) == 0
    os.kill(started["pid"], 0)  # the agent is alive
    second = start(crew, processes)
    eventually(lambda: len(crew.daemon.asked("register_coordinator")) == 2, within_s=20)
    (tmp_path / "end").touch()
    assert eventually(lambda: crew.daemon.about("exited"))[0]["exit_code"] == 0
    assert (tmp_path / "trace").read_text() == "began\n"
    second.send_signal(signal.SIGTERM)
    assert second.wait(timeout=10) == 0


@pytest.mark.parametrize(
    "moment", ["run.before", "launch.after_exec", "run.after", "run.reported", "exit.before", "exit.reported"]
)
def test_killed_at_any_step_of_a_run_it_starts_the_agent_once(
    crew: Crew, repo: Path, tmp_path: Path, processes: list[subprocess.Popen[bytes]], moment: str
) -> None:
    configure(crew, "polling_interval: 0.2")
    (crew.home.coordinator("main") / "key").write_text("coord_x")
    crew.daemon.start()
    trace, crash = tmp_path / "trace", tmp_path / "crash"
    crew.daemon.give(crew.run_order("r1", repo, f"sh -c 'echo began >> {trace}; sleep 0.3'"))
    crash.write_text(moment)
    victim = start(crew, processes, TORYO_CRASH_FILE=str(crash))
    assert victim.wait(timeout=20) == -signal.SIGKILL
    start(crew, processes)
    eventually(lambda: len(crew.daemon.asked("register_coordinator")) == 2, within_s=20)
    exits = eventually(lambda: crew.daemon.about("exited", "or1"), within_s=20)
    assert exits[0]["exit_code"] == 0
    assert trace.read_text() == "began\n"


def test_two_coordinators_with_the_same_order_start_one_agent(
    crew: Crew, repo: Path, tmp_path: Path, processes: list[subprocess.Popen[bytes]]
) -> None:
    configure(crew, "polling_interval: 0.2")
    (crew.home.coordinator("main") / "key").write_text("coord_x")
    for _ in range(2):
        start(crew, processes)
    crew.daemon.start()
    eventually(lambda: len(crew.daemon.asked("register_coordinator")) == 2, within_s=20)
    trace, end = tmp_path / "trace", tmp_path / "end"
    crew.daemon.give(crew.run_order("r1", repo, waiting_agent(end, trace)))
    eventually(lambda: sum(beat == ["r1"] for beat in crew.daemon.heartbeats) >= 4, within_s=20)
    end.touch()
    exits = eventually(lambda: crew.daemon.about("exited", "or1"))
    assert exits[0]["exit_code"] == 0
    assert trace.read_text() == "began\n"


def test_without_any_key_it_says_where_to_put_one(
    crew: Crew, processes: list[subprocess.Popen[bytes]]
) -> None:
    crew.daemon.start()
    alone = start(crew, processes)
    _, complaint = alone.communicate(timeout=20)
    assert alone.returncode != 0
    assert b"NoKey" in complaint
    assert str(crew.home.coordinator("main") / "key").encode() in complaint


def test_log_lines_are_json_and_mask_tokens_and_passkeys() -> None:
    record = logging.makeLogRecord(
        {"msg": "got %s and %s", "args": ("sess_abcdef123456", "plnr_abcdef123456"), "levelname": "INFO"}
    )
    record.passkey = "open sesame"
    record.run = "r0001"
    line = json.loads(Masked(["open sesame"]).format(record))
    assert line["message"] == "got sess_*** and plnr_***"
    assert line["passkey"] == "***"
    assert (line["run"], line["level"]) == ("r0001", "info")
    assert line["time"].endswith("Z")


def test_two_runs_that_begin_in_one_second_have_two_logs(tmp_path: Path) -> None:
    names = [new_log(tmp_path, "dev", now=0).name for _ in range(3)]
    assert names[0].removesuffix(".log") + "-2.log" == names[1]
    assert names[0].removesuffix(".log") + "-3.log" == names[2]
    assert len(names[0]) == len("YYYYMMDD_HHMMSS.log")
