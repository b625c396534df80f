"""From the order to the start of an agent: prompt file, credential, environment, argv, log.

The prompt is opaque text: written to a file for the agent, never parsed, never logged.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from toryo import settings
from toryo.coordinator.config import Config
from toryo.domain.words import Access
from toryo.protocol.models import RunInputs
from toryo.protocol.wire import ToolFailed, WireError
from toryo.workbench.clients import registry
from toryo.workbench.clients.registry import Call, Client, Command
from toryo.workbench.contexts.environment import run_environment, write_run_file
from toryo.workbench.git.door import Git
from toryo.workbench.runs.launch import LaunchSpec

PROMPT, STDIN, CREDENTIAL = "prompt.md", "stdin.txt", "credential.json"
MOST_EXPECTED = 64


class Prompts:
    """Prompts by their hash, fetched beside the preparation of the run that will want them."""

    def __init__(self, fetch_blob: Callable[[str], str]) -> None:
        self._fetch_blob = fetch_blob
        self._lock = threading.Lock()
        self._here: dict[str, str] = {}

    def expect(self, blob: str) -> None:
        threading.Thread(target=self._fetch_ahead, args=(blob,), name="prompt", daemon=True).start()

    def take(self, blob: str) -> str:
        with self._lock:
            text = self._here.pop(blob, None)
        return self._fetch_blob(blob) if text is None else text

    def _fetch_ahead(self, blob: str) -> None:
        try:
            text = self._fetch_blob(blob)
        except (WireError, ToolFailed):
            return  # whoever takes it asks again, and says so
        with self._lock:
            self._here[blob] = text
            while len(self._here) > MOST_EXPECTED:  # of runs that never came
                del self._here[next(iter(self._here))]


@dataclass(frozen=True)
class Launching:
    config: Config
    prompt: Callable[[str], str]
    """The text with that hash."""
    _identified: set[str] = field(default_factory=set)

    def spec(self, inputs: RunInputs, generation: int, run_dir: Path, old_log: str) -> LaunchSpec:
        """Everything the shim needs; a second call for the same run goes on with the log of the first."""
        client = registry.client(inputs.client)
        worktree = Path(inputs.worktree)
        prompt = self.prompt(inputs.prompt)
        prompt_file = _private(run_dir / PROMPT, prompt)
        access = Access(inputs.access)
        connected = access is Access.CONNECTED
        if connected:
            write_run_file(run_dir / CREDENTIAL, self.config.mcp_socket_path, inputs.token)
        env = run_environment(
            settings.environment(),
            agent=inputs.agent,
            project=inputs.project,
            worktree=worktree,
            run=inputs.run,
            purpose=inputs.purpose,
            access=access,
            token_file=run_dir / CREDENTIAL if connected else None,
            passkey=inputs.token,
            has_identity=self._has_identity(inputs.repo),
        )
        command = client.argv(Call(prompt, prompt_file, worktree, inputs.command, inputs.model, env))
        stdin = None
        if command.stdin is not None:
            same = command.stdin == prompt
            stdin = prompt_file if same else _private(run_dir / STDIN, command.stdin)
        return LaunchSpec(
            argv=self._argv(client, command),
            cwd=_cwd(command, worktree, inputs.agent),
            env=env,
            log=Path(old_log) if old_log else new_log(Path(inputs.repo), inputs.agent),
            stdin=stdin,
            limit_s=inputs.timeout_s,
            generation=generation,
        )

    def _argv(self, client: Client, command: Command) -> tuple[str, ...]:
        """`ai_providers` says how this machine calls a client's program."""
        provider = self.config.ai_providers.get(client.name)
        if provider is None or client.program is None:
            return command.argv
        return (provider.cli_command or command.argv[0], *provider.cli_args, *command.argv[1:])

    def _has_identity(self, repo: str) -> bool:
        """Whether git there knows an author without our help; one that is known stays known."""
        if repo in self._identified:
            return True
        asked = Git(repo).run("config", "--show-scope", "--get-regexp", r"^user\.(name|email)$")
        # the door's own identity is shown, too: as given on the command line
        lines = [line.split() for line in asked.text.splitlines() if not line.startswith("command")]
        known = {words[1] for words in lines if len(words) > 1} >= {"user.name", "user.email"}
        if known:
            self._identified.add(repo)
        return known


def new_log(repo: Path, agent: str, now: float | None = None) -> Path:
    """`.aiagent/logs/{agent}/YYYYMMDD_HHMMSS.log`, created; `-2` … where two runs begin in one second."""
    folder = repo / ".aiagent" / "logs" / agent
    folder.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y%m%d_%H%M%S", time.localtime(now))
    number = 1
    while True:
        path = folder / (f"{stamp}.log" if number == 1 else f"{stamp}-{number}.log")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        except FileExistsError:
            number += 1
        else:
            return path


def _cwd(command: Command, worktree: Path, agent: str) -> Path:
    if command.cwd == "worktree":
        return worktree
    folder = worktree / ".aiagent" / "agents" / agent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return worktree  # better in the worktree than not at all (S0-21)
    return folder


def _private(path: Path, text: str) -> Path:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(handle, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
    return path
