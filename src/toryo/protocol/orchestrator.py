"""Orchestrator's key, derived from the operator's, and how long a call of an outside AI may take.

Both ends of the socket compute the key; what it opens is the daemon's table of tools. Standard library only.
"""

from __future__ import annotations

import hashlib

KEY_PREFIX = "orch_"

ANSWER_WITHIN_S = 48.0
"""Some clients give a tool call a minute, and some of that is their own."""
LONGEST_WAIT_S = 40.0
"""Of a tool that waits for a change."""


def key_from(operator_key: str) -> str:
    """Opens less than the operator's key, which cannot be computed from it."""
    return key_from_hash(hashlib.sha256(operator_key.encode("utf-8", "replace")).hexdigest())


def key_from_hash(operator_hash: str) -> str:
    """For the daemon, which holds no more than the operator key's hash."""
    return KEY_PREFIX + hashlib.sha256(b"orchestrator:" + operator_hash.encode()).hexdigest()
