"""Error output, the one place where errors become text: `Error:`, `Caused by:`, `Hint:` on stderr, and an
exit code.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from toryo import __version__
from toryo.domain.errors import ToryoError, Unavailable, UsageError, UserError
from toryo.protocol.wire import ToolFailed, WireError

if TYPE_CHECKING:
    from collections.abc import Sequence

BUG = 255
OF_THE_MACHINE = "Look at that path, its permissions and the disk; TORYO_HOME selects another installation."


def complain(error: Exception, argv: Sequence[str]) -> int:
    """Print the error with its causes and its way out; the exit code it means."""
    code = exit_code(error)
    hint = getattr(error, "hint", "") or (OF_THE_MACHINE if isinstance(error, OSError) else "")
    if code == BUG and not isinstance(error, ToolFailed):  # the daemon kept its own traceback
        hint = _keep_traceback(error, argv)
    print(describe(error, hint, bug=code == BUG), file=sys.stderr)
    return code


def exit_code(error: Exception) -> int:
    if isinstance(error, UsageError):
        return 2
    if isinstance(error, ToolFailed) and error.body.get("bug"):
        return BUG
    if isinstance(error, UserError | Unavailable | WireError | OSError):
        return 1  # a disk, a permission, a path: the machine's, and so the user's to mend
    return BUG


def describe(error: BaseException, hint: str = "", *, bug: bool = False) -> str:
    text = _sentence(error)
    if bug:
        text = f"This is a bug in Toryo: {text}"
    lines = [labelled("Error:", text, "red")]
    cause = error.__cause__
    while cause is not None:
        lines.append(labelled("Caused by:", _sentence(cause)))
        cause = cause.__cause__
    if hint:
        lines.append(labelled("Hint:", hint, "cyan"))
    return "\n".join(lines)


def labelled(label: str, text: str, colour: str = "") -> str:
    """For stderr, folded there if it is a terminal; what is to be copied is never broken."""
    from toryo.fronts.text.output import columns, fold_copyable, paint, plain

    shown = fold_copyable(plain(text), columns(sys.stderr), len(label) + 1)
    return f"{paint(label, colour, sys.stderr)} {shown}"


def warn_of_version(theirs: str) -> None:
    """The daemon that answered is of another version than this command."""
    hint = f"`toryo down && toryo up` restarts it as {__version__}; running agents go on."
    if _numbers(theirs) > _numbers(__version__):
        hint = f"Install toryo {theirs} here too; `toryo down && toryo up` would go back to {__version__}."
    said = f"this is toryo {__version__}, but the daemon that runs is {theirs}."
    print(labelled("Warning:", said, "yellow"), file=sys.stderr)
    print(labelled("Hint:", hint, "cyan"), file=sys.stderr)


def _numbers(version: str) -> list[int]:
    """`1.10.2` as numbers, so that 1.10 is newer than 1.9."""
    return [int(part) for part in version.split(".") if part.isdecimal()]


def _sentence(error: BaseException) -> str:
    if isinstance(error, ToryoError):
        return error.message
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _keep_traceback(error: Exception, argv: Sequence[str]) -> str:
    import json
    import os
    import time
    import traceback

    from toryo import settings

    trace = "".join(traceback.format_exception(error))
    home = settings.home()
    record = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "verb": list(argv[:2]),
        "traceback": trace,
    }
    log = home.logs / "cli.jsonl"
    try:
        home.make()
        handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    except OSError:
        return f"Nothing could be written to {log}; this is what happened:\n{trace}"
    return f"What happened is in {log}; please report it."


def where_to_look(file: str) -> str:
    """Line that shows the folder of a file, or what there is of the way to it."""
    import os
    import shlex

    folder = os.path.dirname(file) or "."  # noqa: PTH120 - importing pathlib would cost every command 4 ms
    while not os.path.isdir(folder) and folder not in (".", "/"):  # noqa: PTH112
        folder = os.path.dirname(folder) or "."  # noqa: PTH120
    return f"`ls -l {shlex.quote(folder)}` shows what is there."
