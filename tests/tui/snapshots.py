"""Screen snapshots: `App.export_screenshot` as plain text, compared with a file beside the tests.

`TORYO_SNAPSHOTS=write` writes them anew. What differs from day to day is masked, and keeps its width.
"""

from __future__ import annotations

import html
import os
import re
from pathlib import Path

from terminal import Screen

from toryo.fronts.text.output import width

FOLDER = Path(__file__).with_name("snapshots")
SIGN_WIDTH, ROW_HEIGHT = 12.2, 24.4
TEXT = re.compile(r'<text [^>]*?\bx="([\d.]+)"[^>]*?clip-path="url\(#[^"]*-line-(\d+)\)"[^>]*>([^<]*)</text>')
CLOCK = re.compile(r"\b\d\d:\d\d:\d\d\b")
AGE = re.compile(r" +\d+(?= (?:s|min|h|d) )")
ID = re.compile(r"(?<=[ :])[mrt][0-9a-z]{8}\b")


def screen_text(svg: str) -> str:
    """Each piece of text where the picture has it."""
    rows: dict[int, str] = {}
    for x, line, text in TEXT.findall(svg):
        row = rows.get(int(line), "")
        gap = round(float(x) / SIGN_WIDTH) - width(row)
        rows[int(line)] = row + " " * gap + html.unescape(text).replace("\xa0", " ")
    return "\n".join(rows.get(line, "").rstrip() for line in range(max(rows) + 1)) + "\n"


def masked(text: str) -> str:
    text = AGE.sub(lambda found: "N".rjust(len(found[0])), CLOCK.sub("HH:MM:SS", text))
    return ID.sub(lambda found: found[0][0] + "X" * 8, text)


def compare(seen: Screen, name: str) -> str:
    """Its text as it is, which must be that of the file; the text."""
    size = seen.app.size
    file = FOLDER / f"{name}-{size.width}x{size.height}.txt"
    text = masked(screen_text(seen.app.export_screenshot()))
    if os.environ.get("TORYO_SNAPSHOTS") == "write":
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), f"{file.name} differs:\n{text}"
    return text
