"""The pinned agent CLIs of `.ci/clients`, and one run to its end: clean environment, temporary home."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OUTER = dict(os.environ)
"""As the tests were started: the cache of the CLIs is in the real home, which no test sees."""

LONGEST_S = 120


@cache
def programs() -> Path:
    """The folder of the CLIs; installs them where they are missing, and fails where that cannot be done."""
    done = subprocess.run(
        [str(ROOT / ".ci" / "clients")], env=OUTER, capture_output=True, text=True, timeout=900, check=False
    )
    if done.returncode != 0:
        pytest.fail(
            "The agent CLIs are missing. They come from npm and need Node 20 or newer: "
            f"install it, then `.ci/clients`.\n{done.stderr[-1000:]}"
        )
    return Path(done.stdout.splitlines()[-1])


def cache_of_clients() -> str:
    """XDG_CACHE_HOME of whoever started the tests."""
    return OUTER.get("XDG_CACHE_HOME") or f"{OUTER['HOME']}/.cache"


def clean_environment(**more: str) -> dict[str, str]:
    return {"PATH": f"{programs()}:{OUTER['PATH']}", "LANG": "C.UTF-8", "TERM": "dumb", **more}


def argv_for(client: str, prompt: str, *more: str) -> list[str]:
    """A headless run that may do everything."""
    match client:
        case "claude":
            tools = "Bash,mcp__orch"
            return ["claude", "-p", prompt, "--allowedTools", tools, "--output-format", "json", *more]
        case "codex":
            return ["codex", "exec", "--json", "--dangerously-bypass-approvals-and-sandbox", *more, prompt]
        case "gemini":
            return ["gemini", "--yolo", "-o", "json", *more, "-p", prompt]
    return ["opencode", "run", "--format", "json", *more, prompt]


def run_client(argv: list[str], cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv,
        cwd=cwd,
        env=clean_environment(GEMINI_CLI_TRUST_WORKSPACE="true", **env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
