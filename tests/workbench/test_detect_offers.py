"""What else of a checkout could be checked: linters, types, packages that the chosen check does not reach."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toryo.workbench.gates.detect import detect

PLAIN = "def test_it():\n    assert True\n"
RUST, GO = "[package]\nname = 'x'\n", "module x\n"


def package(**fields: object) -> str:
    return json.dumps({"name": "x", **fields})


TESTED = package(scripts={"test": "node test.js"})

OFFERS: dict[str, tuple[dict[str, str], list[str]]] = {
    "nothing where nothing is configured": ({"test_x.py": PLAIN}, []),
    "what a pyproject configures": (
        {"test_x.py": PLAIN, "pyproject.toml": "[tool.ruff]\n[tool.mypy]\nfiles='src'\n[tool.pyright]\n"},
        ["ruff check .", "mypy", "pyright"],
    ),
    "what files of their own configure": (
        {"test_x.py": PLAIN, "ruff.toml": "[format]\n", "mypy.ini": "[mypy]\n", ".flake8": "[flake8]\n"},
        ["ruff check .", "ruff format --check .", "flake8", "mypy ."],
    ),
    "through uv where uv is used": (
        {"test_x.py": PLAIN, "uv.lock": "", "pyproject.toml": "[project]\nname='x'\n[tool.ruff]\n"},
        ["uv run ruff check ."],
    ),
    "what node's files configure": (
        {"package.json": TESTED, "eslint.config.js": "", "tsconfig.json": "{}", ".prettierrc": ""},
        [f"npx --no-install {one}" for one in ("eslint .", "prettier --check .", "tsc --noEmit")],
    ),
    "scripts rather than the tools behind them": (
        {
            "package.json": package(scripts={"test": "x", "lint": "eslint .", "typecheck": "tsc"}),
            "pnpm-lock.yaml": "",
            "eslint.config.mjs": "",
            "tsconfig.json": "{}",
            "biome.json": "{}",
        },
        ["pnpm run lint", "pnpm run typecheck"],
    ),
    "Rust's own tools": (
        {"Cargo.toml": RUST},
        ["cargo clippy --all-targets -- -D warnings", "cargo fmt --check"],
    ),
    "Go's own tools": ({"go.mod": GO, ".golangci.yml": ""}, ["go vet ./...", "golangci-lint run"]),
    "a Makefile's own target": (
        {"Makefile": "test:\n\ttrue\nlint:\n\ttrue\n", "go.mod": GO},
        ["make lint"],
    ),
    "not what is a check already": ({"package.json": package(scripts={"lint": "eslint ."})}, []),
}

PACKAGES: dict[str, tuple[dict[str, str], list[tuple[str, str]]]] = {
    "npm workspaces that the root's script does not run": (
        {
            "package.json": package(workspaces=["packages/*"], scripts={"test": "node test.js"}),
            "packages/a/package.json": TESTED,
            "packages/b/package.json": package(),
            "elsewhere/package.json": package(),
        },
        [("packages/a", "cd packages/a && npm test")],
    ),
    "none where it runs them": (
        {
            "package.json": package(scripts={"test": "pnpm -r test"}),
            "pnpm-lock.yaml": "",
            "packages/a/package.json": TESTED,
        },
        [],
    ),
    "pnpm's own packages by pnpm": (
        {
            "package.json": TESTED,
            "pnpm-lock.yaml": "",
            "pnpm-workspace.yaml": "packages: [apps/*]\n",
            "apps/web/package.json": TESTED,
        },
        [("apps/web", "cd apps/web && pnpm test")],
    ),
    "Go modules, which ./... does not enter": (
        {"go.mod": GO, "tools/gen/go.mod": GO},
        [("tools/gen", "cd tools/gen && go test ./...")],
    ),
    "no member of a cargo workspace": (
        {"Cargo.toml": "[workspace]\nmembers = ['a']\n" + RUST, "a/Cargo.toml": RUST},
        [],
    ),
    "a crate outside of the workspace": (
        {"Cargo.toml": "[workspace]\nmembers = ['a']\nexclude = ['fuzz']\n", "fuzz/Cargo.toml": RUST},
        [("fuzz", "cd fuzz && cargo test")],
    ),
    "Python packages beside the test paths": (
        {
            "pyproject.toml": "[tool.uv.workspace]\nmembers=['libs/*']\n"
            "[tool.pytest.ini_options]\ntestpaths=['tests']\n",
            "tests/test_x.py": PLAIN,
            "libs/a/pyproject.toml": "[project]\nname='a'\n",
            "libs/a/test_a.py": PLAIN,
        },
        [("libs/a", "cd libs/a && python3 -m pytest -q")],
    ),
    "no Python package that pytest finds from the root": (
        {"test_x.py": PLAIN, "libs/a/pyproject.toml": "", "libs/a/test_a.py": PLAIN},
        [],
    ),
    "packages below a root without any check": (
        {"api/go.mod": GO, "web app/package.json": TESTED},
        [("api", "cd api && go test ./..."), ("web app", "cd 'web app' && npm test")],
    ),
    "none where a Makefile says what the tests are": (
        {"Makefile": "test:\n\ttrue\n", "api/go.mod": GO},
        [],
    ),
    "none of what was installed": ({"go.mod": GO, "node_modules/a/package.json": TESTED}, []),
    "none of another repository": ({"go.mod": GO, "theirs/go.mod": GO, "theirs/.git": "gitdir: x\n"}, []),
}


def lay_out(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.mark.parametrize("case", OFFERS)
def test_linters_and_types_are_offered_and_never_chosen(case: str, tmp_path: Path) -> None:
    files, expected = OFFERS[case]
    lay_out(tmp_path, files)
    found = detect(tmp_path)
    assert [one.command for one in found.offered] == expected
    assert not {one.command for one in found.checks} & set(expected)


@pytest.mark.parametrize("case", PACKAGES)
def test_packages_that_the_chosen_checks_do_not_reach_are_named(case: str, tmp_path: Path) -> None:
    files, expected = PACKAGES[case]
    lay_out(tmp_path, files)
    found = detect(tmp_path)
    assert [(one.path, one.command) for one in found.unreached] == expected


def test_a_cargo_workspace_is_tested_as_a_whole(tmp_path: Path) -> None:
    """`cargo test` beside a root package tests that one alone."""
    lay_out(tmp_path, {"Cargo.toml": "[workspace]\nmembers = ['a']\n" + RUST, "a/Cargo.toml": RUST})
    assert [one.command for one in detect(tmp_path).checks] == ["cargo test --workspace"]
