"""Hunks of a change: known again by path and changed lines, whatever moved around them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.usecases.reviews.hunks import hunk_id, parse

DIFF = r"""diff --git a/src/a.py b/src/a.py
index 1..2 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
@@ -10,2 +10,3 @@ def f():
 ten
+elf
 twelve
diff --git a/old.txt b/new.txt
similarity index 90%
rename from old.txt
rename to new.txt
--- a/old.txt
+++ b/new.txt
@@ -1 +1 @@
-a
+b
diff --git a/pic.png b/pic.png
new file mode 100644
index 0..1
Binary files /dev/null and b/pic.png differ
diff --git "a/\346\243\232.txt" "b/\346\243\232.txt"
deleted file mode 100644
--- "a/\346\243\232.txt"
+++ /dev/null
@@ -1 +0,0 @@
-x
"""


def test_a_change_is_cut_into_files_and_hunks() -> None:
    first, renamed, picture, gone = parse(DIFF)
    assert [(one.path, one.kind) for one in (first, renamed, picture, gone)] == [
        ("src/a.py", "changed"),
        ("new.txt", "renamed"),
        ("pic.png", "added"),
        ("棚.txt", "deleted"),
    ]
    assert renamed.old_path == "old.txt"
    assert picture.binary
    assert [(hunk.old_start, hunk.new_start) for hunk in first.hunks] == [(1, 1), (10, 10)]
    assert first.hunks[0].lines == (" one", "-two", "+zwei", " three")


def test_a_hunk_that_only_moved_is_the_same_and_one_that_changed_is_another() -> None:
    before = parse(DIFF)[0].hunks
    elsewhere = DIFF.replace("@@ -10,2 +10,3 @@", "@@ -40,2 +47,3 @@").replace(" ten\n", " zehn\n")
    assert parse(elsewhere)[0].hunks[1].id == before[1].id
    changed = parse(DIFF.replace("+elf", "+onze"))[0].hunks
    assert changed[1].id != before[1].id
    assert changed[0].id == before[0].id


def test_the_same_change_twice_in_a_file_is_two_hunks() -> None:
    twice = DIFF.split("diff --git a/old.txt")[0] + "@@ -20,2 +21,3 @@\n x\n+elf\n y\n"
    ids = [hunk.id for hunk in parse(twice)[0].hunks]
    assert len(set(ids)) == 3
    assert ids[2] == f"{ids[1]}-2"


WITHOUT_LINES = """diff --git a/b.txt b/b2.txt
similarity index 100%
rename from b.txt
rename to b2.txt
diff --git a/c.bin b/c.bin
index bdc955b..8835708 100644
Binary files a/c.bin and b/c.bin differ
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/empty b/empty
new file mode 100644
index 0000000..e69de29
"""


def test_a_file_without_changed_lines_has_one_hunk_that_says_what_is_changed() -> None:
    found = parse(WITHOUT_LINES)
    assert [(one.path, [hunk.header for hunk in one.hunks]) for one in found] == [
        ("b2.txt", ["renamed from b.txt"]),
        ("c.bin", ["binary, not shown"]),
        ("run.sh", ["mode 100644 → 100755"]),
        ("empty", ["added, no lines"]),
    ]
    ids = [hunk.id for one in found for hunk in one.hunks]
    assert len(set(ids)) == 4
    assert not any(hunk.lines for one in found for hunk in one.hunks)


@pytest.mark.parametrize(
    ("was", "now", "changed"),
    [
        ("..8835708", "..1111111", 1),
        ("rename from b.txt", "rename from b1.txt", 0),
        ("new mode 100755", "new mode 120000", 2),
        ("new file mode 100644", "new file mode 100755", 3),
    ],
)
def test_the_hunk_of_such_a_file_is_another_with_other_content(was: str, now: str, changed: int) -> None:
    before = [one.hunks[0].id for one in parse(WITHOUT_LINES)]
    after = [one.hunks[0].id for one in parse(WITHOUT_LINES.replace(was, now))]
    assert [at for at in range(4) if before[at] != after[at]] == [changed]


def test_a_changed_mode_beside_changed_lines_is_a_hunk_of_its_own() -> None:
    both = DIFF.split("diff --git a/old.txt")[0].replace(
        "index 1..2", "old mode 100644\nnew mode 100755\nindex 1..2"
    )
    mode, *rest = parse(both)[0].hunks
    assert mode.header == "mode 100644 → 100755"
    assert [one.id for one in rest] == [one.id for one in parse(DIFF)[0].hunks]


@given(st.text(max_size=300))
def test_whatever_comes_is_read_without_a_failure(text: str) -> None:
    parse(text)
    parse("diff --git a/x b/x\n" + text)


@given(st.lists(st.text(st.characters(exclude_characters="\n\r"), max_size=10), max_size=5))
def test_context_is_no_part_of_an_id(lines: list[str]) -> None:
    changed = ["+new", "-old"]
    assert hunk_id("a", [*(f" {line}" for line in lines), *changed]) == hunk_id("a", changed)
