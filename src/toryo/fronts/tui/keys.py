"""Keys of the terminal front: every named act with its keys, two presets, and the file that rebinds them.

The file is `keys.toml` in the home: `preset = "gwt"`, then a table `[keys]` of `name = "key,key"`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.binding import Binding, BindingType

from toryo.domain.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toryo.settings import Home

FILE = "keys.toml"


@dataclass(frozen=True)
class Key:
    name: str
    keys: str
    """As Textual names them, with commas between."""
    about: str
    where: str = "everywhere"
    is_first: bool = False
    """It counts in an input, too."""


ALL: tuple[Key, ...] = (
    Key("other_mode", "tab", "branch mode ⇄ agent mode", is_first=True),
    Key("focus_next_part", "shift+tab", "move the focus", is_first=True),
    Key("palette", "f1", "find anything", is_first=True),
    Key("jump_branches", "alt+1", "branches", is_first=True),
    Key("jump_agent", "alt+2", "agent mode", is_first=True),
    Key("jump_work", "f3,alt+3", "work", is_first=True),
    Key("jump_queue", "f4,alt+4", "queue", is_first=True),
    Key("quit", "ctrl+q", "leave; the work goes on", is_first=True),
    Key("palette_here", "colon,ctrl+p", "find anything", "outside inputs"),
    Key("help", "question_mark", "these keys", "outside inputs"),
    Key("show_branches", "1", "branches", "outside inputs"),
    Key("show_agent", "2", "agent mode", "outside inputs"),
    Key("show_work", "3", "work", "outside inputs"),
    Key("show_queue", "4", "queue", "outside inputs"),
    Key("usage", "dollar_sign", "usage and cost", "outside inputs"),
    Key("new", "n", "a new request", "outside inputs"),
    Key("project", "P", "another project", "outside inputs"),
    Key("refresh", "R", "ask for everything again", "outside inputs"),
    Key("leave", "q", "leave; the work goes on", "outside inputs"),
    Key("down", "j,down", "next row", "lists"),
    Key("up", "k,up", "row before", "lists"),
    Key("top", "g,home", "first row", "lists"),
    Key("bottom", "G,end", "last row", "lists"),
    Key("page_down", "pagedown", "a page down", "lists"),
    Key("page_up", "pageup", "a page up", "lists"),
    Key("open", "enter", "open", "lists"),
    Key("fold", "space,left,h", "fold, unfold", "lists"),
    Key("filter", "slash", "filter", "lists"),
    Key("approve", "a", "approve", "work"),
    Key("reject", "x", "reject, with a reason", "work"),
    Key("retry", "r", "retry", "work"),
    Key("cancel", "c", "cancel, after a question", "work"),
    Key("submit", "s", "submit the worktree", "work"),
    Key("dismiss", "d", "dismiss a failure", "work"),
    Key("message", "m", "say something to its agent", "work"),
    Key("attach", "A", "become its terminal; detach to come back", "work"),
    Key("actions", "full_stop", "everything that may be done", "work"),
    Key("only_waiting", "w", "only what waits for you", "work"),
    Key("attention", "i", "to what needs you, and back", "work"),
    Key("terminal", "t", "terminal ⇄ log", "work"),
    Key("next_tab", "right_square_bracket", "next tab", "work"),
    Key("previous_tab", "left_square_bracket", "tab before", "work"),
    Key("mark", "v", "mark all hunks as seen", "work"),
    Key("next_hunk", "right_curly_bracket", "next hunk of the diff", "work"),
    Key("previous_hunk", "left_curly_bracket", "hunk before", "work"),
    Key("mark_hunk", "V", "mark this hunk as seen, and go to the next", "work"),
    Key("comment", "C", "a comment on this hunk, kept as a draft", "work"),
    Key("send_comments", "S", "send the drafts, after a question", "work"),
    Key("plan_here", "p", "plan something on this branch", "branches"),
    Key("checkout", "C", "the line that checks it out, copied", "branches"),
    Key("delete_branch", "D", "delete it, after a question; its commits are kept", "branches"),
    Key("merge_branch", "M", "send it through the gate, after a question", "branches"),
    Key("open_branch", "w", "a worktree for it; the line that goes there, copied", "branches"),
    Key("start_here", "s", "start an agent on it by hand, in a window", "branches"),
    Key("summary", "S", "what it does, by the planner's model", "branches"),
    Key("interrupt", "escape", "start nothing new; twice: end the agents", "agent mode"),
    Key("read_on", "pagedown", "the chat, a page on", "agent mode"),
    Key("read_back", "pageup", "the chat, a page back", "agent mode"),
    Key("settings", "f2", "the model's settings", "agent mode"),
    Key("leave_plan", "escape", "back to the branches", "a plan for a branch"),
    Key("resume", "enter", "go on with it", "unfinished missions"),
    Key("discard", "D", "discard it", "unfinished missions"),
)

GWT: dict[str, str] = {
    "leave": "q,ctrl+c",
    "show_work": "3,l",
    "palette_here": "colon,ctrl+p",
    "settings": "f2,S",
    "filter": "slash,f",
    "help": "question_mark,h",
    "fold": "space,left",
    "new": "n",
}
PRESETS: dict[str, dict[str, str]] = {"default": {}, "gwt": GWT}
_KNOWN = {one.name: one for one in ALL}


class KeysWrong(UserError):
    """The file of the keys cannot be used."""


def bindings(names: Iterable[str]) -> list[BindingType]:
    """For a widget's BINDINGS; the id lets the file rebind them."""
    return [_binding(_KNOWN[name]) for name in names]


def _binding(one: Key) -> Binding:
    return Binding(one.keys, one.name, one.about, id=one.name, priority=one.is_first, show=False)


def read(home: Home) -> dict[str, str]:
    """What differs from the defaults: name → keys."""
    path = home.path / FILE
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as wrong:
        raise KeysWrong(
            f"{path}: {wrong}", hint="Mend it, or move it away: the defaults count then."
        ) from None
    preset = str(told.get("preset", "default"))
    if preset not in PRESETS:
        raise KeysWrong(f"{path}: there is no preset {preset!r}.", hint=f"One of: {', '.join(PRESETS)}.")
    mine = told.get("keys", {})
    unknown = [name for name in mine if name not in _KNOWN] if isinstance(mine, dict) else ["keys"]
    if unknown:
        raise KeysWrong(f"{path}: there is nothing called {unknown[0]!r}.", hint="`?` shows every name.")
    return {**PRESETS[preset], **{name: str(keys) for name, keys in mine.items()}}


def table(changed: dict[str, str]) -> list[Key]:
    """All keys as they count now."""
    return [Key(one.name, changed.get(one.name, one.keys), one.about, one.where, one.is_first) for one in ALL]


_SHOWN = {
    "question_mark": "?",
    "colon": ":",
    "slash": "/",
    "dollar_sign": "$",
    "full_stop": ".",
    "left_square_bracket": "[",
    "right_curly_bracket": "}",
    "left_curly_bracket": "{",
    "right_square_bracket": "]",
    "escape": "Esc",
    "enter": "Enter",
    "tab": "Tab",
    "shift+tab": "Shift+Tab",
    "space": "Space",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}


def _key(name: str) -> str:
    is_function = name[:1] == "f" and name[1:].isdigit()
    return name.upper() if is_function else name.replace("ctrl+", "Ctrl+").replace("alt+", "Alt+")


def shown(keys: str) -> str:
    """`:,ctrl+p` as a person reads it: `: Ctrl+P`."""
    return " ".join(_SHOWN.get(key.strip()) or _key(key.strip()) for key in keys.split(","))
