"""Creation of all tables of an empty database."""

from __future__ import annotations

from sqlalchemy import Connection
from sqlalchemy.schema import CreateIndex, CreateTable

from toryo.store.database.mission_schema import missions
from toryo.store.database.review_schema import review_marks
from toryo.store.database.schema import metadata
from toryo.store.database.unit_schema import units

# every table is known before they are made
assert missions.metadata is review_marks.metadata is units.metadata is metadata


def create_tables(conn: Connection) -> None:
    """All of them, with their indexes in one order: between two that seem as good, SQLite takes the newer."""
    for table in metadata.sorted_tables:
        conn.execute(CreateTable(table))
        for index in sorted(table.indexes, key=lambda one: str(one.name)):
            conn.execute(CreateIndex(index))
