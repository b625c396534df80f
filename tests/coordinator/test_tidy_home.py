"""What a coordinator leaves on disk: nothing that others may read, no keys of ended runs, no old trash."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from crew import Crew, project, waiting_agent

from benches import make_bench
from repositories import commit_files, git
from toryo.workbench.git.door import layout
from toryo.workbench.git.keep import trash
from toryo.workbench.git.trash.retire import clean
from waiting import eventually


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """What others could do to folders and files; what git writes into a bench is behind its folder's."""
    return {
        str(path.relative_to(folder)): path.stat().st_mode & 0o077
        for path in (folder, *folder.rglob("*"))
        if "bench" not in path.relative_to(folder).parent.parent.parts
    }


def test_folders_and_files_of_a_coordinator_are_for_its_owner_alone(
    crew: Crew, repo: Path, tmp_path: Path, open_umask: None
) -> None:
    old = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "-b", "work")
    new = commit_files(repo, {"b.txt": "two\n"})
    git(repo, "checkout", "-q", "main")
    git(repo, "update-ref", "refs/toryo/tips/main", old)
    end, begun = tmp_path / "end", tmp_path / "begun"
    crew.daemon.start()
    crew.start()
    prepare = {"repo": str(repo), "run": "r1", "task": "t1", "agent": "dev", "client": "command"}
    crew.daemon.texts["f" * 64] = "do it"
    prepare |= {"purpose": "implement", "name": "t1", "base": old, "target": "main", "prompt": "f" * 64}
    crew.daemon.give(crew.order("o1", "prepare", prepare, run="r1"))
    assert not eventually(lambda: crew.daemon.about("prepared", "o1"))[0]["problem"]
    crew.daemon.give(crew.run_order("r1", repo, waiting_agent(end, tmp_path / "trace")))
    heads = [{"task": "t1", "branch": "work", "commit": new}]
    candidate = {"repo": str(repo), "target": "main", "tip": old, "heads": heads}
    candidate |= {"message": "m", "date": "2026-01-01T00:00:00Z"}
    crew.daemon.give(crew.order("o3", "candidate", candidate))
    check = {"repo": str(repo), "project": "p1", "commit": old, "tree": ""}
    check |= {"command": f"touch {begun}; while [ ! -e {end} ]; do sleep 0.02; done"}
    crew.daemon.give(crew.order("o4", "check", check))
    eventually(lambda: crew.daemon.about("started"))
    assert not eventually(lambda: crew.daemon.about("candidate_built"))[0]["problem"]
    eventually(begun.exists)
    found = modes(crew.home.path / "coordinators")
    end.touch()
    eventually(lambda: crew.daemon.about("exited"))
    names = {Path(name).name for name in found}
    assert {"before.json", "prepared.json", "preparing.json", "order.json", "launched.json"} <= names
    assert {"shim.log", "shim.pyc", "gate.json", "runs", "orders", "checks", "bench", "outbox"} <= names
    assert {name: mode for name, mode in found.items() if mode} == {}
    checked_out = repo / ".worktrees" / "t1" / "a.txt"
    assert stat.S_IMODE(checked_out.stat().st_mode) == 0o644, "the umask is the user's"


def test_a_folder_that_an_earlier_version_left_open_is_closed(crew: Crew, open_umask: None) -> None:
    folder = crew.home.coordinator("main") / "runs"
    folder.mkdir(parents=True)
    crew.start()
    eventually(lambda: not any(modes(crew.home.path / "coordinators").values()))


def test_the_environment_of_a_run_leaves_the_disk_with_its_end(
    crew: Crew, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-very-secret")
    end = tmp_path / "end"
    crew.daemon.start()
    crew.start()
    crew.daemon.give(crew.run_order("r1", repo, waiting_agent(end, tmp_path / "trace")))
    eventually(lambda: crew.daemon.about("started"))
    launch = crew.runs / "r1" / "launch.json"
    assert "sk-very-secret" in launch.read_text()
    end.touch()
    log = Path(eventually(lambda: crew.daemon.about("exited") and crew.daemon.about("started"))[0]["log"])
    eventually(lambda: "sk-very-secret" not in launch.read_text())
    record = json.loads(launch.read_text())
    assert (record["limit_s"], record["env"]) == (60, {"TORYO_RUN": "r1"})
    assert launch.stat().st_mode & 0o777 == 0o600
    left = [path for path in crew.runs.rglob("*") if path.is_file()]
    assert not [path for path in left if b"sk-very-secret" in path.read_bytes()]
    assert log.exists()


def test_an_environment_that_a_killed_coordinator_left_is_removed_by_the_next(
    crew: Crew, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew.daemon.start()
    first = crew.start()
    crew.daemon.give(crew.run_order("r1", repo, "true"))
    eventually(lambda: crew.daemon.about("exited"))
    launch = crew.runs / "r1" / "launch.json"
    eventually(lambda: json.loads(launch.read_text()).get("env") == {"TORYO_RUN": "r1"})
    crew.leave(first)
    record = json.loads(launch.read_text())
    record = {**record, "env": {"TORYO_RUN": "r1", "KEY": "sk-very-secret"}}
    record.pop("settled")
    launch.write_text(json.dumps(record))
    crew.start()
    eventually(lambda: "sk-very-secret" not in launch.read_text())


def test_old_trash_of_the_projects_here_is_emptied(crew: Crew, tmp_path: Path) -> None:
    bench = make_bench(tmp_path)
    for run in ("r1", "r2"):
        assert clean(bench.clean_inputs(bench.prepare(run=run), run)).freed
    common = layout.common_dir(bench.repo)
    record = common / "toryo" / "trash" / "r1.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "at": 1.0}))
    nowhere = project("p0", tmp_path / "nowhere", [])
    crew.daemon.projects = [nowhere, project("p1", bench.repo, [], ["main"])]
    crew.daemon.start()
    crew.start()
    eventually(lambda: [entry.name for entry in trash.entries(common)] == ["r2"])
    assert not (common / "toryo" / "trash" / "node_modules" / "r1").exists()
    assert (common / "toryo" / "trash" / "node_modules" / "r2").is_dir()
