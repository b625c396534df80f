"""Machine answers: what is installed here, what lives, and how much room there is."""

from __future__ import annotations

import os
import shutil

from toryo import settings
from toryo.coordinator.runs.client_records import Records
from toryo.coordinator.runs.runs import Runs
from toryo.protocol.asks import AskAnswer, HealthRead
from toryo.workbench.git.door.git import Git


def health(read: HealthRead, runs: Runs, clients: Records) -> AskAnswer:
    path = settings.environment().get("PATH", "")
    body = {
        "git": Git(runs.folder).do("version"),
        "clients": clients.listing(),
        "programs": {name: shutil.which(name, path=path) or "" for name in read.programs},
        "uid": os.getuid(),
        "live_runs": sorted(runs.live()),
        "free_bytes": shutil.disk_usage(runs.folder).free,
    }
    return AskAnswer(ended=True, body=body)
