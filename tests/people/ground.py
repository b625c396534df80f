"""One installation in this process, with a real repository: the whole daemon, a real coordinator, runs of a
shell script, the commands. A person types and uses git in it; what must hold is promises.py's."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from daemon.whole_daemon import WholeDaemon
from repositories import git, make_repository
from toryo import processes
from toryo.coordinator.config import Config
from toryo.coordinator.process import join, place_of
from toryo.engine.context import HeadContext
from toryo.fronts.cli import entry
from toryo.place import keys
from toryo.place.lifecycle import Lifecycle
from toryo.settings import Home
from toryo.workbench.git.door import batch_git
from toryo.workbench.runs.stop import stop

T = TypeVar("T")

FILES = ("a.txt", "b.txt")
"""Few, so that people and agents meet."""
PERSON = {"GIT_COMMITTER_NAME": "A Person", "GIT_COMMITTER_EMAIL": "person@localhost"}
"""By it the reflog tells a person's move of a branch from one of Toryo's."""
SETTINGS = "base: main\ndod:\n  checks:\n    - {type: test, command: sh check.sh}\n"
START = {
    "a.txt": "one\ntwo\nthree\n",
    "b.txt": "one\ntwo\nthree\n",
    ".toryo/config.yaml": SETTINGS,
}
AGENT = """
# what is wanted stands in the title: KIND FILE
until test ! -e "$HOLD"; do sleep 0.02; done
set -- $(grep -oE '(write|append|new|fail|ask|red|draft) [ab][.]txt' "$1" | head -n 1)
case "$TORYO_PURPOSE" in
resolve) for file in a.txt b.txt; do grep -v '^[<=>]' $file > both; mv both $file; done
    rm -f BROKEN; git add -A; git commit -qm resolved; exit 0 ;;
fix) rm -f BROKEN; git add -A; git commit -qm mended; exit 0 ;;
esac
case "$1" in
write) echo "$TORYO_RUN" > "$2" ;;
append) echo "$TORYO_RUN" >> "$2" ;;
new) echo "$TORYO_RUN" > "new-$TORYO_RUN" ;;
fail) echo "$TORYO_RUN" >> "$2"; git commit -qam begun; echo left > "left-$TORYO_RUN"; exit 3 ;;
ask) echo "Which of the two do you want?"; exit 0 ;;
red) echo "$TORYO_RUN" >> "$2"; touch BROKEN ;;
draft) echo "$TORYO_RUN" >> "$2"; exit 4 ;;
esac
git add -A; git commit -qm "work of $TORYO_RUN"
"""
KINDS = ("write", "append", "new", "new", "fail", "ask", "red", "draft")
PATIENCE_S = 60.0
SILENCE_S = 10.0
_PAST = "select (select max(seq) from events), (select count(*) from orders), (select count(*) from facts)"
_CIRCLES = "select 1 from landings group by task, head having count(*) > 20"
_REST = "('done', 'failed', 'cancelled', 'needs_review', 'blocked', 'open')"
_BUSY = f"""
    select 'order ' || kind from orders where state in ('open', 'taken')
        and not (kind = 'publish' and exists (select 1 from targets where waiting_why != ''))
    union all select 'run ' || id from runs where live
    union all select 'task ' || id || status || reason from tasks where status not in {_REST}
        and not (status = 'landing' and reason in ('waiting_for_checkout', 'publish_failed'))
        or status = 'blocked' and reason in ('base_gate', '')
    union all select 'mark ' || subject from marks where look_at = 0
    union all select 'gate' from gates where verdict = ''
"""


class Stuck(AssertionError):
    """Something did not happen in time."""


class Ground:
    def __init__(self) -> None:
        # a short path: a socket's has at most 104 bytes
        self.root = Path(tempfile.mkdtemp(prefix="tp")).resolve()
        self.held, self.checks_held = self.root / "hold", self.root / "hold-checks"
        check = f"until test ! -e {self.checks_held}; do sleep 0.02; done\n! test -e BROKEN\n"
        self.repo = make_repository(self.root / "repo", {**START, "check.sh": check})
        self.home = Home(self.root / "th").make()
        self.said: list[str] = []
        """What was done, in words."""
        self._env = {"HOME": str(self.root / "user"), "TORYO_HOME": self.home.text}
        (self.root / "user").mkdir()
        script = self.root / "agent.sh"
        script.write_text(f"HOLD={self.held}{AGENT}")
        self._before = {name: os.environ.get(name) for name in self._env}
        os.environ.update(self._env)
        self.daemon = WholeDaemon(self.home)
        self._start_hands()
        self.type("init", "--yes", "--base", "main")
        self.type("agent", "add", "dev", "--client", "command", "--command", f"sh {script} {{prompt_file}}")

    def _start_hands(self) -> None:
        """Between cycles it looks at branches every two seconds: the orders read them again."""
        self.lifecycle = Lifecycle()
        config = Config(polling_interval=5, max_concurrent=3, mcp_socket_path=self.home.socket)
        key = keys.obtain(self.home, place_of(self.home, "main"), self.home.socket, self.lifecycle, 5)
        assert key is not None
        batch_git.stay()
        loop = join(self.home, "main", config, key, self.lifecycle)
        self.hands = threading.Thread(target=loop.run, name="hands", daemon=True)
        self.hands.start()
        pid = processes.own_pid()
        note = {"coordinator": (pid, processes.start_time(pid)), "daemon": (pid, processes.start_time(pid))}
        (self.home.path / "up.json").write_text(json.dumps(note))
        self.until(
            lambda: self.rows("select 1 from coordinators where incarnation > 0"), "the hands are known"
        )

    def close(self) -> None:
        try:
            self.let_go()
            self.lifecycle.end()
            self.hands.join(20)
            batch_git.leave()
            for run in (self.home.coordinator("main") / "runs").glob("r*"):
                self.until(lambda run=run: stop(run, grace_s=0).gone, f"the end of {run.name}")  # type: ignore[misc]
            self.daemon.close()
        finally:
            for name, value in self._before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
            shutil.rmtree(self.root, ignore_errors=True)

    # ── what a person does ──

    def git(self, *argv: str, where: Path | None = None) -> subprocess.CompletedProcess[str]:
        """As the person, who is told by git what it refuses."""
        env = {**os.environ, **PERSON, "GIT_EDITOR": "true"}
        return subprocess.run(
            ["git", *argv],
            cwd=where or self.repo,
            env=env,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=60,
        )

    def type(self, *words: str) -> str:
        """A command that must succeed; what it printed."""
        code, out = self.typed(*words)
        assert code == 0, f"toryo {shlex.join(words)} exited {code}: {out}"
        return out

    def typed(self, *words: str) -> tuple[int, str]:
        """(exit code, what it printed) of a command in the repository, in this process."""
        out = io.StringIO()
        with contextlib.chdir(self.repo), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = entry.run(list(words), {})
        self.said.append(f"toryo {shlex.join(words)} → {code} {out.getvalue().strip()[:160] if code else ''}")
        return code, out.getvalue()

    def read(self, *words: str) -> Any:
        code, out = self.typed(*words, "--json")
        self.said.pop()
        assert code == 0, out
        return json.loads(out)

    # ── what is so ──

    def tasks(self) -> list[dict[str, Any]]:
        """The oldest first."""
        found = self.daemon.person("list_tasks", path=str(self.repo), limit=200)["tasks"]
        return sorted(found, key=lambda one: int(one["seq"]))

    def task(self, task: str) -> dict[str, Any]:
        found: dict[str, Any] = self.daemon.person("get_task", task=task)["task"]
        return found

    def needs_you(self) -> list[dict[str, Any]]:
        return list(self.daemon.person("get_status", path=str(self.repo))["needs_you"])

    def rows(self, sql: str) -> Sequence[Any]:
        """Straight from the store: what no tool tells."""

        def ask(context: HeadContext) -> Sequence[Any]:
            with context.store.read() as tx:
                return tx.conn.exec_driver_sql(sql).fetchall()

        return self.daemon.do(ask)  # type: ignore[no-any-return]

    def target_is_seen(self) -> bool:
        """Whether the daemon knows where main is."""
        here = self.git("rev-parse", "--verify", "-q", "refs/heads/main").stdout.strip()
        return all(seen == here for (seen,) in self.rows("select seen from targets where name = 'main'"))

    def rests(self) -> bool:
        return self.target_is_seen() and not self.rows(_BUSY) and self.target_is_seen()

    def let_go(self) -> None:
        """Agents and checks that were to stand still."""
        self.held.unlink(missing_ok=True)
        self.checks_held.unlink(missing_ok=True)

    def settle(self) -> None:
        """Until nothing moves any more by itself."""
        self.let_go()
        self.lifecycle.wake.set()
        self.until(self.rests, "everything comes to rest")

    def until(self, question: Callable[[], T], what: str, silence_s: float = SILENCE_S) -> T:
        """Stuck: it did not happen, nothing has happened for a while, or the same happens for ever."""
        known, since, end = "", time.monotonic(), time.monotonic() + PATIENCE_S
        while not (found := question()):
            now, past = time.monotonic(), str(self.rows(_PAST))
            known, since = (known, since) if past == known else (past, now)
            if now > end or now - since > silence_s or self.rows(_CIRCLES):
                raise Stuck(f"did not happen: {what}\n{self.story()}")
            time.sleep(0.02)
        return found

    def story(self) -> str:
        """Everything that a failing walk should show."""
        told = [
            str(row) for row in self.rows("select id, title, status, reason, detail from tasks order by seq")
        ]
        told += [
            str(row) for row in self.rows("select task, id, purpose, outcome, outcome_reason, live from runs")
        ]
        told += [
            str(row)
            for row in self.rows("select task, kind, head, candidate, ended, ended_detail from landings")
        ]
        told += [
            str(row)
            for row in self.rows("select kind, state, key from orders where state in ('open', 'taken')")
        ]
        told += [str(row) for row in self.rows("select * from targets")]
        told += [f"busy: {row[0]}" for row in self.rows(_BUSY)]
        told += [git(self.repo, "log", "--oneline", "--graph", "--all", "-n", "40")]
        return "\n".join(told)
