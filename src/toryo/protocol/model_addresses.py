"""Address of a model's endpoint: what is wrong with it, before anything is sent there. Pure."""

from __future__ import annotations

from urllib.parse import urlsplit


def address_fault(url: str) -> str:
    """Empty: it is one. An address is shown and logged, so it holds no password."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "cannot be read"
    if parts.username is not None or parts.password is not None:
        return "names a user or a password: a key is kept with `toryo planner key`"
    if parts.scheme not in ("http", "https"):
        return "does not begin with http:// or https://"
    if not host or any(sign.isspace() or not sign.isprintable() for sign in url):
        return "names no host"
    return ""
