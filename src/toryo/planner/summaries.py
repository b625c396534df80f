"""Summaries of old messages, one file each: the same messages are summarised once."""

from __future__ import annotations

from pathlib import Path

from toryo.files import write_whole


class Summaries:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder = folder

    def get(self, key: str) -> str | None:
        try:
            return (self._folder / key).read_text(encoding="utf-8")
        except OSError:
            return None

    def put(self, key: str, text: str) -> None:
        write_whole(self._folder / key, text.encode())
