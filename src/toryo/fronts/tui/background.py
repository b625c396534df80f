"""Background thread for a call that may take minutes: leaving the front never waits for it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Found = TypeVar("Found")


async def in_thread(work: Callable[..., Found], *arguments: Any) -> Found:
    """As `asyncio.to_thread`, whose threads the end of the process would wait for."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Found] = loop.create_future()

    def tell(found: Found | None, failed: BaseException | None) -> None:
        if answer.done():
            return  # nobody waits for it any more
        if failed is not None:
            answer.set_exception(failed)
        else:
            answer.set_result(found)  # type: ignore[arg-type]

    def run() -> None:
        found, failed = None, None
        try:
            found = work(*arguments)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is raised where it is waited for
            failed = error
        with contextlib.suppress(RuntimeError):  # the loop is closed: the front is gone
            loop.call_soon_threadsafe(tell, found, failed)

    threading.Thread(target=run, daemon=True).start()
    return await answer
