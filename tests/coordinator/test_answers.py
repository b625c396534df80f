"""Answers of a coordinator to asks: logs from their end, searches, diffs, commits, files, branches."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from crew import Crew

from repositories import commit_files, git
from toryo.workbench.runs import records
from waiting import eventually


@pytest.fixture
def hands(crew: Crew) -> Crew:
    crew.daemon.start()
    crew.start()
    return crew


def logged(crew: Crew, repo: Path) -> Path:
    """The log of a run that has ended."""
    crew.daemon.give(crew.run_order("r1", repo, "true"))
    log = Path(eventually(lambda: crew.daemon.about("started"))[0]["log"])
    # the shim tells of the end before its record of it is written
    eventually(lambda: records.state(crew.runs / "r1").ended)
    return log


def test_a_log_of_two_hundred_megabytes_is_paged_from_its_end_backwards_at_once(
    hands: Crew, repo: Path
) -> None:
    log = logged(hands, repo)
    with log.open("wb") as file:
        file.truncate(200_000_000)  # sparse: nothing of it may be read
        file.seek(0, 2)
        file.write(b"\n" + b"".join(f"line {number}\n".encode() for number in range(20_000)))
    begun = time.perf_counter()
    last = hands.read("k1", what="log", run="r1", tail=3)
    above = hands.read("k2", what="log", run="r1", before=last["start"], limit=100)
    further = hands.read("k3", what="log", run="r1", before=above["start"], limit=100, raw=True)
    assert time.perf_counter() - begun < 5
    assert last["text"] == "line 19997\nline 19998\nline 19999\n"
    size = log.stat().st_size
    assert (last["ended"], last["next_offset"], last["size"]) == (True, size, size)
    assert above["text"].endswith("line 19995\nline 19996\n")
    assert above["text"].startswith("line 1998")
    assert above["next_offset"] == last["start"]
    assert further["next_offset"] == above["start"]
    assert len(further["text"]) == 100


def test_the_raw_page_before_a_place_past_the_end_is_the_last_one(hands: Crew, repo: Path) -> None:
    log = logged(hands, repo)
    log.write_text("".join(f"line {number}\n" for number in range(100)))
    last = hands.read("k1", what="log", run="r1", before=2**62, limit=14, raw=True)
    size = log.stat().st_size
    assert (last["text"], last["start"], last["next_offset"]) == ("line 98\nline 99\n"[-14:], size - 14, size)


def test_a_log_is_shown_with_its_colours_where_they_are_asked_for(hands: Crew, repo: Path) -> None:
    log = logged(hands, repo)
    log.write_text("\x1b[2K\x1b[32mok\x1b[0m\n")
    assert hands.read("k1", what="log", run="r1")["text"] == "ok\n"
    assert hands.read("k2", what="log", run="r1", colours=True)["text"] == "\x1b[32mok\x1b[0m\n"


def test_a_search_names_the_lines_and_goes_on_from_its_offset(hands: Crew, repo: Path) -> None:
    log = logged(hands, repo)
    log.write_text("".join(f"{'ERROR' if number % 10 == 0 else 'fine'} {number}\n" for number in range(100)))
    first = hands.read("k1", what="search", run="r1", text="ERROR", limit=3)
    assert [one["text"] for one in first["body"]["matches"]] == ["ERROR 0", "ERROR 10", "ERROR 20"]
    rest = hands.read("k2", what="search", run="r1", text="error", any_case=True, offset=first["next_offset"])
    assert [one["text"] for one in rest["body"]["matches"]] == [f"ERROR {number}0" for number in range(3, 10)]
    assert rest["ended"]
    place = rest["body"]["matches"][0]["start"]
    assert hands.read("k3", what="log", run="r1", offset=place, limit=5)["text"] == "ERROR 30\n"


def test_commits_files_folders_and_a_diff_are_read_from_the_objects(hands: Crew, repo: Path) -> None:
    old = git(repo, "rev-parse", "HEAD")
    new = commit_files(repo, {"src/x.py": "print('棟梁')\n", "a.txt": "two\n"}, "second\n\nwith a body")
    (repo / "a.txt").write_text("nobody committed this\n")
    where = {"repo": str(repo)}
    (commit,) = hands.read("k1", what="commits", base=old, head="main", **where)["body"]["commits"]
    assert (commit["id"], commit["subject"], commit["author"]) == (new, "second", "Some One")
    file = hands.read("k2", what="file", commit="main", path="src/x.py", **where)
    assert (file["text"], file["body"]) == ("print('棟梁')\n", {"commit": new, "binary": False})
    part = hands.read("k3", what="file", commit=new, path="src/x.py", offset=7, limit=4, **where)
    assert (part["text"], part["next_offset"], part["ended"]) == ("棟", 10, False)
    tree = hands.read("k4", what="tree", commit="main", **where)["body"]["entries"]
    assert [(one["name"], one["kind"], one["size"]) for one in tree] == [
        ("a.txt", "file", 4),
        ("src", "folder", None),
    ]
    inner = hands.read("k5", what="tree", commit="main", path="src/", **where)["body"]["entries"]
    assert [one["name"] for one in inner] == ["x.py"]
    diff = hands.read("k6", what="diff", base=old, head=new, **where)
    assert "+two" in diff["text"]
    assert "nobody" not in diff["text"]
    assert diff["size"] == len(diff["text"].encode())
    pages, offset = "", 0
    while offset < diff["size"]:
        page = hands.read(f"page{offset}", what="diff", base=old, head=new, offset=offset, limit=37, **where)
        pages, offset = pages + page["text"], page["next_offset"]
    assert pages == diff["text"]


@pytest.mark.parametrize(
    ("read", "said"),
    [
        ({"what": "file", "commit": "main", "path": "none.txt"}, "no file none.txt"),
        ({"what": "file", "commit": "main", "path": "../../etc/passwd"}, "no path in a repository"),
        ({"what": "file", "commit": "--output=x", "path": "a.txt"}, "is not in"),
        ({"what": "tree", "commit": "main", "path": "a.txt"}, "no folder a.txt"),
        ({"what": "commits", "head": "nowhere"}, "nowhere"),
        ({"what": "diff", "base": "1" * 40, "head": "main"}, "111111111111 is not in"),
        ({"what": "telepathy"}, "cannot answer 'telepathy'"),
    ],
    ids=lambda value: value["what"] if isinstance(value, dict) else "",
)
def test_what_is_not_there_is_said(hands: Crew, repo: Path, read: dict[str, Any], said: str) -> None:
    problem = hands.read("k1", **{"repo": str(repo), **read})["problem"]
    assert said in problem["message"]


def test_branches_are_told_with_their_distance_and_where_they_are_checked_out(
    hands: Crew, repo: Path, tmp_path: Path
) -> None:
    base = git(repo, "rev-parse", "HEAD")
    git(repo, "worktree", "add", "-q", "-b", "agent/mend-t1", str(tmp_path / "there"))
    commit_files(tmp_path / "there", {"b.txt": "b\n"}, "mended")
    commit_files(repo, {"c.txt": "c\n"}, "third")
    git(repo, "update-ref", "refs/remotes/origin/main", base)
    git(repo, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    git(repo, "branch", "old", base)
    told = hands.read("k1", what="branches", repo=str(repo), target="main")
    rows = told["body"]["branches"]
    assert [(one["kind"], one["name"], one["ahead"], one["behind"]) for one in rows] == [
        ("local", "main", 0, 0),
        ("local", "old", 0, 1),
        ("agent", "agent/mend-t1", 1, 1),
        ("remote", "origin/main", 0, 1),
    ]
    assert [one["worktree"] for one in rows] == [str(repo), "", str(tmp_path / "there"), ""]
    assert [one["is_target"] for one in rows] == [True, False, False, False]
    assert rows[2]["subject"] == "mended"
    page = hands.read("k2", what="branches", repo=str(repo), target="none", offset=1, limit=2)
    assert [one["name"] for one in page["body"]["branches"]] == ["old", "agent/mend-t1"]
    assert (page["next_offset"], page["size"], page["ended"]) == (3, 4, False)
    assert {one["ahead"] for one in page["body"]["branches"]} == {None}


def test_an_ask_is_answered_while_every_order_waits(hands: Crew, repo: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    for number in range(12):
        command = f"sh -c 'while [ ! -e {gate} ]; do sleep 0.02; done'"
        hands.daemon.give(hands.run_order(f"r{number}", repo, command))
    assert hands.read("k1", what="commits", repo=str(repo), head="main")["size"] == 1
    gate.touch()
    assert not list((hands.home.coordinator("main") / "orders").glob("k1*"))
    assert not hands.daemon.about("answered")


def test_a_clients_record_is_found_by_what_is_shown_of_it(tmp_path: Path) -> None:
    from toryo.coordinator.runs.log_search import Wanted, matches
    from toryo.coordinator.runs.readable_logs import Lines

    log = tmp_path / "log"
    records = [{"text": "wir bauen 棟梁"}, {"hidden": "棟梁"}, {"text": "棟梁 " + "x" * 1000}]
    log.write_text("".join(json.dumps(one) + "\n" for one in records))
    found, after = matches(log, Wanted("棟梁"), 0, 10, Lines(lambda line: json.loads(line).get("text")))
    assert [text[:12] for _, text in found] == ["wir bauen 棟梁", "棟梁 xxxxxxxxx"]
    assert found[1][1].endswith("…")
    assert after == log.stat().st_size


def test_a_line_that_is_still_being_written_is_searched_again(tmp_path: Path) -> None:
    from toryo.coordinator.runs.log_search import Wanted, matches
    from toryo.coordinator.runs.readable_logs import program_lines

    log = tmp_path / "log"
    log.write_text("one\ntw")
    found, after = matches(log, Wanted("two"), 0, 10, program_lines())
    assert (found, after) == ([], 4)
    log.write_text("one\ntwo\n")
    assert matches(log, Wanted("two"), after, 10, program_lines()) == ([(4, "two")], 8)
