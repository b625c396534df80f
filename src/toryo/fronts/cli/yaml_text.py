"""YAML output without a YAML library: importing one would cost every command its start-up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_./ -]*[A-Za-z0-9_./-]|[A-Za-z]")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})


def to_yaml(value: dict[str, Any]) -> str:
    """A mapping of mappings, lists, texts, numbers, booleans and None."""
    return "".join(_entry(f"{_scalar(key)}:", item, "") for key, item in value.items())


def _entry(head: str, value: Any, indent: str) -> str:
    if isinstance(value, dict) and value:
        inner = "".join(_entry(f"{_scalar(str(key))}:", item, indent + "  ") for key, item in value.items())
        return f"{indent}{head}\n{inner}"
    if isinstance(value, list) and value:
        return f"{indent}{head}\n" + "".join(_entry("-", item, indent + "  ") for item in value)
    if isinstance(value, str) and _fits_a_block(value):
        lines = "".join(f"{indent}  {line}\n" if line else "\n" for line in value.split("\n")[:-1])
        return f"{indent}{head} |\n{lines}"
    return f"{indent}{head} {_scalar(value)}\n"


def _fits_a_block(text: str) -> bool:
    """Several plain lines with one newline at the end; anything unusual is quoted instead."""
    lines = text.split("\n")
    return (
        len(lines) > 2
        and lines[-1] == ""
        and lines[-2] != ""
        and all(line.isprintable() for line in lines)
        and not lines[0].startswith(" ")
        and lines[0] != ""
    )


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        return value if _BARE.fullmatch(value) and value.lower() not in _WORDS else _quoted(value)
    return "{}" if isinstance(value, dict) else "[]"


def _quoted(text: str) -> str:
    return '"' + "".join(_escaped(sign) for sign in text) + '"'


def _escaped(sign: str) -> str:
    if sign in '"\\':
        return "\\" + sign
    if sign.isprintable():
        return sign
    short = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(sign)
    return short or f"\\U{ord(sign):08x}"
