"""Help pages that list verbs, and the nearest verb to one that does not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.cli.entry import SECTIONS, VERBS, find, verb_file
from toryo.fronts.cli.parsing import nearest, sentence
from toryo.fronts.text.output import folded, paint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toryo.fronts.cli.parsing import Parser

EXAMPLES = (
    "toryo init",
    'toryo do "add rate limiting to the API"',
    'toryo task add "mend the login form"',
    "toryo status --watch",
    "toryo evidence t3kd92m1",
)


ABOUT = "Toryo runs a crew of AI coding agents and merges only what it has verified itself."
NOTES = (
    "`toryo VERB --help` shows options and examples; `--json` prints JSON.",
    "Exit codes: 0 fine, 1 you can mend it, 2 usage, 255 a bug.",
    "TORYO_HOME selects the installation; NO_COLOR takes the colour away.",
)


def overview() -> str:
    room = max(len(verb) for verb in VERBS) + 2
    lines = ["usage: toryo VERB …", "", folded(ABOUT, 0)]
    for section, verbs in SECTIONS.items():
        lines += ["", paint(section, "bold")]
        lines += [_verb(verb, about, room) for verb, (_, about) in verbs.items()]
    lines += ["", paint("examples", "bold"), *(f"  {line}" for line in EXAMPLES), ""]
    lines += [folded(line, 0) for line in NOTES]
    return "\n".join(lines)


def _verb(verb: str, about: str, room: int) -> str:
    return f"  {verb:<{room}}{folded(about, room + 2)}"


def overview_of_group(word: str) -> str:
    verbs = verbs_of(word)
    room = max(len(verb) for verb in verbs) + 2
    lines = [f"usage: toryo {word} VERB …", "", folded(sentence(VERBS[word][1].partition(":")[0]), 0), ""]
    lines += [_verb(verb, about, room) for verb, (about, _) in verbs.items()]
    lines += ["", "examples:", *(f"  {_example(parser)}" for parser in _parsers(word))]
    return "\n".join([*lines, "", folded(f"`toryo {word} VERB --help` shows options and more examples.", 0)])


def _parsers(word: str) -> Iterator[Parser]:
    for inner in verbs_of(word):
        parser, _ = find([word, inner])
        assert parser is not None
        yield parser


def _example(parser: Parser) -> str:
    return (parser.epilog or "").splitlines()[1].strip()


def verbs_of(word: str) -> dict[str, tuple[str, object]]:
    """The verbs of a group; none for a verb that is no group."""
    found: dict[str, tuple[str, object]] = getattr(verb_file(VERBS[word][0]), "VERBS", {})
    return found


def whole_tree() -> dict[str, Parser]:
    """Every verb with its parser, `task add` and the like included."""
    tree: dict[str, Parser] = {}
    for word in VERBS:
        parser, _ = find([word]) if not verbs_of(word) else (None, ())
        if parser is not None:
            tree[word] = parser
        else:
            tree |= {parser.prog.removeprefix("toryo "): parser for parser in _parsers(word)}
    return tree


def instead_of(word: str, group: str = "") -> str:
    """A hint for somebody who typed a verb that there is not."""
    if group:
        near = nearest(word, verbs_of(group))
        return _did_you_mean(f"{group} {near}") if near else f"`toryo {group} --help` lists its verbs."
    inside = [f"{one} {word}" for one in VERBS if word in verbs_of(one)]
    if inside:
        return _did_you_mean(inside[0])
    near = nearest(word, [*VERBS, "--version"])
    return _did_you_mean(near) if near else "`toryo --help` lists the verbs."


def _did_you_mean(words: str) -> str:
    return f"Did you mean `toryo {words}`?"
