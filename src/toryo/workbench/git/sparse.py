"""Sparse checkouts by scope: the patterns a worktree is checked out with, in its own `config.worktree`.

Non-cone patterns, since cone mode keeps every file at the root, `.env` too. An accident guard, not secrecy:
the objects stay readable through git.
"""

from __future__ import annotations

from pathlib import Path

from toryo.domain.scopes import Scope

EVERYTHING = ("**",)
SETTINGS = ".toryo/"

_PLAIN = """\
[core]
	logAllRefUpdates = true
"""
# reflogs are asked for by name: snapshots find the commits that an agent reset away through them
_SPARSE = f"""\
{_PLAIN}	sparseCheckout = true
	sparseCheckoutCone = false
"""


def is_needed(scope: Scope) -> bool:
    """Whether anything may have to stay out; not whether the base's tree has it, since a later merge may."""
    return bool(scope.exclude) or not _is_everything(scope.read)


def settle(admin: Path, scope: Scope) -> bool:
    """Write one worktree's settings; True if they differ from before. Needs `extensions.worktreeConfig`."""
    wanted = is_needed(scope)
    text = "".join(f"{line}\n" for line in patterns(scope)) if wanted else ""
    (admin / "info").mkdir(exist_ok=True)
    changed = _replace(admin / "info" / "sparse-checkout", text) if wanted else False
    return _replace(admin / "config.worktree", _SPARSE if wanted else _PLAIN) or changed


def patterns(scope: Scope) -> tuple[str, ...]:
    """The scope as sparse-checkout patterns; the last one that matches a path decides."""
    lines: list[str] = []
    everything = _is_everything(scope.read)
    if everything:
        lines.append("/*")
    else:
        for pattern in (*scope.read, *(scope.write or ()), SETTINGS):
            lines += _lines(pattern, below=True)
    for pattern in scope.exclude:
        lines += [f"!{line}" for line in _lines(pattern, below=not everything)]
    return tuple(dict.fromkeys(lines))


def _is_everything(read: tuple[str, ...]) -> bool:
    return any(pattern in ("**", "*", "/**", "/*") for pattern in read)


def _lines(pattern: str, *, below: bool) -> list[str]:
    """One pattern of a scope for git; `below`: spelled out for the files under a directory too.

    git asks for every file on its own and lets the directory decide only where no line names the file. So a
    line for the directory is enough beside `/*`, and loses to any line that reaches deeper."""
    body = pattern.rstrip("/")
    anchored = "/" in body
    body = _escaped(body.lstrip("/")) or "**"
    if body.endswith("**"):
        return [f"/{body}"]
    name = f"/{body}" if anchored else "\\" + body if body[0] in "!#" else body
    deep = f"/{body}/**" if anchored else f"**/{body}/**"
    if pattern.endswith("/"):
        return [deep] if below else [f"{name}/"]
    return [name, deep] if below else [name]


def _escaped(text: str) -> str:
    """Literal where `domain.scopes` reads it so and gitignore would not."""
    out = ""
    for index, sign in enumerate(text):
        if sign == "\\" or (sign == "[" and text.find("]", index + 2) < 0):
            out += "\\" + sign
        elif sign in "\r\n":
            out += "?"  # a line cannot hold it
        else:
            out += sign
    stripped = out.rstrip(" ")
    return stripped + "\\ " * (len(out) - len(stripped))


def _replace(path: Path, text: str) -> bool:
    content = text.encode("utf-8", "surrogateescape")
    try:
        if path.read_bytes() == content:
            return False
    except FileNotFoundError:
        pass
    path.write_bytes(content)
    return True
