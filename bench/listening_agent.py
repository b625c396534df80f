"""An agent that does nothing but hear: takes each message from its spool at once and notes when. A program.

Its one argument is the file for the moments (one a line, by the clock of `time.perf_counter`).
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from pathlib import Path

MOVED_TO = 0x80


def main() -> None:
    spool, moments = Path(os.environ["TORYO_SAID"]), sys.argv[1]
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_CLOEXEC)
    if libc.inotify_add_watch(watch, os.fsencode(spool), MOVED_TO) < 0:
        raise OSError(ctypes.get_errno(), "inotify")
    out = os.open(moments, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    while True:
        for one in sorted(spool.iterdir()):
            mine = one.rename(spool.parent / "heard" / one.name)
            text = (mine / "text").read_bytes()
            os.write(out, f"{time.perf_counter()!r} ".encode() + text + b"\n")
        os.read(watch, 4096)


if __name__ == "__main__":
    main()
