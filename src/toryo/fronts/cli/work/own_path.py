"""PATH comparison: an agent CLI that only the coordinator does not find is on this shell's PATH, so it is
installed.
"""

from __future__ import annotations

import os

from toryo import settings

REFRESH = "toryo up --refresh"


def mended(text: str) -> str:
    """The same words, where they are right; else what to do about a PATH that is not the coordinator's."""
    if "npm install" not in text:
        return text
    from toryo.domain.advice import INSTALL

    for client, line in INSTALL.items():
        if line in text and _is_here(client):
            text = text.replace(line, REFRESH)
            text = text.replace("not on PATH", "on your PATH, not on the coordinator's")
    return text


def _is_here(program: str) -> bool:
    folders = settings.environment().get("PATH", "").split(os.pathsep)
    return any(os.access(f"{folder}/{program}", os.X_OK) for folder in folders if folder)
