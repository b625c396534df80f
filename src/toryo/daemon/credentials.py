"""Caller identification: the operator's key file, and from a credential to a `Caller`.

How keys are made and hashed is `usecases.credentials`; what a caller may do is said by the table of tools.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from toryo.domain.errors import UserError
from toryo.engine.context import OUTSIDE, Caller, CallerKind, HeadContext
from toryo.protocol.orchestrator import KEY_PREFIX, key_from_hash
from toryo.store.database.engine import Committed
from toryo.store.tables import coordinators
from toryo.usecases.coordinators.coordinators import KEYS_ISSUED
from toryo.usecases.credentials import (
    COORDINATOR_PREFIX,
    OPERATOR_PREFIX,
    PLANNER_PREFIX,
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
        if credential.startswith(KEY_PREFIX) and is_same(credential, key_from_hash(self.operator_hash)):
            return Caller(CallerKind.ORCHESTRATOR)
        if credential.startswith(RUN_PREFIX):
            run = run_of_token(self.secret, credential)
            if run is not None:
                return Caller(CallerKind.RUN, run=run)
        if credential.startswith((COORDINATOR_PREFIX, PLANNER_PREFIX)):
            return None
        raise UnknownCredential(hint="Is it the key of another installation (TORYO_HOME)?")


def identify_place(context: HeadContext, credential: str) -> Caller:
    found = hash_token(credential)
    with context.store.read() as tx:
        for row in coordinators.of_every_kind(tx):
            if is_same(found, row.key_hash):
                return Caller(CallerKind(row.kind), place=row.id)
    raise UnknownCredential(hint="Ask for a new key: `toryo up` of this installation does that.")


class Recognised:
    """Coordinators and planners by their keys, so that not every call asks the store. Nobody but this process
    issues keys: what was recognised holds until it issues one."""

    def __init__(self) -> None:
        self.issued = 0
        """How many keys were issued since."""
        self._known: dict[str, Caller] = {}

    def get(self, credential: str) -> Caller | None:
        return self._known.get(credential)

    def put(self, credential: str, caller: Caller, issued: int) -> Caller:
        """`issued`: as it was before the store was asked; with another one it may be void again."""
        if issued == self.issued:
            self._known[credential] = caller
        return caller

    def committed(self, committed: Committed) -> None:
        if any(event.kind in KEYS_ISSUED for event in committed.events):
            self.issued += 1
            self._known = {}
