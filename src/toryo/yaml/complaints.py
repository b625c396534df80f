"""YAML complaints: what is wrong with what a person wrote, with file, line and key in words for people.

What its keys mean is whoever's it is; this is for every file alike, on both sides of the wire.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from toryo.yaml.loader import Loader

MOST_TOLD = 5
_WORDS = {
    "missing": "is missing",
    "invalid_key": "must be text",
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


def load(where: str, text: str) -> Any:
    """What is in it; every file that a person wrote comes in here."""
    try:
        loader = Loader(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise Malformed(_broken(where, text, error)) from error


def _broken(where: str, text: str, error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.reader.ReaderError):
        line = text.count("\n", 0, error.position) + 1
        return f"{where}, line {line}: a character that is not allowed, #x{error.character:04x}"
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
        node = yaml.compose(text, Loader)
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
