"""The import contracts of pyproject.toml hold: the map of docs/architecture.md is the code's."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def lint_imports(settings: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("lint-imports")
    command = [str(program), "--config", str(settings), "--no-cache"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def test_no_folder_imports_what_its_contract_forbids():
    done = lint_imports(ROOT / "pyproject.toml")
    assert done.returncode == 0, done.stdout


def test_a_contract_that_the_code_breaks_is_noticed(tmp_path):
    settings = tmp_path / "pyproject.toml"
    settings.write_text(
        '[tool.importlinter]\nroot_package = "toryo"\n[[tool.importlinter.contracts]]\nname = "no words"\n'
        'type = "forbidden"\nsource_modules = ["toryo.fronts"]\nforbidden_modules = ["toryo.domain"]\n'
    )
    assert lint_imports(settings).returncode == 1


def test_every_folder_of_the_package_is_named_in_a_contract():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    named = {name for one in contracts for key in one for name in one[key] if isinstance(one[key], list)}
    folders = {f"toryo.{init.parent.name}" for init in (ROOT / "src/toryo").glob("*/__init__.py")}
    assert folders - named == set()
