"""What checks and set-up are found in the files of a checkout."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from toryo.workbench.gates.detect import Detected, detect

VENV = "python3 -m venv .venv && "
UNITTEST = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        pass\n"
PLAIN = "def test_it():\n    assert True\n"
PACKAGE = '[build-system]\nrequires = ["hatchling"]\n[project]\nname = "x"\nversion = "1"\n'
OWN_PYTEST = (
    "python3 -m pytest --version >/dev/null 2>&1 || "
    "{ python3 -m venv .venv && .venv/bin/pip install -q pytest; }"
)


def package(**fields: object) -> str:
    return json.dumps({"name": "x", **fields})


CASES: dict[str, tuple[dict[str, str], list[tuple[str, str]], list[str], list[str]]] = {
    "an empty folder": ({}, [], [], []),
    "text only": ({"README.md": "hello", "docs/a.md": ""}, [], [], []),
    "Python without a test": ({"pyproject.toml": PACKAGE, "x.py": ""}, [], [], []),
    "pytest settings without a test": ({"pytest.ini": "[pytest]\n"}, [], [], []),
    "plain test functions": (
        {"test_x.py": PLAIN},
        [("tests_pass", "python3 -m pytest -q")],
        [OWN_PYTEST],
        [],
    ),
    "unittest at the root": ({"test_x.py": UNITTEST}, [("tests_pass", "python3 -m unittest")], [], []),
    "unittest in a package": (
        {"tests/__init__.py": "", "tests/test_x.py": UNITTEST},
        [("tests_pass", "python3 -m unittest")],
        [],
        [],
    ),
    "unittest in a bare folder": (
        {"tests/test_x.py": UNITTEST},
        [("tests_pass", "python3 -m unittest discover -s tests")],
        [],
        [],
    ),
    "unittest in two bare folders": (
        {"a/test_x.py": UNITTEST, "b/test_y.py": UNITTEST},
        [("tests_pass", "python3 -m pytest -q")],
        [OWN_PYTEST],
        [],
    ),
    "a pyproject that only configures pytest": (
        {"pyproject.toml": "[tool.pytest.ini_options]\n", "tests/test_x.py": UNITTEST},
        [("tests_pass", "python3 -m pytest -q")],
        [OWN_PYTEST],
        ["pyproject.toml"],
    ),
    "requirements that name pytest": (
        {"requirements.txt": "attrs\npytest>=8\n", "test_x.py": PLAIN},
        [("tests_pass", "python3 -m pytest -q")],
        [VENV + ".venv/bin/pip install -q -r requirements.txt"],
        ["requirements*.txt"],
    ),
    "requirements that do not name pytest": (
        {"requirements.txt": "attrs\npytest-xdist\n", "requirements-dev.txt": "", "test_x.py": PLAIN},
        [("tests_pass", "python3 -m pytest -q")],
        [VENV + ".venv/bin/pip install -q -r requirements-dev.txt -r requirements.txt pytest"],
        ["requirements*.txt"],
    ),
    "requirements with unittest": (
        {"requirements.txt": "attrs\n", "test_x.py": UNITTEST},
        [("tests_pass", "python3 -m unittest")],
        [VENV + ".venv/bin/pip install -q -r requirements.txt"],
        ["requirements*.txt"],
    ),
    "a package": (
        {"pyproject.toml": PACKAGE, "tests/test_x.py": PLAIN},
        [("tests_pass", "python3 -m pytest -q")],
        [VENV + ".venv/bin/pip install -q -e . pytest"],
        ["pyproject.toml"],
    ),
    "a package with pytest in an extra": (
        {
            "pyproject.toml": PACKAGE + '[project.optional-dependencies]\ndev = ["pytest==8.0"]\n',
            "tests/test_x.py": PLAIN,
        },
        [("tests_pass", "python3 -m pytest -q")],
        [VENV + ".venv/bin/pip install -q -e '.[dev]'"],
        ["pyproject.toml"],
    ),
    "a package with pytest in a dependency group": (
        {"pyproject.toml": PACKAGE + '[dependency-groups]\ntest = ["pytest"]\n', "tests/test_x.py": PLAIN},
        [("tests_pass", "python3 -m pytest -q")],
        [VENV + ".venv/bin/pip install -q 'pip>=25.1' && .venv/bin/pip install -q -e . --group test"],
        ["pyproject.toml"],
    ),
    "setup.cfg with metadata": (
        {"setup.cfg": "[metadata]\nname = x\n[tool:pytest]\n", "tests/test_x.py": UNITTEST},
        [("tests_pass", "python3 -m pytest -q")],
        [VENV + ".venv/bin/pip install -q -e . pytest"],
        ["setup.cfg"],
    ),
    "uv": (
        {"pyproject.toml": PACKAGE, "uv.lock": "", "tests/test_x.py": PLAIN},
        [("tests_pass", "uv run pytest")],
        ["uv sync"],
        ["pyproject.toml", "uv.lock"],
    ),
    "tests of an installed environment are not the project's": (
        {"env/pyvenv.cfg": "", "env/lib/test_x.py": PLAIN, "node_modules/a/test_b.py": PLAIN},
        [],
        [],
        [],
    ),
    "npm with a lock file": (
        {"package.json": package(scripts={"test": "node --test"}), "package-lock.json": "{}"},
        [("tests_pass", "npm test")],
        ["npm ci"],
        ["package.json", "package-lock.json"],
    ),
    "npm without a lock file": (
        {"package.json": package(scripts={"test": "jest"}, devDependencies={"jest": "*"})},
        [("tests_pass", "npm test")],
        ["npm install"],
        ["package.json"],
    ),
    "npm without dependencies": (
        {"package.json": package(scripts={"test": "node --test"})},
        [("tests_pass", "npm test")],
        [],
        [],
    ),
    "the test script that npm init writes": (
        {"package.json": package(scripts={"test": 'echo "Error: no test specified" && exit 1'})},
        [],
        [],
        [],
    ),
    "no test but a build and a linter": (
        {"package.json": package(scripts={"build": "tsc", "lint": "eslint ."}), "package-lock.json": "{}"},
        [("build_succeeds", "npm run build"), ("lint_passes", "npm run lint")],
        ["npm ci"],
        ["package.json", "package-lock.json"],
    ),
    "a package.json that is no JSON": ({"package.json": "{"}, [], [], []),
    "a package.json that is nested without end": ({"package.json": "[" * 50_000}, [], [], []),
    "pnpm": (
        {"package.json": package(scripts={"test": "vitest"}), "pnpm-lock.yaml": ""},
        [("tests_pass", "pnpm test")],
        ["pnpm install --frozen-lockfile"],
        ["package.json", "pnpm-lock.yaml"],
    ),
    "yarn 1": (
        {"package.json": package(scripts={"test": "jest"}), "yarn.lock": ""},
        [("tests_pass", "yarn test")],
        ["yarn install --frozen-lockfile"],
        ["package.json", "yarn.lock"],
    ),
    "yarn since 2": (
        {"package.json": package(scripts={"test": "jest"}), "yarn.lock": "", ".yarnrc.yml": ""},
        [("tests_pass", "yarn test")],
        ["yarn install --immutable"],
        ["package.json", "yarn.lock"],
    ),
    "Rust": (
        {"Cargo.toml": "[package]\n", "Cargo.lock": ""},
        [("tests_pass", "cargo test")],
        ["cargo fetch"],
        ["Cargo.toml", "Cargo.lock"],
    ),
    "Go": (
        {"go.mod": "module x\n"},
        [("tests_pass", "go test ./...")],
        ["go mod download"],
        ["go.mod"],
    ),
    "two languages": (
        {"go.mod": "module x\n", "package.json": package(scripts={"test": "node --test"})},
        [("tests_pass", "npm test"), ("tests_pass", "go test ./...")],
        ["go mod download"],
        ["go.mod"],
    ),
    "a Makefile with a test target wins": (
        {"Makefile": ".PHONY: test\ntest: all\n\tctest\n", "Cargo.toml": "[package]\n"},
        [("tests_pass", "make test")],
        ["cargo fetch"],
        ["Cargo.toml"],
    ),
    "a Makefile that installs by itself": (
        {"Makefile": "test:\n\tpython3 -m venv v && v/bin/pip install .\n", "pyproject.toml": PACKAGE}
        | {"test_x.py": PLAIN},
        [("tests_pass", "make test")],
        [],
        [],
    ),
    "a Makefile with several targets in a line": (
        {"Makefile": "all check test: build\n\ttrue\n"},
        [("tests_pass", "make test")],
        [],
        [],
    ),
    "a Makefile that has no test target": (
        {"Makefile": "test := 1\n.PHONY: test\ntests:\n\ttrue\n\ttest: no\n", "go.mod": "module x\n"},
        [("tests_pass", "go test ./...")],
        ["go mod download"],
        ["go.mod"],
    ),
    "a Makefile with only a build": (
        {"Makefile": "build:\n\tcc x.c\n"},
        [("build_succeeds", "make build")],
        [],
        [],
    ),
}


def lay_out(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def told(found: Detected) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    return [(c.type, c.command) for c in found.checks], list(found.setup), list(found.setup_inputs)


@pytest.mark.parametrize("case", CASES)
def test_checks_and_set_up_are_found_in(case: str, tmp_path: Path) -> None:
    files, *expected = CASES[case]
    lay_out(tmp_path, files)
    assert told(detect(tmp_path)) == tuple(expected)


@pytest.mark.parametrize("folder", ["", "tests/", "tests/deep/"])
def test_the_unittest_command_found_really_runs_the_test(folder: str, tmp_path: Path) -> None:
    lay_out(tmp_path, {f"{folder}test_x.py": UNITTEST.replace("pass", "self.fail('seen')")})
    [check] = detect(tmp_path).checks
    done = subprocess.run(
        ["sh", "-c", check.command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "AssertionError: seen" in done.stderr
