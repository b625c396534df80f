"""The record of a rehearsal: every request that the model received, a JSON line each, without its keys."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SECRET = ("authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie", "proxy-authorization")


class Keeper:
    """Lines are whole and in order, whoever reads meanwhile."""

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.Lock()
        self._file = None
        if path is not None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            self._file = os.open(path, flags, 0o600)

    def keep(self, record: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        line = json.dumps(record, ensure_ascii=False, default=str).encode("utf-8", "replace") + b"\n"
        with self._lock:
            while line:
                line = line[os.write(self._file, line) :]


def shown_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): "…" if name.lower() in SECRET else value for name, value in headers.items()}
