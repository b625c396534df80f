"""Client of one command: where it was typed, whose credential it carries, and its line to the daemon.

A person's command starts the parts when nobody answers; a command inside a run never does, and has only the
run's own token.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from toryo import __version__, settings
from toryo.domain.errors import Refused, Unavailable, UserError
from toryo.domain.naming import is_unit_id
from toryo.fronts.checkouts import main_checkout
from toryo.fronts.processes.reach import is_not_running, operator_key
from toryo.protocol.wire import Connection, RequestRefused, WireError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping
    from typing import Any

    from toryo.settings import Home

    Process = Callable[..., int]
    """What main.py joins: the daemon, a coordinator, the demo; called with what its verb was given."""


GONE_FOR_S = 30.0
"""How long a waiting command bears that the daemon is away: a person's `down` must not be undone by it."""


NAMES_UNIT = frozenset({"task", "tasks", "run", "unit", "id", "after", "parent"})
"""Arguments that may name a unit."""


class Desk:
    def __init__(self, processes: Mapping[str, Process], *, reads: bool, hands: bool) -> None:
        env = self.environment = settings.environment()
        self.home: Home = settings.home()
        self.processes = processes
        self.run = env.get("TORYO_RUN", "")
        self._run_file = env.get("TORYO_RUN_FILE", "")
        self._hands = hands
        self._line: Connection | None = None
        self._warned = False
        if self.run and not reads:
            raise Refused(
                f"This is inside the run {self.run}: only a person may do that, outside of it.",
                hint="Finish your task; what you want done belongs into your report.",
            )

    @property
    def path(self) -> str:
        """Where the command was typed."""
        try:
            return os.getcwd()  # noqa: PTH109 - importing pathlib would cost every command 4 ms
        except FileNotFoundError as gone:
            raise UserError(
                "The directory you are in was deleted.", hint="`cd` to a directory that exists."
            ) from gone

    @property
    def main_path(self) -> str:
        """What the project is found by: in a linked worktree the main checkout, else `path`."""
        return main_checkout(self.path)

    def call(
        self, tool: str, arguments: Mapping[str, Any], *, timeout_s: float | None = None, what: str = ""
    ) -> Any:
        """Ask the daemon; it is started first if this is a person's command and nobody answers.

        What the tool answers is its view (`protocol/views/`); the caller names it."""
        if self._line is None:
            self._line = self._open()
        given = self._given(arguments)
        try:
            return self._ask(tool, given, timeout_s, what)
        except WireError as error:
            if self.run or not is_not_running(error):
                raise
        self._line.close()
        self._start()
        self._line = self._plain_line()
        return self._ask(tool, given, timeout_s, what)

    def _given(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Without what was not said; a unit's id is that of a tree here."""
        given = {name: value for name, value in arguments.items() if value is not None}
        for name in NAMES_UNIT & given.keys():
            value = given[name]
            if isinstance(value, str):
                given[name] = self._here(value)
            elif isinstance(value, list):
                given[name] = [self._here(one) for one in value]
        return given

    def _here(self, text: str) -> str:
        return f"{text}@{self.main_path}" if is_unit_id(text) and not self.run else text

    def call_if_there(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        timeout_s: float | None = None,
        on_wait: Callable[[], None] | None = None,
    ) -> Any:
        """Ask on a line that may have broken, and start nothing; `on_wait` is called once a second."""
        if self._line is None:
            self._line = self._open_for_run() if self.run else self._plain_line()
        self._line.on_wait = on_wait
        try:
            return self._told(self._line.call(tool, dict(arguments), timeout_s=timeout_s))
        finally:
            self._line.on_wait = None

    def call_through(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        timeout_s: float,
        on_wait: Callable[[], None] | None = None,
    ) -> Any:
        """A long question, also to a daemon that goes away meanwhile: one that was killed is started again,
        one that a person took down is waited for."""
        import time

        given = self._given(arguments)
        gone_since = 0.0
        if self._line is None:
            self._line = self._open()
        while True:
            try:
                return self.call_if_there(tool, given, timeout_s=timeout_s, on_wait=on_wait)
            except RequestRefused:
                raise  # however often it is asked
            except WireError as error:
                now = time.monotonic()
                gone_since = gone_since or now
                if now - gone_since > GONE_FOR_S:
                    raise Unavailable(
                        f"The daemon has been away for {GONE_FOR_S:g} s.",
                        hint="`toryo up`, then the same command again.",
                    ) from error
                if not self.run and is_not_running(error):
                    from toryo.fronts.processes.started import daemon_was_killed

                    if daemon_was_killed(self.home):
                        self._start()
            if on_wait is not None:
                on_wait()
            time.sleep(0.1)
            given = {name: 0.0 if name in ("timeout_s", "wait_s") else value for name, value in given.items()}

    def _ask(
        self, tool: str, arguments: dict[str, Any], timeout_s: float | None, what: str
    ) -> dict[str, Any]:
        assert self._line is not None
        if not sys.stderr.isatty():
            return self._told(self._line.call(tool, arguments, timeout_s=timeout_s))
        from toryo.fronts.text.output import Progress

        with Progress(what or "waiting for the daemon") as progress:
            self._line.on_wait = progress.tick
            try:
                return self._told(self._line.call(tool, arguments, timeout_s=timeout_s))
            finally:
                self._line.on_wait = None

    def _told(self, body: dict[str, Any]) -> dict[str, Any]:
        """The answer; a daemon of another version than ours is named, once per command."""
        assert self._line is not None
        theirs = self._line.server_version
        if theirs and theirs != __version__ and not self._warned:
            from toryo.fronts.text.errors import warn_of_version

            warn_of_version(theirs)
            self._warned = True
        return body

    def _open(self) -> Connection:
        if self.run:
            return self._open_for_run()
        if self._hands:
            from toryo.fronts.processes.started import hands_are_there

            if not hands_are_there(self.home):
                self._start()
        return self._plain_line()

    def _plain_line(self) -> Connection:
        return Connection(self.home.address(), operator_key(self.home))

    def _open_for_run(self) -> Connection:
        from toryo.fronts import bridge

        if not self._run_file:
            raise Refused(
                f"The run {self.run} is sealed: it has no way to the daemon.",
                hint="All that the task needs is in its prompt.",
            )
        hint = "It is there while the run lives; a person types `toryo` outside of it."
        try:
            with open(self._run_file, "rb") as file:
                return Connection(*bridge.credential_in(self._run_file, file.read()))
        except OSError as bad:
            raise UserError(f"The run's file {self._run_file} cannot be read.", hint=hint) from bad
        except bridge.Refused as wrong:
            raise UserError(str(wrong), hint=hint) from None

    def _start(self) -> None:
        from toryo.fronts.processes.start import bring_up

        bring_up(self.home, announce=lambda: print("starting toryo…", file=sys.stderr))

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        if self._line is not None:
            self._line.close()


def whose(args: argparse.Namespace, desk: Desk) -> dict[str, Any]:
    """The project that a command is about: named, or the one it was typed in."""
    if args.project:
        return {"project": args.project}
    return {"path": desk.main_path}


def whose_branch(args: argparse.Namespace, desk: Desk, project: str) -> dict[str, Any]:
    """As `whose`, where the branch that is checked out here counts, too; `project` is the one's id."""
    if args.project or desk.main_path == desk.path:
        return whose(args, desk)
    return {"project": project, "path": desk.path}


def inner(body: Mapping[str, Any], name: str) -> Any:
    """The thing an answer is about, whether it is the answer itself or lies under its name."""
    found = body.get(name)
    return found if isinstance(found, dict) else body
