"""What points a real CLI at the scripted model: variables, settings in a temporary home, a key that is none.

Proved for the versions that the clients name as tested; nothing outside the given home is written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from toryo.domain.advice import INSTALL
from toryo.domain.errors import NotFound

KEY = "rehearsal-no-key-0000"
MODEL, SMALL = "rehearsal-model", "rehearsal-small"
"""Names that no CLI knows, so that none takes a special way for them."""


@dataclass(frozen=True)
class Surroundings:
    program: str
    install: str
    """The line that installs it."""
    variables: Callable[[str], Mapping[str, str]]
    """From the server's URL."""
    files: Callable[[str], Mapping[str, str]]
    """Path below the home → text."""
    first: str = ""
    """To be run once in a new home, before several of them start at once; empty: nothing."""


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


CLIENTS: dict[str, Surroundings] = {
    "claude": Surroundings(
        "claude",
        INSTALL["claude"],
        lambda url: {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_MAX_RETRIES": "2",
        },
        lambda _: {
            # with these no dialog is shown in a terminal either
            ".claude.json": _json(
                {
                    "hasCompletedOnboarding": True,
                    "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
                }
            ),
            ".claude/settings.json": _json({"skipDangerousModePermissionPrompt": True}),
        },
    ),
    "codex": Surroundings(
        "codex",
        INSTALL["codex"],
        lambda _: {"REHEARSAL_KEY": KEY},
        lambda url: {
            ".codex/config.toml": f"""model = "{MODEL}"
model_provider = "rehearsal"
check_for_update_on_startup = false

[model_providers.rehearsal]
name = "rehearsal"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "REHEARSAL_KEY"
request_max_retries = 1
stream_max_retries = 1

[analytics]
enabled = false

[features]
plugins = false
apps = false
"""
        },
    ),
    "gemini": Surroundings(
        "gemini",
        INSTALL["gemini"],
        lambda url: {
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_API_KEY": KEY,
            # `auto` would ask a router first
            "GEMINI_MODEL": "gemini-2.5-pro",
        },
        lambda _: {
            ".gemini/settings.json": _json(
                {
                    "security": {"auth": {"selectedType": "gemini-api-key"}},
                    "general": {"enableAutoUpdate": False, "maxAttempts": 2},
                    "privacy": {"usageStatisticsEnabled": False},
                }
            )
        },
    ),
    "opencode": Surroundings(
        "opencode",
        INSTALL["opencode"],
        lambda _: {
            "REHEARSAL_KEY": KEY,
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        },
        lambda url: {
            ".config/opencode/opencode.json": _json(
                {
                    "autoupdate": False,
                    "share": "disabled",
                    "model": f"rehearsal/{MODEL}",
                    "small_model": f"rehearsal/{SMALL}",
                    "provider": {
                        "rehearsal": {
                            "npm": "@ai-sdk/openai-compatible",
                            "options": {"baseURL": f"{url}/v1", "apiKey": "{env:REHEARSAL_KEY}"},
                            "models": {
                                MODEL: {"limit": {"context": 200000, "output": 8000}},
                                SMALL: {},
                            },
                        }
                    },
                }
            )
        },
        # makes its database: two first starts at once get into each other's way, and one exits 1
        first="opencode session list",
    ),
}


def surroundings(client: str) -> Surroundings:
    try:
        return CLIENTS[client]
    except KeyError:
        raise NotFound(
            f"The client {client} cannot be rehearsed.", hint=f"Known: {', '.join(CLIENTS)}."
        ) from None


def environment(client: str, url: str, home: Path) -> dict[str, str]:
    """The variables for this client, with HOME and TMPDIR; its settings are written below `home`."""
    one = surroundings(client)
    for name, text in one.files(url).items():
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    own = home / "tmp"  # some leave files behind: in a place that goes with the rehearsal
    own.mkdir(parents=True, exist_ok=True)
    return {"HOME": str(home), "TMPDIR": str(own), **one.variables(url)}
