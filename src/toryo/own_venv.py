"""The virtual environment that Toryo itself runs from, which is nobody else's: what is on a PATH without it.

Standard library only."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import metadata
from pathlib import Path

_OF_EVERY_VENV = re.compile(r"(python|pip)[\d.]*|[Aa]ctivate(\..*)?|activate_this\.py")
_NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[([^]]*)\])?")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)")
EVERY = ("*",)


def without_own(path: str) -> str:
    """A PATH without the `bin` of our own environment; one that holds programs of others goes to its end."""
    own = own_bin()
    if own is None:
        return path
    parts = path.split(os.pathsep)
    ours = [part for part in parts if part and Path(part).resolve() == own]
    kept = [part for part in parts if part not in ours]
    return os.pathsep.join([*kept, *(ours[:1] if ours and holds_others(own) else ())])


def is_own(prefix: str) -> bool:
    """Whether VIRTUAL_ENV names ours."""
    own = own_bin()
    return own is not None and bool(prefix) and Path(prefix, "bin").resolve() == own


def without_own_venv(env: Mapping[str, str]) -> dict[str, str]:
    """An environment in which ours is not active."""
    found = dict(env)
    if "PATH" in found:
        found["PATH"] = without_own(found["PATH"])
    if is_own(found.get("VIRTUAL_ENV", "")):
        for name in ("VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT"):
            found.pop(name, None)
    return found


@lru_cache(maxsize=1)
def own_bin() -> Path | None:
    """None: we run from the system's Python, whose folder is everybody's."""
    prefix = Path(sys.prefix)
    if sys.prefix == sys.base_prefix or not (prefix / "pyvenv.cfg").is_file():
        return None
    return (prefix / "bin").resolve()


@lru_cache(maxsize=4)
def holds_others(folder: Path) -> bool:
    """Whether somebody put programs there that neither Toryo nor what it needs has brought."""
    sites = [str(site) for site in (folder.parent / "lib").glob("python*/site-packages")]
    ours = set(_programs(sites))
    return any(
        not _OF_EVERY_VENV.fullmatch(one.name) and one.name not in ours
        for one in folder.iterdir()
        if not one.name.startswith(".") and not one.is_dir()
    )


def _programs(sites: list[str]) -> Iterator[str]:
    known = {_plain(one.metadata["Name"]): one for one in metadata.distributions(path=sites)}
    left: list[tuple[str, tuple[str, ...]]] = [
        ("toryo", EVERY),
        ("pip", ()),
        ("setuptools", ()),
        ("wheel", ()),
    ]
    seen = set[tuple[str, tuple[str, ...]]]()
    while left:
        wanted = left.pop()
        found = known.get(wanted[0])
        if wanted in seen or found is None:
            continue
        seen.add(wanted)
        left += [one for line in found.requires or () if (one := _needed(line, wanted[1]))]
        yield from (entry.name for entry in found.entry_points if entry.group.endswith("_scripts"))
        yield from (file.name for file in found.files or () if file.parent.name == "bin")


def _needed(line: str, extras: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
    """A requirement's package and its extras; None: it belongs to an extra that nobody wants."""
    of = _EXTRA.search(line)
    name = _NAME.match(line)
    if name is None or (of and extras is not EVERY and of[1] not in extras):
        return None
    return _plain(name[1]), tuple(part.strip() for part in (name[2] or "").split(",") if part.strip())


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
