"""MCP's own methods, answered by the official SDK; tools are listed and called through our registry.

The SDK's answer to an unknown tool or a bad argument is plain text and it takes extra arguments silently:
hence our own two handlers on the low-level server.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, ListToolsResult, PaginatedRequestParams

from toryo.daemon.credentials import UnknownCredential
from toryo.daemon.mcp.calls import Calls
from toryo.daemon.mcp.transport import Link
from toryo.protocol.wire import CREDENTIAL
from toryo.usecases.context import CallerKind

Context = ServerRequestContext[dict[str, Any], Any]

INSTRUCTIONS = (
    "Toryo gives you one task. Call get_my_task first; every answer's `instruction` says what is next."
)


def make_server(calls: Calls) -> Server[dict[str, Any]]:
    server: Server[dict[str, Any]] = Server("toryo", version=calls.version, instructions=INSTRUCTIONS)
    server.middleware.clear()  # nobody collects its telemetry spans, and each call would pay for them

    listings = {
        kind: ListToolsResult.model_validate({"tools": calls.tools.listing(kind)}) for kind in CallerKind
    }

    async def list_tools(ctx: Context, params: PaginatedRequestParams) -> ListToolsResult:
        try:
            kind = (await calls.identify(credential_of(ctx.params, ctx.request))).kind
        except UnknownCredential:
            kind = CallerKind.OUTSIDE
        return listings[kind]

    async def call_tool(ctx: Context, params: CallToolRequestParams) -> dict[str, Any]:
        credential = credential_of(ctx.params, ctx.request)
        return await calls.answer(params.name, params.arguments or {}, credential)

    server.add_request_handler("tools/list", PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    return server


def credential_of(params: Mapping[str, Any] | None, link: object) -> str:
    """The request's own credential, else the one its connection was bound to."""
    meta = (params or {}).get("_meta")
    own = meta.get(CREDENTIAL) if isinstance(meta, Mapping) else None
    if isinstance(own, str) and own:
        return own
    return link.credential if isinstance(link, Link) else ""
