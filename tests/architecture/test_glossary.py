"""docs/glossary.md defines each word once, the verbs of the domain among them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs/glossary.md").read_text()
DEFINED = [
    word.lower()
    for cell in re.findall(r"^\| (\*\*.+?) \|", PAGE, flags=re.MULTILINE)
    for word in re.findall(r"\*\*([^*]+)\*\*", cell)
]
VERBS = {"claim", "report", "observe", "decide", "order", "accept", "publish"}


def test_no_word_is_defined_twice() -> None:
    assert len(DEFINED) > 60
    assert [word for word, times in Counter(DEFINED).items() if times > 1] == []


def test_the_verbs_of_the_domain_are_defined() -> None:
    assert VERBS - set(DEFINED) == set()


def test_every_definition_says_something() -> None:
    rows = re.findall(r"^\| \*\*.+?\|(.*)\|$", PAGE, flags=re.MULTILINE)
    assert [row for row in rows if len(row.strip()) < 10] == []
