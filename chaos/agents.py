"""The agents of the campaign: shell scripts that note each start and each file they wrote, whole."""

from __future__ import annotations

import sys
from pathlib import Path

from toryo.fronts import bridge

BEGIN = """\
root={root}
echo "$TORYO_RUN" >> $root/starts
name=$(basename "$PWD")
put() {{
    mkdir -p "$(dirname "$1")"
    printf '%s\\n' "$2" > "$1"
    echo "$TORYO_RUN $(git hash-object "$1") $1" >> $root/wrote
}}
held() {{
    touch "$root/up-$TORYO_RUN"
    until [ -e $root/go ] || [ -e "$root/go-$TORYO_RUN" ]; do sleep 0.02; done
}}
"""
"""`put PATH TEXT` writes and notes; `held` says that it is up and waits to be let go."""

QUICK = """\
put "src/$name.txt" "work of $TORYO_RUN"
git add -A && git commit -qm work
put "left-$TORYO_RUN.txt" "left by $TORYO_RUN"
"""

WAITS = """\
put "begun-$TORYO_RUN.txt" "begun by $TORYO_RUN"
sleep 600 | {python} -I -S {bridge} "$TORYO_RUN_FILE" > "$root/bridge-$TORYO_RUN.out" 2>&1 &
setsid sleep 600 &
held
put "src/$name.txt" "work of $TORYO_RUN"
git add -A && git commit -qm work
"""
"""With a bridge, and a tool's child that left its session."""

BREAKS = """\
if [ "$TORYO_PURPOSE" = fix ]; then
    put "src/$name.txt" "mended by $TORYO_RUN"
else
    put "src/$name.txt" "BROKEN by $TORYO_RUN"
fi
git add -A && git commit -qm work
"""
"""Red at first, mended by the fix run."""

CLASHES = """\
if [ "$TORYO_PURPOSE" = resolve ]; then
    put shared.txt "resolved by $TORYO_RUN"
else
    put shared.txt "claimed by $TORYO_RUN"
fi
git add -A && git commit -qm work
"""
"""Every task writes the same file: the second one meets a conflict."""

FORGETS = """\
put "src/$name.txt" "work of $TORYO_RUN"
[ "$(grep -c . $root/starts)" -gt 1 ] && git add -A && git commit -qm work
exit 0
"""

FAILS = """\
put "src/$name.txt" "half of $TORYO_RUN"
git add -A && git commit -qm half
exit 3
"""
"""A person finishes what it began."""

STUMBLES = """\
[ "$(grep -c . $root/starts)" -gt 1 ] || exit 3
"""
"""Its first run fails; then it is quick."""

SLOW = """\
held
put "src/$name.txt" "work of $TORYO_RUN"
git add -A && git commit -qm work
"""

SCREEN = """\
put "src/$name.txt" "work of $TORYO_RUN"
git add -A && git commit -qm work
touch "$root/up-$TORYO_RUN"
"""

SCRIPTS = {
    "quick": QUICK,
    "waits": WAITS,
    "breaks": BREAKS,
    "clashes": CLASHES,
    "screen": SCREEN,
    "fails": FAILS,
    "slow": SLOW,
    "stumbles": STUMBLES + QUICK,
}
WISHES: dict[str, dict[str, str]] = {
    "waits": {"access": "connected", "terminal": "tmux"},
    "screen": {"client": "little", "style": "interactive", "terminal": "tmux"},
}
"""What an agent wants besides its script; a client of its own takes the script's path alone."""


def write(folder: Path) -> dict[str, dict[str, str]]:
    """The scripts, and the wish with which each agent is added."""
    folder.mkdir(exist_ok=True)
    added = {}
    for name, text in SCRIPTS.items():
        path = folder / f"{name}.sh"
        begin = BEGIN.format(root=folder.parent)
        path.write_text(begin + text.replace("{python}", sys.executable).replace("{bridge}", bridge.__file__))
        wish = {"client": "command", "command": f"sh {path} {{prompt_file}}"} | WISHES.get(name, {})
        added[name] = wish if wish["client"] == "command" else wish | {"command": str(path)}
    return added
