"""YAML that a person wrote: what is refused in every file alike, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from toryo.protocol.yaml_files import Malformed, load
from toryo.workbench.clients import script_files
from toryo.workbench.contexts import skills


def refusal(text: str) -> str:
    with pytest.raises(Malformed) as refused:
        load("f.yaml", text)
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: 2\na: 3", "f.yaml, line 3: a: is there twice"),
        ("a: 1\n'a': 3", "f.yaml, line 2: a: is there twice"),
        ("a:\n- b: {c: 1, c: 2}", "f.yaml, line 2: a.0.b.c: is there twice"),
        ("{a: 1, a: 1}", "f.yaml, line 1: a: is there twice"),
        ("a: 1\na: [", "f.yaml, line 2: "),
    ],
)
def test_a_key_that_is_there_twice_is_refused_with_its_line_and_place(text: str, said: str) -> None:
    assert refusal(text).startswith(said)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a: {c: 1}\nb: {c: 1}", {"a": {"c": 1}, "b": {"c": 1}}),
        ("- a: 1\n- a: 2", [{"a": 1}, {"a": 2}]),
        ("a: &x {c: 1}\nb: {<<: *x, c: 2}", {"a": {"c": 1}, "b": {"c": 2}}),
        ("a: {b: &x {<<: &y {c: 1}, c: 2}}\nd: {<<: *x}", {"a": {"b": {"c": 2}}, "d": {"c": 2}}),
        ("1: a\n'1': b", {1: "a", "1": "b"}),
        ("", None),
    ],
)
def test_the_same_key_elsewhere_and_a_merged_key_are_none(text: str, read: object) -> None:
    assert load("f.yaml", text) == read


def test_the_script_of_a_scripted_agent_is_refused_alike(tmp_path: Path) -> None:
    script = tmp_path / "s.yaml"
    script.write_text("default:\n- print: a\ndefault: []\n")
    with pytest.raises(script_files.BadScript, match="line 3: default: is there twice"):
        script_files.load(script)


def test_a_skills_head_is_its_clis_to_judge() -> None:
    assert skills.describe("---\ndescription: a\ndescription: b\n---\nWords.\n") == "b"
