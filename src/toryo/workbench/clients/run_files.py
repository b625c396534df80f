"""Files that a client makes for one run, in the run's own directory and for this user alone."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toryo.workbench.clients.calls import Call, CannotCall
from toryo.workbench.runs import hearing

TURN_END = "turn-end.jsonl"
"""Where a CLI's own hook writes one line at the end of each turn."""

ASKS = "asks.jsonl"
"""Where a CLI's own hooks write that it asks a person, and afterwards that it goes on."""


def private(path: Path, text: str) -> Path:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(handle, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
    return path


def written(call: Call, name: str, text: str) -> Path:
    return private(call.run_dir / name, text)


def written_json(call: Call, name: str, value: Mapping[str, Any]) -> Path:
    return written(call, name, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def turn_end_hook(path: Path) -> str:
    """A shell line that adds the hook's input to the file as one line; quick, since the CLI waits for it."""
    return f"{{ tr -d '\\n'; echo; }} >> {shlex.quote(str(path))}"


def asks_hook(path: Path) -> str:
    """A shell line that notes a dialog; a tool's input may be long, and only its beginning is shown."""
    return f"{{ head -c 20000 | tr -d '\\n'; echo; }} >> {shlex.quote(str(path))}; cat >/dev/null"


def goes_on_hook(path: Path) -> str:
    """A shell line that notes that the agent goes on: nothing, where no dialog was ever noted."""
    file = shlex.quote(str(path))
    return f"[ ! -s {file} ] || {{ head -c 4000 | tr -d '\\n'; echo; }} >> {file}; cat >/dev/null"


def spool_variable(call: Call) -> dict[str, str]:
    """For a program that has no hooks: where it finds what a person says to it."""
    return {hearing.VARIABLE: str(call.run_dir / hearing.SAID)}


def unless_set(call: Call, values: Mapping[str, str]) -> dict[str, str]:
    """What the user has set already stays."""
    return {name: value for name, value in values.items() if name not in call.env}


def with_added(call: Call) -> str:
    """The prompt after the added text, for a CLI that takes such text in no other way."""
    return f"{call.added.rstrip()}\n\n{call.prompt}" if call.added.strip() else call.prompt


def read_json(path: Path, what: str) -> dict[str, Any]:
    """Settings of the user that ours are joined with; a missing file is empty."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        wrong = f": it cannot be read: {error.strerror}"
    except json.JSONDecodeError as error:
        wrong = f", line {error.lineno}, column {error.colno}: it is no JSON: {error.msg}"
    except UnicodeDecodeError:
        wrong = ": it is no text in UTF-8"
    except RecursionError:
        wrong = ": it is nested too deeply"
    else:
        if isinstance(found, dict):
            return found
        wrong = ": it must be a JSON object"
    raise CannotCall(f"{what}, {path}{wrong}", hint=f"cat {shlex.quote(str(path))}")


def joined(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    """Objects key by key, lists one after the other; else ours."""
    both = dict(theirs)
    for key, value in ours.items():
        if isinstance(value, Mapping) and isinstance(both.get(key), Mapping):
            both[key] = joined(both[key], value)
        elif isinstance(value, list) and isinstance(both.get(key), list):
            both[key] = [*both[key], *value]
        else:
            both[key] = value
    return both
