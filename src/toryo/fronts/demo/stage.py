"""Stage of the demo: its own folder, home and environment, and `git` and `toryo` called there as commands.

It plays a user and knows no more than one. What is left of it in the end, leaving.py takes away.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from toryo import processes, settings
from toryo.domain.errors import Unavailable, UserError
from toryo.fronts.demo import repository
from toryo.fronts.demo.plan import AGENTS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from toryo.processes import Finished

PROGRAM = (sys.executable, "-P", "-m", "toryo")
SCRIPTS = Path(__file__).parent / "scripts"
MODEL = "model"
"""The script of the model: the planner's, and that of agents that are a real CLI."""
KEPT_VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "PYTHONPATH")
"""Nothing else of the user's environment comes along: no key, no setting, no home."""
COMMAND_WITHIN_S = 90


class StepFailed(Unavailable):
    """A step of the demo did not work."""

    way_out = "`toryo demo --keep DIR` leaves everything there to look at."


@dataclass(frozen=True)
class Stage:
    root: Path
    client: str = ""
    """The real CLI that the agents are; empty: they are scripts."""
    more: Mapping[str, str] = field(default_factory=dict)
    """Environment besides its own."""
    name: str = repository.NAME
    verb: str = "demo"
    """The command that plays here."""

    @property
    def repo(self) -> Path:
        return self.root / self.name

    @property
    def toryo_home(self) -> Path:
        return self.root / "toryo"

    @property
    def user_home(self) -> Path:
        return self.root / "home"

    @property
    def scripts(self) -> Path:
        return self.root / "agents"

    @property
    def requests(self) -> Path:
        """Everything that the scripted model was asked."""
        return self.root / "requests.jsonl"

    @property
    def events(self) -> Path:
        return self.root / "events.jsonl"

    def env(self) -> dict[str, str]:
        outer = settings.environment()
        # our own Python first: the repository's check says `python3`, whatever the machine calls it
        path = f"{Path(sys.executable).parent}:{outer.get('PATH', '/usr/bin:/bin')}"
        kept = {name: outer[name] for name in KEPT_VARIABLES if name in outer}
        own = {"HOME": str(self.user_home), "TORYO_HOME": str(self.toryo_home), "TERM": "dumb"}
        return {**kept, "PATH": path, "GIT_CONFIG_NOSYSTEM": "1", **self.more, **own}

    def build(self) -> None:
        """The folders, the repository's first commit and the agents' scripts."""
        for folder in (self.repo, self.user_home, self.scripts):
            folder.mkdir(parents=True)
        for name, text in repository.FILES.items():
            file = self.repo / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        for name in (*(agent.name for agent in AGENTS), MODEL):
            shutil.copy(SCRIPTS / f"{name}.yaml", self.script(name))
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "You")
        self.git("config", "user.email", "you@localhost")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Open the tea house")

    @property
    def keep_hint(self) -> str:
        return f"`toryo {self.verb} --keep DIR` keeps everything for a look."

    def script(self, agent: str) -> Path:
        return self.scripts / f"{agent}.yaml"

    def git(self, *words: str) -> str:
        return self._done("git", words, self.try_git(*words)).text.rstrip("\n")

    def try_git(self, *words: str) -> Finished:
        return self._run(("git", *words))

    def toryo(self, *words: str) -> str:
        return self._done("toryo", words, self.try_toryo(*words)).text

    def try_toryo(self, *words: str, within_s: float = COMMAND_WITHIN_S) -> Finished:
        return self._run((*PROGRAM, *words), within_s)

    def read(self, *words: str, may_fail: bool = False) -> dict[str, Any]:
        """What the command prints as JSON; `may_fail`: its exit code is one of the answers."""
        done = self.try_toryo(*words, "--json")
        if not (may_fail and done.text.strip()):
            self._done("toryo", words, done)
        answer = json.loads(done.text)
        assert isinstance(answer, dict)
        return answer

    def _run(self, argv: tuple[str, ...], within_s: float = COMMAND_WITHIN_S) -> Finished:
        try:
            return processes.run(argv, cwd=self.repo, env=self.env(), limit_s=within_s)
        except processes.TimeLimit as late:
            raise StepFailed(str(late), hint=self.keep_hint) from late

    def _done(self, program: str, words: tuple[str, ...], done: Finished) -> Finished:
        if done.code != 0:
            line = " ".join((program, *words))
            raise StepFailed(f"`{line}` exited {done.code}: {done.complaint[-1000:]}", hint=self.keep_hint)
        return done


def look_for_git() -> None:
    if shutil.which("git") is None:
        raise UserError("The demo needs git, which is not on PATH.", hint="Install git, then try again.")


def new_root(keep: str | None, prefix: str) -> Path:
    """A temporary folder, or the one to keep, which must be new or empty."""
    if keep is None:
        return Path(tempfile.mkdtemp(prefix=prefix)).resolve()
    root = Path(keep).expanduser().absolute()
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UserError(f"{root} is there and not empty.", hint="Name a directory that does not exist yet.")
    root.mkdir(parents=True, exist_ok=True)
    return root.resolve()
