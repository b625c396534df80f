"""YAML loader: what YAML allows and nobody can have meant is refused, with its line.

Which file it is, and how it is told, is yaml_files.py.
"""

from __future__ import annotations

from typing import Any

import yaml

MOST_NESTED = 64
"""A person reads no deeper, and Python's own stack holds it wherever it is loaded."""

_NAMES = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:int", "tag:yaml.org,2002:merge")
_NULL = "tag:yaml.org,2002:null"


class Loader(yaml.SafeLoader):
    """Refuses a key that is there twice or is no name, nesting without end, and values of a wrong kind."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._path: list[str] = []
        self._heights: dict[yaml.Node, int] = {}
        """Of lists and mappings that are read to their end."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        self._path.append(_part(index))
        if len(self._path) > MOST_NESTED:
            raise _too_deep(mark)
        node = super().compose_node(parent, index)
        # what an alias names is as deep as if it were written here; unfinished: it is around us
        height = 0 if isinstance(node, yaml.ScalarNode) or node is None else self._heights.get(node)
        if height is None or len(self._path) + height > MOST_NESTED:
            raise _too_deep(mark)
        self._path.pop()
        return node

    def compose_sequence_node(self, anchor: Any) -> yaml.SequenceNode:
        node = super().compose_sequence_node(anchor)
        self._heights[node] = 1 + max((self._heights.get(one, 0) for one in node.value), default=0)
        return node

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node = super().compose_mapping_node(anchor)
        inner = (one for pair in node.value for one in pair)
        self._heights[node] = 1 + max((self._heights.get(one, 0) for one in inner), default=0)
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                self._look_over(key)
                if (key.tag, key.value) in seen:
                    raise _refusal(f"{self._place(key)}: is there twice", key.start_mark)
                seen.add((key.tag, key.value))
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # YAML's own constructors let these out; the value is left out, it may be a passkey
            raise _refusal(f"this is no {node.tag.rpartition(':')[2]}", node.start_mark) from error

    def _look_over(self, key: yaml.ScalarNode) -> None:
        if key.tag == _NULL and not key.value:
            raise _refusal("a key is empty", key.start_mark)
        if key.tag.startswith("tag:yaml.org,2002:") and key.tag not in _NAMES:
            told = f"{self._place(key)} is no key: put it in quotes, if it is a name"
            raise _refusal(told, key.start_mark)

    def _place(self, key: yaml.ScalarNode) -> str:
        return ".".join([*filter(None, self._path), key.value])


def _part(index: Any) -> str:
    """What compose_node calls an index: a key's node, a number in a list, or nothing."""
    if isinstance(index, yaml.ScalarNode):
        return str(index.value)
    return str(index) if isinstance(index, int) else ""


def _too_deep(mark: yaml.Mark) -> yaml.MarkedYAMLError:
    return _refusal("it is nested too deeply", mark)


def _refusal(problem: str, mark: yaml.Mark) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
