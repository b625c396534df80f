"""What `init` proposes and says where a repository's test runner would look into its worktrees."""

from __future__ import annotations

from typing import Any

from toryo.engine.project_settings import parse_settings
from toryo.usecases.projects.projects import proposal

SURVEY: dict[str, Any] = {
    **{"root": "/home/me/shop", "base": "main", "submodules": (), "lfs": False, "settings_files": {}},
    **{"checks": ({"type": "tests_pass", "command": "npm test"},), "setup": (), "setup_inputs": ()},
}


def test_the_first_settings_name_the_folder_beside_the_repository_and_init_says_so() -> None:
    told = proposal({**SURVEY, "worktrees": "../it's shop.worktrees"})
    settings = parse_settings(told["files"][".toryo/config.yaml"])
    assert settings.worktrees == "../it's shop.worktrees"
    assert "/home/me/it's shop.worktrees" in told["notes"][0]


def test_where_they_stay_inside_init_says_why_and_which_setting_changes_it() -> None:
    told = proposal({**SURVEY, "stays_inside": "not_writable"})
    assert parse_settings(told["files"][".toryo/config.yaml"]).worktrees == ".worktrees"
    assert "cannot be written" in told["notes"][0]
    assert "`worktrees:`" in told["notes"][0]
    assert proposal(SURVEY)["notes"] == []
