"""Blobs are files named by their content: whole or absent, private, written once."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from toryo.store.database.blobs import Blobs


def test_a_text_comes_back_by_the_hash_of_its_utf_8_bytes(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    name = blobs.put("棟梁\r\nend\n")
    assert name == hashlib.sha256("棟梁\r\nend\n".encode()).hexdigest()
    assert blobs.get(name) == "棟梁\r\nend\n"


def test_blobs_are_their_owners_alone(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        name = Blobs(tmp_path / "blobs").put("secret")
    finally:
        os.umask(old)
    file = tmp_path / "blobs" / name[:2] / name[2:]
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_putting_a_text_again_writes_nothing(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put("same")
    before = (tmp_path / name[:2] / name[2:]).stat()
    assert blobs.put("same") == name
    after = (tmp_path / name[:2] / name[2:]).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_put_that_is_cut_leaves_nothing_under_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = Blobs(tmp_path)

    def full(_handle: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    (tmp_path / hashlib.sha256(b"cut").hexdigest()[:2]).mkdir()
    with pytest.raises(OSError, match="no space"):
        blobs.put("cut")
    assert blobs.get(hashlib.sha256(b"cut").hexdigest()) is None
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == []


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "0" * 63, "G" * 64, "0" * 64])
def test_an_unknown_or_foreign_name_is_nothing(tmp_path: Path, name: str) -> None:
    assert Blobs(tmp_path).get(name) is None


def test_a_text_with_half_characters_survives(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    assert blobs.get(blobs.put("a\udc80b")) == "a\udc80b"
