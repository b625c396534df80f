"""The environment a check sees (an allow-list), and the fingerprint of the machine it runs on."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from toryo import settings
from toryo.own_venv import without_own
from toryo.workbench.git.door.git import EMAIL, NAME

_KEPT = ("LANG", "TZ", "SHELL", "USER", "LOGNAME")
_TOOLCHAINS = {
    # these programs on PATH are only pointers into the real home, which a check does not see
    "RUSTUP_HOME": ".rustup",
    "PYENV_ROOT": ".pyenv",
    "RBENV_ROOT": ".rbenv",
    "NODENV_ROOT": ".nodenv",
    "VOLTA_HOME": ".volta",
    "ASDF_DATA_DIR": ".asdf",
}
_FETCHING = ("PIP_", "UV_", "NPM_CONFIG_", "YARN_", "CARGO_NET_", "CARGO_HTTP_", "GOPROXY", "SSL_CERT_")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
_TOOLS = ("sh", "git", "python3", "uv", "node", "npm", "cargo", "go", "make")
_LIKE_A_PERSON = f"[user]\n\tname = {NAME}\n\temail = {EMAIL}\n[init]\n\tdefaultBranch = main\n"


def check_environment(checkout: Path, home: Path, tmp: Path, repo: Path, venv: bool) -> dict[str, str]:
    """What set-up and check commands get: no token, key or agent's socket, nothing of this installation.

    `venv`: a `.venv` in the checkout is set-up's, not the candidate's, and counts as activated."""
    outer = settings.environment()
    env = {name: value for name, value in outer.items() if name in _KEPT or name.startswith("LC_")}
    env |= _toolchains(outer)
    env["PATH"] = _path(
        without_own(outer.get("PATH", os.defpath)), checkout / ".venv" / "bin" if venv else None, repo
    )
    env |= {"HOME": str(home), "TMPDIR": str(tmp), "TERM": "dumb", "CI": "true"}
    # without the ceiling, git in the temporary folder would look for a repository above the installation
    env |= {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CEILING_DIRECTORIES": str(tmp.parent),
    }
    return env


def setup_environment(env: Mapping[str, str]) -> dict[str, str]:
    """What set-up gets besides: where packages come from and the way there; nothing with a password."""
    outer = settings.environment()
    wanted = {
        name: value
        for name, value in outer.items()
        if name.upper().startswith(_FETCHING) or name.upper() in _PROXIES
    }
    return dict(env) | {name: value for name, value in wanted.items() if not _is_secret(name, value)}


def _is_secret(name: str, value: str) -> bool:
    words = ("TOKEN", "PASSWORD", "SECRET", "AUTH", "KEY")
    return any(word in name.upper() for word in words) or re.search(r"://[^/\s]*@", value) is not None


def furnish(home: Path, tmp: Path) -> None:
    """A home with a git identity, for suites that make commits; the temporary folder was emptied before."""
    home.mkdir(mode=0o700, exist_ok=True)
    tmp.mkdir(mode=0o700, exist_ok=True)
    config = home / ".gitconfig"
    # an earlier check may have put anything in its place
    if config.is_dir() and not config.is_symlink():
        shutil.rmtree(config)
    config.unlink(missing_ok=True)
    config.write_text(_LIKE_A_PERSON)


def fingerprint() -> str:
    """Changes when results of another day or machine should no longer count: system or tools are others."""
    system = os.uname()
    outer = settings.environment()
    tools: list[tuple[str, str, int, int]] = []
    for name in _TOOLS:
        found = shutil.which(name, path=without_own(outer.get("PATH", os.defpath)))
        if found:
            real = Path(found).resolve()
            stat = real.stat()
            tools.append((name, str(real), stat.st_size, stat.st_mtime_ns))
    facts = [system.sysname, system.machine, platform.python_version(), tools]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]


def _path(outer: str, first: Path | None, repo: Path) -> str:
    """Programs inside the user's repository are not seen.

    A virtual environment or `node_modules/.bin` there, left active where the coordinator was started, would
    answer for what the candidate does not declare."""
    root = repo.resolve()
    kept = [
        part
        for part in outer.split(os.pathsep)
        if part.startswith("/") and not Path(part).resolve().is_relative_to(root)
    ]
    return os.pathsep.join([*([str(first)] if first else []), *kept])


def _toolchains(outer: Mapping[str, str]) -> dict[str, str]:
    env = {}
    for name, folder in _TOOLCHAINS.items():
        place = outer.get(name) or str(Path(outer.get("HOME", "/nonexistent")) / folder)
        if Path(place).is_dir():
            env[name] = place
    return env
