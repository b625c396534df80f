"""OpenAPI document of the page, with the messages of the event channel and short names of the views."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from toryo.fronts.web.messages import Message

if TYPE_CHECKING:
    from fastapi import FastAPI

REFERENCE = "#/components/schemas/"


class Failure(TypedDict):
    error: str
    hint: str


def describe(app: FastAPI) -> None:
    """Once, when it is first asked for."""
    plain = app.openapi

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = None
            app.openapi_schema = complete(plain())
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def complete(found: dict[str, Any]) -> dict[str, Any]:
    schemas = found["components"]["schemas"]
    channel = TypeAdapter(Message).json_schema(ref_template=REFERENCE + "{model}")
    schemas.update(channel.pop("$defs"))
    schemas["Message"] = {**channel, "description": "Of the event channel, WebSocket /api/events?after=ID."}
    text = json.dumps(found)
    for name in [one for one in schemas if "__" in one]:
        text = text.replace(f'"{REFERENCE}{name}"', f'"{REFERENCE}{short(name)}"').replace(
            f'"{name}":', f'"{short(name)}":'
        )
    return dict(json.loads(text))


def short(name: str) -> str:
    """`toryo__protocol__views__runs__UsageView` is `RunsUsageView`: two views of one name."""
    *_, module, last = name.split("__")
    return f"{module.title().replace('_', '')}{last}"


def of_this_version() -> str:
    """The document alone, for the types of the page: it needs no installation."""
    from toryo import settings
    from toryo.fronts.daemon_line import DaemonLine
    from toryo.fronts.web.app import make_app
    from toryo.fronts.web.hub import Hub

    line = DaemonLine(settings.home())
    return json.dumps(make_app(line, Hub(line)).openapi(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    print(of_this_version(), end="")
