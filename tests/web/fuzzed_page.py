"""Hooks of schemathesis for the page: names of things that are there, programs that do nothing, and what
every failure must look like. `SCHEMATHESIS_HOOKS` names this module to it."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

import schemathesis

THERE: dict[str, list[str]] = json.loads(Path(os.environ["TORYO_FUZZ_NAMES"]).read_text())
"""By argument, names of things that are there."""
SCRATCH = os.environ["TORYO_FUZZ_SCRATCH"]
"""Nothing outside of this folder is named by a path."""
PATHS = frozenset({"path", "destination"})
WAITS = frozenset({"wait_s"})
RUNS_A_PROGRAM = "notify"
"""The setting whose value is a line for the shell."""


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict[str, Any]) -> None:
    """In place, so that every phase is bent alike: half of the names are right, no program does anything."""
    for values in (case.path_parameters, case.query, case.body):
        if isinstance(values, dict):
            for name, value in values.items():
                values[name] = _bent(name, value)
    named = case.path_parameters or {}
    if named.get("key") == RUNS_A_PROGRAM:
        named["key"] = f"{RUNS_A_PROGRAM}_on"


def _bent(name: str, value: Any) -> Any:
    if name in THERE and isinstance(value, str):
        there = THERE[name]
        at = zlib.crc32(value.encode("utf-8", "surrogatepass"))
        return there[at % len(there)] if at & 64 else value
    if name in PATHS and isinstance(value, str) and value:
        return f"{SCRATCH}/{value.replace('..', '')}"
    if name in WAITS and isinstance(value, int | float) and value > 0:
        return min(value, 0.01)
    if name == "command" and isinstance(value, str):
        return f"true {value}"
    if name == "checks" and isinstance(value, list):
        return [f"true # {' '.join(one.splitlines())}" if isinstance(one, str) else one for one in value]
    return True if name == "dry_run" and isinstance(value, bool) else value


@schemathesis.check
def a_failure_has_a_way_out(
    context: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case
) -> None:
    if response.status_code < 400:
        return
    assert response.status_code < 500, f"{response.status_code}: {response.text[:500]}"
    told = response.json()
    assert set(told) == {"error", "hint"}, told
    assert told["error"], told
    assert told["hint"], told
