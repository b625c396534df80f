"""The scripted agent: acts by files, git, exit code and MCP, exactly as its script says."""

from __future__ import annotations

import json
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from repositories import commit_files, git, make_repository
from toryo import processes, settings
from toryo.workbench.clients.registry import Call, client
from toryo.workbench.contexts.environment import write_run_file
from toryo.workbench.runs import hearing
from waiting import eventually

Play = Callable[..., processes.Finished]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", {"a.txt": "a\n", "b.txt": "b\n"})


@pytest.fixture
def play(repo: Path, tmp_path: Path) -> Play:
    def run(script: Any, *, prompt: str = "", **env: str) -> processes.Finished:
        path = tmp_path / "script.yaml"
        path.write_text(script if isinstance(script, str) else yaml.safe_dump(script, sort_keys=False))
        call = Call(prompt=prompt, prompt_file=tmp_path / "prompt", worktree=repo, command=str(path))
        made = client("scripted").argv(call)
        outer = dict(settings.environment()) | env
        return processes.run(made.argv, cwd=repo, env=outer, stdin=(made.stdin or "").encode(), limit_s=60)

    return run


def test_it_edits_and_commits(play: Play, repo: Path) -> None:
    done = play(
        """
        - write: {path: new/deep.txt, text: "deep\\n"}
        - append: {path: a.txt, text: "more\\n"}
        - delete: b.txt
        - commit: the work
        - print: finished
        """
    )
    assert (done.code, done.err) == (0, b"")
    assert git(repo, "log", "-1", "--format=%s") == "the work"
    assert git(repo, "ls-files").split() == ["a.txt", "new/deep.txt"]
    assert (repo / "a.txt").read_text() == "a\nmore\n"
    assert done.text.splitlines()[-1] == "finished"
    assert git(repo, "status", "--porcelain") == ""


def test_it_commits_only_what_it_is_told(play: Play, repo: Path) -> None:
    steps = [
        {"write": {"path": "x", "text": "x"}},
        {"write": {"path": "y", "text": "y"}},
        {"commit": "only x", "only": ["x"]},
    ]
    assert play(steps).code == 0
    assert git(repo, "status", "--porcelain") == "?? y"


def test_it_runs_commands_and_git(play: Play, repo: Path) -> None:
    done = play([{"run": "echo from the shell"}, {"git": ["tag", "mark"]}, {"sleep": 0.01}])
    assert done.code == 0
    assert "from the shell" in done.text
    assert git(repo, "tag") == "mark"


@pytest.mark.parametrize("code", [0, 3])
def test_it_exits_as_it_is_told_and_does_nothing_after(play: Play, repo: Path, code: int) -> None:
    assert play([{"exit": code}, {"write": {"path": "late", "text": ""}}]).code == code
    assert not (repo / "late").exists()


def test_it_can_die_by_a_signal(play: Play) -> None:
    assert play([{"print": "last words"}, {"kill": "SIGKILL"}]).code == -signal.SIGKILL


def test_a_command_that_fails_ends_it_with_its_step(play: Play) -> None:
    done = play([{"print": "x"}, {"run": "exit 4"}])
    assert done.code == 1
    assert "step 2 (run)" in done.complaint


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("- print: a\n- fly: away", "step 2: no step is called 'fly'"),
        ("- print", "step 1: a step is a mapping"),
        ("- {print: a, exit: 1}", "step 1: one verb a step"),
        ("- write: {path: a.txt}", "step 1 (write)"),
        ("implement: [{print: a}]", "nothing for purpose 'fix'"),
        ("- [", "script.yaml"),
        ("just text", "a script is a list"),
    ],
)
def test_a_wrong_script_exits_2_and_says_where(play: Play, repo: Path, script: str, said: str) -> None:
    done = play(script, TORYO_PURPOSE="fix")
    assert done.code == 2
    assert "script.yaml" in done.complaint
    assert said in done.complaint
    assert git(repo, "status", "--porcelain") == ""


def test_the_purpose_of_the_run_chooses_the_steps(play: Play) -> None:
    script = {"implement": [{"exit": 10}], "fix": [{"exit": 11}], "default": [{"exit": 12}]}
    codes = [play(script, TORYO_PURPOSE=purpose).code for purpose in ("implement", "fix", "resolve")]
    assert codes == [10, 11, 12]


def test_the_title_in_the_prompt_chooses_before_the_purpose(play: Play) -> None:
    script = {
        "by_task": {"Add A": {"fix": [{"exit": 20}]}, "Add B": [{"exit": 21}]},
        "default": [{"exit": 22}],
    }
    assert play(script, prompt="# Task: Add A", TORYO_PURPOSE="fix").code == 20
    assert play(script, prompt="# Task: Add B", TORYO_PURPOSE="fix").code == 21
    assert play(script, prompt="# Task: Add C", TORYO_PURPOSE="fix").code == 22


def test_turns_follow_each_other_and_the_last_one_repeats(play: Play) -> None:
    script = {"fix": [[{"exit": 30}], [{"exit": 31}]]}
    assert [play(script, TORYO_PURPOSE="fix").code for _ in range(3)] == [30, 31, 31]


def test_turns_are_counted_for_each_worktree_alone(play: Play, repo: Path, tmp_path: Path) -> None:
    script = [[{"exit": 30}], [{"exit": 31}]]
    assert play(script).code == 30
    git(repo, "worktree", "add", "-q", str(tmp_path / "other"))
    done = processes.run(
        client("scripted")
        .argv(Call(prompt="", prompt_file=Path("/p"), worktree=repo, command=str(tmp_path / "script.yaml")))
        .argv,
        cwd=tmp_path / "other",
    )
    assert done.code == 30


def test_a_module_in_the_worktree_does_not_stand_in_for_ours(play: Play, repo: Path) -> None:
    (repo / "yaml.py").write_text("raise SystemExit('the wrong yaml')")
    assert play([{"exit": 7}]).code == 7


def test_a_child_outlives_it(play: Play, repo: Path) -> None:
    done = play([{"spawn": {"command": "echo $$ > child; exec sleep 307", "detach": True}}])
    assert done.code == 0
    pid = int(eventually(lambda: (repo / "child").exists() and (repo / "child").read_text().strip()))
    start = processes.start_time(pid)
    assert start is not None
    processes.ask_to_end(pid, start)
    eventually(lambda: not processes.is_alive(pid, start))


def test_it_hears_what_a_person_said_and_takes_it(play: Play, tmp_path: Path) -> None:
    spool = hearing.make_room(tmp_path)
    for number, text in enumerate(("the first", "the second\n"), 1):
        hearing.put(tmp_path, hearing.name_of(number, "m"), text)
    done = play([{"hear": 0}, {"print": "done"}], TORYO_SAID=str(spool))
    assert (done.code, done.text) == (0, "the first\nthe second\ndone\n")
    assert list(spool.iterdir()) == []
    deaf = play([{"hear": 0.1}], TORYO_SAID=str(spool))
    assert (deaf.code, "nobody said anything" in deaf.err.decode()) == (1, True)


def test_it_resolves_a_conflict_and_commits_the_merge(play: Play, repo: Path) -> None:
    git(repo, "switch", "-q", "-c", "theirs")
    commit_files(repo, {"a.txt": "theirs\n"})
    git(repo, "switch", "-q", "main")
    commit_files(repo, {"a.txt": "ours\n"})
    assert processes.run(["git", "merge", "theirs"], cwd=repo).code == 1
    assert play([{"resolve": {"path": "a.txt", "text": "both\n"}}]).code == 0
    assert len(git(repo, "log", "-1", "--format=%P").split()) == 2
    assert git(repo, "show", "HEAD:a.txt") == "both"


# ── MCP ───────────────────────────────────────────────────────────────────────────────────────────────


class Daemon:
    """The daemon's end of the wire: answers each tool from a table and keeps what was asked."""

    def __init__(self, path: Path, answers: dict[str, dict[str, Any]]) -> None:
        self.asked: list[tuple[str, dict[str, Any], str]] = []
        self._answers = answers
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            with connection, connection.makefile("rwb") as lines:
                for line in lines:
                    request = json.loads(line)
                    if request["method"] == "close":
                        return
                    params = request["params"]
                    self.asked.append(
                        (params["name"], params["arguments"], params["_meta"]["toryo/credential"])
                    )
                    body = self._answers[params["name"]]
                    answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"structuredContent": body}}
                    lines.write(json.dumps(answer).encode() + b"\n")
                    lines.flush()

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(self._socket.getsockname())
            last.sendall(b'{"method": "close"}\n')
            self._thread.join(5)
        self._socket.close()


@pytest.fixture
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    made = Daemon(
        tmp_path_factory.mktemp("s") / "s",
        {
            "authenticate": {"success": True, "session_token": "sess_1"},
            "report_completed": {"success": True, "instruction": "leave"},
            "get_my_task": {"success": False, "error": "no such task"},
        },
    )
    yield made
    made.close()


def _connected(daemon: Daemon, tmp_path: Path) -> dict[str, str]:
    write_run_file(tmp_path / "run.json", Path(daemon._socket.getsockname()), "run_1")
    return {"TORYO_RUN_FILE": str(tmp_path / "run.json"), "AGENT_ID": "alice", "PROJECT_ID": "p1"}


def test_a_claim_authenticates_and_reports(play: Play, daemon: Daemon, tmp_path: Path) -> None:
    done = play([{"claim": {"result": "failed", "summary": "no"}}], **_connected(daemon, tmp_path))
    assert (done.code, done.text) == (0, '{"success": true, "instruction": "leave"}\n')
    assert daemon.asked == [
        ("authenticate", {"agent_id": "alice", "project_id": "p1"}, "run_1"),
        ("report_completed", {"session_token": "sess_1", "result": "failed", "summary": "no"}, "run_1"),
    ]


def test_a_refused_call_ends_it_with_the_reason(play: Play, daemon: Daemon, tmp_path: Path) -> None:
    done = play([{"mcp": {"tool": "get_my_task"}}], **_connected(daemon, tmp_path))
    assert done.code == 1
    assert "no such task" in done.complaint


def test_a_sealed_run_cannot_call(play: Play) -> None:
    done = play([{"mcp": {"tool": "get_my_task"}}])
    assert done.code == 1
    assert "not connected" in done.complaint
