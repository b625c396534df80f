"""Access rules of the page: who may speak to it, and the headers that keep a browser from harm.

An ASGI layer around everything that is served: what is let through needs no rule of its own.
"""

from __future__ import annotations

import hashlib
import hmac
import html
import json
import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = re.compile(r"^(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?$", re.IGNORECASE)
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "frame-ancestors 'none'; base-uri 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
NOT_KEPT = "no-store"
HOW_TO_OPEN = "`toryo web` prints the address that opens it."


def is_same(given: str, right: str) -> bool:
    """In constant time, whatever was given."""
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), right.encode())


class Access:
    """One token opens everything; a browser holds a cookie that is made of it."""

    def __init__(self, app: ASGIApp, *, token: str, installation: str) -> None:
        self._app = app
        self._token = token
        self._cookie_name = f"toryo_{installation}"
        self._cookie = hmac.new(token.encode(), b"cookie", hashlib.sha256).hexdigest()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        asked = Asked(scope)
        answer = self._refusal(asked) or (self._front_door(asked) if asked.path == "/" else None)
        if answer is None and not self._is_known(asked):
            answer = refused(401, "This needs the page's token.", HOW_TO_OPEN)
        if answer is not None:
            await answer.send(scope, send)
            return
        await self._app(scope, receive, _with_headers(send))

    def _refusal(self, asked: Asked) -> Answer | None:
        """For whom no token helps: a page of somebody else's that a browser was led to (DNS rebinding), and
        requests that such a page sends."""
        host = asked.only("host")
        if host is None or not HOST.match(host):
            return refused(403, "This page is for this machine only.", "Open it as 127.0.0.1 or localhost.")
        if asked.method in SAFE and not asked.is_socket:
            return None
        origins = asked.all("origin")
        if not origins and asked.bearer:
            return None
        if origins != [f"http://{host}"]:
            return refused(403, "Another page may not change anything here.", HOW_TO_OPEN)
        return None

    def _is_known(self, asked: Asked) -> bool:
        if asked.bearer:
            return is_same(asked.bearer, self._token)
        return is_same(asked.cookie(self._cookie_name), self._cookie)

    def _front_door(self, asked: Asked) -> Answer | None:
        """`/` alone tells a browser without a cookie what to do, and takes the token out of its address."""
        if asked.is_socket or asked.method not in SAFE:
            return None
        given = asked.query("token")
        if given is not None and is_same(given, self._token):
            return self._swap(asked)
        if given is not None:
            return page(401, "That token is not valid any more.")
        return None if self._is_known(asked) else page(200, "This page needs its token.")

    def _swap(self, asked: Asked) -> Answer:
        cookie = f"{self._cookie_name}={self._cookie}; Path=/; HttpOnly; SameSite=Strict"
        if asked.only("sec-fetch-site") == "cross-site":
            # after a redirect that another site (or a local file) began, a strict cookie is not sent
            again = "<!doctype html><meta http-equiv='refresh' content='0;url=/'><title>Toryo</title>"
            return Answer(200, again.encode(), "text/html; charset=utf-8", {"set-cookie": cookie})
        return Answer(303, b"", "text/plain", {"set-cookie": cookie, "location": "/"})


class Asked:
    """What a request says of itself."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.is_socket = scope["type"] == "websocket"
        self.method = str(scope.get("method", "GET"))
        self.path = str(scope["path"])
        scheme, _, given = (self.only("authorization") or "").partition(" ")
        self.bearer = given.strip() if scheme.lower() == "bearer" else ""

    def all(self, name: str) -> list[str]:
        wanted = name.encode()
        return [value.decode("latin-1") for key, value in self._scope["headers"] if key == wanted]

    def only(self, name: str) -> str | None:
        """None: it is not there, or there twice."""
        found = self.all(name)
        return found[0] if len(found) == 1 else None

    def query(self, name: str) -> str | None:
        found = parse_qs(self._scope["query_string"].decode("latin-1"), keep_blank_values=True).get(name)
        return found[0] if found else None

    def cookie(self, name: str) -> str:
        for line in self.all("cookie"):
            for part in line.split(";"):
                key, _, value = part.strip().partition("=")
                if key == name:
                    return value
        return ""


class Answer:
    def __init__(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.status = status
        self.body = body
        self.headers = {"content-type": kind, "cache-control": NOT_KEPT, **HEADERS, **(headers or {})}
        self.headers["content-length"] = str(len(body))

    async def send(self, scope: Scope, send: Send) -> None:
        """To a socket too: before it is accepted it is an ordinary request."""
        prefix = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
        named = [(key.encode(), value.encode()) for key, value in self.headers.items()]
        await send({"type": f"{prefix}.start", "status": self.status, "headers": named})
        body = b"" if scope.get("method") == "HEAD" else self.body
        await send({"type": f"{prefix}.body", "body": body})


def refused(status: int, error: str, hint: str) -> Answer:
    body = json.dumps({"error": error, "hint": hint}).encode()
    headers = {"www-authenticate": "Bearer"} if status == 401 else {}
    return Answer(status, body, "application/json", headers)


def page(status: int, told: str) -> Answer:
    text = (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Toryo</title>"
        f"<h1>Toryo</h1><p>{html.escape(told)}</p><p>Type <code>toryo web</code> in a terminal "
        "and open the address that it prints.</p></html>"
    )
    return Answer(status, text.encode(), "text/html; charset=utf-8")


def _with_headers(send: Send) -> Send:
    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            there = {key for key, _ in headers}
            headers += [(key.encode(), value.encode()) for key, value in HEADERS.items()]
            if b"cache-control" not in there:
                headers.append((b"cache-control", NOT_KEPT.encode()))
            message = {**message, "headers": headers}
        await send(message)

    return told
