"""Completion scripts for bash, zsh and fish, from the tree of parsers. Pure text; no shell is asked.

In all three the words typed so far (`task add`) lead to what may come next; after an option that has a fixed
set of values, to those.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from toryo.fronts.cli.entry import VERBS
from toryo.fronts.cli.overviews import verbs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toryo.fronts.cli.parsing import Parser

ASKED = {
    "agent": "agents",
    "task": "tasks",
    "tasks": "tasks",
    "parent": "tasks",
    "after": "tasks",
    "id": "tasks",
    "mission": "missions",
    "follow": "missions",
    "run": "runs",
    "runs": "runs",
    "project": "projects",
    "target": "targets",
}
"""Names that the shell asks for only when it needs them; `@tasks` stands for them in the script."""
KINDS = tuple(dict.fromkeys(ASKED.values()))


def _ask(kind: str) -> str:
    return f"toryo completion --names {kind} 2>/dev/null"


def script(shell: str, tree: dict[str, Parser]) -> str:
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](tree)


def _groups() -> dict[str, dict[str, str]]:
    """Group → its verbs with their help."""
    found = {word: {name: about for name, (about, _) in verbs_of(word).items()} for word in VERBS}
    return {word: verbs for word, verbs in found.items() if verbs}


def _options(parser: Parser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if action.option_strings and action.help != argparse.SUPPRESS:
            yield action


def _positional(parser: Parser) -> list[str]:
    return [value for action in parser._actions if not action.option_strings for value in _values(action)]


def _values(action: argparse.Action) -> list[str]:
    if action.nargs == 0:
        return []
    if action.dest in ASKED and action.type is None:
        return [f"@{ASKED[action.dest]}"]
    return [str(value) for value in action.choices or () if value != ""]


def _nexts(tree: dict[str, Parser]) -> Iterator[tuple[str, dict[str, str]]]:
    """Words typed → what may come next, with its help."""
    yield "", {word: about for word, (_, about) in VERBS.items()}
    yield from _groups().items()
    for words, parser in tree.items():
        offered = dict.fromkeys(_positional(parser), "")
        for action in _options(parser):
            offered |= dict.fromkeys(action.option_strings, _about(action))
        yield words, offered


def _after_options(tree: dict[str, Parser]) -> Iterator[tuple[list[str], list[str]]]:
    """(`task add:-p`, `task add:--priority`) → the values that the option takes; none: a file, perhaps."""
    for words, parser in tree.items():
        for action in _options(parser):
            if action.nargs != 0:
                yield [f"{words}:{name}" for name in action.option_strings], _values(action)


def _about(action: argparse.Action) -> str:
    return " ".join((action.help or "").split())


def _bash(tree: dict[str, Parser]) -> str:
    values = [
        f"        {'|'.join(_quoted(key) for key in keys)}) next={_quoted(' '.join(after))} ;;"
        for keys, after in _after_options(tree)
    ]
    offered = [
        f"            {_quoted(words)}) next={_quoted(' '.join(after))} ;;" for words, after in _nexts(tree)
    ]
    return "\n".join(
        [
            "# completions of toryo for bash",
            "_toryo() {",
            '    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" typed="" next=""',
            '    [ "$COMP_CWORD" -gt 1 ] && typed="${COMP_WORDS[1]}"',
            f'    case " {" ".join(_groups())} " in',
            '        *" $typed "*) [ "$COMP_CWORD" -gt 2 ] && typed="$typed ${COMP_WORDS[2]}" ;;',
            "    esac",
            '    case "$typed:$prev" in',
            *values,
            '        *) case "$typed" in',
            *offered,
            "        esac ;;",
            "    esac",
            *(
                f'    case "$next" in *@{kind}*) next="${{next/@{kind}/$({_ask(kind)})}}" ;; esac'
                for kind in KINDS
            ),
            '    COMPREPLY=($(compgen -W "$next" -- "$cur"))',
            '    [ "${#COMPREPLY[@]}" -gt 0 ] || compopt -o default 2>/dev/null',
            "}",
            "complete -F _toryo toryo",
        ]
    )


def _zsh(tree: dict[str, Parser]) -> str:
    values = [
        f"        ({'|'.join(_quoted(key) for key in keys)}) next=({' '.join(map(_quoted, after))}) ;;"
        for keys, after in _after_options(tree)
    ]
    offered = []
    for words, after in _nexts(tree):
        listed = " ".join(_quoted(_described(name, about)) for name, about in after.items())
        offered.append(f"            ({_quoted(words)}) next=({listed}) ;;")
    return "\n".join(
        [
            "#compdef toryo",
            "_toryo() {",
            '    local prev="${words[CURRENT-1]}" typed=""',
            "    local -a next",
            '    (( CURRENT > 2 )) && typed="${words[2]}"',
            f'    case " {" ".join(_groups())} " in',
            '        (*" $typed "*) (( CURRENT > 3 )) && typed="$typed ${words[3]}" ;;',
            "    esac",
            '    case "$typed:$prev" in',
            *values,
            '        (*) case "$typed" in',
            *offered,
            "        esac ;;",
            "    esac",
            *(
                line
                for kind in KINDS
                for line in (
                    f"    if (( ${{next[(I)@{kind}]}} )); then",
                    f'        next=("${{(@)next:#@{kind}}}" ${{(f)"$({_ask(kind)})"}})',
                    "    fi",
                )
            ),
            "    (( $#next )) && _describe toryo next || _files",
            "}",
            'if [ "${funcstack[1]}" = _toryo ]; then _toryo "$@"; else compdef _toryo toryo; fi',
        ]
    )


def _described(name: str, about: str) -> str:
    """`name:help`, as `_describe` reads it."""
    return f"{name}:{about}" if about else name


def _fish(tree: dict[str, Parser]) -> str:
    lines = [
        "# completions of toryo for fish",
        "function __toryo_typed",
        "    set -l typed (commandline -opc)",
        "    set -e typed[1]",
        f'    if contains -- "$typed[1]" {" ".join(_groups())}',
        '        string join " " -- $typed[1..2]',
        "    else",
        '        echo "$typed[1]"',
        "    end",
        "end",
    ]
    for words, after in (("", dict(_nexts(tree))[""]), *_groups().items()):
        for name, about in after.items():
            lines.append(f"{_fish_at(words)} -f -a {_quoted(name)} -d {_quoted(about)}")
    for words, parser in tree.items():
        if _positional(parser):
            lines.append(f"{_fish_at(words)} -f -a {_quoted(_fish_values(_positional(parser)))}")
        for action in _options(parser):
            lines.append(_fish_option(words, action))
    return "\n".join(lines)


def _fish_at(words: str) -> str:
    typed = words.replace("'", "")
    return f"complete -c toryo -n 'test (__toryo_typed) = \"{typed}\"'"


def _fish_option(words: str, action: argparse.Action) -> str:
    parts = [_fish_at(words)]
    for name in action.option_strings:
        parts.append(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}")
    if _values(action):
        parts.append(f"-x -a {_quoted(_fish_values(_values(action)))}")
    elif action.nargs != 0:
        parts.append("-r")
    return " ".join([*parts, f"-d {_quoted(_about(action))}"])


def _fish_values(values: list[str]) -> str:
    return " ".join(f"({_ask(value[1:])})" if value.startswith("@") else value for value in values)


def _quoted(text: str) -> str:
    """For all three shells; a quote inside becomes a typographic one, for it is only ever in help."""
    return "'" + text.replace("\\", "").replace("'", "’") + "'"
