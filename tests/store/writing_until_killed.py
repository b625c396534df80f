"""Run as a program: changes one after the other, each told on stdout after its commit, until it is killed."""

from __future__ import annotations

import sys
from pathlib import Path

from store_filling import a_task, add_project

from toryo.store.database.engine import Store
from toryo.store.tables import events, projects, tasks

if __name__ == "__main__":
    store = Store.open(Path(sys.argv[1]))
    with store.change() as tx:
        if projects.get(tx, "p1") is None:
            add_project(tx)
        number = events.newest(tx)
    while True:
        number += 1
        with store.change() as tx:
            tasks.insert(tx, a_task(f"t{number}", description="x" * 2000))
            tx.emit("task_added", task=f"t{number}")
            tx.mark(f"task:t{number}")
        print(number, flush=True)
