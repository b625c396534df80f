"""New ids: random, never reused, short enough to type."""

from __future__ import annotations

import secrets

_SIGNS = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id(kind: str) -> str:
    """`kind` is the letter of DESIGN's nouns: t, r, o, p, l, g, e."""
    return kind + "".join(secrets.choice(_SIGNS) for _ in range(8))
