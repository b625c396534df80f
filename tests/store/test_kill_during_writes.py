"""kill -9 in the middle of writing: committed changes are there, others are not, the file is sound."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sqlalchemy import text

from toryo.store.database import opening
from toryo.store.database.engine import Store

HERE = Path(__file__).parent


def write_and_kill(path: Path, after: int) -> int:
    """Have a process write, kill it after so many commits; the last commit it told of."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent)])}
    argv = [sys.executable, str(HERE / "writing_until_killed.py"), str(path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(after)]
        process.kill()
        told += process.stdout.readlines()
    whole = [line for line in told if line.endswith("\n")]
    assert whole, "the writer ended by itself"
    return int(whole[-1])


def test_a_killed_writer_leaves_whole_changes_only(tmp_path: Path) -> None:
    path = tmp_path / "toryo.db"
    for after in (1, 40, 97):
        last = write_and_kill(path, after)
        assert opening.damage_of(path) == ""
        store = Store.open(path)
        assert store.recovered == ""
        with store.read() as tx:
            found = [
                [str(one) for one in tx.conn.execute(text(question)).scalars()]
                for question in (
                    "SELECT id FROM tasks ORDER BY seq",
                    "SELECT task FROM events ORDER BY seq",
                    "SELECT substr(subject, 6) FROM marks ORDER BY rowid",
                )
            ]
        store.close()
        assert found[0] == found[1] == found[2]
        assert found[0][: last - 1] == [f"t{number}" for number in range(1, last)]
        assert len(found[0]) in (last, last + 1)  # the last one may be committed and not yet told
