"""Arguments for every tool: as its schema wants them, and bent as people and programs bend them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

ODD: list[Any] = [
    None,
    True,
    "",
    " ",
    "\0",
    "a\0b",
    "\x1b]0;owned\x07\x1b[2J",
    "\u202egnp.exe",
    "日本語のタイトル",
    "🎏" * 40,
    "x" * 5000,
    "../../..",
    "'; DROP TABLE tasks; --",
    "%s %n {0} {prompt}",
    "-rf",
    "NaN",
    -1,
    0,
    2**31,
    2**63,
    2**64,
    -(10**40),
    1e308,
    -1e308,
    0.1,
    [],
    {},
    [None],
    [[]],
    ["\0"],
    {"": ""},
    {"\0": "\0"},
    {"a": {"b": {"c": [1, {"d": None}]}}},
]


def arguments(schema: dict[str, Any], known: Sequence[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Mostly right, with at most two places bent."""
    right = _object(schema, schema.get("$defs", {}), known)
    names = [*schema.get("properties", {}), "no_such_argument"]
    bent = st.dictionaries(st.sampled_from(names), st.sampled_from(ODD) | st.sampled_from(known), max_size=2)
    return st.builds(lambda whole, few: {**whole, **few}, right, bent | st.just({}))


def _object(
    schema: dict[str, Any], defs: dict[str, Any], known: Sequence[str]
) -> st.SearchStrategy[dict[str, Any]]:
    properties = schema.get("properties")
    if properties is None:
        inner = schema.get("additionalProperties")
        value = _value(inner, defs, known) if isinstance(inner, dict) else st.sampled_from(ODD)
        return st.dictionaries(st.sampled_from(known) | st.sampled_from(["a", "\0", "é"]), value, max_size=2)
    made = {name: _value(one, defs, known) for name, one in properties.items()}
    needed = {name: made[name] for name in schema.get("required", ())}
    return st.fixed_dictionaries(
        needed, optional={name: one for name, one in made.items() if name not in needed}
    )


def _value(schema: dict[str, Any], defs: dict[str, Any], known: Sequence[str]) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        return _value(defs[schema["$ref"].rpartition("/")[2]], defs, known)
    if "anyOf" in schema:
        return st.one_of([_value(one, defs, known) for one in schema["anyOf"]])
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    match schema.get("type"):
        case "object":
            return _object(schema, defs, known)
        case "array":
            return st.lists(_value(schema.get("items", {}), defs, known), max_size=3)
        case "integer" | "number":
            return st.sampled_from([0, 1, 2, 255, -1, 2**31, 2**63]) | st.integers(-(2**70), 2**70)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "string":
            return st.sampled_from(known) | st.sampled_from(["a", "Mend it", "task"]) | st.text(max_size=20)
    return st.sampled_from(ODD)
