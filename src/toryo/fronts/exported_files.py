"""Files of a mission written into a folder of the person's, uncommitted and never over other text."""

from __future__ import annotations

from pathlib import Path

from toryo.domain.errors import Refused, UserError
from toryo.fronts.text.errors import where_to_look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from toryo.protocol.views.missions import ExportedMission


def named(answer: ExportedMission) -> list[tuple[str, str]]:
    """Name below the mission's directory, and text."""
    begin = answer["directory"].rstrip("/") + "/"
    return [(one["path"].removeprefix(begin), one["text"]) for one in answer["files"]]


def write(folder: Path, files: Sequence[tuple[str, str]], *, force: bool) -> list[str]:
    """All of them, or none where one would be lost."""
    places = [(inside(folder, name), text) for name, text in files]
    if not force:
        for path, text in places:
            if _differs(path, text):
                raise Refused(
                    f"{path} is there and says something else; nothing was written.",
                    hint="`--force` writes over it, `--to DIR` writes elsewhere.",
                )
    for path, text in places:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UserError(f"{path} cannot be written.", hint=where_to_look(str(path))) from error
    return [str(path) for path, _ in places]


def inside(root: Path, name: str) -> Path:
    target = root / name
    if Path(name).is_absolute() or not target.resolve().is_relative_to(root.resolve()):
        raise Refused(f"{name} would be written outside of {root}.", hint="`--to DIR` names another folder.")
    return target


def _differs(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() != text.encode("utf-8")
    except FileNotFoundError:
        return False
    except OSError:
        return True
