"""The project's `setup:` in an agent's worktree: a script runs it, once per state of its inputs.

It belongs to the run: same limit, same stop. Its output is kept in the run's directory.
"""

from __future__ import annotations

import shlex
from pathlib import Path

SCRIPT, OUTPUT = "setup.sh", "setup.log"

_TEXT = """\
(
    cd {worktree} || exit 1
    note=$(git rev-parse --absolute-git-dir)/toryo-setup || exit 1
    key=$({{ printf '%s\\n' {steps}; {versions}; }} | git hash-object --stdin)
    [ "$(cat "$note" 2>/dev/null)" = "$key" ] && exit 0
    left() {{ git ls-files --others --exclude-standard --directory; }}
    before=$(left)
    for step in {steps}; do
        echo "toryo: set-up: $step"
        CI=true HUSKY=0 /bin/sh -c "$step" </dev/null >>{output} 2>&1 && continue
        echo "toryo: set-up failed: $step (all of its output: {output})"
        tail -n 20 {output}
        exit 1
    done
    # what it made is nobody's work: an agent that commits everything must not find it
    left | while IFS= read -r made; do
        case "$made" in */) ;; *) continue ;; esac
        printf '%s\\n' "$before" | grep -Fqx -e "$made" && continue
        [ -e "$made/.gitignore" ] || echo '*' > "$made/.gitignore"
    done
    printf '%s' "$key" > "$note"
) </dev/null
exec "$@"
"""


def setup_script(worktree: Path, run_dir: Path, steps: tuple[str, ...], inputs: tuple[str, ...]) -> str:
    """A failed step ends the set-up, not the run: the agent may know better, and the gate has its own."""
    patterns = " ".join(shlex.quote(f":(glob){pattern}") for pattern in inputs)
    return _TEXT.format(
        worktree=shlex.quote(str(worktree)),
        output=shlex.quote(str(run_dir / OUTPUT)),
        steps=" ".join(shlex.quote(step) for step in steps),
        versions=f"git ls-files -s -- {patterns}" if patterns else ":",
    )


def with_setup(argv: tuple[str, ...], script: Path) -> tuple[str, ...]:
    return ("/bin/sh", str(script), *argv)
