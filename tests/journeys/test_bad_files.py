"""Files that people write, with mistakes in them: file, line and key are named, and nothing is written."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from house import House, build
from typed_commands import refused, run, tree

from repositories import git, make_repository

DEEP = "[" * 900 + "]" * 900

CONFIG = {
    "base: [": "config.yaml, line 2: ",
    "\tbase: x": "config.yaml, line 1: ",
    "- a": "config.yaml: the top level must be a mapping",
    "bsae: main": "config.yaml, line 1: bsae: there is no such key; did you mean base?",
    "base: main\ndod:\n  chekcs: []": "line 3: dod.chekcs: there is no such key; did you mean checks?",
    "dod: 5": "line 1: dod: must be a mapping",
    "dod:\n  timeout: -1": "line 2: dod.timeout: must be greater than 0",
    "dod:\n  timeout: many": "line 2: dod.timeout: must be a number",
    "setup: pytest": "setup: must be a list",
    "dod:\n  checks:\n  - {command: 5}": "line 3: dod.checks.0.command: must be text",
    "dod:\n  checks:\n  - {command: a, tpye: b}": "checks.0.tpye: there is no such key; did you mean type?",
    "dod:\n  checks:\n  - {command: a}\nbase: main\ndod: {}": "config.yaml, line 5: dod: is there twice",
    "dod:\n  checks: [{command: a}]\n  checks: []": "config.yaml, line 3: dod.checks: is there twice",
    "dod:\n  checks:\n  - {command: a, command: b}": "line 3: dod.checks.0.command: is there twice",
    'dod:\n  checks:\n  - {command: "  "}': "config.yaml, line 3: dod.checks.0.command: is blank",
    'dod:\n  checks:\n  - command: ""': "config.yaml, line 3: dod.checks.0.command: is blank",
    'setup:\n- "\\t"': "config.yaml, line 2: setup.0: is blank",
    f"base: {DEEP}": "config.yaml, line 1: it is nested too deeply",
    "base: main\nnull: x": "config.yaml, line 2: null is no key",
    "base: main\ndod:\n  \a: 1": "config.yaml, line 3: a character that is not allowed, #x0007",
    "scope:\n  exclude: [.env, /etc/x]": "line 2: scope.exclude.1: '/etc/x' looks like an absolute path",
    "scope:\n  exclude:\n  - ../other": "line 3: scope.exclude.0: '../other' leaves the repository",
    "scope:\n  exclude: [a/../../b]": "line 2: scope.exclude.0: 'a/../../b' leaves the repository",
    "scope:\n  exclude: [~/.ssh]": "line 2: scope.exclude.0: '~/.ssh' is in a home",
    'scope:\n  exclude: [""]': "line 2: scope.exclude.0: an empty pattern matches nothing",
    "dod:\n  timeout: .inf": "line 2: dod.timeout: must be less than or equal to 604800",
    "dod:\n  checks:\n  - {command: a, timeout: 1e400}": "line 3: dod.checks.0.timeout: must be less than",
    "runs: {timeout: 1.0e+300}": "line 1: runs.timeout: must be less than or equal to 604800",
    "setup_timeout: .nan": "line 1: setup_timeout: must be less than or equal to 604800",
    'base: main\nworktrees: ""': "line 2: worktrees: is no folder of its own",
    "worktrees: .": "line 1: worktrees: is no folder of its own",
    'worktrees: "a\\0b"': "line 1: worktrees: is no folder of its own",
    "worktrees: ./.git/trees": "line 1: worktrees: is inside .git",
    "worktrees: ~nobody-at-all/trees": "line 1: worktrees: is in another user's home",
    "protected: [../x]": "config.yaml, line 1: protected.0: '../x' leaves the repository",
    "base: main\nsetup: 2024-13-45": "config.yaml, line 2: this is no timestamp",
}
AGENT = {
    "name: [": "agents/a.yaml, line 2: ",
    "": "agents/a.yaml: the file: must be a mapping",
    "just words": "agents/a.yaml: the file: must be a mapping",
    "name: coder\nclinet: claude": "line 2: clinet: there is no such key; did you mean client?",
    "name: coder\nslots: lots": "line 2: slots: must be a whole number",
    "name: coder\nslots: 99999999999999999999": "line 2: slots: must be less than or equal to 1000",
    "name: 5": "line 1: name: must be text",
    "name: BAD NAME": "'BAD NAME' is no agent name",
    "name: c\nclient: nope": "The file of 'c' in .toryo/agents/: There is no client 'nope'",
    "name: c\npromptFile: prompts/none.md": "promptFile: .toryo/prompts/none.md is not there",
    "name: c\nscope: {wrte: []}": "line 2: scope.wrte: there is no such key; did you mean write?",
    "name: c\nslots: 1\nslots: 2": "agents/a.yaml, line 3: slots: is there twice",
    f"name: c\nscope: {DEEP}": "agents/a.yaml, line 2: it is nested too deeply",
    "name: c\nscope:\n  ~: x": "agents/a.yaml, line 3: scope.~ is no key",
    "name: c\nrole: \x01": "agents/a.yaml, line 2: a character that is not allowed, #x0001",
    'name: c\nscope: {write: ["../.."]}': "a.yaml, line 2: scope.write.0: '../..' leaves the repository",
}
COORDINATOR = {
    "polling_interval: [": "coordinator.yaml, line 2: ",
    "a: 1\npollng_interval: 1": "coordinator.yaml, line ",
    "max_concurrent: -1": "line 1: max_concurrent: must be greater than 0",
    "max_concurrent: 9999999999999999999999": "line 1: max_concurrent: must be less than or equal to 1000",
    "polling_interval: .inf": "line 1: polling_interval: must be",
    "polling_interval: .nan": "line 1: polling_interval: must be",
    "mcp_socket_path: 5": "line 1: mcp_socket_path: must be text",
    "words": "a mapping is expected",
    "agents: {dev: {passkey: [very-secret]}}": "agents.dev.passkey: must be text",
    "agents:\n  dev: {passkey: very-secret}\n  dev: {}": "line 3: agents.dev: is there twice",
    f"agents:\n  dev: {DEEP}": "coordinator.yaml, line 2: it is nested too deeply",
    "agents:\n  null: {passkey: very-secret}": "coordinator.yaml, line 2: agents.null is no key",
}
SCRIPT = {
    "model: [": "s.yaml, line 2: ",
    "": "s.yaml: A script is a list",
    "[]": "s.yaml: There is no reply in it",
    "model: 5": "s.yaml: model: a list of replies",
    "- nope: 1": "s.yaml: reply 1: no reply is called nope",
    "- run: {a: 1}": "s.yaml: reply 1 (run): it must be text",
    "- write: {path: a}": "s.yaml: reply 1 (write): 'text' is missing",
    "- {say: a, hang: soon}": "reply 1 (say)",
    "model:\n- say: a\nwithin_s: soon": "within_s: a number of seconds is wanted",
    "model:\n- say: a\nagents: 5": "agents: a list is wanted",
    "model:\n- say: a\ntasks:\n- titel: x": "task: titel is not known",
    "model:\n- say: a\nmodel:\n- say: b": "s.yaml, line 3: model: is there twice",
    f"model: {DEEP}": "s.yaml, line 1: it is nested too deeply",
}


@pytest.fixture(scope="module")
def inn() -> Iterator[House]:
    root = Path(tempfile.mkdtemp(prefix="tj"))
    house = build(root)
    try:
        house.ok("init", "--yes", "--base", "main")
        yield house
    finally:
        house.close()
        shutil.rmtree(root, ignore_errors=True)


def test_a_mistake_in_config_yaml_is_named_with_its_line_and_key(inn: House) -> None:
    file = inn.repo / ".toryo" / "config.yaml"
    right = file.read_text()
    for text, said in CONFIG.items():
        file.write_text(text + "\n")
        before = tree(inn.repo)
        assert said in refused(run(("agent", "sync"), env=inn.env, cwd=inn.repo)), text
        assert tree(inn.repo) == before
    file.write_bytes(b"\xff\xfe\0")
    assert "is not UTF-8 text" in refused(run(("agent", "sync"), env=inn.env, cwd=inn.repo))
    file.write_text(right)
    assert run(("agent", "sync"), env=inn.env, cwd=inn.repo).code == 0


def test_a_mistake_in_an_agents_file_is_named_and_no_agent_is_made(inn: House) -> None:
    agents = inn.read("agent", "list")
    file = inn.repo / ".toryo" / "agents" / "a.yaml"
    file.parent.mkdir()
    for text, said in AGENT.items():
        file.write_text(text + "\n")
        assert said in refused(run(("agent", "sync"), env=inn.env, cwd=inn.repo)), text
    shutil.rmtree(file.parent)
    assert inn.read("agent", "list") == agents


@pytest.mark.parametrize("text", ["nmae: [x]\n", f"base: {DEEP}\n"], ids=["wrong", "deep"])
@pytest.mark.parametrize("name", ["agents/a.yaml", "config.yaml"])
def test_init_in_a_repository_with_a_wrong_file_writes_nothing_at_all(
    inn: House, name: str, text: str
) -> None:
    repo = make_repository(inn.root / f"{text[:4]}-{Path(name).stem}", {f".toryo/{name}": text})
    before = tree(repo)
    assert name in refused(run(("init", "--yes"), env=inn.env, cwd=repo))
    assert tree(repo) == before


def test_init_with_a_name_that_is_none_writes_nothing_at_all(inn: House) -> None:
    repo = make_repository(inn.root / "unnamed")
    before = tree(repo)
    for name in ("two\nlines", "x" * 65, " x"):
        assert "no project name" in refused(run(("init", "--yes", "--name", name), env=inn.env, cwd=repo))
        assert tree(repo) == before


def test_a_mistake_in_coordinator_yaml_is_named_and_no_value_is_printed(inn: House) -> None:
    file = inn.home / "coordinators" / "other" / "coordinator.yaml"
    file.parent.mkdir(parents=True)
    for text, said in COORDINATOR.items():
        file.write_text(text + "\n")
        told = refused(run(("coordinator", "--name", "other"), env=inn.env, cwd=inn.repo))
        assert said in told, text
        assert "very-secret" not in told
        assert "Caused by" not in told
    shutil.rmtree(file.parent)


def test_a_mistake_in_a_clients_definition_is_found_by_the_doctor(inn: House) -> None:
    file = inn.home / "clients" / "mine.yaml"
    file.parent.mkdir(exist_ok=True)
    for text, said in {
        "program: [": "mine.yaml, line 2: ",
        "program: x\nargv: [a]\nargs: []": "line 3: args: there is no such key; did you mean argv?",
        "program: x": "mine.yaml: argv: is missing",
        "program: x\nargv: [a]\ncwd: here": "line 3: cwd: must be 'worktree' or 'context'",
        "program: x\nargv: [a]\nprogram: y": "mine.yaml, line 3: program: is there twice",
        f"program: x\nargv: {DEEP}": "mine.yaml, line 2: it is nested too deeply",
    }.items():
        file.write_text(text + "\n")
        done = run(("doctor",), env=inn.env, cwd=inn.repo)
        assert said in " ".join(done.out.split()), (text, done.out)
        assert "Traceback" not in done.out + done.err
    file.unlink()


def test_a_mistake_in_a_rehearsals_script_is_named_before_anything_is_made(inn: House) -> None:
    file = inn.root / "s.yaml"
    for text, said in SCRIPT.items():
        file.write_text(text + "\n")
        before = tree(inn.repo)
        assert said in refused(run(("rehearse", str(file)), env=inn.env, cwd=inn.repo)), text
        assert tree(inn.repo) == before


def test_two_agents_files_with_one_name_are_refused_naming_both(inn: House) -> None:
    agents = inn.read("agent", "list")
    folder = inn.repo / ".toryo" / "agents"
    folder.mkdir()
    (folder / "a.yaml").write_text("name: twin\nclient: command\ncommand: a\n")
    (folder / "b.yml").write_text("role: other\nname: twin\nclient: command\ncommand: b\n")
    told = refused(run(("agent", "sync"), env=inn.env, cwd=inn.repo))
    assert ".toryo/agents/b.yml, line 2: name: 'twin' is the name in .toryo/agents/a.yaml, too" in told
    assert inn.read("agent", "list") == agents

    repo = make_repository(inn.root / "twins")
    shutil.copytree(folder, repo / ".toryo" / "agents")
    before = tree(repo)
    assert "agents/a.yaml, too" in refused(run(("init", "--yes"), env=inn.env, cwd=repo))
    assert tree(repo) == before
    shutil.rmtree(folder)


def test_a_sync_says_which_files_do_not_count_until_they_are_committed(inn: House) -> None:
    def sync() -> str:
        done = run(("agent", "sync"), env=inn.env, cwd=repo)
        assert done.code == 0, done.err
        return done.out

    text = "name: synced\nclient: command\ncommand: a\n"
    files = {".toryo/config.yaml": "base: main\n", ".toryo/agents/synced.yaml": text}
    repo = make_repository(inn.root / "synced", files)
    assert run(("init", "--yes"), env=inn.env, cwd=repo).code == 0
    assert "note:" not in sync()
    (repo / ".toryo" / "agents" / "synced.yaml").write_text(text + "slots: 3\n")
    (repo / ".toryo" / "agents" / "newer.yaml").write_text(text.replace("synced", "newer"))
    told = sync()
    assert "unchanged: synced" in told
    assert "note: only what is committed on main counts; not so yet: " in told
    assert ".toryo/agents/newer.yaml, .toryo/agents/synced.yaml; commit it on main" in told
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "agents")
    told = sync()
    assert "added: newer" in told
    assert "changed: synced" in told
    assert "note:" not in told


def test_a_default_agent_that_is_none_of_the_projects_is_told(inn: House) -> None:
    repo = make_repository(inn.root / "wish", {".toryo/config.yaml": "base: main\ndefault_agent: nobody\n"})
    said = (
        "note: default_agent in .toryo/config.yaml: 'nobody' is no agent of this project; type: toryo agent"
    )
    done = run(("init", "--yes"), env=inn.env, cwd=repo)
    assert done.code == 0, done.err
    assert f"{said} list" in done.out
    assert run(("agent", "add", "nobody", "--client", "outside"), env=inn.env, cwd=inn.root).code == 0
    assert f"{said} assign nobody" in run(("agent", "sync"), env=inn.env, cwd=repo).out
    assert run(("agent", "assign", "nobody"), env=inn.env, cwd=repo).code == 0
    assert "note:" not in run(("agent", "sync"), env=inn.env, cwd=repo).out
