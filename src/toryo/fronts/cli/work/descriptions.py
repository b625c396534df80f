"""Task descriptions as they are given: words, `@FILE`, `-` for standard input, or an editor."""

from __future__ import annotations

import os
import sys

from toryo.domain.errors import UsageError, UserError

HELP = "all that the agent must know; @FILE reads a file, - standard input"
TEMPLATE = """

# The first line is the title, the rest the description. Lines that begin with # are left out.
# An empty text adds no task.
"""


def given(text: str) -> str:
    """What `-d TEXT` means."""
    from toryo.fronts.cli.files import read_stdin, read_text

    if text == "-":
        return read_stdin()
    return read_text(text[1:]) if text.startswith("@") and len(text) > 1 else text


def asked(description: str) -> tuple[str, str]:
    """Title and description from the person's editor, where nothing was given on a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        hint = 'Type: toryo task add "what is wanted"; on a terminal without a title your editor opens.'
        raise UsageError("A task needs a title.", hint=hint)
    lines = [line for line in _edited(f"\n\n{description}{TEMPLATE}") if not line.startswith("#")]
    title, _, rest = "\n".join(lines).strip().partition("\n")
    if not title.strip():
        raise UserError("Nothing was written: no task is added.", hint='`toryo task add "what is wanted"`')
    return title, rest.strip()


def _edited(text: str) -> list[str]:
    import shlex
    import tempfile

    from toryo import processes, settings

    env = settings.environment()
    editor = env.get("VISUAL") or env.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="toryo-") as folder:
        file = f"{folder}/TASK.md"
        with open(file, "w", encoding="utf-8") as opened:
            opened.write(text.removeprefix("\n") if text.strip() else text)
        try:
            code = processes.converse([*shlex.split(editor), file], env=env)
        except OSError as failed:
            raise UserError(
                f"The editor {editor} could not be started: {failed.strerror}.",
                hint="Set EDITOR, or give the title: `toryo task add TITLE`.",
            ) from failed
        if code != 0 or not os.path.exists(file):  # noqa: PTH110 - importing pathlib would cost 4 ms
            raise UserError(
                f"The editor ended with {code}: no task is added.", hint="Save and quit to add it."
            )
        from toryo.fronts.cli.files import read_text

        return read_text(file).splitlines()
