"""Errors grouped by who can mend them; raised where known, printed once per front."""

from __future__ import annotations


class ToryoError(Exception):
    """Something went wrong inside Toryo."""

    kind = "error"
    """Which group of errors it is, as one word for programs."""
    way_out = ""
    """The hint of every error of this kind that has none of its own."""

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        self.hint = hint or self.way_out
        super().__init__(self.message)


class UserError(ToryoError):
    """The user can mend this (exit code 1)."""

    kind = "user"


class UsageError(UserError):
    """The command was typed wrong (exit code 2)."""

    kind = "usage"


class NotFound(UserError):
    """There is no such thing."""

    kind = "not_found"


class NotAProject(NotFound):
    """No project's repository is here."""

    kind = "not_a_project"


class NoRepository(UserError):
    """There is no repository here, or no commit in it."""

    kind = "no_repository"


class Refused(UserError):
    """Toryo will not do that in this state."""

    kind = "refused"


class Hindered(ToryoError):
    """Not now: it says nothing about whether it can be done."""

    kind = "hindered"

    way_out = "It is tried again by itself; `toryo status` says what it waits for."


class DiskFull(Hindered):
    """A disk is full."""


class Overtaken(Hindered):
    """Another process does the same, and began later."""


class Unavailable(ToryoError):
    """A part that is needed did not answer."""

    kind = "unavailable"
