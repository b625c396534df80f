"""`init` says which checks it chose and offers linters and packages; in force is only what a person takes."""

from __future__ import annotations

import json

import pytest
import yaml

from toryo.engine.project_settings import parse_settings
from toryo.usecases.projects.projects import proposal

RUFF = {"type": "lint_passes", "command": "ruff check ."}
WEB = {"path": "apps/web", "command": "cd apps/web && npm test"}
TESTS = {"type": "tests_pass", "command": "pytest -q"}


def survey(**fields):
    found = {"root": "", "base": "main", "head_branch": "main", "clients": {}, "checks": [TESTS], "setup": []}
    plain = {"setup_inputs": [], "settings_files": {}, "submodules": [], "lfs": False}
    return {**found, **plain, "offered": [RUFF], "unreached": [WEB], **fields}


def checks_of(text):
    return [one.command for one in parse_settings(text).dod.checks]


@pytest.mark.parametrize(("checks", "in_force"), [([TESTS], ["pytest -q"]), ([], [])])
def test_what_is_offered_stands_in_the_settings_as_comments_that_can_be_uncommented(checks, in_force):
    made = proposal(survey(checks=checks))
    text = made["files"][".toryo/config.yaml"]
    assert checks_of(text) == in_force
    assert [one["command"] for one in made["offered"]] == ["ruff check .", "cd apps/web && npm test"]
    head, _, comments = text.partition("stops every task: try it first.\n")
    bare = comments.replace("  # ", "  ").replace("  #   -", "    -")
    if not checks:
        head = head.replace("  checks: []", "  #")
    both = ["ruff check .", "cd apps/web && npm test"]
    loaded = yaml.safe_load(head + "\n" + bare)
    assert [one["command"] for one in loaded["dod"]["checks"]] == [*in_force, *both]


def test_what_a_person_took_is_in_force_and_no_package_of_it_is_called_unchecked():
    made = proposal(survey(), ["ruff check .", "cd apps/web && npm test"])
    text = made["files"][".toryo/config.yaml"]
    assert checks_of(text) == ["pytest -q", "ruff check .", "cd apps/web && npm test"]
    assert (made["offered"], made["notes"]) == ([], [])


def test_packages_that_stay_unchecked_are_named():
    (note,) = proposal(survey())["notes"]
    assert "apps/web" in note


def test_settings_that_are_there_are_left_alone_and_nothing_is_offered():
    made = proposal(survey(settings_files={"config.yaml": "base: main\n"}))
    assert (made["files"], made["offered"], made["notes"]) == ({}, [], [])


def peers(peer, folder, chosen):
    def proposed(asked):
        chosen.append(asked.get("checks"))
        return proposal(survey(root=str(folder)), asked.get("checks") or ())

    checks = {"id": "p1", "name": "door", "base": "main", "checks": ["pytest -q"]}
    return peer(survey_path=proposed, register_project={"project": checks, "agent": {"id": "w"}, "notes": []})


def test_init_yes_prints_the_checks_it_chose_and_those_it_only_offers(peer, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    peers(peer, tmp_path, [])
    out = typed("init", "--yes").out
    assert "\nchecks    pytest -q\n" in out
    assert "\noffered   ruff check .; cd apps/web && npm test\n" in out
    assert "note: offered checks are not in force" in " ".join(out.split())
    (tmp_path / ".toryo/config.yaml").unlink()
    told = json.loads(typed("init", "--yes", "--json").out)
    assert told["offered"] == ["ruff check .", "cd apps/web && npm test"]


def test_init_asks_about_each_offered_check_and_writes_what_was_taken(peer, typed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chosen, asked = [], []
    peers(peer, tmp_path, chosen)
    monkeypatch.setattr("builtins.input", lambda text: asked.append(text) or ["", "y", "n"][len(asked) - 1])
    for name in ("stdin", "stdout"):
        monkeypatch.setattr(f"sys.{name}.isatty", lambda: True, raising=False)
    assert typed("init").code == 0
    assert chosen == [None, ["ruff check ."]]
    assert ["ruff check ." in text for text in asked] == [False, True, False]
    assert checks_of((tmp_path / ".toryo/config.yaml").read_text()) == ["pytest -q", "ruff check ."]
