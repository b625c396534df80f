"""The tools about the installation's own settings, and the one that tries whether a person can be told."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.head import Head
from toryo.daemon.mcp.asking import ask
from toryo.daemon.mcp.registry import PEOPLE, Arguments, Nothing, Tool
from toryo.usecases import home_settings, notifying
from toryo.usecases.context import Caller

TEST_S = 25


class Key(Arguments):
    key: str = Field(min_length=1, max_length=200)


class KeyAndValue(Key):
    value: str = Field(max_length=20_000)


async def list_config(head: Head, caller: Caller, args: Nothing) -> dict[str, Any]:
    return await head.do(home_settings.listed)


async def get_config(head: Head, caller: Caller, args: Key) -> dict[str, Any]:
    return await head.do(home_settings.get, args.key)


async def set_config(head: Head, caller: Caller, args: KeyAndValue) -> dict[str, Any]:
    answer = await head.do(home_settings.put, args.key, args.value)
    await head.do(notifying.follow)  # what happens from this moment on is told
    return answer


async def unset_config(head: Head, caller: Caller, args: Key) -> dict[str, Any]:
    answer = await head.do(home_settings.unset, args.key)
    await head.do(notifying.follow)
    return answer


async def try_notify(head: Head, caller: Caller, args: Nothing) -> dict[str, Any]:
    order, command = await head.do(notifying.order_test)
    body = await ask(head, order, "notify", TEST_S)
    why = notifying.failure(body)
    return {"success": True, "command": command, "told": not why, "failure": why, **body}


TOOLS = (
    Tool("list_config", PEOPLE, Nothing, list_config, "The installation's settings, and where each is from."),
    Tool("get_config", PEOPLE, Key, get_config, "One of the installation's settings."),
    Tool("set_config", PEOPLE, KeyAndValue, set_config, "Change one of the installation's settings."),
    Tool("unset_config", PEOPLE, Key, unset_config, "Take a setting out of the installation's file."),
    Tool("test_notify", PEOPLE, Nothing, try_notify, "Run the notify command once, and say how it went."),
)
