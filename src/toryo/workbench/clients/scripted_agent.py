"""An agent that follows a YAML script: edits, commits, sleeps, exits, claims. A program of its own.

It acts only by files, git, exit code and MCP, and reads only its prompt and environment. Exit 2: the script
is wrong; 1: a step could not be done. How a script is chosen and read is script_files.py.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toryo import processes, settings
from toryo.domain.errors import ToryoError
from toryo.workbench.clients.script_files import BadScript, Step, choose, load

LONGEST_COMMAND_S = 86_400


class StepFailed(ToryoError):
    """A step of the script could not be done."""

    way_out = "`toryo log RUN` has what it printed; mend the script."


class Scripted:
    """One playing of a script in the current folder."""

    def __init__(self, env: dict[str, str]) -> None:
        self._env = env
        self._session = ""

    def play(self, script: Path, steps: tuple[Step, ...]) -> int:
        for number, step in enumerate(steps, 1):
            action = ACTIONS[step.verb]
            try:
                action(self, step)
            except (StepFailed, OSError) as error:
                say(f"{script}: step {number} ({step.verb}): {error}", sys.stderr)
                return 1
            except (KeyError, TypeError, ValueError) as error:
                raise BadScript(f"step {number} ({step.verb}): {error!r}") from error
        return 0

    def write(self, step: Step) -> None:
        put(step.value["path"], step.value["text"])

    def append(self, step: Step) -> None:
        path = Path(step.value["path"])
        put(str(path), (path.read_text() if path.exists() else "") + step.value["text"])

    def delete(self, step: Step) -> None:
        Path(step.value).unlink()

    def commit(self, step: Step) -> None:
        self._git("add", "-A", "--", *step.only) if step.only else self._git("add", "-A")
        self._git("commit", "-m", str(step.value))

    def git(self, step: Step) -> None:
        self._git(*map(str, step.value))

    def run(self, step: Step) -> None:
        self._do(["sh", "-c", str(step.value)])

    def sleep(self, step: Step) -> None:
        time.sleep(float(step.value))

    def print(self, step: Step) -> None:
        say(str(step.value))

    def exit(self, step: Step) -> None:
        sys.exit(int(step.value))

    def kill(self, step: Step) -> None:
        os.kill(os.getpid(), signal.Signals[step.value])

    def spawn(self, step: Step) -> None:
        """A child that outlives this program; detached: with a session of its own."""
        command = step.value["command"]
        processes.spawn_watched(
            ["sh", "-c", command],
            env=self._env,
            cwd=Path.cwd(),
            output=Path(os.devnull),
            new_session=bool(step.value.get("detach", True)),
        )

    def mcp(self, step: Step) -> None:
        say(json.dumps(self._call(step.value["tool"], dict(step.value.get("arguments") or {}))))

    def claim(self, step: Step) -> None:
        if not self._session:
            self._call("authenticate", {})
        answer = self._call("report_completed", dict(step.value))
        say(json.dumps(answer))

    def hear(self, step: Step) -> None:
        """Waits so many seconds at most for what a person says, and prints it."""
        spool = Path(self._env["TORYO_SAID"])
        end = time.monotonic() + float(step.value)
        while not (waiting := sorted(spool.iterdir())):
            if time.monotonic() > end:
                raise StepFailed(f"nobody said anything in {step.value} s")
            time.sleep(0.05)
        for one in waiting:
            say((one.rename(spool.parent / "heard" / one.name) / "text").read_text().rstrip("\n"))

    def resolve(self, step: Step) -> None:
        files = step.value if isinstance(step.value, list) else [step.value]
        for file in files:
            put(file["path"], file["text"])
            self._git("add", "--", file["path"])
        self._git("commit", "--no-edit")

    def _git(self, *argv: str) -> None:
        self._do(["git", *argv])

    def _do(self, argv: list[str]) -> None:
        done = processes.run(argv, env=self._env, limit_s=LONGEST_COMMAND_S)
        for text in (done.text, done.err.decode("utf-8", "replace")):
            if text.strip():
                say(text.rstrip("\n"))
        if done.code != 0:
            raise StepFailed(f"{' '.join(argv)!r} exited {done.code}: {done.complaint[-500:]}")

    def _call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        from toryo.protocol import wire  # sealed runs never need it

        named = self._env.get("TORYO_RUN_FILE")
        if not named:
            raise StepFailed("this run is not connected: there is no TORYO_RUN_FILE")
        credential = json.loads(Path(named).read_text())
        if tool == "authenticate":
            names = {"agent_id": "AGENT_ID", "project_id": "PROJECT_ID", "passkey": "AGENT_PASSKEY"}
            arguments = {key: self._env[name] for key, name in names.items() if name in self._env} | arguments
        elif self._session:
            arguments = {"session_token": self._session} | arguments
        try:
            answer = wire.call(Path(credential["socket"]), tool, arguments, credential["token"])
        except (wire.WireError, wire.ToolFailed) as error:
            raise StepFailed(f"{tool}: {error.message}") from error
        self._session = str(answer.get("session_token") or self._session)
        return {key: value for key, value in answer.items() if key != "session_token"}


ACTIONS: dict[str, Callable[[Scripted, Step], None]] = {
    "write": Scripted.write,
    "append": Scripted.append,
    "delete": Scripted.delete,
    "commit": Scripted.commit,
    "git": Scripted.git,
    "run": Scripted.run,
    "sleep": Scripted.sleep,
    "print": Scripted.print,
    "exit": Scripted.exit,
    "kill": Scripted.kill,
    "spawn": Scripted.spawn,
    "mcp": Scripted.mcp,
    "claim": Scripted.claim,
    "hear": Scripted.hear,
    "resolve": Scripted.resolve,
}


def put(path: str, text: str) -> None:
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def say(text: str, stream: Any = None) -> None:
    # flushed at once: a step may kill this program
    print(text, file=stream or sys.stdout, flush=True)


def main() -> int:
    if len(sys.argv) != 2:
        say("usage: toryo-scripted SCRIPT.yaml  (the prompt on standard input)", sys.stderr)
        return 2
    script = Path(sys.argv[1])
    env = dict(settings.environment())
    prompt = "" if sys.stdin.isatty() else sys.stdin.read()
    try:
        steps = choose(load(script), purpose=env.get("TORYO_PURPOSE", ""), prompt=prompt, nth=times_begun)
        for number, step in enumerate(steps, 1):
            if step.verb not in ACTIONS:
                raise BadScript(f"step {number}: no step is called {step.verb!r}")
        return Scripted(env).play(script, steps)
    except BadScript as error:
        say(f"{script}: {error.message}", sys.stderr)
        return 2


def times_begun(purpose: str) -> int:
    """How often a script with turns began for this purpose in this worktree, this time included."""
    done = processes.run(["git", "rev-parse", "--git-path", f"toryo-scripted-{purpose or 'default'}"])
    if done.code != 0:
        raise BadScript("turns need a git worktree to count in")
    counter = Path(done.text.strip())
    before = int(counter.read_text()) if counter.exists() else 0
    counter.write_text(str(before + 1))
    return before + 1


if __name__ == "__main__":
    sys.exit(main())
