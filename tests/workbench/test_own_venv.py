"""Toryo's own virtual environment is not on an agent's or a check's PATH, and `toryo` can be called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from toryo import own_venv, shell_environment
from toryo.domain.words import Access, Purpose
from toryo.workbench.contexts.environment import own_launcher, run_environment
from toryo.workbench.gates.environment import check_environment

OWN = str(Path(sys.prefix) / "bin")


def of_run(tmp_path: Path, path: str, **more: str) -> dict[str, str]:
    return run_environment(
        {"PATH": path, **more},
        agent="a",
        project="p",
        worktree=tmp_path,
        run="r1",
        purpose=Purpose.IMPLEMENT,
        access=Access.SEALED,
        launcher=own_launcher(tmp_path / "bin"),
    )


def test_a_runs_path_is_without_our_own_environment_and_has_toryo_all_the_same(tmp_path: Path) -> None:
    env = of_run(tmp_path, f"{OWN}:/usr/bin:/bin", VIRTUAL_ENV=sys.prefix)
    assert env["PATH"] == f"/usr/bin:/bin:{tmp_path / 'bin'}"
    assert "VIRTUAL_ENV" not in env
    done = subprocess.run(
        ["sh", "-c", "toryo --version"], env=env, cwd="/", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.split()[:1]) == (0, ["toryo"]), done.stderr


def test_a_toryo_that_is_on_the_path_is_left_to_be_found(tmp_path: Path) -> None:
    mine = tmp_path / "local" / "bin"
    mine.mkdir(parents=True)
    for name in ("toryo", "claude"):
        (mine / name).write_text("#!/bin/sh\n")
        (mine / name).chmod(0o755)
    assert of_run(tmp_path, f"{mine}:/usr/bin")["PATH"] == f"{mine}:/usr/bin"


def test_the_users_own_environment_stays_active(tmp_path: Path) -> None:
    env = of_run(tmp_path, f"{tmp_path}/venv/bin:/usr/bin", VIRTUAL_ENV=f"{tmp_path}/venv")
    assert env["PATH"].startswith(f"{tmp_path}/venv/bin:/usr/bin")
    assert env["VIRTUAL_ENV"] == f"{tmp_path}/venv"


def test_a_check_does_not_see_our_own_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{OWN}:/usr/bin:/bin")
    env = check_environment(tmp_path, tmp_path, tmp_path, tmp_path / "repo", False)
    assert env["PATH"] == "/usr/bin:/bin"


def test_an_environment_that_holds_programs_of_others_goes_to_the_end_and_is_not_taken_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "venv" / "bin"
    folder.mkdir(parents=True)
    (folder.parent / "pyvenv.cfg").write_text("")
    for name in ("python", "pip3.11", "activate", "claude"):
        (folder / name).write_text("")
    monkeypatch.setattr(own_venv, "own_bin", lambda: folder)
    assert own_venv.without_own(f"{folder}:/usr/bin") == f"/usr/bin:{folder}"
    (folder / "claude").unlink()
    own_venv.holds_others.cache_clear()
    assert own_venv.without_own(f"{folder}:/usr/bin") == "/usr/bin"


def test_without_a_virtual_environment_nothing_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_venv, "own_bin", lambda: None)
    assert own_venv.without_own(f"{OWN}:/usr/bin") == f"{OWN}:/usr/bin"


def test_a_shell_that_differs_is_named_by_folders_and_keys_and_no_value_is_kept() -> None:
    there = {"PATH": "/usr/bin:/old", "A_API_KEY": "sk-1", "B_TOKEN": "x", "LANG": "C", "VSCODE_X_TOKEN": "1"}
    kept = shell_environment.written(there)
    assert "sk-1" not in str(kept)
    assert shell_environment.differences(kept, {**there, "LANG": "de", "VSCODE_X_TOKEN": "2"}) == []
    here = {"PATH": f"{OWN}:/new/bin:/usr/bin", "A_API_KEY": "sk-2", "C_BASE_URL": "http://x"}
    assert shell_environment.differences(kept, here) == [
        "PATH (only here: /new/bin; only there: /old)",
        "A_API_KEY (another value)",
        "B_TOKEN (only there)",
        "C_BASE_URL (only here)",
    ]
    assert shell_environment.differences(kept, {**there, "PATH": "/old:/usr/bin"}) == [
        "PATH (in another order)"
    ]
    assert shell_environment.differences({}, here) == []


def test_the_repositorys_launcher_is_the_only_program_in_its_folder() -> None:
    folder = Path(__file__).parents[2] / "bin"
    assert [one.name for one in folder.iterdir()] == ["toryo"]
    done = subprocess.run(
        [folder / "toryo", "--version"], capture_output=True, text=True, check=False, cwd="/"
    )
    installed = (folder.parent / ".venv" / "bin" / "python").exists()
    assert done.returncode == (0 if installed else 1), done.stderr
