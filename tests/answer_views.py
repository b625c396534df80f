"""Whether what a tool of people answered is what its view says: no key more, none less, each of its type."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import Any

from pydantic import ConfigDict, TypeAdapter
from typing_extensions import is_typeddict

from toryo.daemon.tools.table import table
from toryo.engine.context import CallerKind
from toryo.protocol import views


@cache
def adapters() -> dict[str, TypeAdapter[Any]]:
    """By tool, what judges its answers."""
    for module in pkgutil.iter_modules(views.__path__):
        for kind in vars(import_module(f"{views.__name__}.{module.name}")).values():
            if is_typeddict(kind):
                kind.__pydantic_config__ = ConfigDict(extra="forbid", strict=True)
    listed = table().allowed(CallerKind.OPERATOR)
    return {tool.name: TypeAdapter(tool.view) for tool in listed if tool.view is not None}


def insist_view(tool: str, body: dict[str, Any]) -> None:
    """Of a tool of the real table; a toy has no view."""
    if tool in adapters():
        adapters()[tool].validate_python(body)
