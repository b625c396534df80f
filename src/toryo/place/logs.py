"""Log file of a place: JSON lines, tokens and passkeys masked; prompts never come here."""

from __future__ import annotations

import json
import logging
import logging.handlers
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

_SECRET = re.compile(r"\b(op|coord|plnr|run|sess|pass|pk)_[A-Za-z0-9_\-]{8,}")
AGENTS = "agent.sub"
"""Under which the starts and ends of agents are logged."""
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class Masked(logging.Formatter):
    """One JSON object per record: time, level, where, text, and whatever `extra` named."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = tuple(secret for secret in secrets if len(secret) >= 4)

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {
            "time": moment.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _STANDARD}
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return self.mask(json.dumps(line, default=str, ensure_ascii=False))

    def mask(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return _SECRET.sub(r"\1_***", text)


def write_to(
    path: Path, *, level: str = "INFO", foreground: bool = False, secrets: Iterable[str] = ()
) -> None:
    """Send everything under `toryo` to the file, and to stderr as well in the foreground."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600, exist_ok=True)
    handlers: list[logging.Handler] = [
        logging.handlers.RotatingFileHandler(path, maxBytes=10_000_000, backupCount=3, encoding="utf-8")
    ]
    if foreground:
        handlers.append(logging.StreamHandler(sys.stderr))
    formatter = Masked(secrets)
    for name in ("toryo", AGENTS):
        root = logging.getLogger(name)
        root.setLevel(level if level in logging.getLevelNamesMapping() else "INFO")
        root.propagate = False
        for old in list(root.handlers):
            root.removeHandler(old)
            old.close()
        for handler in handlers:
            handler.setFormatter(formatter)
            root.addHandler(handler)
