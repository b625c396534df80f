"""What a planner is told of a repository: of a commit, never of a checkout, and bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from repositories import commit_files, git, make_repository
from toryo.coordinator.acts.files import scanned
from toryo.domain.planned_tasks import PlannedTask
from toryo.protocol.kinds.files import ScanInputs, Scanned
from toryo.reconciler.plans.facts import PlanFacts
from toryo.reconciler.plans.rules import judge_plan
from toryo.workbench.git.inspect import manifests, scan

FILES = {
    "AGENTS.md": "Use tabs, never spaces.\n",
    "README.md": "# A shop\n\nIt sells things.\n",
    "CONTRIBUTING.md": "Sign your work.\n",
    "package.json": '{"name": "shop", "scripts": {"test": "node --test"}, "dependencies": {"left-pad": "1"}}',
    "src/index.ts": "export {}\n",
    "src/api/routes/orders.ts": "x\n",
    "specs/SPEC-0001/spec.md": "# Orders by mail\n",
}
PYPROJECT = '[project]\nname = "p"\ndependencies = ["httpx>=1"]\n[project.scripts]\np = "p:main"\n'
GO = "module example.org/g\n\nrequire (\n\tgolang.org/x/net v0.1.0\n\tx.org/y v1.0.0 // indirect\n)\n"


def scan_of(repo: Path, limit: int = 60_000, commit: str = "") -> tuple[Scanned, str]:
    inputs = ScanInputs(repo=str(repo), commit=commit or git(repo, "rev-parse", "main"), limit=limit)
    told, blobs = scanned(inputs)
    return told, blobs.get(told.text, "")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop", FILES)


@pytest.mark.parametrize(
    "words",
    [
        "Use tabs, never spaces.",
        "Sign your work.",
        "It sells things.",
        "package.json: shop",
        "test=`node --test`",
        "left-pad",
        "- src/index.ts",
        "specs/SPEC-0001/spec.md: Orders by mail",
        "`npm test`",
        "src/api/routes/ (1 below)",
    ],
)
def test_a_scan_holds_conventions_manifests_entries_specs_tests_and_tree(shop, words):
    told, text = scan_of(shop)
    assert (told.problem, told.has_tests) == (None, True)
    assert words in text


def test_only_the_commit_counts_and_never_the_checkout(shop):
    before, commit = scan_of(shop), git(shop, "rev-parse", "main")
    (shop / "AGENTS.md").write_text("Use spaces.\n")
    (shop / "new.py").write_text("x = 1\n")
    seen = git(shop, "status", "--porcelain")
    assert scan_of(shop) == before
    assert git(shop, "status", "--porcelain") == seen
    commit_files(shop, {"AGENTS.md": "Use spaces.\n"})
    assert scan_of(shop, commit=commit) == before
    assert scan_of(shop) != before


def test_a_repository_without_tests_says_so(tmp_path):
    bare = make_repository(tmp_path / "bare", {"README.md": "hello\n", "app.py": "print(1)\n"})
    told, text = scan_of(bare)
    assert told.has_tests is False
    assert "No tests were found." in text
    tests = {"pyproject.toml": "[tool.pytest.ini_options]\n", "tests/test_a.py": "def test_a(): ...\n"}
    commit_files(bare, tests)
    assert scan_of(bare)[0].has_tests is True


def test_paths_are_folders_and_files_the_upper_ones_first(shop):
    told, _ = scan_of(shop)
    assert set(told.paths) >= {"AGENTS.md", "src/", "src/index.ts", "src/api/", "src/api/routes/"}
    depths = [path.rstrip("/").count("/") for path in told.paths]
    assert depths == sorted(depths)


def test_text_and_paths_are_bounded_and_never_cut_inside_a_character(tmp_path):
    many = {f"d{n % 60}/f{n}.txt": "x" for n in range(2_500)}
    large = make_repository(tmp_path / "large", {"AGENTS.md": "é" * 50_000, **many})
    told, text = scan_of(large, limit=20_001)
    assert len(text.encode()) <= 20_001
    assert "\ufffd" not in text
    assert "[… cut]" in text
    assert 0 < len(told.paths) <= scan.MOST_PATHS


@pytest.mark.parametrize("many", [1, 3_000])
def test_no_path_of_a_deep_or_large_repository_is_unknown_to_the_rules_of_a_plan(tmp_path, many):
    files = {f"m/{n % 7}/p{n % 90}/f{n}.txt": "x" for n in range(many)}
    files |= {f"z{n}/y/x/w/v.txt": "x" for n in range(9)}
    told, _ = scan_of(make_repository(tmp_path / "large", files))
    task = PlannedTask("T001", "X", write=(*files, "zz/y/x.txt"))
    (note,) = judge_plan(PlanFacts((task,), paths=frozenset(told.paths))).notes
    assert note.names == ("zz/y/x.txt",)


@pytest.mark.parametrize("limit", range(40))
def test_a_cut_text_fits_whatever_the_limit(limit):
    assert len(scan.clip("añ€😀" * 20, limit).encode()) <= limit


def test_links_binary_files_and_odd_names_are_no_obstacle(tmp_path):
    odd = make_repository(tmp_path / "odd")
    (odd / "CLAUDE.md").symlink_to("/etc/hostname")
    (odd / "AGENTS.md").write_bytes(b"\0\1\2")
    (odd / "package.json").write_text("{ not json")
    (odd / "na\nme.md").write_text("x")
    git(odd, "add", "-A")
    git(odd, "commit", "-q", "-m", "odd")
    told, text = scan_of(odd)
    assert told.problem is None
    assert "# CLAUDE.md" not in text
    assert "# AGENTS.md" not in text
    assert "package.json" in text


def test_a_commit_or_repository_that_is_not_there_is_a_problem(shop, tmp_path):
    told, _ = scan_of(shop, commit="f" * 40)
    assert told.problem is not None
    assert told.problem.code == "unknown_commit"
    told, _ = scanned(ScanInputs(repo=str(tmp_path / "nowhere"), commit="f" * 40))
    assert told.problem is not None
    assert told.problem.code == "no_repository"


@pytest.mark.parametrize(
    ("path", "text", "shown"),
    [
        ("pyproject.toml", PYPROJECT, ("p", "httpx>=1", "p=p:main")),
        ("Cargo.toml", '[package]\nname = "c"\n[dependencies]\nserde = "1"\n', ("c", "serde")),
        ("go.mod", GO, ("example.org/g", "golang.org/x/net")),
        ("requirements.txt", "flask==3  # web\n-r more.txt\n", ("flask==3",)),
        ("Makefile", "A := 1\n.PHONY: test\ntest: build\n\tgo\nbuild:\n", ("test", "build")),
    ],
)
def test_manifests_are_told_in_brief(path, text, shown):
    told = manifests.shown(path, manifests.read(path, text))
    assert [word for word in shown if word not in told] == []
    assert "x.org/y" not in told


@pytest.mark.parametrize("path", ["package.json", "pyproject.toml", "Cargo.toml", "go.mod"])
@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", "name = 3", '{"name": [], "scripts": 1, "bin": {"a": {}}}', "[project]\nname=[1]"],
)
def test_a_manifest_of_any_form_is_read(path, text):
    assert path in manifests.shown(path, manifests.read(path, text))
