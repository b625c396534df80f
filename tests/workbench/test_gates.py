"""One check on one commit: its verdict, its surroundings, and what a crash leaves."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository
from toryo import processes
from toryo.domain.words import CheckResult
from toryo.protocol.kinds.gate import Checked, CheckInputs
from toryo.workbench.gates import checking, commands
from toryo.workbench.gates.slots import acquire
from toryo.workbench.runs import records
from waiting import eventually

PASSED, FAILED, COULD_NOT_RUN = CheckResult.PASSED, CheckResult.FAILED, CheckResult.COULD_NOT_RUN


class Bench:
    """A repository beside an installation, and checks on its newest commit."""

    def __init__(self, root: Path) -> None:
        self.repo = make_repository(root / "repo", {"a.txt": "one\n", ".gitignore": "made/\n"})
        self.gates = root / "home" / "gates"
        self.root = root
        self.count = 0
        self.slots = 1

    def inputs(self, command: str, **more: object) -> CheckInputs:
        commit = git(self.repo, "rev-parse", "HEAD")
        tree = git(self.repo, "rev-parse", "HEAD^{tree}")
        return CheckInputs.model_validate(
            {"repo": str(self.repo), "project": "p1", "commit": commit, "tree": tree, "command": command}
            | {"limit_s": 60, **more}
        )

    def work(self) -> Path:
        self.count += 1
        return self.root / "orders" / str(self.count)

    def check(self, command: str, **more: object) -> tuple[Checked, str]:
        return checking.check(self.inputs(command, **more), self.gates, self.work(), slot_limit=self.slots)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


# ── verdicts ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_check_that_exits_zero_passed_and_its_output_is_named_by_its_hash(bench: Bench) -> None:
    checked, text = bench.check("cat a.txt; echo two >&2")
    assert (checked.result, checked.exit_code, checked.interrupted) == (PASSED, 0, False)
    assert text == "one\ntwo\n"
    assert checked.output == hashlib.sha256(text.encode()).hexdigest()
    assert checked.tail == text
    assert checked.started_at <= checked.ended_at
    assert len(checked.setup_key) == 64
    assert checked.fingerprint


def test_a_check_that_exits_otherwise_failed(bench: Bench) -> None:
    checked, text = bench.check("echo broken; exit 3")
    assert (checked.result, checked.exit_code, checked.reason) == (FAILED, 3, "exit 3")
    assert text == "broken\n"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("no-such-program --now", 127),
        ("./a.txt", 126),
        ("exit 127", 127),
        ("kill -9 $$", None),
        ("exit 137", 137),
    ],
)
def test_a_check_that_was_not_executed_or_was_killed_could_not_run(
    command: str, code: int | None, bench: Bench
) -> None:
    checked, _ = bench.check(command)
    assert (checked.result, checked.exit_code) == (COULD_NOT_RUN, code)
    assert checked.reason
    assert not checked.interrupted


def test_a_check_that_ends_by_its_own_fault_in_a_signal_failed(bench: Bench) -> None:
    checked, _ = bench.check("kill -SEGV $$")
    assert (checked.result, checked.signal) == (FAILED, "SIGSEGV")


def test_a_check_that_found_the_disk_full_could_not_run(bench: Bench) -> None:
    checked, _ = bench.check("echo 'cp: No space left on device' >&2; exit 1")
    assert (checked.result, checked.reason) == (COULD_NOT_RUN, "disk full")


def test_a_check_that_outstays_its_limit_counts_as_not_passed(bench: Bench) -> None:
    checked, text = bench.check("echo begun; sleep 100", limit_s=1)
    assert (checked.result, checked.exit_code, checked.reason) == (FAILED, 124, "time limit")
    assert text == "begun\n"


def test_a_failing_set_up_is_could_not_run_with_its_output(bench: Bench) -> None:
    checked, text = bench.check("echo never", setup=("echo fetching; exit 4",))
    assert checked.result is COULD_NOT_RUN
    assert checked.reason == "setup: `echo fetching; exit 4`: exit 4"
    assert text == checked.tail == "fetching\n"


def test_a_set_up_that_outstays_its_limit_is_could_not_run(bench: Bench) -> None:
    checked, _ = bench.check("true", setup=("true", "sleep 100"), setup_limit_s=1.5)
    assert (checked.result, checked.reason) == (COULD_NOT_RUN, "setup: `sleep 100`: time limit")


def test_a_check_that_nobody_wants_any_more_is_interrupted(bench: Bench) -> None:
    work = bench.work()
    checked, _ = checking.check(
        bench.inputs("sleep 100"),
        bench.gates,
        work,
        lambda: not (work / "1" / "check" / "started.json").exists(),
    )
    assert (checked.result, checked.interrupted) == (COULD_NOT_RUN, True)


def test_waiting_for_a_slot_ends_when_nobody_wants_the_check_any_more(bench: Bench) -> None:
    with acquire(bench.gates, "p1", 1):
        checked, _ = checking.check(
            bench.inputs("true"), bench.gates, bench.work(), lambda: False, slot_limit=1
        )
    assert checked.interrupted


def test_a_long_output_keeps_its_head_and_its_tail(bench: Bench) -> None:
    checked, text = bench.check("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo last")
    assert checked.result is PASSED
    assert text.startswith("first\nxxx")
    assert text.endswith("xxx" + "last\n")
    assert "bytes left out" in text
    assert len(text) < commands.LARGEST_OUTPUT + 100
    assert len(checked.tail) == 4096


def test_a_check_that_never_stops_printing_is_ended_and_failed(bench: Bench, tmp_path: Path) -> None:
    run_dir = tmp_path / "runs" / "r1"
    commands.start(run_dir, "while :; do echo more; done", tmp_path, {"PATH": os.defpath}, 60)
    ended = commands.wait(run_dir, lambda: True, largest_log=100_000)
    assert ended.flooded
    assert ended.record is not None
    assert ended.record.stopped


def test_a_commit_that_is_not_there_could_not_be_checked(bench: Bench) -> None:
    checked, text = bench.check("true", commit="1" * 40, tree="")
    assert checked.result is COULD_NOT_RUN
    assert checked.reason.startswith("gate: ")
    assert checked.output == hashlib.sha256(text.encode()).hexdigest()


def test_a_tree_that_is_not_the_commits_is_not_checked(bench: Bench) -> None:
    checked, _ = bench.check("true", tree="2" * 40)
    assert checked.result is COULD_NOT_RUN
    assert "2" * 40 in checked.reason


# ── surroundings ──────────────────────────────────────────────────────────────────────────────────────


def test_what_a_check_does_with_git_never_reaches_the_users_repository(bench: Bench) -> None:
    before = (
        git(bench.repo, "for-each-ref"),
        (bench.repo / ".git" / "config").read_text(),
        git(bench.repo, "log"),
    )
    command = (
        "git remote && git tag x && git config foo.bar 1 && git config --global foo.baz 2 "
        "&& git commit -q --allow-empty -m more && git log --format=%s"
    )
    checked, text = bench.check(command)
    assert (checked.result, text) == (PASSED, "more\nfirst\n")
    after = (
        git(bench.repo, "for-each-ref"),
        (bench.repo / ".git" / "config").read_text(),
        git(bench.repo, "log"),
    )
    assert after == before
    # nor the next gate in the same slot
    checked, text = bench.check(
        "git tag; git config foo.bar; git config foo.baz; git log --format=%s; git status -s"
    )
    assert text == "first\n"


def test_a_check_sees_no_secret_and_a_home_of_its_own(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ("ANTHROPIC_API_KEY", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "TORYO_HOME", "TORYO_RUN", "HTTPS_PROXY")
    for name in (*secrets, "AGENT_PASSKEY", "PYTHONPATH", "VIRTUAL_ENV"):
        monkeypatch.setenv(name, "/secret")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    _, text = bench.check("env; echo in-temp > $TMPDIR/fixed; echo cwd=$(pwd)")
    seen = dict(line.split("=", 1) for line in text.splitlines())
    assert "/secret" not in text
    assert not [name for name in seen if name.startswith("TORYO_")]
    assert (seen["CI"], seen["TZ"], seen["GIT_CONFIG_NOSYSTEM"]) == ("true", "Asia/Tokyo", "1")
    slot = bench.gates / "p1" / "1"
    assert (seen["HOME"], seen["TMPDIR"], seen["cwd"]) == tuple(
        str(slot / n) for n in ("home", "tmp", "checkout")
    )


def test_where_packages_come_from_reaches_set_up_only_and_no_password_does(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "/somewhere")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.localhost:3128")
    monkeypatch.setenv("PIP_INDEX_URL", "https://me:hidden@mirror.localhost/simple")
    monkeypatch.setenv("NPM_CONFIG__AUTHTOKEN", "hidden")
    _, seen = bench.check("cat made/seen; env", setup=("mkdir -p made && env > made/seen",), setup_inputs=())
    assert (
        seen.count("PIP_FIND_LINKS=/somewhere") == seen.count("HTTPS_PROXY=http://proxy.localhost:3128") == 1
    )
    assert "hidden" not in seen


def test_programs_inside_the_users_repository_are_not_on_the_path(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = bench.repo / ".venv" / "bin" / "tool-of-the-user"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\necho theirs\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    checked, _ = bench.check("tool-of-the-user")
    assert checked.exit_code == 127


def test_the_set_ups_own_virtual_environment_comes_first_on_the_path(bench: Bench) -> None:
    make = "mkdir -p .venv/bin; printf '#!/bin/sh\\necho ours\\n' > .venv/bin/tool; chmod +x .venv/bin/tool"
    assert bench.check("tool", setup=(make,))[1] == "ours\n"
    # not ignored by the repository, but set-up's product: it stays
    assert bench.check("tool; git status --short", setup=(make,))[1] == "ours\n"


def test_a_virtual_environment_that_the_candidate_committed_answers_for_nothing(bench: Bench) -> None:
    commit_files(bench.repo, {".venv/bin/tool": "#!/bin/sh\necho theirs\n"})
    git(bench.repo, "update-index", "--chmod=+x", ".venv/bin/tool")
    git(bench.repo, "commit", "-q", "-m", "executable")
    assert bench.check("tool")[0].exit_code == 127


def test_excluded_files_are_absent_also_when_a_check_wrote_them(bench: Bench) -> None:
    files = {".env": "KEY=1\n", "deep/.env": "KEY=2\n", "secrets/a": "b\n", "b.txt": "b\n"}
    commit_files(bench.repo, files, "secrets")
    exclude = (".env", "secrets/")
    _, text = bench.check(
        "find . -path ./.git -prune -o -type f -print | sort; git status --short; echo X > .env",
        exclude=exclude,
    )
    assert text == "./.gitignore\n./a.txt\n./b.txt\n"
    _, text = bench.check("ls -A; cat .env", exclude=exclude)
    assert ".env: No such file" in text
    assert bench.check("cat .env deep/.env secrets/a")[1] == "KEY=1\nKEY=2\nb\n"
    assert ".env: No such file" in bench.check("cat .env", exclude=exclude)[1]


def test_dependencies_in_the_users_checkout_are_not_visible(bench: Bench) -> None:
    (bench.repo / "node_modules").mkdir()
    command = (
        'd=$(pwd); while [ "$d" != / ]; do ls -d "$d/node_modules" 2>/dev/null; d=$(dirname "$d"); done; true'
    )
    assert bench.check(command)[1] == ""


def test_gates_inside_the_repository_are_refused(bench: Bench) -> None:
    checked, _ = checking.check(bench.inputs("true"), bench.repo / ".home" / "gates", bench.work())
    assert checked.result is COULD_NOT_RUN
    assert "inside the repository" in checked.reason


def test_two_gates_side_by_side_have_their_own_slot_and_temporary_folder(bench: Bench) -> None:
    # each leaves only when it has seen the other: a single slot would never let both begin
    meet = bench.root / "meet"
    meet.mkdir()
    bench.slots = 2
    command = (
        f"echo $$ > $TMPDIR/fixed; touch {meet}/$$; while [ $(ls {meet} | wc -l) -lt 2 ]; do sleep 0.02; done"
    )
    command += "; [ $(cat $TMPDIR/fixed) = $$ ] && echo $TMPDIR"
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: bench.check(command), range(2)))
    assert [checked.result for checked, _ in answers] == [PASSED, PASSED]
    assert len({text for _, text in answers}) == 2


def test_a_process_that_a_check_leaves_behind_is_dead_before_the_answer(bench: Bench) -> None:
    python = "import os,time\nif os.fork(): os._exit(0)\nos.setsid()\n"
    python += "open('made/pid','w').write(str(os.getpid()))\ntime.sleep(100)\n"
    commit_files(bench.repo, {"daemon.py": python})
    checked, text = bench.check("mkdir made; python3 daemon.py; while ! [ -s made/pid ]; do sleep 0.02; done")
    pid = int((bench.gates / "p1" / "1" / "checkout" / "made" / "pid").read_text())
    assert checked.result is PASSED
    assert processes.start_time(pid) is None
    assert "daemon.py" in text


# ── set-up ────────────────────────────────────────────────────────────────────────────────────────────


def test_ignored_files_stay_while_the_set_up_key_is_the_same(bench: Bench) -> None:
    setup = {"setup": ("mkdir made; echo set up >> made/log",), "setup_inputs": ("deps.lock",)}
    commit_files(bench.repo, {"deps.lock": "1\n"})
    first, _ = bench.check("echo checked >> made/log; touch junk; echo changed > a.txt", **setup)
    commit_files(bench.repo, {"a.txt": "two\n"})
    second, text = bench.check("cat made/log a.txt; ls", **setup)
    assert text == "set up\nchecked\ntwo\na.txt\ndeps.lock\nmade\n"
    assert first.setup_key == second.setup_key


def test_a_changed_lock_file_starts_empty(bench: Bench) -> None:
    setup = {"setup": ("mkdir made; cat sub/deps.lock >> made/log",), "setup_inputs": ("deps.lock",)}
    commit_files(bench.repo, {"sub/deps.lock": "1\n"})
    first, _ = bench.check("touch made/old $HOME/old", **setup)
    commit_files(bench.repo, {"sub/deps.lock": "2\n"})
    second, text = bench.check("ls made $HOME; cat made/log", **setup)
    assert first.setup_key != second.setup_key
    assert "old" not in text
    assert text.endswith("2\n")


def test_a_set_up_that_failed_is_repeated_and_starts_empty(bench: Bench) -> None:
    flag = bench.root / "network"
    setup = (f"mkdir made; [ -e {flag} ]",)
    assert bench.check("true", setup=setup)[0].result is COULD_NOT_RUN
    flag.touch()
    assert bench.check("ls made", setup=setup)[0].result is PASSED


def test_what_set_up_changes_of_the_tree_is_put_back(bench: Bench) -> None:
    setup = ("echo other > a.txt; echo new > lock.json",)
    for _ in range(2):
        assert bench.check("cat a.txt lock.json; git status --short", setup=setup)[1] == "one\nnew\n"


# ── crashes ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_repeated_call_answers_from_the_record_and_runs_nothing(bench: Bench) -> None:
    work, count = bench.work(), bench.root / "count"
    inputs = bench.inputs(f"echo x >> {count}; cat {count}; exit 1")
    first = checking.check(inputs, bench.gates, work)
    assert checking.check(inputs, bench.gates, work) == first
    assert count.read_text() == "x\n"


def test_two_calls_at_once_run_the_check_once(bench: Bench) -> None:
    work, count = bench.work(), bench.root / "count"
    inputs = bench.inputs(f"echo x >> {count}; sleep 0.3")
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(lambda _: checking.check(inputs, bench.gates, work), range(2))
    assert one == other
    assert count.read_text() == "x\n"


CALL = """
import sys
from pathlib import Path
from toryo.protocol.kinds.gate import CheckInputs
from toryo.workbench.gates import checking
checking.check(CheckInputs.model_validate_json(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
print('came to its end')
"""


def call_elsewhere(bench: Bench, inputs: CheckInputs, work: Path, crash: str = "") -> int:
    """The same call in a process that can be killed; its pid."""
    env = dict(os.environ)
    if crash:
        (bench.root / "crash").write_text(crash + "\n")
        env["TORYO_CRASH_FILE"] = str(bench.root / "crash")
    argv = [sys.executable, "-c", CALL, inputs.model_dump_json(), str(bench.gates), str(work)]
    return processes.spawn_watched(argv, env=env, cwd=bench.root, output=bench.root / "caller.log")


def gone(pid: int) -> bool:
    processes.reap()
    return processes.start_time(pid) is None


def test_after_a_crash_the_running_check_is_attached_to(bench: Bench) -> None:
    work, count, go = bench.work(), bench.root / "count", bench.root / "go"
    inputs = bench.inputs(f"echo x >> {count}; while ! [ -e {go} ]; do sleep 0.02; done; echo done")
    pid = call_elsewhere(bench, inputs, work)
    eventually(count.exists, what="the check runs")
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: gone(pid))
    # its slot is not free although nobody holds the flock
    with acquire(bench.gates, "p1", 2) as free:
        assert free.path.name == "2"
    threading.Timer(0.2, go.touch).start()
    checked, text = checking.check(inputs, bench.gates, work)
    assert (checked.result, text, count.read_text()) == (PASSED, "done\n", "x\n")
    assert checked.setup_key
    with acquire(bench.gates, "p1", 2) as free:
        assert free.path.name == "1"


@pytest.mark.parametrize(
    "crash",
    [
        "check.slot_taken",
        "check.placed",
        "launch.written",
        "check.set_up",
        "check.occupied",
        "launch.written@2",
        "launch.after_exec@2",
        "check.launched",
        "check.ended",
    ],
)
def test_a_coordinator_killed_at_any_step_leaves_one_execution(crash: str, bench: Bench) -> None:
    work, count = bench.work(), bench.root / "count"
    inputs = bench.inputs(
        f"cat made/ready && echo x >> {count}", setup=("mkdir made; echo yes > made/ready",)
    )
    pid = call_elsewhere(bench, inputs, work, crash)
    eventually(lambda: gone(pid), within_s=30)
    assert (bench.root / "caller.log").read_text() == ""
    checked, text = checking.check(inputs, bench.gates, work)
    assert (checked.result, text, count.read_text()) == (PASSED, "yes\n", "x\n")


def test_a_set_up_that_a_dead_coordinator_left_is_ended_before_it_is_repeated(bench: Bench) -> None:
    work, flag = bench.work(), bench.root / "flag"
    # stays for ever the first time
    setup = f"mkdir made; if ! [ -e {flag} ]; then echo $$ > {flag}; sleep 100; fi"
    inputs = bench.inputs("ls made", setup=(setup,))
    pid = call_elsewhere(bench, inputs, work)
    eventually(lambda: flag.exists() and flag.read_text())
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: gone(pid))
    end = time.monotonic() + 20
    checked, _ = checking.check(inputs, bench.gates, work, lambda: time.monotonic() < end, slot_limit=1)
    assert (checked.result, checked.interrupted) == (PASSED, False)
    assert processes.start_time(int(flag.read_text())) is None


def test_a_check_whose_shim_was_killed_is_ended_and_does_not_count(bench: Bench) -> None:
    work = bench.work()
    inputs = bench.inputs("mkdir made; echo $$ > made/pid; sleep 100")
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(checking.check, inputs, bench.gates, work)
        pid_file = bench.gates / "p1" / "1" / "checkout" / "made" / "pid"
        eventually(lambda: pid_file.exists() and pid_file.read_text())
        pid = int(pid_file.read_text())
        started = records.read_started(work / "1" / "check")
        assert started is not None
        os.kill(started.shim.pid, signal.SIGKILL)
        checked, _ = answer.result(timeout=30)
    assert (checked.result, checked.interrupted) == (COULD_NOT_RUN, True)
    assert processes.start_time(pid) is None
    # the slot's state is unknown: it is made anew
    assert bench.check("ls -A")[1] == ".git\n.gitignore\na.txt\n"


def test_the_environment_of_a_command_leaves_the_disk_with_its_end(tmp_path: Path) -> None:
    run_dir = tmp_path / "check"
    env = {"PATH": os.environ["PATH"], "SOME_KEY": "sk-very-secret"}
    commands.start(run_dir, f"grep -c very {run_dir / records.LAUNCH}; exit 3", tmp_path, env, 60)
    ended = commands.wait(run_dir, lambda: True)
    assert ended.record is not None
    assert ended.record.exit_code == 3
    assert commands.output(run_dir) == "1\n", "it was there while the command ran"
    assert "sk-very-secret" not in (run_dir / records.LAUNCH).read_text()
    assert commands.wait(run_dir, lambda: True).record == ended.record
