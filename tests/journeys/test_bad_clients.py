"""Clients that are not installed, not well defined, or have no script: told at once, where they are named."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from house import House, build
from typed_commands import Done, refused, run

from repositories import make_repository

INSTALL = "type: npm install -g @anthropic-ai/claude-code"


@pytest.fixture(scope="module")
def bare() -> Iterator[House]:
    """An installation on a machine without any agent CLI."""
    root = Path(tempfile.mkdtemp(prefix="tj"))
    tools = root / "tools"
    tools.mkdir()
    for name in ("git", "sh"):
        (tools / name).symlink_to(str(shutil.which(name)))
    house = build(root)
    house.env["PATH"] = str(tools)
    try:
        house.ok("init", "--yes", "--base", "main")
        yield house
    finally:
        house.close()
        shutil.rmtree(root, ignore_errors=True)


def type_(bare: House, *words: str, cwd: Path | None = None) -> Done:
    return run(words, env=bare.env, cwd=cwd or bare.repo)


def test_an_agent_whose_client_is_not_installed_is_made_and_the_line_to_type_is_told(bare: House) -> None:
    done = type_(bare, "agent", "add", "cc", "--client", "claude")
    assert done.code == 0, done.err
    assert f"note: claude is not on PATH; {INSTALL}" in done.out
    told = json.loads(type_(bare, "agent", "add", "c2", "--client", "claude", "--json").out)
    assert told["notes"] == [f"claude is not on PATH; {INSTALL}"]
    assert json.loads(type_(bare, "agent", "add", "c2", "--slots", "2", "--json").out)["notes"] == []
    outside = type_(bare, "agent", "add", "c3", "--client", "claude", cwd=bare.root)
    assert (outside.code, INSTALL in outside.out) == (0, True), outside.err


def test_init_tells_that_the_client_of_its_agent_is_not_installed(bare: House) -> None:
    files = {".toryo/agents/coder.yaml": "name: coder\nclient: claude\n"}
    done = type_(bare, "init", "--yes", cwd=make_repository(bare.root / "theirs", files))
    assert done.code == 0, done.err
    assert f"note: coder is driven by claude, which is not on PATH; {INSTALL}" in done.out


def test_a_client_whose_file_is_wrong_is_refused_with_file_and_line(bare: House) -> None:
    file = bare.home / "clients" / "mine.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text("program: [\n")
    files = {".toryo/agents/m2.yaml": "name: m2\nclient: mine\n"}
    repo = make_repository(bare.root / "mine", files)
    try:
        for words, place in (
            (("agent", "add", "m1", "--client", "mine"), bare.repo),
            (("init", "--yes"), repo),
        ):
            told = refused(type_(bare, *words, cwd=place))
            assert f"{file}, line 2: " in told
            assert str(file) in told.splitlines()[-1]
        theirs = bare.repo / ".toryo" / "agents" / "m2.yaml"
        theirs.parent.mkdir()
        theirs.write_text(files[".toryo/agents/m2.yaml"])
        assert f"{file}, line 2: " in refused(type_(bare, "agent", "sync"))
        shutil.rmtree(theirs.parent)
        names = [one["id"] for one in json.loads(type_(bare, "agent", "list", "--json").out)["agents"]]
        assert not {"m1", "m2"} & set(names)
        done = type_(bare, "doctor")
        said = " ".join(done.out.split())
        assert f"error a client's definition is wrong: {file}, line 2: " in said
        assert f"${{EDITOR:-vi}} {file}" in said
        assert "defined (not installed)" not in said
        assert done.code == 1
        file.write_text("program: mine\nargv: [mine, '{prompt}']\n")
        assert type_(bare, "agent", "add", "m1", "--client", "mine").code == 0
    finally:
        file.unlink()


def test_a_script_that_is_not_there_is_refused(bare: House) -> None:
    told = refused(type_(bare, "agent", "add", "sc", "--client", "scripted", "--command", "/nowhere.yaml"))
    assert "Error: The script /nowhere.yaml is not there." in told
    refused(type_(bare, "agent", "show", "sc"))
    here = type_(bare, "agent", "add", "sc", "--client", "scripted", "--command", "in/the/worktree.yaml")
    assert here.code == 0, here.err
