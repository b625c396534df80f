"""What people get wrong, typed at the real command line: an error that says where, a hint, exit 1 (2 for what
makes no command), and nothing half-written."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from house import House, build
from typed_commands import Done, refused, run, tree

from repositories import git, make_repository

ESCAPES = "\x1b]0;owned\x07\x1b[2Jred\x1b[31m\u202e\x9b1m"


@pytest.fixture(scope="module")
def inn() -> Iterator[House]:
    """One installation for all who get something wrong: what they do must not change it."""
    root = Path(tempfile.mkdtemp(prefix="tj"))
    house = build(root)
    try:
        house.ok("init", "--yes", "--base", "main")
        yield house
        assert house.recomputed() == []
    finally:
        house.close()
        shutil.rmtree(root, ignore_errors=True)


def type_(inn: House, *words: str, cwd: Path | None = None, given: str | bytes | None = None) -> Done:
    return run(words, env=inn.env, cwd=cwd or inn.repo, given=given)


def test_what_is_no_repository_to_work_in_is_refused_and_left_as_it_was(inn: House) -> None:
    nothing, empty, bare, shallow = (inn.root / name for name in ("nothing", "empty", "bare", "shallow"))
    nothing.mkdir()
    git(inn.root, "init", "-q", str(empty))
    git(inn.root, "init", "-q", "--bare", str(bare))
    git(inn.root, "clone", "-q", "--depth", "1", f"file://{inn.repo}", str(shallow))
    told = {
        nothing: "is in no git repository",
        empty: "has no commit yet",
        bare: "is a bare repository",
        shallow: "is a shallow clone",
    }
    for place, said in told.items():
        before = tree(place)
        assert said in refused(type_(inn, "init", "--yes", cwd=place))
        assert tree(place) == before
    for place in told:
        refused(type_(inn, "task", "add", "x", cwd=place))


def test_an_old_git_and_no_git_at_all_are_refused_before_anything_is_written(inn: House) -> None:
    repo = make_repository(inn.root / "old")
    tools = inn.root / "tools"
    tools.mkdir()
    old = tools / "git"
    old.write_text("#!/bin/sh\necho git version 2.20.1\n")
    old.chmod(0o755)
    for path, said in ((f"{tools}:/usr/bin:/bin", "2.20.1 is too old"), (str(inn.root), "git was not found")):
        home = Path(tempfile.mkdtemp(prefix="th", dir=inn.root))
        env = {**inn.env, "PATH": path, "TORYO_HOME": str(home)}
        before = tree(repo)
        try:
            assert said in refused(run(("init", "--yes"), env=env, cwd=repo))
            assert tree(repo) == before
        finally:
            run(("down",), env=env, cwd=repo)


@pytest.mark.parametrize(
    "words",
    [
        ("task", "show", "tnothing"),
        ("task", "retry", "tnothing"),
        ("task", "update", "tnothing", "--title", "x"),
        ("task", "update", "tnothing", "--after", "tnothing"),
        ("task", "update", "tnothing", "--after", "t1", "--no-after"),
        ("task", "wait", "tnothing", "--timeout", "1"),
        ("task", "say", "tnothing", "hello"),
        ("task", "add", "x", "--agent", "nobody"),
        ("task", "add", "x", "--after", "tnothing"),
        ("task", "add", "x", "--parent", "tnothing"),
        ("task", "add", "x", "--project", "nowhere"),
        ("task", "add", "x", "--write", "../.."),
        ("task", "add", ""),
        ("task", "add", "x", "-t", "Not A Type"),
        ("run", "show", "rnothing"),
        ("run", "stop", "rnothing"),
        ("log", "rnothing"),
        ("evidence", "tnothing"),
        ("verify", "tnothing"),
        ("restore", "tnothing"),
        ("agent", "show", "nobody"),
        ("agent", "remove", "nobody"),
        ("agent", "assign", "nobody"),
        ("agent", "add", "BAD NAME", "--client", "outside"),
        ("agent", "add", "x", "--client", "no-such-client"),
        ("agent", "add", "x", "--client", "command"),
        ("agent", "add", "x", "--client", "command", "--command", "sh 'unfinished"),
        ("agent", "add", "x", "--client", "outside", "--prompt-file", "/nowhere"),
        ("agent", "add", "x", "--client", "outside", "--prompt-file", "/dev"),
        ("agent", "add", "x", "--client", "outside", "--skill", "/nowhere"),
        ("project", "show", "nowhere"),
        ("project", "move", "/nowhere"),
        ("memory", "show", "nothing"),
        ("session", "start", "--task", "tnothing", "--agent", "nobody"),
        ("worker", "command", "tnothing"),
        ("events", "--task", "tnothing"),
    ],
    ids=" ".join,
)
def test_what_is_not_known_is_named_with_a_way_out(inn: House, words: tuple[str, ...]) -> None:
    done = type_(inn, *words)
    refused(done, 2 if done.code == 2 else 1)


@pytest.mark.parametrize(
    "words",
    [
        ("task", "add", "x", "--timeout", "-5"),
        ("task", "add", "x", "--timeout", "nan"),
        ("task", "add", "x", "--timeout", "1e300"),
        ("task", "add", "x", "--timeout", "99999999"),
        ("task", "list", "--limit", "-1"),
        ("task", "list", "--limit", "99999999999999999999999"),
        ("task", "list", "--limit", "٣"),
        ("task", "list", "--after", "99999999999999999999999999"),
        ("task", "wait", "t1", "--timeout", "-1"),
        ("events", "--after", "9" * 5000),
        ("agent", "add", "x", "--client", "outside", "--slots", "0"),
        ("agent", "add", "x", "--client", "outside", "--slots", "99999999999999999999"),
        ("task", "add", "x", "--priority", "wild"),
        ("status", "--watch", "--every", "-1"),
    ],
    ids=lambda words: " ".join(words)[:60],
)
def test_a_number_out_of_range_makes_no_command(inn: House, words: tuple[str, ...]) -> None:
    assert "--help" in refused(type_(inn, *words), 2)


def test_a_cycle_of_tasks_is_refused_in_its_order_and_nothing_is_changed(inn: House) -> None:
    def add(title: str, *words: str) -> str:
        return str(json.loads(type_(inn, "task", "add", title, "--hold", "--json", *words).out)["id"])

    first = add("one")
    second = add("two", "--after", first)
    third = add("three", "--after", second)
    tasks = (first, second, third)
    looks = [("task", "show", one, "--json") for one in tasks] + [("events", "--limit", "1000", "--json")]
    before = [type_(inn, *words).out for words in looks]
    said = refused(type_(inn, "task", "update", first, "--after", third, "--title", "other"))
    assert f"Error: {first} would wait for itself: {first} → {third} → {second} → {first}." in said
    assert f"Hint: Leave {third} out, or first type: toryo task update {second} --no-after" in said
    assert f"{first} → {first}." in refused(type_(inn, "task", "update", first, "--after", first))
    assert "There is no task" in refused(type_(inn, "task", "update", third, "--after", "tnothing"))
    assert "--no-after" in refused(type_(inn, "task", "update", third, "--after", first, "--no-after"), 2)
    assert [type_(inn, *words).out for words in looks] == before
    for words in (("update", second, "--no-after"), ("update", first, "--after", third)):  # as the hint says
        assert type_(inn, "task", *words).code == 0
    assert json.loads(type_(inn, "task", "show", first, "--json").out)["dependencies"] == [third]
    for task in tasks:
        assert type_(inn, "task", "cancel", task).code == 0


def test_an_empty_title_is_refused_and_the_old_one_stays(inn: House) -> None:
    task = str(json.loads(type_(inn, "task", "add", "as it was", "--hold", "--json").out)["id"])
    for empty in ("", " \t"):
        assert "A task needs a title." in refused(type_(inn, "task", "update", task, "--title", empty))
        for field in ("--agent", "--type"):
            assert f"{field} needs a word." in refused(type_(inn, "task", "update", task, field, empty), 2)
    assert json.loads(type_(inn, "task", "show", task, "--json").out)["title"] == "as it was"
    assert type_(inn, "task", "cancel", task).code == 0


def test_no_control_character_of_a_title_reaches_the_terminal(inn: House) -> None:
    made = json.loads(type_(inn, "task", "add", f"a {ESCAPES} title", "-d", ESCAPES, "--hold", "--json").out)
    task = made["id"]
    for words in (
        ("task", "list"),
        ("task", "show", task),
        ("status",),
        ("events",),
        ("task", "cancel", task),
    ):
        done = type_(inn, *words)
        assert done.code == 0, done.err
        for sign in "\x1b\x07\x9b\u202e":
            assert sign not in done.out + done.err, (words, sign)
    assert "\\u001b" in type_(inn, "task", "show", task, "--json").out


def test_very_long_words_and_nul_bytes_are_taken_or_refused_but_never_a_bug(inn: House) -> None:
    for words, given in (
        (("task", "add", "x" * 100_000, "--hold"), None),
        (("task", "add", "x", "--hold", "-d", "長" * 40_000), None),
        (("memory", "add", "nul"), b"a\0b"),
        (("memory", "add", "not text"), b"\xff\xfe"),
        (("memory", "add", "long"), b"x" * 2_000_000),
        (("task", "say", "tnothing", "-"), b"x\0" * 600_000),
    ):
        begun = time.monotonic()
        done = type_(inn, *words, given=given)
        assert done.code == 0 or refused(done)
        assert time.monotonic() - begun < 20, "what is refused is not asked again and again"
    shutil.rmtree(inn.repo / ".toryo" / "memory", ignore_errors=True)


def test_closed_standard_streams_are_no_bug(inn: House) -> None:
    for shell, code in (
        ('exec "$@" <&-', 0),
        ('exec "$@" >&-', 0),
        ('exec "$@" 2>&-', 0),
        ('exec "$@" <&- >&- 2>&-', 0),
        ('"$@" >/dev/full', 1),
    ):
        done = run(("task", "list"), env=inn.env, cwd=inn.repo, before=("/bin/sh", "-c", shell, "sh"))
        assert done.code == code, (shell, done)
        assert "Traceback" not in done.err
    for words in (("memory", "add", "x"), ("init",), ("task", "say", "tnothing", "-")):
        done = run(words, env=inn.env, cwd=inn.repo, before=("/bin/sh", "-c", 'exec "$@" <&-', "sh"))
        refused(done, done.code if done.code in (1, 2) else 1)


def test_a_title_in_another_script_is_no_reason_to_fail_anywhere(inn: House) -> None:
    title = "日本語のタイトル"
    task = json.loads(type_(inn, "task", "add", title, "--hold", "--json").out)["id"]
    for extra in ({"LC_ALL": "C", "LANG": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}, {"TERM": ""}):
        env = {**{name: text for name, text in inn.env.items() if name != "TERM"}, **extra}
        done = run(("task", "show", task), env=env, cwd=inn.repo)
        assert done.code == 0, done.err
        assert title in done.out or "?" in done.out
    assert type_(inn, "task", "cancel", task).code == 0
