"""The endpoint's key is nowhere but in its own file, or in the planner's memory, after a whole mission."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from house import House
from test_sentence_to_landed_work import _environment, _planner, script

from rehearsal.model_process import ModelProcess, model_process

KEY = "kagi-7f3a91c2e5d84b60"
WORK = 'env | sort > "$TORYO_RUN.txt"; git add -A; git commit -qm work'


def everything_below(folder: Path) -> Iterator[tuple[Path, bytes]]:
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            yield path, path.read_bytes()


def in_git(repo: Path) -> bytes:
    """Every object, whatever refers to it."""
    done = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch"], cwd=repo, capture_output=True, check=True
    )
    return done.stdout


def in_command_lines(seen: list[bytes], until: Callable[[], bool]) -> None:
    """Of every process, looked at again and again while the work goes on."""
    while not until():
        for one in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = one.read_bytes()
            except OSError:
                continue
            if KEY.encode() in line:
                seen.append(line)
        time.sleep(0.05)


def use(house: House, model: ModelProcess) -> None:
    house.ok("init", "--yes")
    house.agent(WORK)
    house.ok("planner", "use", "--url", f"{model.url}/v1", "--model", "tea")


@pytest.mark.parametrize("how", ["file", "environment"])
def test_the_key_is_in_no_file_object_log_or_command_line(
    make_house: Callable[..., House], tmp_path: Path, how: str
) -> None:
    house = make_house(init=False)
    if how == "environment":
        house.env["TORYO_PLANNER_API_KEY"] = KEY
    lines: list[bytes] = []
    over: list[bool] = []
    with model_process(tmp_path, script({"error": 503})) as model, ThreadPoolExecutor(1) as pool:
        use(house, model)
        if how == "file":
            subprocess.run(
                [sys.executable, "-m", "toryo", "planner", "key"],
                input=f"{KEY}\n",
                text=True,
                env=house.env,
                cwd=house.repo,
                check=True,
                capture_output=True,
            )
        watched = pool.submit(in_command_lines, lines, lambda: bool(over))
        try:
            done = house.toryo("do", "Greet with the word kumo31q, please", "--defaults", "--yes", "--json")
            heard = model.requests()
            planner = _environment(_planner(house))
        finally:
            over.append(True)
        watched.result(30)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert [one["purpose"] for one in heard] == ["question", "plan", "plan", "analyze"]
    assert (KEY in planner) is (how == "environment"), "it is the planner's, and in use"
    assert KEY not in said
    assert lines == []
    kept = {path.name for path, content in everything_below(house.home) if KEY.encode() in content}
    assert kept == ({"api.key"} if how == "file" else set())
    assert [path for path, content in everything_below(house.repo) if KEY.encode() in content] == []
    assert KEY.encode() not in in_git(house.repo)
