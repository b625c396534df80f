"""Modules stay small: a map without enforced size does not survive growth."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
MOST_LINES = 500
MOST_MODULES = 20
"""In one folder, beside what makes it a package."""


def test_no_module_is_longer_than_500_lines():
    lengths = {
        str(file.relative_to(SOURCE)): len(file.read_text().splitlines()) for file in SOURCE.rglob("*.py")
    }
    assert len(lengths) > 20
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}


def test_no_folder_holds_more_than_20_modules():
    modules = [file for file in SOURCE.rglob("*.py") if file.name != "__init__.py"]
    full = Counter(str(file.parent.relative_to(SOURCE)) for file in modules)
    assert full["toryo/daemon/tools"] > 10
    assert {name: count for name, count in full.items() if count > MOST_MODULES} == {}


def test_every_module_says_what_it_owns():
    modules = [file for file in SOURCE.rglob("*.py") if file.name != "__init__.py"]
    silent = [
        str(file.relative_to(SOURCE)) for file in modules if not file.read_text().lstrip().startswith('"""')
    ]
    assert silent == []


def test_no_module_has_a_name_that_fits_anything():
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "service", "misc"}
    assert [str(file) for file in SOURCE.rglob("*.py") if file.stem in vague] == []
