"""Who is calling: the operator's key file, and from a credential to a `Caller`.

How keys are made and hashed is `usecases.credentials`; what a caller may do is said by the table of tools.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from toryo.domain.errors import UserError
from toryo.store import coordinators
from toryo.usecases.context import OUTSIDE, Caller, CallerKind, HeadContext
from toryo.usecases.credentials import (
    COORDINATOR_PREFIX,
    OPERATOR_PREFIX,
    RUN_PREFIX,
    hash_token,
    is_same,
    new_operator_key,
    run_of_token,
)


class UnknownCredential(UserError):
    """This credential is not known here."""


def operator_key(path: Path) -> str:
    """The operator's key; made on first use, readable by its owner only."""
    try:
        key = path.read_text(errors="replace").strip()
    except FileNotFoundError:
        key = ""
    if key and not (key.isascii() and key.isprintable()):
        raise UserError(f"{path} holds no key.", hint=f"Move {path} away: the next start makes a new one.")
    if key:
        path.chmod(0o600)
        return key
    key = new_operator_key()
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(key + "\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    return key


@dataclass(frozen=True)
class Keys:
    """What can be said about a credential without asking the store."""

    operator_hash: str
    secret: bytes

    def identify(self, credential: str) -> Caller | None:
        """None: only the store can tell."""
        if not credential:
            return OUTSIDE
        if credential.startswith(OPERATOR_PREFIX) and is_same(hash_token(credential), self.operator_hash):
            return Caller(CallerKind.OPERATOR)
        if credential.startswith(RUN_PREFIX):
            run = run_of_token(self.secret, credential)
            if run is not None:
                return Caller(CallerKind.RUN, run=run)
        if credential.startswith(COORDINATOR_PREFIX):
            return None
        raise UnknownCredential(hint="Is it the key of another installation (TORYO_HOME)?")


def identify_coordinator(context: HeadContext, credential: str) -> Caller:
    found = hash_token(credential)
    with context.store.read() as tx:
        for row in coordinators.listing(tx):
            if is_same(found, row.key_hash):
                return Caller(CallerKind.COORDINATOR, coordinator=row.id)
    raise UnknownCredential(hint="Ask for a new key: `toryo coordinator` of this installation makes one.")


class Recent:
    """Coordinators that were recognised a moment ago: asking the store each time would double a call's cost.

    A key that was replaced speaks for at most `keep_s` longer."""

    def __init__(self, clock: Callable[[], float], keep_s: float = 1.0) -> None:
        self._clock = clock
        self._keep_s = keep_s
        self._known: dict[str, tuple[float, Caller]] = {}

    def get(self, credential: str) -> Caller | None:
        until, caller = self._known.get(credential, (0.0, None))
        return caller if self._clock() < until else None

    def put(self, credential: str, caller: Caller) -> Caller:
        now = self._clock()
        self._known = {one: entry for one, entry in self._known.items() if entry[0] > now}
        self._known[credential] = (now + self._keep_s, caller)
        return caller
