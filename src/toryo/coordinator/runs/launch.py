"""Launch specification of a run: prompt file, credential, environment, argv and log, from its order.

The prompt is opaque text: written to a file for the agent, never parsed, never logged.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from toryo import settings
from toryo.coordinator.config import Config
from toryo.coordinator.daemon_calls import CoordinatorDaemon
from toryo.coordinator.runs.windows import Windows
from toryo.domain.words import Access, Style
from toryo.place.daemon_pool import DaemonPool
from toryo.protocol.kinds.run import RunInputs
from toryo.protocol.wire import ToolFailed, WireError
from toryo.workbench.clients import registry
from toryo.workbench.clients.calls import Call, CannotCall, Client, Command, Interactive
from toryo.workbench.contexts.environment import LISTED, bridge_argv, run_environment, write_run_file
from toryo.workbench.contexts.preparing import Context, prepare_context
from toryo.workbench.contexts.profiles import SubordinateProfile
from toryo.workbench.contexts.worktree_setup import SCRIPT, setup_script, with_setup
from toryo.workbench.git.door.git import Git
from toryo.workbench.runs import hearing
from toryo.workbench.runs.launch import LaunchSpec
from toryo.workbench.terminals.screens import typed_prompt

PROMPT, STDIN, TYPED, CREDENTIAL = "prompt.md", "stdin.txt", "typed.md", "credential.json"
MOST_EXPECTED = 8


class Prompts:
    """Prompts by their hash, asked for beside the preparation of the run that will want them."""

    def __init__(self, pool: DaemonPool[CoordinatorDaemon]) -> None:
        self._pool = pool
        self._coming: dict[str, CoordinatorDaemon] = {}

    def expect(self, blob: str) -> None:
        line = self._pool.borrow()
        try:
            line.begin_fetch(blob)
        except (WireError, ToolFailed):
            self._drop(line)
            return
        self._forget(blob)
        self._coming[blob] = line
        for old in list(self._coming)[:-MOST_EXPECTED]:  # of runs that never came
            self._forget(old)

    def take(self, blob: str) -> str:
        line = self._coming.pop(blob, None)
        if line is not None:
            try:
                text = line.finish_fetch()
            except (WireError, ToolFailed):  # asked again, and then it says so
                self._drop(line)
            else:
                self._pool.give_back(line)
                return text
        return self._pool.ask(lambda line: line.fetch_blob(blob))

    def _forget(self, blob: str) -> None:
        line = self._coming.pop(blob, None)
        if line is not None:
            self._drop(line)

    def _drop(self, line: CoordinatorDaemon) -> None:
        line.close()  # the next question over it begins anew
        self._pool.give_back(line)


@dataclass(frozen=True)
class Launching:
    config: Config
    prompt: Callable[[str], str]
    """The text with that hash."""
    client: Callable[[str], Client]
    profile: Callable[[str, str], SubordinateProfile]
    """Of an agent in a project: asked once per start (S0-06)."""
    windows: Windows
    launcher: Path | None = None
    """A folder with nothing but `toryo` in it, for runs whose PATH has none."""
    _identified: set[str] = field(default_factory=set)

    def spec(self, inputs: RunInputs, generation: int, run_dir: Path, old_log: str) -> LaunchSpec:
        """Everything the shim needs; a second call for the same run goes on with the log of the first."""
        try:
            return self._spec(inputs, generation, run_dir, old_log)
        except CannotCall as cannot:
            # of a run that could not start one text is told: what to do must stand in it
            raise CannotCall(f"{cannot.message}. {cannot.hint}".rstrip(". ")) from cannot

    def _spec(
        self,
        inputs: RunInputs,
        generation: int,
        run_dir: Path,
        old_log: str,
        context: Context | None = None,
    ) -> LaunchSpec:
        client = self.client(inputs.client)
        worktree = Path(inputs.worktree)
        prompt = self.prompt(inputs.prompt)
        connected = Access(inputs.access) is Access.CONNECTED
        if connected:
            write_run_file(run_dir / CREDENTIAL, self.config.mcp_socket_path, inputs.token)
        bridge = bridge_argv(run_dir / CREDENTIAL) if connected else ()
        context = self._context(inputs, client, bridge) if context is None else context
        if not registry.has_record(client) and context.added.strip():
            prompt = f"{prompt.rstrip()}\n\n{context.added}"  # a program has nothing but its prompt
        prompt_file = _private(run_dir / PROMPT, prompt)
        env = self._environment(inputs, run_dir, connected)
        call = Call(
            prompt,
            prompt_file,
            worktree,
            inputs.command,
            inputs.model,
            env,
            agent=inputs.agent,
            repo=Path(inputs.repo),
            run_dir=run_dir,
            context=context.directory,
            start_in=context.start_in,
            added=context.added,
            carried=context.carried,
            bridge=bridge,
            resume=inputs.resume,
            is_root=os.geteuid() == 0,
        )
        driven = _driven(client, call) if Style(inputs.style) is Style.INTERACTIVE else None
        if driven is not None and connected:
            driven = replace(driven, tools_file=run_dir / f"{CREDENTIAL}{LISTED}")
        command = client.argv(call) if driven is None else driven.command
        if command.hears:
            hearing.make_room(run_dir)
        argv = self._argv(client, command, env, inputs.task)
        if inputs.setup.commands and _is_found(argv[0], env):
            text = setup_script(worktree, run_dir, inputs.setup.commands, inputs.setup.inputs)
            argv = with_setup(argv, _private(run_dir / SCRIPT, text))
        spec = LaunchSpec(
            argv=argv,
            cwd=_cwd(command, context.directory, worktree),
            env={**env, **command.env},
            log=Path(old_log) if old_log else new_log(Path(inputs.repo), inputs.agent),
            stdin=_stdin(command, prompt, prompt_file),
            limit_s=inputs.timeout_s,
            generation=generation,
        )
        if driven is not None and (typed := typed_prompt(driven, prompt)) != prompt:
            prompt_file = _private(run_dir / TYPED, typed)
        return self.windows.dress(
            spec, run_dir, terminal=inputs.terminal, driven=driven, prompt_file=prompt_file
        )

    def _context(self, inputs: RunInputs, client: Client, bridge: tuple[str, ...]) -> Context:
        return prepare_context(
            Path(inputs.worktree),
            inputs.agent,
            inputs.client,
            lambda: self._profile(client, inputs.agent, inputs.project),
            bridge=bridge,
            start_in=inputs.start_in,
        )

    def _profile(self, client: Client, agent: str, project: str) -> SubordinateProfile:
        """For an agent CLI; a plain program finds its role in the prompt."""
        return self.profile(agent, project) if registry.has_record(client) else SubordinateProfile(agent)

    def _environment(self, inputs: RunInputs, run_dir: Path, connected: bool) -> dict[str, str]:
        return run_environment(
            settings.environment(),
            agent=inputs.agent,
            project=inputs.project,
            worktree=Path(inputs.worktree),
            run=inputs.run,
            purpose=inputs.purpose,
            access=Access(inputs.access),
            token_file=run_dir / CREDENTIAL if connected else None,
            passkey=inputs.token,
            has_identity=self._has_identity(inputs.repo),
            launcher=self.launcher,
            feature_directory=inputs.feature_directory,
            unit=inputs.unit,
        )

    def _argv(self, client: Client, command: Command, env: Mapping[str, str], task: str) -> tuple[str, ...]:
        """`ai_providers` says how this machine calls a client's program."""
        provider = self.config.ai_providers.get(client.name)
        argv = command.argv
        if provider is not None and client.program is not None:
            argv = (provider.cli_command or argv[0], *provider.cli_args, *argv[1:])
        if registry.has_record(client) and shutil.which(argv[0], path=env.get("PATH", "")) is None:
            line = client.versions.install or f"Install {argv[0]}"
            raise CannotCall(f"{argv[0]} is not on PATH", hint=f"{line} && toryo task retry {task}")
        return argv

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


def _driven(client: Client, call: Call) -> Interactive:
    if not registry.has_record(client):
        raise CannotCall(
            f"the client {client.name} has no screen that can be driven",
            hint="toryo agent add NAME --style exec",
        )
    return client.interactive(call)


def _stdin(command: Command, prompt: str, prompt_file: Path) -> Path | None:
    if command.stdin is None:
        return None
    return prompt_file if command.stdin == prompt else _private(prompt_file.with_name(STDIN), command.stdin)


def _is_found(program: str, env: Mapping[str, str]) -> bool:
    """One that is not there is told as that, by whoever starts it; a relative path is the worktree's."""
    is_relative = "/" in program and not program.startswith("/")
    return is_relative or shutil.which(program, path=env.get("PATH", "")) is not None


def _cwd(command: Command, context: Path | None, worktree: Path) -> Path:
    return context if command.cwd == "context" and context is not None else worktree


def _private(path: Path, text: str) -> Path:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(handle, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
    return path
