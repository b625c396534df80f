"""Sparse checkouts by scope: the patterns a worktree is checked out with, in its own `config.worktree`.

Non-cone patterns, since cone mode keeps every file at the root, `.env` too. An accident guard, not secrecy:
the objects stay readable through git.
"""

from __future__ import annotations

from pathlib import Path

from toryo.domain.scopes import Scope

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
    return bool(scope.exclude or scope.kept_out) or not _is_everything(scope.read)


def excludes_file(admin: Path) -> Path:
    """What git ignores in this worktree alone."""
    return admin / "info" / "toryo-exclude"


def settle(admin: Path, scope: Scope) -> bool:
    """Write one worktree's settings; True if they differ from before. Needs `extensions.worktreeConfig`."""
    (admin / "info").mkdir(exist_ok=True)
    written = [_replace(admin / name, text) for name, text in settings(scope, admin).items()]
    return any(written)


def changed(admin: Path, scope: Scope) -> list[str]:
    """Which of the settings are not as they were written: somebody widened what may be seen."""
    return [name for name, text in settings(scope, admin).items() if not _holds(admin / name, text)]


def settings(scope: Scope, admin: Path) -> dict[str, str]:
    """The files of a worktree's git directory that say it, and their texts."""
    ignored = f'\texcludesFile = "{_quoted(excludes_file(admin))}"\n' if scope.private else ""
    if not is_needed(scope):
        return {"config.worktree": _PLAIN + ignored}
    lines = "".join(f"{line}\n" for line in patterns(scope))
    return {"info/sparse-checkout": lines, "config.worktree": _SPARSE + ignored}


def _quoted(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace('"', '\\"')


def patterns(scope: Scope) -> tuple[str, ...]:
    """The scope as sparse-checkout patterns; the last one that matches a path decides."""
    lines: list[str] = []
    everything = _is_everything(scope.read)
    if everything:
        lines.append("/*")
    else:
        for pattern in (*scope.read, *(scope.write or ()), SETTINGS):
            lines += _lines(pattern, below=True)
    for pattern in (*scope.exclude, *scope.kept_out):
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
    if _holds(path, text):
        return False
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return True


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return False
