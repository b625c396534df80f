"""File arguments of a command: their text, or an error that says where to look."""

from __future__ import annotations

import sys

from toryo.domain.errors import UserError
from toryo.fronts.text.errors import where_to_look


def read_text(file: str) -> str:
    """The text of a file; what is no text, or not there, is the person's to mend."""
    try:
        with open(file, encoding="utf-8") as opened:
            return opened.read()
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}.", hint=where_to_look(file)) from None  # it says no more
    except UnicodeDecodeError:
        raise UserError(f"{file} is no text in UTF-8.", hint=where_to_look(file)) from None


def read_stdin() -> str:
    """All of standard input; what is no text in UTF-8 is the person's to mend."""
    raw = getattr(sys.stdin, "buffer", None)
    if raw is None:
        return sys.stdin.read()
    try:
        text: str = raw.read().decode("utf-8")
    except UnicodeDecodeError:
        raise UserError(
            "Standard input is no text in UTF-8.", hint="Convert it first: `iconv -t UTF-8`."
        ) from None
    return text
