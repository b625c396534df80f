"""New ids: random, never reused, short enough to type."""

from __future__ import annotations

from secrets import token_bytes as _some_bytes

_SIGNS = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [low + high for high in _SIGNS for low in _SIGNS]


def new_id(kind: str) -> str:
    """`kind` is the letter of DESIGN's nouns: t, r, o, p, l, g, e."""
    number = int.from_bytes(_some_bytes(5))  # eight signs of five bits
    return (
        f"{kind}{_PAIRS[number & 1023]}{_PAIRS[number >> 10 & 1023]}"
        f"{_PAIRS[number >> 20 & 1023]}{_PAIRS[number >> 30]}"
    )
