"""MCP methods, answered by the official SDK; tools are listed and called through our registry.

The SDK's answer to an unknown tool or a bad argument is plain text and it takes extra arguments silently:
hence our own two handlers on the low-level server.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, ListToolsResult, PaginatedRequestParams

from toryo.daemon.credentials import UnknownCredential
from toryo.daemon.mcp.calls import Calls
from toryo.daemon.mcp.transport import Link
from toryo.engine.context import CallerKind
from toryo.protocol.wire import CREDENTIAL

Context = ServerRequestContext[dict[str, Any], Any]

INTRODUCTIONS = ("initialize", "server/discover")
"""The requests whose answers carry instructions."""

INSTRUCTIONS = (
    "Toryo gives you one task. Call get_my_task first; every answer's `instruction` says what is next."
)


FOR_ORCHESTRATORS = (
    "Toryo runs a crew of coding agents on a git repository and lands only what its own checks passed. You "
    "orchestrate: `add_task` (with `path`: the directory you work in), then `wait_task` until `at_rest`. "
    "A call that waits answers within a minute with what is: call it again. `done` means checked and landed, "
    "`get_evidence` shows what that stands on. A task at rest that is not done says why in `reason` and "
    "`detail`; `get_task` has the lines that lead on in `next`, `why` explains any status. What `needs_you` "
    "names is the person's decision: ask them before you approve, reject or answer for them. A failure has "
    "`error` and `hint`."
)


def make_server(calls: Calls) -> Server[dict[str, Any]]:
    server: Server[dict[str, Any]] = Server("toryo", version=calls.version, instructions=INSTRUCTIONS)
    server.middleware.clear()  # nobody collects its telemetry spans, and each call would pay for them

    async def instruct(ctx: Context, call_next: CallNext) -> HandlerResult:
        told = await call_next(ctx)
        if ctx.method not in INTRODUCTIONS or not isinstance(told, dict):
            return told
        is_orchestrator = await kind_of(ctx) is CallerKind.ORCHESTRATOR
        return {**told, "instructions": FOR_ORCHESTRATORS} if is_orchestrator else told

    async def kind_of(ctx: Context) -> CallerKind:
        try:
            return (await calls.identify(credential_of(ctx.params, ctx.request))).kind
        except UnknownCredential:
            return CallerKind.OUTSIDE

    server.middleware.append(instruct)
    listings = {
        kind: ListToolsResult.model_validate({"tools": calls.tools.listing(kind)}) for kind in CallerKind
    }

    async def list_tools(ctx: Context, params: PaginatedRequestParams) -> ListToolsResult:
        return listings[await kind_of(ctx)]

    async def call_tool(ctx: Context, params: CallToolRequestParams) -> dict[str, Any]:
        credential = credential_of(ctx.params, ctx.request)
        connection = ctx.request.number if isinstance(ctx.request, Link) else 0
        return await calls.answer(params.name, params.arguments or {}, credential, connection)

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
