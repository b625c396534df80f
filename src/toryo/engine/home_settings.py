"""Settings of the installation: read from `{home}/config.yaml` when it changed, and changed key by key.

A file that cannot be used stops nothing: the settings before it stay in force, and `status` says so.
"""

from __future__ import annotations

from typing import Any

from toryo import settings
from toryo.domain import subjects
from toryo.engine.context import HeadContext
from toryo.files import write_whole
from toryo.protocol.views import settings as views
from toryo.protocol.views.status import InstallationProblem
from toryo.store.tables import missions
from toryo.yaml import home_settings
from toryo.yaml.edit import with_key
from toryo.yaml.home_settings import HomeSettings, HomeSettingsWrong


def in_force(context: HeadContext) -> HomeSettings:
    """Never fails: what was read last, or the defaults, where the file is wrong now."""
    try:
        found = context.home.config.stat()
        seen = (found.st_mtime_ns, found.st_size, found.st_ino)
    except OSError:
        seen = (0, 0, 0)
    known = context.read_settings
    if known.get("seen") != seen:
        try:
            known["settings"], known["wrong"] = _read(context), None
        except HomeSettingsWrong as wrong:
            known["wrong"] = wrong
        known["seen"] = seen  # last: whoever reads meanwhile, in another thread, reads the file too
    read = known.get("settings")
    return read if isinstance(read, HomeSettings) else HomeSettings()


def problems(context: HeadContext) -> list[InstallationProblem]:
    in_force(context)
    wrong = context.read_settings.get("wrong")
    return [{"project": "home", "what": wrong.message, "type": wrong.hint}] if wrong else []


def listed(context: HeadContext) -> dict[str, Any]:
    text, env = _text(context), settings.environment()
    found = home_settings.parse(_where(context), text, env)
    raw = home_settings.read(_where(context), text)
    values = [vars(one) for one in home_settings.values(found, raw, env)]
    return {"success": True, "file": _where(context), "settings": values}


def get(context: HeadContext, key: str) -> dict[str, Any]:
    home_settings.insist(key)
    found: dict[str, Any] = next(one for one in listed(context)["settings"] if one["key"] == key)
    return found | {"success": True}


def put(context: HeadContext, key: str, value: str) -> dict[str, Any]:
    """The file with that key, if all of it can be used then."""
    home_settings.insist(key)
    text = _text(context)
    raw = home_settings.with_value(
        home_settings.read(_where(context), text), key, home_settings.from_text(key, value)
    )
    top = key.partition(".")[0]
    # as the schema understood it: a number is written as one
    home_settings.parse(_where(context), with_key(text, top, raw[top]), {})
    understood = HomeSettings.model_validate(raw).model_dump(mode="json", exclude_unset=True)
    _write(context, key, with_key(text, top, understood[top]))
    return get(context, key)


def unset(context: HeadContext, key: str) -> views.UnsetSetting:
    """Also a key that nobody knows, if it is there: that is how a mistake is mended."""
    text = _text(context)
    raw = home_settings.read(_where(context), text)
    top = key.partition(".")[0]
    if top not in raw:
        home_settings.insist(key)
    left = home_settings.without(raw, key).get(top)
    _write(context, key, with_key(text, top, left))
    return {"success": True, "key": key, "was_set": left != raw.get(top)}


def _read(context: HeadContext) -> HomeSettings:
    return home_settings.parse(_where(context), _text(context), settings.environment())


def _text(context: HeadContext) -> str:
    try:
        return context.home.config.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, UnicodeDecodeError) as unreadable:
        why = "is no text in UTF-8" if isinstance(unreadable, UnicodeDecodeError) else unreadable.strerror
        raise HomeSettingsWrong(
            f"{_where(context)}: cannot be read: {why}.", hint=f"Mend {_where(context)}."
        ) from None


def _write(context: HeadContext, key: str, text: str) -> None:
    """Live missions are looked at: a model, a limit or an approval may be another now."""
    write_whole(context.home.config, text.encode(), durably=True)
    with context.store.change() as tx:
        tx.emit("setting_changed", {"key": key})  # not its value: a command may hold a secret
        for mission in missions.live(tx):
            tx.mark(subjects.mission(mission.id))


def _where(context: HeadContext) -> str:
    return str(context.home.config)
