"""`toryo config` and its verbs: the settings of this installation, `{home}/config.yaml`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toryo.fronts.cli.parsing import verb
from toryo.fronts.text.output import plain, print_json

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from toryo.fronts.cli.parsing import Group
    from toryo.fronts.client import Desk
    from toryo.protocol.views.settings import ListedSettings, OneSetting, SettingView, UnsetSetting


def _declare_list(parser: argparse.ArgumentParser) -> None:
    verb(parser, show_all, "toryo config list", "toryo config list --json", reads=True)


def _declare_get(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="as `toryo config` lists it")
    verb(parser, get, "toryo config get ask_silent", reads=True)


def _declare_set(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="as `toryo config` lists it")
    parser.add_argument("value", metavar="VALUE", help="text, a number, or a list such as [failed, done]")
    verb(
        parser,
        put,
        "toryo config set notify 'notify-send Toryo \"$(jq -r .text)\"'",
        "toryo config set notify_on needs_you,failed,done",
        "toryo config set session.max_timeout 7200",
        json=True,
    )


def _declare_unset(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", help="as `toryo config` lists it, or a mistake in the file")
    verb(parser, unset, "toryo config unset notify", json=True)


VERBS: Group = {
    "list": ("every setting with its value, and where that is from", _declare_list),
    "get": ("print the value of one setting", _declare_get),
    "set": ("change a setting; it counts at once", _declare_set),
    "unset": ("take a setting out of the file", _declare_unset),
}
BY_ITSELF = "list"


def show_all(args: argparse.Namespace, desk: Desk) -> int:
    answer: ListedSettings = desk.call("list_config", {})
    if args.json:
        print_json(answer)
        return 0
    print(plain(str(answer["file"])))
    rows = [(one["key"], _text(one["value"]), _source(one), one["about"]) for one in answer["settings"]]
    wide = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        cells = [row[column].ljust(min(wide[column], 40)) for column in range(3)]
        print(plain("  ".join([*cells, row[3]])))
    return 0


def get(args: argparse.Namespace, desk: Desk) -> int:
    answer: OneSetting = desk.call("get_config", {"key": args.key})
    if args.json:
        print_json(answer)
    else:
        print(plain(_text(answer["value"])))
    return 0


def put(args: argparse.Namespace, desk: Desk) -> int:
    answer: OneSetting = desk.call("set_config", {"key": args.key, "value": args.value})
    if args.json:
        print_json(answer)
        return 0
    print(plain(f"{answer['key']} is {_text(answer['value'])}"))
    if answer["source"] == "environment":
        print(plain(f"note: {answer['variable']} was set where Toryo was started, and counts over it"))
    return 0


def unset(args: argparse.Namespace, desk: Desk) -> int:
    answer: UnsetSetting = desk.call("unset_config", {"key": args.key})
    if args.json:
        print_json(answer)
    else:
        print(plain(f"{args.key} {'is no longer set' if answer['was_set'] else 'was not set'}"))
    return 0


def _source(one: SettingView) -> str:
    return str(one["variable"]) if one["source"] == "environment" else str(one["source"])


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value)
