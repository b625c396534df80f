"""Call log `agent.master.llm`: every call to a model with prompt and answer, 0600, secrets masked."""

from __future__ import annotations

import json
import logging
import logging.handlers
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from toryo import clock
from toryo.domain.times import iso
from toryo.planner.models.model import NoReply, Reply, Request

NAME = "agent.master.llm"
FILE = f"{NAME}.jsonl"
LARGEST = 20_000_000
KEPT = 3
MASK = "***"
TOKENS = re.compile(
    r"\b(?:op|coord|run|sess|pass|pk|plan)_[A-Za-z0-9_\-]{16,}"
    r"|\bsk-[A-Za-z0-9_\-]{12,}"
    r"|\b(?:ghp|gho|ghs|ghr|github_pat|glpat|xox[abp])[_\-][A-Za-z0-9_\-]{12,}"
    r"|\bAKIA[A-Z0-9]{16}\b"
    r"|\bAIza[A-Za-z0-9_\-]{30,}"
    r"|\beyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----"
)
"""What plainly is a secret, whoever wrote it into a file that a prompt quotes."""
BEARER = re.compile(r"(?i)(\bbearer\s+)[A-Za-z0-9._\-]{12,}")


def masked(text: str, secrets: Iterable[str] = ()) -> str:
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, MASK)
    return BEARER.sub(rf"\1{MASK}", TOKENS.sub(MASK, text))


class _Private(logging.handlers.RotatingFileHandler):
    """Each file is the owner's alone from its first byte."""

    def _open(self) -> Any:
        handle = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        os.fchmod(handle, 0o600)
        return open(handle, "a", encoding="utf-8", errors="replace")


class CallLog:
    """One line of JSON a call; what cannot be written is nobody's failure but this file's."""

    def __init__(self, folder: Path, secrets: Iterable[str] = ()) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.file = folder / FILE
        self._secrets = tuple(secrets)
        self._logger = logging.Logger(NAME)
        self._handler = _Private(self.file, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8")
        self._handler.setFormatter(logging.Formatter("%(message)s"))
        self._logger.addHandler(self._handler)

    def mask_also(self, secret: str) -> None:
        """A key that came into use."""
        if secret and secret not in self._secrets:
            self._secrets = (*self._secrets, secret)

    def answered(self, about: dict[str, Any], request: Request, reply: Reply, seconds: float) -> None:
        told = {
            "answer": reply.text,
            "cut": reply.cut,
            "model": reply.model,
            "input_tokens": reply.usage.input_tokens,
            "output_tokens": reply.usage.output_tokens,
            "cost_usd": reply.usage.cost_usd,
            "cost": reply.usage.cost,
        }
        self._write(about, request, seconds, told)

    def failed(self, about: dict[str, Any], request: Request, trouble: NoReply, seconds: float) -> None:
        told = {"error": type(trouble).__name__, "message": trouble.message}
        self._write(about, request, seconds, told)

    def close(self) -> None:
        self._logger.removeHandler(self._handler)
        self._handler.close()

    def _write(self, about: dict[str, Any], request: Request, seconds: float, told: dict[str, Any]) -> None:
        line = {
            "time": iso(clock.wall()),
            "logger": NAME,
            **about,
            "purpose": request.purpose,
            "instructions": request.instructions,
            "prompt": [{"voice": str(turn.voice), "text": turn.text} for turn in request.turns],
            "seconds": round(seconds, 3),
            **told,
        }
        self._logger.info("%s", self._line(line))

    def _line(self, value: dict[str, Any]) -> str:
        """Masked before it becomes JSON, which would hide a secret behind its escapes."""
        return json.dumps(self._masked(value), ensure_ascii=False, default=str)

    def _masked(self, value: Any) -> Any:
        if isinstance(value, str):
            return masked(value, self._secrets)
        if isinstance(value, dict):
            return {key: self._masked(one) for key, one in value.items()}
        return [self._masked(one) for one in value] if isinstance(value, list) else value
