"""The verb `mcp`: an MCP server on stdio, by which an outside AI directs the work for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import verb

if TYPE_CHECKING:
    import argparse

    from toryo.fronts.client import Desk


def declare(parser: argparse.ArgumentParser, _: str) -> None:
    verb(
        parser,
        serve,
        "claude mcp add toryo -- toryo mcp",
        "codex mcp add toryo -- toryo mcp",
        "claude mcp add toryo --env TORYO_HOME=/srv/toryo -- toryo mcp",
        hands=True,
    )


def serve(_: argparse.Namespace, desk: Desk) -> int:
    from toryo.fronts.cli.missions.model import bring_planner
    from toryo.fronts.mcp_server import refuse_inside_a_run, serve_stdio

    refuse_inside_a_run()
    desk.call("health_check", {})
    bring_planner(desk)
    return serve_stdio(desk.home)
