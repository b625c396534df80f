"""Gates on a tree, and the results of their checks."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, select

from toryo.domain.words import CheckResult
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import CheckRow, GateRow
from toryo.store.database.schema import HAS_FINGERPRINT, checks, gates
from toryo.store.database.statements import add, add_if_new, change, every, first

_GET = select(gates).where(gates.c.id == bindparam("it"))
_BY_KEY = select(gates).where(gates.c.key == bindparam("it"))
_CHECKS = select(checks).where(checks.c.gate == bindparam("it")).order_by(checks.c.seq)
# A result that was itself reused does not count: its age would begin anew each time.
_REUSABLE = (
    select(checks)
    .where(
        checks.c.project == bindparam("project"),
        checks.c.tree == bindparam("tree"),
        checks.c.result == CheckResult.PASSED.value,
        checks.c.command == bindparam("command"),
        checks.c.fingerprint == bindparam("fingerprint"),
        checks.c.reused_from.is_(None),
        checks.c.at >= bindparam("since"),
        checks.c.at <= bindparam("now"),
    )
    .order_by(checks.c.seq.desc())
    .limit(1)
)


def insert(tx: Tx, row: GateRow) -> bool:
    """False, and nothing changed, if there is a gate with that key."""
    return add_if_new(tx, gates, row, "key")


def get(tx: Tx, id: str) -> GateRow | None:
    return first(tx, GateRow, _GET, it=id)


def by_key(tx: Tx, key: str) -> GateRow | None:
    return first(tx, GateRow, _BY_KEY, it=key)


def update(tx: Tx, id: str, **columns: Any) -> None:
    change(tx, gates, {"id": id}, columns)


def add_check(tx: Tx, row: CheckRow) -> int:
    return add(tx, checks, row)


def checks_of(tx: Tx, gate: str) -> list[CheckRow]:
    return every(tx, CheckRow, _CHECKS, it=gate)


def reusable(
    tx: Tx, project: str, tree: str, command: str, fingerprint: str, since: float
) -> CheckRow | None:
    """The newest result that may stand for another run of the check: passed, and not older than that."""
    # one that seems to come was made before the clock was set back: nobody knows how old it is
    given = {"tree": tree, "command": command, "fingerprint": fingerprint, "since": since, "now": tx.now}
    return first(tx, CheckRow, _REUSABLE, project=project, **given)


_NEWEST_FINGERPRINT = (
    select(checks.c.fingerprint)
    .where(checks.c.project == bindparam("project"), HAS_FINGERPRINT)
    .order_by(checks.c.seq.desc())
    .limit(1)
)


def newest_fingerprint(tx: Tx, project: str) -> str:
    """The kind of place where checks of the project ran last; empty before the first."""
    return str(prepared.value(tx.conn, _NEWEST_FINGERPRINT, {"project": project}) or "")
