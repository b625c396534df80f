"""Homes and sockets that are none: a file, another program's, a disk that is full or read-only, one without
permission. A clear error, and the same home works as soon as the reason is gone."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typed_commands import TORYO, Done, refused, run, tree

WITHOUT = "--bounding-set=-dac_override,-dac_read_search"
"""What root may do besides everything else: look into what is closed."""


@pytest.fixture
def place() -> Iterator[Path]:
    root = Path(tempfile.mkdtemp(prefix="tj"))
    yield root
    shutil.rmtree(root, ignore_errors=True)


def type_(home: Path, *words: str, before: tuple[str, ...] = (), **extra: str) -> Done:
    env = {"PATH": os.environ["PATH"], "HOME": str(home.parent), "TORYO_HOME": str(home), **extra}
    return run(words, env=env, cwd=Path("/"), before=before)


@pytest.mark.parametrize("words", [("status",), ("up",), ("daemon",), ("coordinator",), ("task", "list")])
def test_a_home_that_is_a_file_is_refused_and_stays_as_it_is(place: Path, words: tuple[str, ...]) -> None:
    home = place / "home"
    home.write_text("mine")
    refused(type_(home, *words))
    refused(type_(home / "below", *words))
    assert tree(place) == {str(place): [], str(home): b"mine"}


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_lies_in_the_sockets_place_is_not_touched(place: Path, kind: str) -> None:
    home = place / "home"
    home.mkdir()
    path = home / "mcp.sock"
    {
        "file": lambda: path.write_text("mine"),
        "folder": path.mkdir,
        "link": lambda: path.symlink_to("/nowhere"),
    }[kind]()
    told = refused(type_(home, "status"))
    assert f"{path} is in the way: it is not a socket." in told
    assert f"Hint: Move {path} away." in told
    assert path.is_symlink() if kind == "link" else path.exists()


def test_another_programs_socket_is_left_to_it(place: Path) -> None:
    home = place / "home"
    home.mkdir()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(home / "mcp.sock"))
        other.listen()
        over = threading.Event()
        thread = threading.Thread(target=greet, args=(other, over))
        thread.start()
        try:
            for words in (("status",), ("up",), ("down",), ("daemon",)):
                told = refused(type_(home, *words))
                assert f"fuser {home / 'mcp.sock'}" in told
        finally:
            over.set()
            with socket.socket(socket.AF_UNIX) as last:
                last.connect(str(home / "mcp.sock"))
            thread.join(20)


def greet(listening: socket.socket, over: threading.Event) -> None:
    """As a mail server would."""
    while not over.is_set():
        peer, _ = listening.accept()
        with peer:
            peer.settimeout(5)
            try:
                peer.sendall(b"220 hello\r\n")
                peer.recv(65536)
            except OSError:
                continue


@pytest.mark.parametrize("kind", ["file", "datagram"])
@pytest.mark.parametrize("key", ["", "coord_abcdefgh"])
def test_a_coordinator_tells_what_is_in_its_sockets_place(place: Path, kind: str, key: str) -> None:
    home = place / "home"
    folder = home / "coordinators" / "main"
    folder.mkdir(parents=True)
    if key:
        (folder / "key").write_text(key)
    path = home / "mcp.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        path.write_text("mine") if kind == "file" else other.bind(str(path))
        told = refused(type_(home, "coordinator", before=("timeout", "20")))
    assert f"{path} is in the way" in told
    assert f"move {path} away" in told.replace("Move", "move")


def test_a_coordinator_without_a_daemon_says_once_that_it_waits(place: Path) -> None:
    done = type_(place / "home", "coordinator", before=("timeout", "4"))
    assert done.code in (0, 124), done
    assert done.err.count(f"No daemon answers at {place / 'home' / 'mcp.sock'} yet") == 1
    assert "toryo up" in done.err


@pytest.mark.long
@pytest.mark.parametrize("key", ["", "coord_abcdefgh"])
def test_a_coordinator_says_that_something_listens_and_does_not_answer(place: Path, key: str) -> None:
    home = place / "home"
    folder = home / "coordinators" / "main"
    folder.mkdir(parents=True)
    if key:
        (folder / "key").write_text(key)
    path = home / "mcp.sock"
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        done = type_(home, "coordinator", before=("timeout", "-s", "KILL", "9"))
    assert done.err.count(f"Something listens at {path}, but does not answer: ") == 1
    assert f"`fuser {path}` names who listens there." in done.err
    assert f"or move {path} away" in done.err
    assert "toryo up" not in done.err


def test_a_datagram_socket_is_named_and_left(place: Path) -> None:
    home = place / "home"
    home.mkdir()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(str(home / "mcp.sock"))
        for words in (("status",), ("up",), ("down",)):
            told = refused(type_(home, *words))
            assert f"{home / 'mcp.sock'} is in the way: it is a socket, but no daemon's." in told
            assert f"fuser {home / 'mcp.sock'}" in told


@pytest.mark.parametrize("name", ["../../evil", "/{place}/evil", "", "a b", "Main", "x" * 65, "a\n"])
def test_a_coordinator_whose_name_is_none_makes_nothing(place: Path, name: str) -> None:
    home = place / "in" / "home"
    home.mkdir(parents=True)
    before = tree(place)
    told = refused(type_(home, "coordinator", "--name", name.replace("/{place}", str(place))))
    assert "is no name of a coordinator." in told
    assert "Hint: Use lower case letters, digits, - and _" in told
    assert tree(place) == before


def test_a_wrong_coordinator_yaml_leaves_no_new_folders(place: Path) -> None:
    folder = place / "home" / "coordinators" / "other"
    folder.mkdir(parents=True)
    (folder / "coordinator.yaml").write_text("max_concurrent: -1\n")
    before = tree(place)
    told = refused(type_(place / "home", "coordinator", "--name", "other"))
    assert "coordinator.yaml, line 1: max_concurrent" in told
    assert tree(place) == before


def test_files_of_the_home_that_hold_nonsense_are_no_bug(place: Path) -> None:
    home = place / "home"
    home.mkdir()
    (home / "mcp.sock.path").write_bytes(b"\xff\0/nowhere")
    (home / "up.json").write_bytes(b"\xff{[")
    try:
        assert type_(home, "status").code == 0
        (home / "up.json").write_bytes(b"\xff{[")
        assert type_(home, "task", "list", "--all").code == 0
    finally:
        assert type_(home, "down").code == 0
    (home / "operator.key").write_bytes(b"\xff\xfe\n")
    try:
        assert "operator.key holds no key" in refused(type_(home, "status"))
    finally:
        type_(home, "down")


def test_a_coordinators_key_that_holds_nonsense_is_replaced(place: Path) -> None:
    home = place / "home"
    (home / "coordinators" / "main").mkdir(parents=True)
    key = home / "coordinators" / "main" / "key"
    key.write_bytes(b"\xff\xfe\n")
    try:
        done = type_(home, "up")
        assert done.code == 0, done.err
        assert key.read_text("ascii").strip()
    finally:
        assert type_(home, "down").code == 0


def on_a_disk(options: str, script: str, place: Path) -> Done:
    """The script in a mount namespace of its own, where `$D` is a small disk and `toryo` our command."""
    own = ("unshare", "-m") if os.geteuid() == 0 else ("unshare", "-rm")
    disk = place / "disk"
    disk.mkdir(exist_ok=True)
    command = " ".join(f"'{word}'" for word in TORYO)
    text = f'mount -t tmpfs -o {options} none "$D" || exit 77\ntoryo() {{ {command} "$@"; }}\ncd /\n{script}'
    env = {"PATH": os.environ["PATH"], "HOME": str(place), "D": str(disk), "TORYO_HOME": str(disk / "h")}
    done = run((), env=env, cwd=place, before=(*own, "/bin/sh", "-c", text, "sh"))
    if done.code == 77 or "unshare failed" in done.err or "Operation not permitted" in done.err:
        pytest.skip("no disk can be mounted here")
    return done


@pytest.mark.parametrize("words", ["status", "up", "daemon", "coordinator", "task list --all"])
def test_a_read_only_home_is_refused_in_words(place: Path, words: str) -> None:
    told = refused(on_a_disk("ro,size=1m", f"toryo {words}", place))
    assert "Read-only file system" in told


def test_a_home_on_a_full_disk_says_so_and_works_when_there_is_room_again(place: Path) -> None:
    fill = 'dd if=/dev/zero of="$D/fill" bs=1k 2>/dev/null'
    told = refused(on_a_disk("size=64k", f"{fill}; toryo status", place))
    assert "is full" in told or "No space left" in told
    later = f'{fill}; toryo status 2>/dev/null; rm "$D/fill"; toryo status; code=$?; toryo down; exit $code'
    done = on_a_disk("size=20m", later, place)
    assert done.code == 0, done.err
    assert "daemon" in done.out


@pytest.mark.parametrize("words", ["daemon", "status"])
@pytest.mark.parametrize("kilobytes", [16, 64, 340])
def test_a_first_start_on_a_small_disk_names_the_disk(place: Path, words: str, kilobytes: int) -> None:
    told = refused(on_a_disk(f"size={kilobytes}k", f"toryo {words}", place))
    assert f"The disk of {place / 'disk' / 'h'}" in told
    assert "is full" in told
    assert f"df -h {place / 'disk' / 'h'}" in told


@pytest.mark.long
@pytest.mark.parametrize("kilobytes", [440, 480])
def test_a_coordinator_that_finds_no_room_to_register_is_ended_and_the_disk_is_named(
    place: Path, kilobytes: int
) -> None:
    done = on_a_disk(f"size={kilobytes}k", "toryo up; code=$?; toryo down; exit $code", place)
    assert f"The disk of {place / 'disk' / 'h'}" in refused(done)
    assert f"df -h {place / 'disk' / 'h'}" in done.err
    assert parts_of(place / "disk" / "h") == []


def parts_of(home: Path) -> list[str]:
    """The command lines of all that runs for this home."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            if f"TORYO_HOME={home}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(f"{process.name} {(process / 'cmdline').read_text()}")
    return found


@pytest.mark.parametrize("kilobytes", [4, 8])
def test_init_on_a_full_disk_of_the_repository_names_it_and_leaves_no_half_file(
    place: Path, kilobytes: int
) -> None:
    script = f"""export TORYO_HOME="$HOME/th"; cd "$D" && git init -q -b main . && mkdir -p "$TORYO_HOME"
    git -c user.name=x -c user.email=x@localhost commit -q --allow-empty -m first
    dd if=/dev/zero of="$D/fill" bs=4k 2>/dev/null; truncate -s -{kilobytes}k "$D/fill"
    toryo init --yes; code=$?; ls -A .git/toryo; toryo down; exit $code"""
    done = on_a_disk("size=2m", script, place)
    told = refused(done)
    assert f"The disk of {place / 'disk'} is full" in told
    assert f"df -h {place / 'disk'}" in told
    assert ".owner" not in done.out


def test_a_home_without_permission_is_refused_and_stays_closed(place: Path) -> None:
    before = ("setpriv", WITHOUT, "--inh-caps=-all") if os.geteuid() == 0 else ()
    if before and shutil.which("setpriv") is None:
        pytest.skip("root sees everything, and there is no setpriv")
    home = place / "home"
    home.mkdir(mode=0o000)
    for words in (("status",), ("up",), ("task", "list"), ("daemon",)):
        told = refused(type_(home, *words, before=before))
        assert "ermission denied" in told or "belongs to somebody else" in told
    below = place / "closed"
    below.mkdir(mode=0o555)
    refused(type_(below / "home", "status", before=before))
    assert list(below.iterdir()) == []
    home.chmod(0o700)


def test_a_home_with_a_long_path_blanks_and_another_script_works(place: Path) -> None:
    home = place / "ein Weg mit Leerzeichen" / ("日本語" * 12) / ("y" * 60)
    home.parent.mkdir(parents=True)
    assert len(os.fsencode(home)) > 104
    try:
        assert type_(home, "status").code == 0
        assert type_(home, "task", "list", "--all").code == 0
    finally:
        assert "Stopped" in type_(home, "down").out


def test_a_relative_home_and_an_unset_home_directory_are_understood(place: Path) -> None:
    env = {"PATH": os.environ["PATH"], "TORYO_HOME": "rel"}
    try:
        assert f"the new installation is {place / 'rel'}" in run(("status",), env=env, cwd=place).err
    finally:
        assert run(("down",), env=env, cwd=place).code == 0
    env = {"PATH": os.environ["PATH"], "XDG_STATE_HOME": str(place / "state")}
    try:
        assert run(("status",), env=env, cwd=place).code == 0
        assert (place / "state" / "toryo" / "operator.key").exists()
    finally:
        assert run(("down",), env=env, cwd=place).code == 0
