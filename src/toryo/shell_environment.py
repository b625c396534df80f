"""What of a shell's environment decides how agents run: PATH and keys. Told without any value, and compared.

Standard library only. The coordinator writes down what it was started with; `toryo up` compares its own."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Mapping
from typing import Any

from toryo.own_venv import without_own

_KEYS = re.compile(
    r"(.*_)?(API_?KEY|KEY|TOKEN|SECRET|BASE_URL|CREDENTIALS|(HTTPS?|ALL|NO)_PROXY)", re.IGNORECASE
)
_NOBODYS = ("TORYO_", "VSCODE_", "GIT_", "AGENT_PASSKEY")
"""Of this run, of an editor's window: another one in every shell, and nothing that an agent needs."""
MOST_NAMED = 5


def written(env: Mapping[str, str]) -> dict[str, Any]:
    """PATH as it is; of keys the name and a salted hash, so that a change is seen and no value is kept."""
    salt = secrets.token_hex(8)
    keys = {name: _hash(salt, value) for name, value in env.items() if _is_key(name)}
    return {"salt": salt, "path": _folders(env), "keys": keys}


def differences(kept: Mapping[str, Any], env: Mapping[str, str]) -> list[str]:
    """In words, what is another here than where `kept` was written; empty: agents would run the same."""
    try:
        salt, theirs, keys = str(kept["salt"]), [str(one) for one in kept["path"]], dict(kept["keys"])
    except (KeyError, TypeError, ValueError):
        return []
    told = []
    here = _folders(env)
    if here != theirs:
        more = [one for one in here if one not in theirs]
        less = [one for one in theirs if one not in here]
        parts = [
            *([f"only here: {_named(more)}"] if more else []),
            *([f"only there: {_named(less)}"] if less else []),
        ]
        told.append(f"PATH ({'; '.join(parts) or 'in another order'})")
    mine = {name: _hash(salt, value) for name, value in env.items() if _is_key(name)}
    for name in sorted({*mine, *keys}):
        if name not in keys:
            told.append(f"{name} (only here)")
        elif name not in mine:
            told.append(f"{name} (only there)")
        elif mine[name] != keys[name]:
            told.append(f"{name} (another value)")
    return told


def _folders(env: Mapping[str, str]) -> list[str]:
    parts = without_own(env.get("PATH", "")).split(os.pathsep)
    return list(dict.fromkeys(part.rstrip("/") or part for part in parts if part))


def _named(folders: list[str]) -> str:
    left = len(folders) - MOST_NAMED
    return ", ".join(folders[:MOST_NAMED]) + (f" and {left} more" if left > 0 else "")


def _is_key(name: str) -> bool:
    return _KEYS.fullmatch(name) is not None and not name.startswith(_NOBODYS)


def _hash(salt: str, value: str) -> str:
    # slow on purpose: the file must not help to guess a key
    raw = hashlib.pbkdf2_hmac("sha256", value.encode("utf-8", "surrogateescape"), salt.encode(), 10_000)
    return raw.hex()[:24]
