"""Scans: what a project's repository held at a commit, one row each. A scan is made once."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import ScanRow
from toryo.store.database.mission_schema import scans
from toryo.store.database.statements import add, first

_GET = select(scans).where(scans.c.project == bindparam("project"), scans.c.commit == bindparam("commit"))

_WITHOUT_TESTS = (
    select(scans).where(scans.c.project == bindparam("project"), scans.c.has_tests.is_(False)).limit(1)
)


def get(tx: Tx, project: str, commit: str) -> ScanRow | None:
    return first(tx, ScanRow, _GET, project=project, commit=commit)


def found_none(tx: Tx, project: str) -> bool:
    """Whether it was seen without tests."""
    return first(tx, ScanRow, _WITHOUT_TESTS, project=project) is not None


def keep(tx: Tx, row: ScanRow) -> None:
    """The first one of a commit stays."""
    if get(tx, row.project, row.commit) is None:
        add(tx, scans, row)
