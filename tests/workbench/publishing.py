"""A process that publishes in a child of its own, which can be killed like a coordinator."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from toryo.protocol.kinds.landing import PublishInputs
from toryo.workbench.git.publish import journal as publish_journal
from toryo.workbench.git.publish.journal import Entry
from waiting import eventually

PUBLISHER = """
import json, os, sys
from pathlib import Path
from toryo.protocol.kinds.landing import PublishInputs
from toryo.workbench.git.publish.publish import publish
for line in sys.stdin:
    child = os.fork()
    if not child:
        publish(PublishInputs(**json.loads(line)), Path(sys.argv[1]))
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Publisher:
    def __init__(self, journal: Path) -> None:
        self.journal = journal
        argv = [sys.executable, "-c", PUBLISHER, str(journal)]
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def begin(self, inputs: PublishInputs) -> tuple[int, Entry]:
        """The pid of the child, once its git is known by the journal."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(inputs.model_dump()) + "\n")
        child = self._said()
        return child, eventually(lambda: publish_journal.read(self.journal), what="the journal of an attempt")

    def end(self) -> int:
        """The exit code of the child."""
        return self._said()

    def _said(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def is_git(pid: int) -> bool:
    """Whether that process is a git at work: not the shell that waits to become it, nor a dead one."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.partition("(")[2].startswith("git)") and text.rpartition(")")[2].split()[0] not in "ZX"
