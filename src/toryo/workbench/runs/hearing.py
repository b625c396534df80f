"""Words for an agent without a screen: a spool in its run's directory, from which each message is taken once.

A message is a directory `said/{number}-{message}` with the words as `text` and, where an agent CLI has our
hooks, with a line before them as `plain` and inside a JSON string as `json`. Whoever takes it renames it into
`heard/`: that is the hand-over. When words are put there, and what becomes of those that nobody took, is left
to the coordinator.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shlex
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from toryo.steps import step

SAID, HEARD, PUT, HOOK, LOCK = "said", "heard", "put", "hear.sh", "said.lock"
VARIABLE = "TORYO_SAID"
"""Names the spool to a program that reads it itself."""
PREFACE = "A person who watches your work says to you (by `toryo task say`):"

State = Literal["new", "waiting", "heard"]

# No Python: each tool call of the agent waits for it. A sub-agent's hook is passed over: words are for the
# agent that was given the task. Joined, so that several of them cost one more turn, not several.
_SCRIPT = r"""#!/bin/sh
# Gives the words that wait in said/ to the agent CLI whose hook calls this: `sh hear.sh EVENT HOW`.
cd "${0%/*}" || exit 0
set -- "$1" "$2" said/*/
[ -d "$3" ] || exit 0
case $(cat) in *'"agent_id":"'*'","agent_type":"'*) exit 0 ;; esac
event=$1 how=$2 taken=
shift 2
for one do
  one=${one%/}
  mv "$one" heard/ 2>/dev/null && taken="$taken heard/${one#said/}/$how"
done
[ -n "$taken" ] || exit 0
case $how,$event in
plain,*) cat $taken >&2 && exit 2 ;;
json,*Tool*) begin='{"hookSpecificOutput":{"hookEventName":"'$event'","additionalContext":"' end='"}}' ;;
*) begin='{"decision":"block","reason":"' end='"}' ;;
esac
printf '%s' "$begin"
cat $taken
printf '%s\n' "$end"
"""


def make_room(run_dir: Path) -> Path:
    """The run's agent can be spoken to from now on; the spool."""
    for name in (HEARD, SAID):
        (run_dir / name).mkdir(mode=0o700, exist_ok=True)
    return run_dir / SAID


def hook_command(run_dir: Path, event: str, how: Literal["json", "plain"] = "json") -> str:
    """The shell line for a CLI's hook of that event. It prints what waits as hooks do: as JSON with exit 0,
    or plain on standard error with exit 2."""
    script = run_dir / HOOK
    handle = os.open(script, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(handle, "w") as file:
        file.write(_SCRIPT)
    return f"sh {shlex.quote(str(script))} {event} {how}"


def can_hear(run_dir: Path) -> bool:
    return (run_dir / SAID).is_dir()


def has_hook(run_dir: Path) -> bool:
    """Whether a hook takes the words; else the program itself does, if it looks."""
    return (run_dir / HOOK).exists()


def name_of(number: int, message: str) -> str:
    """The id comes from outside, so it is not trusted to be a file's name."""
    return f"{number:06d}-{re.sub(r'[^A-Za-z0-9_-]', '_', message)[:100]}"


def state(run_dir: Path, name: str) -> State:
    # in this order: words only ever move from the first to the second
    if (run_dir / SAID / name).is_dir():
        return "waiting"
    if (run_dir / HEARD / name).is_dir():
        return "heard"
    # taken by a program that did not rename it
    return "heard" if (run_dir / PUT / name).exists() else "new"


def put(run_dir: Path, name: str, text: str, preface: str = PREFACE) -> State:
    """Once, however often it is asked for: what was put before is only looked after.

    Nothing is synced: after a power cut nobody is left to hear it, and the daemon has the words."""
    with _alone(run_dir):
        found = state(run_dir, name)
        if found != "new":
            return found
        text = text.encode("utf-8", "replace").decode()
        half = run_dir / f"words{os.getpid()}.{threading.get_ident()}"
        try:
            half.mkdir(mode=0o700)
            _write(half / "text", text)
            if has_hook(run_dir):
                told = f"{preface}\n\n{text.strip()}\n\n".lstrip()
                _write(half / "plain", told)
                _write(half / "json", json.dumps(told)[1:-1])
            step("words.written")
            half.rename(run_dir / SAID / name)
        except BaseException:
            shutil.rmtree(half, ignore_errors=True)
            raise
        step("words.put")
        (run_dir / PUT).mkdir(mode=0o700, exist_ok=True)
        (run_dir / PUT / name).touch()
        return "waiting"


def _write(path: Path, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(handle, "wb") as file:
        file.write(text.encode())


@contextlib.contextmanager
def _alone(run_dir: Path) -> Iterator[None]:
    """A coordinator that was superseded may be at the same message."""
    handle = os.open(run_dir / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
