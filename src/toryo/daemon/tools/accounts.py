"""The tools about accounts: which of them a limit or an outage parks, and the end of such a wait."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.head import Head
from toryo.daemon.tools.registry import Arguments, Nothing, people_tool
from toryo.engine.context import Caller
from toryo.protocol.views import targets as views
from toryo.usecases import accounts


class Account(Arguments):
    client: str = Field(min_length=1)
    machine: str = ""


async def list_accounts(head: Head, caller: Caller, args: Nothing) -> dict[str, Any]:
    return await head.read(accounts.list_accounts)


async def release_account(head: Head, caller: Caller, args: Account) -> dict[str, Any]:
    return await head.do(accounts.release, args.client, args.machine)


TOOLS = (
    people_tool(
        "list_accounts",
        Nothing,
        list_accounts,
        views.AccountList,
        "Accounts, and what parks them until when.",
    ),
    people_tool(
        "release_account",
        Account,
        release_account,
        views.ReleasedAccount,
        "Let a parked account go on at once.",
    ),
)
