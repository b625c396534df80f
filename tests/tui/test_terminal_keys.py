"""Keys: named, rebindable in one file, with two presets; an input keeps the keys of its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import MissionShop, Screen, on_screen

from toryo.fronts.tui import keys
from toryo.settings import Home

READLINE = {f"ctrl+{letter}" for letter in "abcdefhklnptuwy"} | {"alt+b", "alt+f", "alt+d", "left", "right"}


def test_no_key_that_counts_in_an_input_is_one_of_a_line_that_is_edited() -> None:
    taken = {name for one in keys.ALL if one.is_first for name in one.keys.split(",")}
    assert taken.isdisjoint(READLINE)


@pytest.mark.parametrize("preset", sorted(keys.PRESETS))
def test_a_preset_names_only_what_there_is_and_no_key_twice_in_one_place(preset: str) -> None:
    changed = keys.PRESETS[preset]
    assert set(changed) <= {one.name for one in keys.ALL}
    for where in ("everywhere", "outside inputs", "lists", "work"):
        used = [key for one in keys.table(changed) if one.where == where for key in one.keys.split(",")]
        assert len(used) == len(set(used)), where


def test_the_file_rebinds_by_name_over_a_preset(tmp_path: Path) -> None:
    (tmp_path / "keys.toml").write_text('preset = "gwt"\n[keys]\nhelp = "f3"\n')
    found = keys.read(Home(tmp_path))
    assert found["help"] == "f3"
    assert found["filter"] == "slash,f"


@pytest.mark.parametrize(
    ("text", "says"),
    [('preset = "vi"', "no preset 'vi'"), ('[keys]\nfly = "f3"', "nothing called 'fly'"), ("[", "keys.toml")],
)
def test_a_file_that_is_wrong_is_named(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "keys.toml").write_text(text)
    with pytest.raises(keys.KeysWrong, match=says):
        keys.read(Home(tmp_path))


def test_a_key_of_the_file_counts_and_the_help_page_shows_it(shop: MissionShop) -> None:
    (shop.daemon.home.path / "keys.toml").write_text('[keys]\nhelp = "f3"\n')

    async def journey(seen: Screen) -> None:
        await seen.until("4 Queue", "targets")
        await seen.press("f3")
        await seen.until("branch mode ⇄ agent mode", "presets: default, gwt")
        await seen.press(*"these")
        await seen.until("these keys", "F3", gone="branch mode ⇄")
        await seen.press("escape", "?")
        await seen.until("targets", gone="presets: default")

    on_screen(shop, journey, screen="queue")


def test_at_80_columns_branch_mode_names_what_may_be_done_with_a_branch(shop: MissionShop) -> None:
    async def journey(seen: Screen) -> None:
        text = await seen.until("branches", "? keys")
        named = text.splitlines()[-1].split()
        assert {"p", "S", "w", "s", "M", "D", "?"} <= set(named)
        assert "filter" not in named, "what does not fit gives way"

    on_screen(shop, journey, size=(80, 24))
