"""FastAPI application of the page: the table of routes, the monitor's own, the event channel, built files.

Who may speak to it is decided around it, by `access`.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

from fastapi import Body, FastAPI, Query, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from toryo import __version__
from toryo.domain.errors import ToryoError
from toryo.fronts.web import bodies, failures, monitor, pages
from toryo.fronts.web.hub import Socket
from toryo.fronts.web.openapi import Failure, describe
from toryo.fronts.web.routes import ROUTES, Route
from toryo.fronts.web.shared import SharedReads

if TYPE_CHECKING:
    from toryo.fronts.daemon_line import DaemonLine
    from toryo.fronts.web.hub import Hub

LEFT = 499
"""Nobody is there to read it: the status that proxies write into their logs for this."""
SENT_WITHIN_S = 30.0
"""A browser that takes nothing for so long is let go; it comes again by itself."""
FAILURES: dict[int | str, dict[str, Any]] = {"4XX": {"model": Failure}, "5XX": {"model": Failure}}


def make_app(line: DaemonLine, hub: Hub) -> FastAPI:
    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        yield
        await hub.close()
        await line.close()

    app = FastAPI(
        title="Toryo",
        version=__version__,
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=FAILURES,
    )
    for kind in (ToryoError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, failures.answer)
    app.add_exception_handler(Exception, failures.unexpected)
    _add_monitor(app, line)
    shared = SharedReads(line)
    for route in ROUTES:
        _add(app, line, shared, route)
    _add_events(app, hub)
    _add_files(app)
    describe(app)
    return app


def _add(app: FastAPI, line: DaemonLine, shared: SharedReads, route: Route) -> None:
    app.add_api_route(
        route.path,
        _endpoint(line, shared, route),
        methods=[route.method],
        operation_id=f"{route.tool}{_suffix(route)}",
        response_class=JSONResponse,
        response_model=None,
        responses={200: {"model": route.view}},
    )


def _suffix(route: Route) -> str:
    """A tool behind two paths has two names."""
    others = [one for one in ROUTES if one.tool == route.tool]
    return "" if others[0] is route else "_" + route.path.split("/")[2].replace("-", "_")


def _endpoint(line: DaemonLine, shared: SharedReads, route: Route) -> Callable[..., Awaitable[Response]]:
    """Its signature is what FastAPI reads: the names in the path, then the query or the body."""

    async def endpoint(request: Request, given: bodies.Arguments | None = None, **named: str) -> Response:
        asked = {**_said(given), **named}
        if route.kept_s:
            call = shared.read(route.tool, asked, limit_s=route.limit_s, kept_s=route.kept_s)
        else:
            call = line.call(route.tool, asked, timeout_s=route.limit_s)
        return json_answer(await (while_there(request, call) if route.ends_with_browser else call))

    names = [part[1:-1] for part in route.path.split("/") if part.startswith("{")]
    kept = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("request", kept, annotation=Request)]
    parameters += [inspect.Parameter(name, kept, annotation=str) for name in names]
    fields = route.arguments.model_fields
    if fields:
        where = Query() if route.method == "GET" else Body()
        is_needed = route.method == "GET" or any(field.is_required() for field in fields.values())
        parameters.append(
            inspect.Parameter(
                "given",
                kept,
                annotation=Annotated[route.arguments, where],
                default=inspect.Parameter.empty if is_needed else route.arguments(),
            )
        )
    endpoint.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    endpoint.__name__ = route.tool
    return endpoint


async def while_there(request: Request, call: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """The answer, unless the browser leaves before: the call then ends with it."""
    asked, left = asyncio.create_task(call), asyncio.create_task(_until_left(request))
    try:
        await asyncio.wait((asked, left), return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            raise HTTPException(LEFT, "The browser left.")
        return asked.result()
    finally:
        for one in (asked, left):
            one.cancel()
        await asyncio.gather(asked, left, return_exceptions=True)


async def _until_left(request: Request) -> None:
    """After the body, which FastAPI has read, a browser says nothing more."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _said(given: bodies.Arguments | None) -> dict[str, Any]:
    """Null means something to a tool only where somebody wrote it."""
    whole = given.model_dump(mode="json") if given is not None else {}
    said = given.model_fields_set if given is not None else set()
    return {name: value for name, value in whole.items() if value is not None or name in said}


def json_answer(body: Any, headers: dict[str, str] | None = None) -> Response:
    """As it came: the daemon has typed it, and its views are in the document."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "replace"), media_type="application/json", headers=headers)


def _add_monitor(app: FastAPI, line: DaemonLine) -> None:
    @app.get(
        "/api/tasks",
        operation_id="monitor_tasks",
        responses={200: {"model": dict[str, monitor.MonitoredTask]}},
    )
    async def tasks(asked: Annotated[bodies.Monitor, Query()]) -> Response:
        if not asked.all:
            return json_answer(await monitor.tasks(line, asked.project))
        found, more = await monitor.tasks_page(line, asked.project, asked.after)
        where = f"/api/tasks?all=1&after={more}" + (
            f"&project={quote(asked.project, safe='')}" if asked.project else ""
        )
        return json_answer(found, {"link": f'<{where}>; rel="next"'} if more else None)

    @app.get("/api/logs/{id}", operation_id="monitor_log", responses={200: {"model": monitor.MonitoredLog}})
    async def log(id: str, project: str = "") -> Response:
        return json_answer(await monitor.log(line, id, project))

    @app.get("/api/attention", operation_id="attention", responses={200: {"model": monitor.Attention}})
    async def attention(asked: Annotated[bodies.InProject, Query()]) -> Response:
        return json_answer(await monitor.attention(line, asked.project))


def _add_events(app: FastAPI, hub: Hub) -> None:
    @app.websocket("/api/events")
    async def events(browser: WebSocket) -> None:
        given = browser.query_params.get("after", "")
        after = int(given) if given.isascii() and given.isdecimal() and len(given) < 19 else None
        await browser.accept()
        socket = Socket()
        told = asyncio.create_task(_send(browser, hub, socket, after))
        heard = asyncio.create_task(_hear(browser))
        try:
            await asyncio.wait((told, heard), return_when=asyncio.FIRST_COMPLETED)
        finally:
            hub.leave(socket)
            for task in (told, heard):
                task.cancel()
            await asyncio.gather(told, heard, return_exceptions=True)


async def _send(browser: WebSocket, hub: Hub, socket: Socket, after: int | None) -> None:
    await hub.join(socket, after)
    while True:
        message = await socket.next()
        async with asyncio.timeout(SENT_WITHIN_S):
            await browser.send_json(message)


async def _hear(browser: WebSocket) -> None:
    """A browser has nothing to say here; that it left is all there is to hear."""
    while (await browser.receive())["type"] != "websocket.disconnect":
        pass


def _add_files(app: FastAPI) -> None:
    """Every address of the page's own views is the one document; what is not there is not looked for."""
    found = pages.built()

    @app.get("/{path:path}", include_in_schema=False)
    async def file(request: Request, path: str) -> Response:
        named = f"/{path}"
        there = found.get(named)
        if there is None and not named.startswith(("/api/", pages.HASHED)) and "." not in path:
            there = found.get("/index.html")
        if there is None:
            raise HTTPException(404)
        return Response(there.body, media_type=there.kind, headers={"cache-control": there.kept})
