"""Grammar of a line of spec-kit's tasks.md: `- [ ] T001 [P] [US1] text (depends on T002)`. Pure.

A task's line begins in the first column. What lies in a code fence or an HTML comment is an example.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE = re.compile(r"^(?P<head>[-*] \[)(?P<mark>.?)(?P<tail>\] +)(?P<id>T\d{3,})\b[ \t]*(?P<rest>.*)$")
_TAG = re.compile(r"^\[(?P<tag>P|US\d+)\](?:[ \t]+|$)")
_DEPENDS = re.compile(r"[ \t]*\(depends on(?P<ids>[^()]*)\)", re.IGNORECASE)
_ID = re.compile(r"\bT\d{3,}\b")
_FENCE = re.compile(r"^(```|~~~)")


@dataclass(frozen=True)
class TaskLine:
    id: str
    text: str
    done: bool = False
    parallel: bool = False
    """`[P]`: it may run beside its neighbours."""
    story: str = ""
    depends_on: tuple[str, ...] = ()
    """Only what `(depends on …)` names."""


def read(line: str) -> TaskLine | None:
    found = _LINE.match(line.rstrip("\r\n"))
    if not found:
        return None
    tags, rest = _tags(found["rest"])
    named = [id for clause in _DEPENDS.finditer(rest) for id in _ID.findall(clause["ids"])]
    return TaskLine(
        id=found["id"],
        text=plain_title(rest),
        done=found["mark"] in ("x", "X"),
        parallel="P" in tags,
        story=next((tag for tag in tags if tag != "P"), ""),
        depends_on=tuple(dict.fromkeys(named)),
    )


def write(line: TaskLine) -> str:
    """A title loses what would be read as a mark: plain_title says what is left."""
    parts = [f"- [{'x' if line.done else ' '}] {line.id}"]
    parts += ["[P]"] if line.parallel else []
    parts += [f"[{line.story}]"] if line.story else []
    parts += [text] if (text := plain_title(line.text)) else []
    parts += [f"(depends on {', '.join(line.depends_on)})"] if line.depends_on else []
    return " ".join(parts)


def ticked(line: str) -> str:
    """The same line with its mark set; ends of lines stay as they are."""
    found = _LINE.match(line.rstrip("\r\n"))
    return f"{found['head']}x{line[found.start('tail') :]}" if found else line


def plain_title(text: str) -> str:
    """One line without leading tags and without `(depends on …)`: what a line can hold as a task's title."""
    before, text = None, " ".join(text.split())
    while text != before:
        before = text
        text = " ".join(_DEPENDS.sub(" ", _tags(text)[1]).split())
    return text


def outside_examples(text: str) -> Iterator[tuple[str, bool]]:
    """Each line with its end, and whether it counts: not in a code fence, not in an HTML comment."""
    fence, comment = "", False
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if line.startswith(fence) else fence
            yield line, False
        elif comment or line.startswith("<!--"):
            comment = "-->" not in line
            yield line, False
        elif mark:
            fence = mark[1]
            yield line, False
        else:
            yield line, True


def _tags(text: str) -> tuple[list[str], str]:
    tags = []
    while found := _TAG.match(text):
        tags.append(found["tag"])
        text = text[found.end() :]
    return tags, text
