"""YAML that a person wrote: what is refused in every file alike, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from toryo.workbench.clients import script_files
from toryo.workbench.contexts import skills
from toryo.yaml.complaints import Malformed, load


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
    assert skills.describe(f"---\na: {'[' * 900}{']' * 900}\n---\nWords.\n") == "Words."


CHAIN = "a0: &a0 {}\n" + "".join(f"a{n}: &a{n} [[[[*a{n - 1}]]]]\n" for n in range(1, 300))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: " + "[" * 500 + "]" * 500, "f.yaml, line 2: it is nested too deeply"),
        ("a: 1\nb: " + "{c: " * 900 + "1" + "}" * 900, "f.yaml, line 2: it is nested too deeply"),
        ("- " * 500 + "a", "f.yaml, line 1: it is nested too deeply"),
        ("[" * 100_000, "f.yaml, line 1: it is nested too deeply"),
        ("a: &x\n  b: [*x]", "f.yaml, line 2: it is nested too deeply"),
        (CHAIN, "f.yaml, line 17: it is nested too deeply"),
    ],
)
def test_nesting_without_end_is_refused_with_its_line(text: str, said: str) -> None:
    assert refusal(text) == said


def test_nesting_that_a_person_can_read_is_taken() -> None:
    read = load("f.yaml", "[" * 50 + "]" * 50)
    for _ in range(49):
        (read,) = read
    assert read == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nnull: 2", "f.yaml, line 2: null is no key: put it in quotes, if it is a name"),
        ("a:\n  ~: 2", "f.yaml, line 2: a.~ is no key: put it in quotes, if it is a name"),
        ("a:\n  on: 2", "f.yaml, line 2: a.on is no key: put it in quotes, if it is a name"),
        ("a: 1\n?\n: 2", "f.yaml, line 2: a key is empty"),
        ("a: 1\nb: \a", "f.yaml, line 2: a character that is not allowed, #x0007"),
        ("\0", "f.yaml, line 1: a character that is not allowed, #x0000"),
        ("a: 1\nb: 2024-13-45", "f.yaml, line 2: this is no timestamp"),
        ("a: 1\nb: !!int secret", "f.yaml, line 2: this is no int"),
        ("a: 1\nb: !!bool secret", "f.yaml, line 2: this is no bool"),
        ("a: 1\nb: " + "9" * 5000, "f.yaml, line 2: this is no int"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_without_its_value(text: str, said: str) -> None:
    assert refusal(text) == said
