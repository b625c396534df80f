"""New ids: random, never reused, short enough to type."""

from __future__ import annotations

from secrets import token_bytes as _some_bytes

_SIGNS = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id(kind: str) -> str:
    """`kind` is the letter of DESIGN's nouns: t, r, o, p, l, g, e."""
    number = int.from_bytes(_some_bytes(5))  # eight signs of five bits
    return kind + "".join([_SIGNS[number >> shift & 31] for shift in range(0, 40, 5)])
