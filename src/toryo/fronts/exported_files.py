"""Files of a mission written into a folder of the person's, uncommitted and never over other text.

An earlier export of the same mission that nobody changed is no other text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toryo.domain.errors import Refused, UserError
from toryo.fronts.text.errors import where_to_look

if TYPE_CHECKING:
    from toryo.protocol.views.missions import ExportedMission


class File(NamedTuple):
    name: str
    """Below the mission's directory."""
    text: str
    hashes: Sequence[str]
    """Of what it was exported as before."""


def named(answer: ExportedMission) -> list[File]:
    begin = answer["directory"].rstrip("/") + "/"
    return [
        File(one["path"].removeprefix(begin), one["text"], one.get("hashes", ())) for one in answer["files"]
    ]


def write(folder: Path, files: Sequence[File], *, force: bool) -> list[str]:
    """All of them, or none where one would be lost."""
    places = [(inside(folder, one.name), one) for one in files]
    if not force:
        for path, one in places:
            if _is_other(path, one):
                raise Refused(
                    f"{path} is there and says something else; nothing was written.",
                    hint="`--force` writes over it, `--to DIR` writes elsewhere.",
                )
    for path, one in places:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(one.text, encoding="utf-8")
        except OSError as error:
            raise UserError(f"{path} cannot be written.", hint=where_to_look(str(path))) from error
    return [str(path) for path, _ in places]


def inside(root: Path, name: str) -> Path:
    target = root / name
    if Path(name).is_absolute() or not target.resolve().is_relative_to(root.resolve()):
        raise Refused(f"{name} would be written outside of {root}.", hint="`--to DIR` names another folder.")
    return target


def _is_other(path: Path, one: File) -> bool:
    try:
        held = path.read_bytes()
        return held != one.text.encode("utf-8") and hashlib.sha256(held).hexdigest() not in one.hashes
    except FileNotFoundError:
        return False
    except OSError:
        return True
