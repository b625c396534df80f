"""Scan of a repository at a commit: what a planner should know of it, in one text of a bounded size.

Conventions come first and the tree last: where the room ends, what matters less is cut.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from toryo.workbench.git.door import layout
from toryo.workbench.git.inspect import manifests
from toryo.workbench.git.inspect.commit_files import CommitFiles

CONVENTIONS = (
    "AGENTS.md",
    "CLAUDE.md",
    "CONTRIBUTING.md",
    ".github/CONTRIBUTING.md",
    "docs/CONTRIBUTING.md",
    ".specify/memory/constitution.md",
)
_README = re.compile(r"readme(\.(md|rst|txt|adoc))?", re.IGNORECASE)
_SPEC = re.compile(r"specs/[^/]+/spec\.md")
_ENTRY = re.compile(
    r"(.*/)?(main|__main__|app|manage|wsgi|asgi|server|cli|index)\.(py|ts|tsx|js|mjs|go|rs|rb|php|java|kt|c|cc|cpp)"
    r"|(.*/)?lib\.rs|(.*/)?(Dockerfile|docker-compose\.ya?ml|Procfile)"
)
LEVELS = 3
"""Of the tree that is shown."""
PATH_LEVELS = 4
MOST_PATHS = 2_000
MOST_OF_PATHS = 150_000
"""Bytes of all paths together: they travel in one line with other facts."""
MOST_MANIFESTS = 25
MOST_ENTRIES = 40
MOST_SPECS = 60
MOST_IN_A_FOLDER = 40
"""Files of one folder that the tree names."""
CUT = "\n[… cut]\n"
_SHARE = {"convention": 0.2, "readme": 0.08, "manifests": 0.2, "entries": 0.05, "specs": 0.07}
"""How much of the whole one convention file, or one chapter, may take."""


@dataclass(frozen=True)
class Scan:
    text: str
    paths: tuple[str, ...]


def scan(files: CommitFiles, tests: Sequence[str], limit: int) -> Scan:
    """`tests`: the commands that run the project's tests, as far as they were found."""
    chapters = [
        *_conventions(files, limit),
        f"# Tests\n{_tests(tests)}\n",
        _chapter("Manifests", _manifests(files), limit, "manifests"),
        _chapter("Entry points", _entries(files), limit, "entries"),
        _chapter("Specs so far", _specs(files), limit, "specs"),
        _chapter("Source files", _layout(files), limit, "entries"),
        _chapter("Tree", _tree(files), limit),
    ]
    return Scan(clip("\n".join(filter(None, chapters)), limit), paths(files))


def clip(text: str, limit: int) -> str:
    """At most so many bytes of UTF-8, cut between two characters and said so."""
    # git's names may hold what is no text
    content = text.encode("utf-8", "replace")
    if len(content) <= limit:
        return content.decode()
    room = max(0, limit - len(CUT.encode()))
    return (content[:room].decode("utf-8", "ignore") + CUT).encode()[:limit].decode("utf-8", "ignore")


def paths(files: CommitFiles) -> tuple[str, ...]:
    """Folders (with a slash behind) and files of the first levels, the upper ones first; of a folder all or
    none."""
    found: dict[str, None] = {}
    for path in files.listed:
        parts = path.split("/")
        for depth in range(1, min(len(parts), PATH_LEVELS) + 1):
            found["/".join(parts[:depth]) + ("/" if depth < len(parts) else "")] = None
    ranked = sorted(found, key=lambda path: (path.rstrip("/").count("/"), path))
    kept: list[str] = []
    room = MOST_OF_PATHS
    for path in map(layout.shown, ranked):
        room -= len(path.encode()) + 4
        if room < 0 or len(kept) == MOST_PATHS:
            return tuple(one for one in kept if _folder_of(one) != _folder_of(path))
        kept.append(path)
    return tuple(kept)


def _folder_of(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0]


def _conventions(files: CommitFiles, limit: int) -> list[str]:
    readme = next((path for path in files.listed if _README.fullmatch(path)), "")
    texts = files.texts([*CONVENTIONS, readme])
    found = []
    for path, text in texts.items():
        share = "readme" if path == readme else "convention"
        found.append(f"# {path}\n{clip(text.strip(), int(limit * _SHARE[share]))}\n")
    return found


def _tests(tests: Sequence[str]) -> str:
    return "\n".join(f"- `{one}`" for one in tests) if tests else "No tests were found."


def _manifests(files: CommitFiles) -> list[str]:
    named = [path for path in files.listed if PurePosixPath(path).name in manifests.NAMES]
    chosen = sorted(named, key=lambda path: (path.count("/"), path))[:MOST_MANIFESTS]
    texts = files.texts(chosen)
    return [manifests.shown(layout.shown(path), manifests.read(path, texts.get(path, ""))) for path in chosen]


def _entries(files: CommitFiles) -> list[str]:
    named = [path for path in files.listed if _ENTRY.fullmatch(path) and "node_modules/" not in path]
    return _bulleted(sorted(named, key=lambda path: (path.count("/"), path)), MOST_ENTRIES)


def _specs(files: CommitFiles) -> list[str]:
    named = [path for path in files.listed if _SPEC.fullmatch(path)]
    texts = files.texts(named[-MOST_SPECS:])
    return [f"- {layout.shown(path)}: {_title(text)}" for path, text in texts.items()]


def _title(text: str) -> str:
    line = next((line for line in text.splitlines() if line.startswith("# ")), "")
    return line.removeprefix("# ").strip()[:200] or "(no title)"


def _layout(files: CommitFiles) -> list[str]:
    """How many files of which kind each folder of the first two levels holds."""
    kinds: dict[str, Counter[str]] = {}
    for path in files.listed:
        parts = path.split("/")
        suffix = PurePosixPath(path).suffix or "(none)"
        for depth in range(1, min(len(parts), 3)):
            kinds.setdefault("/".join(parts[:depth]) + "/", Counter())[suffix] += 1
    lines = []
    for folder in sorted(kinds):
        most = ", ".join(f"{number} {suffix}" for suffix, number in kinds[folder].most_common(4))
        lines.append(f"- {layout.shown(folder)} {most}")
    return lines


def _tree(files: CommitFiles) -> list[str]:
    """Each folder of the first levels with its files; deeper ones are counted."""
    held: dict[str, list[str]] = {}
    below: Counter[str] = Counter()
    for path, one in files.listed.items():
        parts = path.split("/")
        for depth in range(1, min(len(parts), LEVELS + 1)):
            held.setdefault("/".join(parts[:depth]), [])
        if len(parts) <= LEVELS:
            held.setdefault("/".join(parts[:-1]), []).append(
                parts[-1] + (" (repository)" if one.is_repository else "")
            )
        else:
            below["/".join(parts[:LEVELS])] += 1
    lines = []
    for folder in sorted(held):
        names = held[folder]
        more = f", and {len(names) - MOST_IN_A_FOLDER} more" if len(names) > MOST_IN_A_FOLDER else ""
        deeper = f" ({below[folder]} below)" if below[folder] else ""
        text = ", ".join(layout.shown(name) for name in names[:MOST_IN_A_FOLDER])
        lines.append(f"{layout.shown(folder) or '.'}/{deeper}: {text}{more}".rstrip(": "))
    return lines


def _bulleted(paths: Sequence[str], most: int) -> list[str]:
    more = [f"- and {len(paths) - most} more"] if len(paths) > most else []
    return [f"- {layout.shown(path)}" for path in paths[:most]] + more


def _chapter(title: str, lines: Iterable[str], limit: int, share: str = "") -> str:
    text = "\n".join(lines)
    if not text:
        return ""
    return f"# {title}\n{clip(text, int(limit * _SHARE[share])) if share else text}\n"
