"""A real CLI called as a run calls it, and the scripted model that keeps every request."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rehearsal.real_clients import clean_environment
from repositories import git, make_repository
from toryo.rehearsal.environments import environment
from toryo.rehearsal.keeping import Keeper
from toryo.rehearsal.playing import Playing
from toryo.rehearsal.scripts import parse
from toryo.rehearsal.server import Model, Server
from toryo.workbench.clients.calls import Call, Command
from toryo.workbench.clients.registry import client as client_named
from toryo.workbench.contexts.preparing import Context, prepare_context
from toryo.workbench.contexts.profiles import SubordinateProfile

PROMPT = "Do the thing called PROMPT-OF-TASK."
LIMIT_S = 150


class Scripted:
    """The model: it gives the replies, then says one word."""

    def __init__(self, folder: Path, *replies: Mapping[str, Any]) -> None:
        script = parse([*replies, {"say": "Done."}])
        self._kept = folder / "requests.jsonl"
        self._server = Server(Model(Playing(script), Keeper(self._kept)))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return self._server.url

    def requests(self) -> list[str]:
        """All that the model reads, as text."""
        lines = [json.loads(line) for line in self._kept.read_text().splitlines()]
        return [json.dumps(one["body"], ensure_ascii=False) for one in lines]

    def request(self) -> str:
        """The first one that carried the task."""
        bodies = self.requests()
        asked = [body for body in bodies if "PROMPT-OF-TASK" in body and '"tools"' in body]
        assert asked, f"no request carried the task: {[body[:200] for body in bodies]}"
        return asked[0]

    def close(self) -> None:
        self._server.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(20)


def make_worktree(root: Path, files: Mapping[str, str]) -> Path:
    """With a main checkout whose own rule files say something else, which no run may see."""
    links = {name: text.removeprefix("-> ") for name, text in files.items() if text.startswith("-> ")}
    repo = make_repository(root / "repo", {name: text for name, text in files.items() if name not in links})
    for name, target in links.items():
        (repo / name).symlink_to(target)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", "links")
    (repo / ".git" / "info" / "exclude").write_text(".aiagent/\n.worktrees/\n")
    git(repo, "worktree", "add", "-q", "-b", "agent/w", ".worktrees/w")
    for name in ("AGENTS.md", "CLAUDE.md", "GEMINI.md"):
        (repo / name).unlink(missing_ok=True)
        (repo / name).write_text("OF-THE-MAIN-CHECKOUT\n")
    return repo / ".worktrees" / "w"


@dataclass(frozen=True)
class Run:
    """One CLI on one worktree, as a run calls it."""

    context: Context
    command: Command
    cwd: Path
    env: dict[str, str]
    said: list[str] = field(default_factory=list)

    @property
    def errors(self) -> str:
        return "".join(self.said)

    def ask(self, model: Scripted) -> str:
        """Run the CLI to its end; the first request that it made."""
        done = subprocess.run(
            self.command.argv,
            input=self.command.stdin,
            cwd=self.cwd,
            env=self.env | dict(self.command.env),
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        self.said.append(done.stderr)
        assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return model.request()


def make_run(
    name: str,
    worktree: Path,
    root: Path,
    model: Scripted,
    profile: SubordinateProfile,
    *,
    prompt: str = PROMPT,
    bridge: Sequence[str] = (),
    start_in: Literal["", "context", "worktree"] = "",
) -> Run:
    context = prepare_context(worktree, "dev", name, lambda: profile, bridge=bridge, start_in=start_in)
    env = clean_environment(**environment(name, model.url, root / "home"))
    run_dir = root / "run"
    run_dir.mkdir(mode=0o700)
    call = Call(
        prompt,
        run_dir / "prompt.md",
        worktree,
        env=env,
        agent="dev",
        repo=worktree.parents[1],
        run_dir=run_dir,
        context=context.directory,
        start_in=context.start_in,
        added=context.added,
        bridge=tuple(bridge),
        is_root=os.geteuid() == 0,
    )
    command = client_named(name).argv(call)
    cwd = context.directory if command.cwd == "context" and context.directory else worktree
    return Run(context, command, cwd, env)
