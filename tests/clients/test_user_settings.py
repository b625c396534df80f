"""Settings of the user's that are joined with ours, with mistakes in them: the run is refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.calling import a_call
from toryo.workbench.clients.calls import CannotCall
from toryo.workbench.clients.registry import client
from toryo.workbench.clients.run_files import read_json

DEEP = "[" * 50_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"a":\n b}', ", line 2, column 2: it is no JSON"),
        (b"\xff", ": it is no text in UTF-8"),
        (DEEP.encode(), ": it is nested too deeply"),
        (b"[]", ": it must be a JSON object"),
    ],
    ids=["broken", "bytes", "deep", "list"],
)
def test_a_file_that_is_no_json_object_is_named_with_its_place(
    tmp_path: Path, text: bytes, said: str
) -> None:
    file = tmp_path / "known.json"
    file.write_bytes(text)
    with pytest.raises(CannotCall) as refused:
        read_json(file, "Whose settings")
    assert refused.value.message.startswith(f"Whose settings, {file}{said}")
    assert str(file) in refused.value.hint


def test_opencodes_settings_nested_without_end_are_refused(tmp_path: Path) -> None:
    env = {"OPENCODE_CONFIG_CONTENT": DEEP}
    with pytest.raises(CannotCall, match="is no plain JSON object"):
        client("opencode").argv(a_call(tmp_path, env=env))
