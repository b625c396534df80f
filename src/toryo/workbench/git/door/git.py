"""The git door: hooks off, no background work, no signing, fixed identity, clean environment, a limit.

Everything that runs git in Toryo goes through `Git`; what the commands mean is left to the modules beside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from toryo import disks, processes, settings
from toryo.domain.errors import ToryoError
from toryo.workbench.git.door import batch_git

NAME = "Toryo"
EMAIL = "toryo@localhost"
ZERO = "0" * 40
OURS = "refs/toryo/"
NEAR = 8
"""Commits of a branch that are looked at for the tip they began on."""

_CONFIG = (
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("user.name", NAME),
    ("user.email", EMAIL),
    ("advice.detachedHead", "false"),
    ("core.quotePath", "false"),
    ("protocol.file.allow", "always"),
    # settings that add lines to what we read, or end git for what is no matter to us
    ("log.showSignature", "false"),
    ("diff.orderFile", "/dev/null"),
    ("core.safecrlf", "false"),
    ("color.ui", "false"),
)
_KEPT = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK")


class GitFailed(ToryoError):
    """A git command failed."""

    def __init__(self, argv: tuple[str, ...], code: int, complaint: str) -> None:
        self.argv, self.code, self.complaint = argv, code, complaint
        super().__init__(f"git {' '.join(argv[:3])} … exited {code}: {complaint[:2000]}")


@dataclass(frozen=True)
class Begun:
    """A git that was begun; whoever begins it finishes it."""

    running: processes.Running
    judge: Callable[[processes.Finished], processes.Finished]

    def finish(self, limit_s: float) -> processes.Finished:
        return self.judge(self.running.finish(limit_s))


class Git:
    """git in one directory (a repository's root, a worktree, or a git directory)."""

    def __init__(self, where: str | Path, env: Mapping[str, str] | None = None) -> None:
        self.where = Path(where)
        self._env = dict(env or {})

    def run(
        self,
        *argv: str,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
        limit_s: float = 120,
        config: tuple[tuple[str, str], ...] = (),
    ) -> processes.Finished:
        """Run whatever the exit code; `config` is added to the fixed settings."""
        return self._with_space(
            processes.run(
                _command(argv, config),
                cwd=self.where,
                env=_environment({**self._env, **(env or {})}),
                stdin=stdin,
                limit_s=limit_s,
            )
        )

    def begin(self, *argv: str, config: tuple[tuple[str, str], ...] = ()) -> Begun:
        """Run beside what the caller does next; it must be finished."""
        running = processes.Running(_command(argv, config), self.where, _environment(self._env))
        return Begun(running, self._with_space)

    def _with_space(self, done: processes.Finished) -> processes.Finished:
        """A git that failed for want of space has answered nothing, whatever was asked."""
        if done.code != 0 and done.err:
            text = done.err.decode("utf-8", "replace")
            # not every complaint of git names its reason
            if disks.says_full(text) or disks.is_full(self.where):
                raise disks.full(self.where)
        return done

    def run_known(
        self,
        *argv: str,
        know: Callable[[int, str], None],
        limit_s: float = 120,
        config: tuple[tuple[str, str], ...] = (),
    ) -> processes.Finished:
        """Run, but only after `know` was told git's pid and start time: a crash leaves a known git."""
        return self._with_space(
            processes.run_known(
                _command(argv, config),
                know=know,
                cwd=self.where,
                env=_environment(self._env),
                limit_s=limit_s,
            )
        )

    def do(
        self,
        *argv: str,
        stdin: bytes | None = None,
        env: Mapping[str, str] | None = None,
        limit_s: float = 120,
        config: tuple[tuple[str, str], ...] = (),
    ) -> str:
        """Run, insist on exit 0, and give stdout without the last newline."""
        done = self.run(*argv, stdin=stdin, env=env, limit_s=limit_s, config=config)
        if done.code != 0:
            raise GitFailed(argv, done.code, done.complaint)
        return done.text.rstrip("\n")

    def do_all(self, *commands: tuple[str, ...], limit_s: float = 120) -> list[str]:
        """As `do`, each command beside the others."""
        begun = [self.begin(*argv) for argv in commands]
        ended = [running.finish(limit_s) for running in begun]
        for argv, done in zip(commands, ended, strict=True):
            if done.code != 0:
                raise GitFailed(argv, done.code, done.complaint)
        return [done.text.rstrip("\n") for done in ended]

    def succeeds(self, *argv: str) -> bool:
        return self.run(*argv).code == 0

    def commit_of(self, name: str) -> str | None:
        """The commit a ref or expression names, or None."""
        known = self._told(f"{name}^{{commit}}")
        if known:  # what is missing is asked once more, of a git that has just looked
            return known
        argv = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        done = self.run(*argv)
        if done.code not in (0, 1):  # 1 says missing; a git that cannot work here says nothing about the ref
            raise GitFailed(argv, done.code, done.complaint)
        return done.text.strip() if done.code == 0 else None

    def seen(self, name: str) -> str | None:
        """As `commit_of`, for a caller whose next move finds out if it is there after all: asked once."""
        told = self._told(f"{name}^{{commit}}")
        return self.commit_of(name) if told is None else told or None

    def tree_of(self, commit: str) -> str:
        return self._told(f"{commit}^{{tree}}") or self.do(
            "rev-parse", "--verify", "--end-of-options", f"{commit}^{{tree}}"
        )

    def _told(self, expression: str) -> str | None:
        """By a git that stays, where there is one; None: a git of its own is asked."""
        if not batch_git.TALKS.on:
            return None
        command = _command(batch_git.WORDS, ())
        return batch_git.TALKS.ask(str(self.where), _environment(self._env), command, expression)

    def entry_of(self, commit: str, path: str) -> str:
        """The id of what a commit has at that path; empty if there is nothing."""
        told = self._told(f"{commit}:{path}")
        if told is not None:
            return told
        line = self.do("ls-tree", "--full-tree", commit, "--", path)
        return line.split()[2] if line else ""

    def is_ancestor(self, old: str, new: str) -> bool:
        if old and old in (new, self._told(f"{new}^1"), self._told(f"{new}^2")):
            return True  # as a rule it is the parent, which costs no process
        return self.succeeds("merge-base", "--is-ancestor", old, new)

    def is_near(self, old: str, new: str) -> bool:
        """Whether `old` is one of the last first parents of `new`, as far as that costs no process."""
        return any(self._told(f"{new}~{steps}") == old for steps in range(1, NEAR + 1))

    def move_ref(self, ref: str, new: str, old: str, message: str = "toryo") -> bool:
        """Compare-and-swap; ZERO as `old` means the ref must not exist. False: it held something else."""
        if ref.startswith(OURS) and batch_git.TALKS.on:
            # no reflog is kept of these, so the message would be lost anyhow
            command = _command(batch_git.MOVES, ())
            change = f"create {ref} {new}" if old == ZERO else f"update {ref} {new} {old}"
            if batch_git.TALKS.move(str(self.where), _environment(self._env), command, change):
                return True
            if self.commit_of(ref) == new != old:
                return True  # it did, and could not say so
        # empty says the same as zeros, whatever the repository's ids are long
        return self.run("update-ref", "-m", message, ref, new, "" if old == ZERO else old).code == 0


def _command(argv: tuple[str, ...], config: tuple[tuple[str, str], ...]) -> list[str]:
    command = ["git"]
    for key, value in (*_CONFIG, *config):
        command += ["-c", f"{key}={value}"]
    return [*command, *argv]


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    # git sets GIT_DIR and friends inside hooks: with them, commands would reach the wrong repository
    outer = settings.environment()
    env = {name: outer[name] for name in _KEPT if name in outer}
    env |= {"LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    env |= {"GIT_AUTHOR_NAME": NAME, "GIT_AUTHOR_EMAIL": EMAIL}
    env |= {"GIT_COMMITTER_NAME": NAME, "GIT_COMMITTER_EMAIL": EMAIL}
    return env | dict(extra or {})
