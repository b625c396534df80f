"""YAML that a person wrote: what is wrong with it, with file, line and key in words for people.

What its keys mean is whoever's it is; this is for every file alike, on both sides of the wire.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

MOST_TOLD = 5
_WORDS = {
    "missing": "is missing",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "string_type": "must be text",
    "path_type": "must be text",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a number",
}


class Malformed(Exception):
    """One sentence about what is no YAML, with file and line."""


class _Loader(yaml.SafeLoader):
    """Refuses a key that is there twice: YAML's own would let the last one win without a word."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._path: list[str] = []

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self._path.append(_part(index))
        node = super().compose_node(parent, index)
        self._path.pop()
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in seen:
                    raise self._refusal(key, "is there twice")
                seen.add((key.tag, key.value))
        return node

    def _refusal(self, key: yaml.ScalarNode, problem: str) -> yaml.MarkedYAMLError:
        place = ".".join([*filter(None, self._path), key.value])
        return yaml.MarkedYAMLError(problem=f"{place}: {problem}", problem_mark=key.start_mark)


def _part(index: Any) -> str:
    """What compose_node calls an index: a key's node, a number in a list, or nothing."""
    if isinstance(index, yaml.ScalarNode):
        return str(index.value)
    return str(index) if isinstance(index, int) else ""


def load(where: str, text: str) -> Any:
    """What is in it; every file that a person wrote comes in here."""
    try:
        loader = _Loader(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise Malformed(_broken(where, error)) from error


def _broken(where: str, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = " ".join(str(getattr(error, "problem", None) or error).split())
    return f"{where}{f', line {mark.line + 1}' if mark else ''}: {problem}"


def wrong_value(where: str, text: str, path: Sequence[str | int], problem: str) -> str:
    """One sentence about a value that its model would take."""
    return f"{where}, line {line_of(text, path)}: {'.'.join(map(str, path))}: {problem}"


def wrong_keys(where: str, text: str, error: ValidationError, model: type[BaseModel]) -> str:
    """Every wrong key in one sentence. Values are left out: one may be a passkey."""
    told = []
    for one in error.errors(include_url=False, include_input=False)[:MOST_TOLD]:
        key = ".".join(str(part) for part in one["loc"]) or "the file"
        line = line_of(text, one["loc"])
        at = f"line {line}: " if line else ""
        told.append(f"{at}{key}: {_in_words(one['type'], one['msg'], key.rpartition('.')[2], model)}")
    return f"{where}{', ' if told[0].startswith('line ') else ': '}{'; '.join(told)}"


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Where a key is, or the nearest one around it that is there; 0 if nothing is."""
    try:
        node = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError:
        return 0
    line = 0
    for part in path:
        found = _inside(node, part)
        if found is None:
            break
        key, node = found
        line = key.start_mark.line + 1
    return line


def _inside(node: yaml.Node | None, part: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == str(part)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    return None


def _in_words(kind: str, message: str, name: str, model: type[BaseModel]) -> str:
    if kind == "extra_forbidden":
        near = difflib.get_close_matches(name, list(_keys(model)), 1)
        return "there is no such key" + (f"; did you mean {near[0]}?" if near else "")
    plain = message.removeprefix("Value error, ").replace("Input should be", "must be")
    return _WORDS.get(kind, plain)


def _keys(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield field.alias or name
        for inner in _models(field.annotation):
            yield from _keys(inner)


def _models(kind: Any) -> Iterator[type[BaseModel]]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
    for part in get_args(kind):
        yield from _models(part)
