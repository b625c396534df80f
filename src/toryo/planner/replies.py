"""Replies of the model, kept until their order is told: what was answered is never asked again.

After a kill or an outage in the middle a conversation is gone through anew; what is kept costs no call.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict
from pathlib import Path

from toryo.files import write_whole
from toryo.planner.models.model import Reply, Request, Usage


class Replies:
    """Of one order."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, request: Request) -> Reply | None:
        try:
            kept = json.loads(self._file(request).read_text(encoding="utf-8"))
            return Reply(**{**kept, "usage": Usage(**kept["usage"])})
        except (OSError, ValueError, KeyError, TypeError):  # none, or of another version: it is asked for
            return None

    def put(self, request: Request, reply: Reply) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        text = json.dumps(asdict(reply), ensure_ascii=False)
        write_whole(self._file(request), text.encode("utf-8", "replace"), durably=True)

    def forget(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _file(self, request: Request) -> Path:
        text = json.dumps(asdict(request))
        return self._folder / hashlib.sha256(text.encode()).hexdigest()[:32]
