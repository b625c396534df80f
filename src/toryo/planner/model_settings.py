"""Model settings of the home and the environment, with the key: from a variable, or from the key file."""

from __future__ import annotations

from collections.abc import Mapping

from toryo.planner.models.choosing import Choice, NoModel
from toryo.settings import Home
from toryo.yaml import home_settings
from toryo.yaml.home_settings import PlannerSettings

KEY = "TORYO_PLANNER_API_KEY"


def choice_of(home: Home, env: Mapping[str, str], tried: Mapping[str, str | None] | None = None) -> Choice:
    """`tried`: settings that are not written yet, and `key`, by their names below `planner`."""
    found = _settings(home, env)
    key = ""
    if tried is not None:
        given = {name: value or "" for name, value in tried.items() if name != "key"}
        found, key = found.model_copy(update=given), tried.get("key") or ""
    via = "" if found.via == "http" else found.via
    return Choice(
        base_url=found.base_url,
        model=found.model,
        via=via,
        key="" if via else key or _key(home, found, env),
        window=found.window or None,
        language=found.language,
    )


def _settings(home: Home, env: Mapping[str, str]) -> PlannerSettings:
    try:
        text = home.config.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    except (OSError, UnicodeDecodeError) as unreadable:
        hint = f"Mend {home.config}."
        raise NoModel(f"AI settings are required: {home.config}: {unreadable}", hint=hint) from None
    try:
        return home_settings.parse(str(home.config), text, env).planner
    except home_settings.HomeSettingsWrong as wrong:
        raise NoModel(f"AI settings are required: {wrong.message}", hint=wrong.hint) from None


def _key(home: Home, found: PlannerSettings, env: Mapping[str, str]) -> str:
    """Empty: none is set, which many services on this machine want."""
    if found.api_key_env:
        if found.api_key_env not in env:
            raise NoModel(
                f"AI settings are required: the planner's environment has no {found.api_key_env}.",
                hint=f"Set {found.api_key_env}, then `toryo up --refresh`, or: toryo planner key",
            )
        return env[found.api_key_env].strip()
    if env.get(KEY):
        return env[KEY].strip()
    try:
        return home.planner_api_key.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
