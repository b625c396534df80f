"""The tools about the installation's own settings, and the one that tries whether a person can be told."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.head import Head
from toryo.daemon.tools.registry import Arguments, Nothing, people_tool
from toryo.daemon.tools.remote_reads import until_reported
from toryo.engine import home_settings
from toryo.engine.context import Caller
from toryo.engine.notices import notify
from toryo.protocol.views import settings as views

TEST_S = 25


class Key(Arguments):
    key: str = Field(min_length=1, max_length=200)


class KeyAndValue(Key):
    value: str = Field(max_length=20_000)


async def list_config(head: Head, caller: Caller, args: Nothing) -> dict[str, Any]:
    return await head.read(home_settings.listed)


async def get_config(head: Head, caller: Caller, args: Key) -> dict[str, Any]:
    return await head.read(home_settings.get, args.key)


async def set_config(head: Head, caller: Caller, args: KeyAndValue) -> dict[str, Any]:
    answer = await head.do(home_settings.put, args.key, args.value)
    await head.do(notify.follow)  # what happens from this moment on is told
    return answer


async def unset_config(head: Head, caller: Caller, args: Key) -> views.UnsetSetting:
    answer = await head.do(home_settings.unset, args.key)
    await head.do(notify.follow)
    return answer


async def try_notify(head: Head, caller: Caller, args: Nothing) -> dict[str, Any]:
    order, command = await head.do(notify.order_test)
    body = await until_reported(head, order, "notify", TEST_S)
    why = notify.failure(body)
    return {"success": True, "command": command, "told": not why, "failure": why, **body}


TOOLS = (
    people_tool(
        "list_config",
        Nothing,
        list_config,
        views.ListedSettings,
        "The installation's settings, and where each is from.",
    ),
    people_tool("get_config", Key, get_config, views.OneSetting, "One of the installation's settings."),
    people_tool(
        "set_config", KeyAndValue, set_config, views.OneSetting, "Change one of the installation's settings."
    ),
    people_tool(
        "unset_config",
        Key,
        unset_config,
        views.UnsetSetting,
        "Take a setting out of the installation's file.",
    ),
    people_tool(
        "test_notify",
        Nothing,
        try_notify,
        views.TriedNotify,
        "Run the notify command once, and say how it went.",
    ),
)
