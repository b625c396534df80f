"""A shim ahead of its run: everything that takes time is done, the agent's process waits at its barrier.

A compiled copy is executed as `python -I -S spare.pyc SHIM.pyc` with a socket as its standard input. One line
on it, the run's directory, gets it ready for that run; another one, `go`, makes it the run's shim. A closed
socket ends it. The run's exit record is told there, too. Standard library only, nothing of toryo.
"""

import marshal
import os
import sys


def load(path: str) -> object:
    """The shim's code as a module: importing it would cost more than itself."""
    with open(path, "rb") as file:
        code = marshal.loads(file.read()[16:])
    module = type(sys)("shim")
    exec(code, module.__dict__)
    return module


def wait(listener: int, heard: bytearray) -> str:
    """The next line; empty: the other side is gone."""
    while b"\n" not in heard:
        part = os.read(listener, 4096)
        if not part:
            return ""
        heard += part
    line, _, rest = bytes(heard).partition(b"\n")
    heard[:] = rest
    return os.fsdecode(line)


def main(path: str) -> int:
    shim = load(path)
    shim.decode("{}")  # type: ignore[attr-defined]  # loads what it needs, for the agent's process, too
    forked = shim.Forked()  # type: ignore[attr-defined]
    listener, heard = os.dup(0), bytearray()
    where = wait(listener, heard)
    if not where:
        return 0
    os.chdir(where)
    folder = os.open(where, os.O_RDONLY | os.O_DIRECTORY)
    log = os.open("shim.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600, dir_fd=folder)
    os.dup2(log, 1)
    os.dup2(log, 2)
    run = shim.Run(folder, listener)  # type: ignore[attr-defined]
    run.get_ready(forked)
    # not before it is to begin: whoever waits with the lock keeps everybody else from starting this run
    if wait(listener, heard) != "go" or shim.take_lock(folder) is None:  # type: ignore[attr-defined]
        run.give_up()
        return 0
    os.set_blocking(listener, False)
    run.begin()
    run.supervise()
    run.finish()
    return 0


if __name__ == "__main__":
    os._exit(main(sys.argv[1]))
