"""The repository's own rules (CLAUDE.md, AGENTS.md, GEMINI.md): what a client would miss of them (S3-49).

Each text reaches each client once. What a client finds by itself was seen in the requests of the CLIs; the
tests in tests/clients/test_context_requests.py hold it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from toryo.workbench.contexts.texts import imports_in

CLAUDE, AGENTS, GEMINI = "CLAUDE.md", "AGENTS.md", "GEMINI.md"
FILES = (AGENTS, CLAUDE, GEMINI)
WITH_IMPORTS = (CLAUDE, GEMINI)

LARGEST_TEXT = 24_000
"""Characters of one file; an agent pays for each of them in every request."""
MOST_RULES = 48_000
LARGEST_FILE = 200_000
DEEPEST_IMPORT = 5
POINTING = frozenset(
    {"a", "agents", "all", "and", "are", "coding", "file", "files", "follow", "for", "guidelines", "in"}
    | {"instructions", "is", "of", "please", "project", "read", "refer", "repository", "rules", "see"}
    | {"the", "this", "to", "use"}
)
"""A file with no other words than these and another file's name says nothing itself."""

HEADING = """\
## Rules of this repository

They stand in files of the working directory; paths in them are relative to its root."""

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TITLE = re.compile(r"^#.*$", re.MULTILINE)


@dataclass(frozen=True)
class Rule:
    path: Path
    """As it is called, links not followed."""
    text: str


@dataclass(frozen=True)
class Rules:
    """The rule files that a worktree has, each with the files it imports."""

    worktree: Path
    files: Mapping[str, tuple[Rule, ...]]

    def missed_by(self, client: str, *, in_context: bool) -> tuple[Rule, ...]:
        """What the client does not load by itself, each text once."""
        native = list(self._native(client, in_context=in_context))
        known = {_words(rule.text) for rule in native}
        missed = []
        for rule in (rule for name in FILES for rule in self.files.get(name, ())):
            if _words(rule.text) in known or self._points(rule):
                continue
            known.add(_words(rule.text))
            missed.append(rule)
        return tuple(missed)

    def _native(self, client: str, *, in_context: bool) -> Iterable[Rule]:
        if client == "claude":
            if in_context:
                # from there an import leads out of its own folder, and is not followed; nor is AGENTS.md read
                return self.files.get(CLAUDE, ())[:1]
            return self.files.get(CLAUDE) or self.files.get(AGENTS, ())
        if client == "gemini":
            return self.files.get(GEMINI, ())
        if client == "codex":
            return self.files.get(AGENTS, ())
        if client == "opencode":
            return (self.files.get(AGENTS) or self.files.get(CLAUDE, ()))[:1]
        return ()

    def _points(self, rule: Rule) -> bool:
        """It says nothing but where the rules are: that file is among them on its own."""
        rest = _TITLE.sub("", _COMMENT.sub("", rule.text))
        found = [name for name in imports_in(rest) if _inside(self.worktree, rule.path.parent, name)]
        for name in found:
            rest = rest.replace(f"@{name}", "")
        for name in self.files:
            rest = rest.replace(name, "") if name != rule.path.name else rest
        return set(re.findall(r"\w+", rest.lower())) <= POINTING


def read_rules(worktree: Path, tracked: Iterable[str]) -> Rules:
    """Only what is tracked and checked out: a file that the scope excludes is not read."""
    known = set(tracked)
    files = {}
    for name in FILES:
        path = worktree / name
        text = _read(path, worktree) if name in known else None
        if text is not None:
            found = {path: Rule(path, text)}
            if name in WITH_IMPORTS:
                _follow(worktree, found, found[path], DEEPEST_IMPORT)
            files[name] = tuple(found.values())
    return Rules(worktree, files)


def rules_text(rules: Iterable[Rule], worktree: Path) -> str:
    """Bounded, with words about what was cut; empty without rules."""
    parts, room = [], MOST_RULES
    for rule in rules:
        name = rule.path.relative_to(worktree).as_posix()
        text = rule.text.strip()
        most = min(LARGEST_TEXT, room)
        if len(text) > most:
            kept = text[:most].rpartition("\n")[0]
            text = f"{kept}\n\n[Cut here: the text is too long. The rest is in `{name}`.]".strip()
        room = max(0, room - len(text))
        parts.append(f"### From `{name}`\n\n{text}")
    return "\n\n".join([HEADING, *parts]) if parts else ""


def _follow(worktree: Path, found: dict[Path, Rule], rule: Rule, deep: int) -> None:
    for name in imports_in(rule.text) if deep else ():
        path = _inside(worktree, rule.path.parent, name)
        text = _read(path, worktree) if path is not None and path not in found else None
        if path is not None and text is not None:
            found[path] = Rule(path, text)
            _follow(worktree, found, found[path], deep - 1)


def _inside(worktree: Path, folder: Path, name: str) -> Path | None:
    """The file that an import names, if it is one of the worktree; a sentence may go on right after it."""
    for told in dict.fromkeys((name, name.rstrip(".,;:!?)\"'"))):
        try:
            path = (folder / told).resolve()
            if path.is_file() and path.is_relative_to(worktree.resolve()):
                return worktree / path.relative_to(worktree.resolve())
        except (OSError, ValueError, RuntimeError):
            continue
    return None


def _read(path: Path, worktree: Path) -> str | None:
    """None: no text of this worktree. A link may lead to another file of it, not out of it."""
    try:
        real = path.resolve()
        if not real.is_file() or not real.is_relative_to(worktree.resolve()):
            return None
        if ".git" in real.relative_to(worktree.resolve()).parts:
            return None
        with open(real, "rb") as file:
            text = file.read(LARGEST_FILE).decode("utf-8-sig", "replace")
    except (OSError, RuntimeError):
        return None
    return None if "\0" in text or not text.strip() else text


def _words(text: str) -> str:
    return " ".join(text.split())
