"""Where an installation lives: from the environment, as paths, and as text for who is in a hurry."""

from __future__ import annotations

from pathlib import Path

import pytest

from toryo import processes, settings
from toryo.fronts.processes.start import note
from toryo.fronts.processes.started import hands_are_there, noted
from toryo.settings import Home


def test_the_home_is_the_one_that_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("TORYO_HOME", str(tmp_path / "x"))
    assert settings.home() == Home(tmp_path / "x")
    assert settings.home().path == tmp_path / "x"


def test_a_named_home_may_be_relative_or_begin_with_a_tilde(monkeypatch, tmp_path, unreachable_home):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TORYO_HOME", "x/../y")
    assert settings.home().path == tmp_path / "x/../y"
    monkeypatch.setenv("TORYO_HOME", "~/x")
    assert settings.home().path == unreachable_home / "x"


def test_without_a_name_it_is_in_the_state_directory(monkeypatch, tmp_path, unreachable_home):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert settings.home().path == tmp_path / "toryo"
    monkeypatch.delenv("XDG_STATE_HOME")
    assert settings.home().path == unreachable_home / ".local/state/toryo"


def test_a_home_never_changes_and_is_equal_by_its_path(tmp_path):
    home = Home(tmp_path)
    assert (home == Home(str(tmp_path)), home != Home(tmp_path / "x"), len({home, Home(tmp_path)})) == (
        True,
        True,
        1,
    )
    with pytest.raises(AttributeError):
        home.text = "/elsewhere"
    assert repr(home) == f"Home({str(tmp_path)!r})"


def test_the_socket_in_use_is_the_one_that_the_pointer_names(tmp_path):
    home = Home(tmp_path)
    assert (home.address(), home.socket_in_use()) == (str(home.socket), home.socket)
    home.socket_pointer.write_text("/short/sock\n")
    assert (home.address(), home.socket_in_use()) == ("/short/sock", Path("/short/sock"))


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ('{{"coordinator": [{pid}, "{start}"]}}', True),
        ('{{"coordinator": [{pid}, "1"]}}', False),
        ('{{"coordinator": [999999999, "{start}"]}}', False),
        ('{{"daemon": [{pid}, "{start}"]}}', False),
        ("half a fi", False),
        ("[]", False),
    ],
)
def test_the_hands_are_there_only_if_that_very_process_is(tmp_path, text, there):
    pid = processes.own_pid()
    (tmp_path / "up.json").write_text(text.format(pid=pid, start=processes.start_time(pid)))
    assert hands_are_there(Home(tmp_path)) is there


def test_without_a_note_nobody_is_there(tmp_path):
    assert (noted(Home(tmp_path)), hands_are_there(Home(tmp_path))) == ({}, False)


def test_the_note_of_who_was_started_is_its_owners_alone(tmp_path):
    note(Home(tmp_path), {"coordinator": processes.own_pid()})
    assert (tmp_path / "up.json").stat().st_mode & 0o777 == 0o600
    assert hands_are_there(Home(tmp_path))
