"""Failures as the page gets them: a status of HTTP, what is wrong, and the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from toryo.domain.errors import ToryoError
from toryo.protocol.wire import RequestRefused, ToolFailed, WireError

if TYPE_CHECKING:
    from starlette.requests import Request

STATUS = {
    "not_found": 404,
    "not_a_project": 404,
    "refused": 409,
    "user": 400,
    "usage": 400,
    "no_repository": 400,
    "arguments": 422,
    "hindered": 503,
    "unavailable": 503,
}
"""By the kind that the daemon names; any other failure of its is its own."""
WORDS = {404: "There is nothing at this address.", 405: "That cannot be done at this address."}
UNEXPECTED_HINT = "`logs/web-server.out` in the home says where; `toryo web --stop` ends this page."
HINT = "`/openapi.json` lists what there is."


def answer(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, RequestValidationError):
        return _told(422, _fields(error), HINT)
    if isinstance(error, HTTPException):
        return _told(error.status_code, WORDS.get(error.status_code, str(error.detail)), HINT)
    assert isinstance(error, ToryoError)
    return _told(status(error), error.message, error.hint)


def unexpected(request: Request, error: Exception) -> JSONResponse:
    """A fault of ours; the log of the page's process has its trace."""
    return _told(500, f"The page could not answer: {type(error).__name__}.", UNEXPECTED_HINT)


def status(error: ToryoError) -> int:
    if isinstance(error, ToolFailed):
        return STATUS.get(str(error.body.get("kind")), 500)
    if isinstance(error, RequestRefused):
        return 413
    if isinstance(error, WireError):  # it is away, or went away meanwhile; else it is busy
        return 504 if isinstance(error.__cause__, TimeoutError) else 503
    return STATUS.get(error.kind, 500)


def _fields(error: RequestValidationError) -> str:
    parts = []
    for one in error.errors()[:5]:
        where = ".".join(str(part) for part in one["loc"] if part not in ("body", "query", "path"))
        parts.append(f"{where}: {one['msg']}" if where else str(one["msg"]))
    return "; ".join(parts)


def _told(status: int, error: str, hint: str) -> JSONResponse:
    return JSONResponse({"error": error, "hint": hint}, status)
