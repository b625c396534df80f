"""MCP's own methods, answered by the official SDK; tools are listed and called through our registry.

The SDK's answer to an unknown tool or a bad argument is plain text and it takes extra arguments silently:
hence our own two handlers on the low-level server.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import structlog
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, ListToolsResult, PaginatedRequestParams

from toryo.daemon.credentials import Keys, Recent, UnknownCredential, identify_coordinator
from toryo.daemon.head import Head
from toryo.daemon.mcp.answers import failure, failure_of, result
from toryo.daemon.mcp.registry import Registry, with_next_step
from toryo.daemon.mcp.transport import Link
from toryo.protocol.wire import CREDENTIAL
from toryo.usecases.context import Caller, CallerKind

log = structlog.get_logger("toryo.daemon.mcp")

Context = ServerRequestContext[dict[str, Any], Any]

INSTRUCTIONS = (
    "Toryo gives you one task. Call get_my_task first; every answer's `instruction` says what is next."
)


def make_server(head: Head, tools: Registry, keys: Keys) -> Server[dict[str, Any]]:
    server: Server[dict[str, Any]] = Server("toryo", version=head.context.version, instructions=INSTRUCTIONS)
    server.middleware.clear()  # nobody collects its telemetry spans, and each call would pay for them

    listings = {kind: ListToolsResult.model_validate({"tools": tools.listing(kind)}) for kind in CallerKind}

    recent = Recent(time.monotonic)

    async def identify(ctx: Context) -> Caller:
        credential = credential_of(ctx.params, ctx.request)
        caller = keys.identify(credential) or recent.get(credential)
        if caller is not None:
            return caller
        return recent.put(credential, await head.do(identify_coordinator, credential))

    async def list_tools(ctx: Context, params: PaginatedRequestParams) -> ListToolsResult:
        try:
            kind = (await identify(ctx)).kind
        except UnknownCredential:
            kind = CallerKind.OUTSIDE
        return listings[kind]

    async def call_tool(ctx: Context, params: CallToolRequestParams) -> dict[str, Any]:
        try:
            caller = await identify(ctx)
        except UnknownCredential as unknown:
            return result(with_next_step(failure_of(unknown)))  # it may be an agent's
        body = await tools.call(head, caller, params.name, params.arguments or {})
        try:
            return result(body) | {"_meta": {"toryo/version": head.context.version}}
        except (TypeError, ValueError):
            log.exception("answer_is_no_json", tool=params.name)
            told = f"{params.name} worked, but its answer is not JSON: a bug in Toryo."
            hint = f"See the newest `answer_is_no_json` in {head.context.home.logs / 'daemon.jsonl'}."
            return result(failure(told, hint, bug=True))

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
