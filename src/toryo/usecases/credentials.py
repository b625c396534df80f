"""Secrets and their hashes: made, derived and compared here, stored by others. Standard library only.

Random keys have 256 bits, so a plain SHA-256 keeps them; passkeys may be chosen by people: they get scrypt.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

OPERATOR_PREFIX = "op_"
COORDINATOR_PREFIX = "coord_"
PLANNER_PREFIX = "plnr_"
RUN_PREFIX = "run_"
SESSION_PREFIX = "sess_"
PASSKEY_PREFIX = "pass_"

_COST = 2**14
_BLOCK = 8
_LANES = 1
_MEMORY = 64 * 1024 * 1024


def new_operator_key() -> str:
    return OPERATOR_PREFIX + secrets.token_urlsafe(32)


def new_coordinator_key() -> str:
    return COORDINATOR_PREFIX + secrets.token_urlsafe(32)


def new_planner_key() -> str:
    return PLANNER_PREFIX + secrets.token_urlsafe(32)


def new_session_token() -> str:
    return SESSION_PREFIX + secrets.token_urlsafe(32)


def new_passkey() -> str:
    return PASSKEY_PREFIX + secrets.token_urlsafe(24)


def hash_token(token: str) -> str:
    """How a random key or token is stored."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def is_same(one: str, other: str) -> bool:
    """Compared in constant time."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def run_token(secret: bytes, run: str) -> str:
    """The run's token: derived, so it is never stored. It names its run, so nothing has to be searched."""
    seal = hmac.new(secret, b"run:" + run.encode(), hashlib.sha256).digest()
    return f"{RUN_PREFIX}{run}_{base64.urlsafe_b64encode(seal).decode().rstrip('=')}"


def run_of_token(secret: bytes, token: str) -> str | None:
    """The run that this token speaks for; None if we never made it."""
    run, mark, _ = token.removeprefix(RUN_PREFIX).partition("_")
    if not token.startswith(RUN_PREFIX) or not run or not mark:
        return None
    return run if is_same(token, run_token(secret, run)) else None


def hash_passkey(passkey: str) -> str:
    salt = secrets.token_bytes(16)
    return (
        f"scrypt${_COST}${_BLOCK}${_LANES}${salt.hex()}${_scrypt(passkey, salt, _COST, _BLOCK, _LANES).hex()}"
    )


def check_passkey(passkey: str, stored: str) -> bool:
    """Takes some 50 ms by intention: call it outside the writer (`Head.aside`)."""
    try:
        name, cost, block, lanes, salt, expected = stored.split("$")
        if name != "scrypt":
            return False
        found = _scrypt(passkey, bytes.fromhex(salt), int(cost), int(block), int(lanes))
    except ValueError:
        return False  # an agent without a passkey has an empty hash, which nothing matches
    return hmac.compare_digest(found, bytes.fromhex(expected))


def _scrypt(passkey: str, salt: bytes, cost: int, block: int, lanes: int) -> bytes:
    return hashlib.scrypt(
        passkey.encode("utf-8", "replace"), salt=salt, n=cost, r=block, p=lanes, maxmem=_MEMORY, dklen=32
    )
