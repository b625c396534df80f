"""Reaching the daemon: with whose key, and whether anybody listens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.domain.errors import UserError

if TYPE_CHECKING:
    from toryo.protocol.wire import WireError
    from toryo.settings import Home


def operator_key(home: Home) -> str:
    """The person's key; empty before the daemon made one."""
    try:
        with open(f"{home.text}/operator.key", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""
    except NotADirectoryError:
        raise UserError(
            f"The home {home.text} is not a directory.", hint="Set TORYO_HOME to a directory of your own."
        ) from None
    except PermissionError as closed:
        raise UserError(
            f"This installation belongs to somebody else: {home.text}",
            hint="Set TORYO_HOME to a directory of your own.",
        ) from closed


def is_not_running(error: WireError) -> bool:
    """Nobody listens at the socket; a daemon that is there and failed is something else."""
    return isinstance(error.__cause__, FileNotFoundError | ConnectionRefusedError)
