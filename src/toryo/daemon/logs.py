"""Log file of the daemon: one JSON object a line in `logs/daemon.jsonl`, secrets masked, rotated by size."""

from __future__ import annotations

import logging
import logging.handlers
import os
import re
import sys
from pathlib import Path
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, WrappedLogger

MOST_BYTES = 10_000_000
KEPT = 5
MASK = "***"

_SECRETS = re.compile(r"\b(sess|run|op|orch|coord|plnr|pass)_[A-Za-z0-9_\-]{24,}")
_SECRET_FIELDS = frozenset({"passkey", "credential", "session_token", "token", "key", "secret"})


def configure(folder: Path, *, level: int = logging.INFO, also: TextIO | None = None) -> None:
    """Every logger of this process, the SDK's too, writes there from now on."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        mask_fields,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    formatter = Masked(
        foreign_pre_chain=shared,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
    )
    handlers: list[logging.Handler] = [PrivateFile(folder / "daemon.jsonl")]
    if also is not None:
        handlers.append(logging.StreamHandler(also))
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
        old.close()
    for handler in handlers:
        handler.setFormatter(formatter)
        root.addHandler(handler)
    root.setLevel(level)
    logging.getLogger("mcp").setLevel(logging.WARNING)
    logging.raiseExceptions = sys.flags.dev_mode  # a full disk must not fill stderr too


def mask(text: str) -> str:
    return _SECRETS.sub(lambda found: f"{found[1]}_{MASK}", text)


def mask_fields(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Passkeys may be any word, so they are known by the name of their field."""
    return {name: _masked(name, value) for name, value in event.items()}


def _masked(name: str, value: Any) -> Any:
    if name in _SECRET_FIELDS and isinstance(value, str | bytes):
        return MASK
    if isinstance(value, dict):
        return {inner: _masked(str(inner), one) for inner, one in value.items()}
    if isinstance(value, list | tuple):
        return [_masked("", one) for one in value]
    return value


class Masked(structlog.stdlib.ProcessorFormatter):
    """The last step sees the whole line, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        return mask(super().format(record))


class PrivateFile(logging.handlers.RotatingFileHandler):
    def __init__(self, path: Path) -> None:
        super().__init__(
            path, maxBytes=MOST_BYTES, backupCount=KEPT, encoding="utf-8", errors="backslashreplace"
        )

    def _open(self) -> Any:
        os.close(os.open(self.baseFilename, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
        return super()._open()
