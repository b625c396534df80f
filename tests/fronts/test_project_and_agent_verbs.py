"""`init` and `agent …`: files are written once and never over others', keys are shown once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

SURVEY = {
    "root": "",
    "head_branch": "main",
    "base": "main",
    "clients": {},
    "checks": [{"type": "tests_pass", "command": "pytest -q"}],
    "setup": ["python3 -m venv .venv"],
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    return tmp_path


def surveyed(root: Path, **files: str) -> dict[str, object]:
    named = {f".toryo/{name}.yaml": text for name, text in files.items()}
    return {"survey": {**SURVEY, "root": str(root)}, "files": named, "notes": ["no client found"]}


def registered(**more: object) -> dict[str, object]:
    return {
        "project": {"id": "p1", "name": "door", "base": "main"},
        "agent": {"id": "default", "client": ""},
        "notes": ["toryo agent add …"],
        **more,
    }


def test_init_yes_writes_what_is_missing_registers_and_says_what_to_type_next(peer, typed, repository):
    there = peer(survey_path=surveyed(repository, config="base: main\n"), register_project=registered())
    result = typed("init", "--yes", "--name", "door")
    assert (result.code, result.err) == (0, "")
    assert (repository / ".toryo/config.yaml").read_text() == "base: main\n"
    here = str(repository / "sub")
    assert there.calls == [
        ("survey_path", {"path": here}),
        ("register_project", {"path": here, "name": "door", "wrote": [".toryo/config.yaml"]}),
    ]
    lines = result.out.splitlines()
    assert lines[0] == "project   door (p1)"
    assert "wrote     .toryo/config.yaml" in lines
    assert "note: no client found" in lines
    assert lines[-1] == 'Next: the agent (see the note), then toryo task add "what you want done"'


def test_init_never_overwrites_a_file(peer, typed, repository):
    (repository / ".toryo").mkdir()
    (repository / ".toryo/config.yaml").write_text("mine\n")
    peer(survey_path=surveyed(repository, config="base: main\n", other="x\n"), register_project=registered())
    result = typed("init", "--yes")
    assert (repository / ".toryo/config.yaml").read_text() == "mine\n"
    assert (repository / ".toryo/other.yaml").read_text() == "x\n"
    assert "wrote     .toryo/other.yaml\n" in result.out


@pytest.mark.parametrize("name", ["../outside.yaml", ".toryo/link/x.yaml", "/etc/toryo-test.yaml"])
def test_init_writes_nothing_outside_of_the_repository(peer, typed, repository, tmp_path_factory, name):
    (repository / ".toryo").mkdir()
    (repository / ".toryo/link").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    there = peer(survey_path={**surveyed(repository), "files": {name: "x"}}, register_project=registered())
    result = typed("init", "--yes")
    assert (result.code, "outside of" in result.err) == (1, True)
    assert [tool for tool, _ in there.calls] == ["survey_path"]


def test_init_without_yes_and_without_a_terminal_asks_nobody_and_exits_2(peer, typed, repository):
    there = peer(survey_path=surveyed(repository, config="x\n"), register_project=registered())
    result = typed("init")
    assert result.code == 2
    assert result.err == "Error: There is nobody to ask here.\nHint: `toryo init --yes` asks nothing.\n"
    assert "checks      pytest -q" in result.out
    assert not (repository / ".toryo").exists()
    assert [tool for tool, _ in there.calls] == ["survey_path"]


@pytest.mark.parametrize(("answer", "made"), [("y", True), ("", True), ("n", False), (EOFError, False)])
def test_init_asks_a_person_and_writes_only_after_a_yes(peer, typed, repository, monkeypatch, answer, made):
    def said(_: str) -> str:
        if answer is EOFError:
            raise EOFError
        return str(answer)

    peer(survey_path=surveyed(repository, config="x\n"), register_project=registered())
    monkeypatch.setattr("builtins.input", said)
    for name in ("stdin", "stdout"):
        monkeypatch.setattr(f"sys.{name}.isatty", lambda: True, raising=False)
    result = typed("init")
    assert (result.code, (repository / ".toryo/config.yaml").exists()) == (0 if made else 1, made)
    assert ("Nothing was written." in result.out) is not made


def test_init_shows_why_a_repository_cannot_be_a_project(peer, typed, repository):
    problem = {"code": "shallow", "message": "The clone is shallow.", "hint": "`git fetch --unshallow`"}
    peer(survey_path={"survey": {"problem": problem}, "files": {}, "notes": []})
    result = typed("init", "--yes")
    assert result.code == 1
    assert result.err == "Error: The clone is shallow.\nHint: `git fetch --unshallow`\n"


def test_agent_add_sends_the_definition_and_shows_no_passkey_of_an_agent_that_toryo_starts(
    peer, typed, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "role.md").write_text("You mend doors.\n")
    (tmp_path / "prompt.md").write_text("Oil the hinges.\n")
    there = peer(add_agent={"agent": {"id": "sh", "client": "command"}, "passkey": "pass_1"})
    command = "sh agent.sh {prompt_file}"
    words = ["--client", "command", "--command", command, "--slots", "2", "--system-prompt", "@role.md"]
    more = ["--prompt-file", "prompt.md", "--write", "src/**", "--exclude", "*.key", "--access", "connected"]
    result = typed("agent", "add", "sh", *words, *more, "--role", "smith", "--model", "m")
    assert (result.code, "pass" in result.out) == (0, False)
    assert json.loads(typed("agent", "add", "sh", *words, "--json").out)["passkey"] is None
    typed("agent", "add", "sh", *words, *more, "--role", "smith", "--model", "m")
    assert there.arguments_of("add_agent") == {
        "name": "sh",
        "client": "command",
        "command": command,
        "role": "smith",
        "model": "m",
        "system_prompt": "You mend doors.\n",
        "prompt": "Oil the hinges.\n",
        "scope": {"exclude": ["*.key"], "write": ["src/**"]},
        "slots": 2,
        "access": "connected",
        "path": str(tmp_path),
    }


def test_agent_add_takes_a_limit_away(peer, typed):
    there = peer(add_agent={"agent": {"id": "sh", "client": "command", "slots": None}, "changed": True})
    result = typed("agent", "add", "sh", "--slots", "none")
    assert (result.code, result.out) == (0, "sh is changed (command).\n")
    assert there.arguments_of("add_agent")["slots"] == 0


@pytest.mark.parametrize("words", [["--outside"], ["--client", "outside"], ["--outside", "--role", "guest"]])
def test_agent_add_outside_shows_the_passkey_of_an_agent_that_somebody_starts(
    peer, typed, tmp_path, monkeypatch, words
):
    monkeypatch.chdir(tmp_path)
    there = peer(add_agent={"agent": {"id": "guest", "client": "outside"}, "passkey": "pass_1"})
    assert typed("agent", "add", "guest", *words).out.count("pass_1") == 1
    assert there.arguments_of("add_agent")["client"] == "outside"
    assert json.loads(typed("agent", "add", "guest", *words, "--json").out)["passkey"] == "pass_1"
    there.answers["add_agent"] = {"agent": {"id": "guest", "client": "outside"}, "passkey": None}
    known = typed("agent", "add", "guest", *words)
    assert "It has its passkey already; a new one: toryo agent passkey guest" in known.out


def test_an_agent_of_a_client_may_be_started_from_outside_too(peer, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    there = peer(add_agent={"agent": {"id": "g", "client": "claude"}, "passkey": "pass_1"})
    assert "pass_1" in typed("agent", "add", "g", "--client", "claude", "--outside").out
    assert there.arguments_of("add_agent")["client"] == "claude"


def test_agent_add_sends_only_what_was_said(peer, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "skills" / "tidy").mkdir(parents=True)
    (tmp_path / "skills" / "tidy" / "SKILL.md").write_text("# Tidy\n")
    agent = {"id": "coder", "client": "claude", "slots": 3}
    there = peer(add_agent={"agent": agent, "changed": True, "projects": []})
    result = typed("agent", "add", "coder", "--style", "interactive", "--skill", "skills/tidy/")
    assert (result.code, result.out) == (0, "coder is changed (claude, 3 at once).\n")
    assert there.arguments_of("add_agent") == {
        "name": "coder",
        "style": "interactive",
        "skills": {"tidy": "# Tidy\n"},
        "path": str(tmp_path),
    }


def test_an_agent_that_was_added_outside_a_project_is_told_where_it_works(peer, typed):
    peer(add_agent={"agent": {"id": "coder", "client": "claude", "slots": 1}, "projects": []})
    assert "It works in no project yet" in typed("agent", "add", "coder", "--client", "claude").out


def test_a_new_passkey_is_printed_once(peer, typed):
    there = peer(new_passkey={"agent": "guest", "passkey": "pass_2"})
    assert typed("agent", "passkey", "guest").out.startswith("passkey: pass_2\n")
    assert there.arguments_of("new_passkey") == {"agent": "guest"}


def test_an_agent_is_released_in_the_project_here_and_removed_everywhere(peer, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    there = peer(release_agent={"agent": "guest"}, remove_agent={"agent": "guest"})
    assert "guest has no session in the project here any more." in typed("agent", "release", "guest").out
    assert there.arguments_of("release_agent") == {"agent": "guest", "path": str(tmp_path)}
    assert "guest is no agent any more" in typed("agent", "remove", "guest").out


def test_agent_add_for_another_project_names_it(peer, typed):
    there = peer(add_agent={"agent": {"id": "sh", "client": "command"}})
    assert (
        typed("agent", "add", "sh", "--client", "command", "--command", "true", "--project", "p2").code == 0
    )
    sent = there.arguments_of("add_agent")
    assert (sent["project"], "path" in sent) == ("p2", False)


def test_agent_add_with_a_file_that_cannot_be_read_asks_nothing(peer, typed):
    there = peer()
    result = typed("agent", "add", "sh", "--client", "command", "--prompt-file", "nowhere.md")
    assert result.code == 1
    assert (
        result.err == "Error: nowhere.md: No such file or directory.\nHint: `ls -l .` shows what is there.\n"
    )
    assert [tool for tool, _ in there.calls if tool == "add_agent"] == []


def test_agent_show_prints_text_json_and_yaml(peer, typed):
    agent = {"id": "sh", "client": "command", "slots": 1, "scope": {"write": None}, "prompt": "a\nb\n"}
    peer(get_agent=agent)
    assert json.loads(typed("agent", "show", "sh", "--json").out) == agent
    assert yaml.safe_load(typed("agent", "show", "sh", "--format", "yaml").out) == agent
    assert "client  command" in typed("agent", "show", "sh").out


def test_agent_list_names_the_client_and_the_slots(peer, typed):
    peer(
        list_agents={
            "agents": [{"id": "sh", "client": "", "slots": 3, "access": "sealed", "status": "active"}]
        }
    )
    assert typed("agent", "list").out.splitlines()[1].split() == [
        "sh",
        "all",
        "none",
        "yet",
        "3",
        "sealed",
        "active",
        "-",
    ]
