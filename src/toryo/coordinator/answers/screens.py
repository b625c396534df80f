"""Screen answers: what stands on a run's window, and the command line that shows it."""

from __future__ import annotations

from toryo.coordinator.runs.windows import Windows
from toryo.protocol.asks import AskAnswer, ScreenRead
from toryo.protocol.base import Problem
from toryo.workbench.terminals.door import NoWindow


def window(run: str, windows: Windows) -> AskAnswer:
    try:
        argv = windows.window(run).attach_argv()
    except NoWindow as none:
        return _no_window(none)
    return AskAnswer(ended=True, body={"argv": list(argv)})


def screen(read: ScreenRead, windows: Windows) -> AskAnswer:
    try:
        seen = windows.window(read.run).sight(colours=read.colours)
    except NoWindow as none:
        return _no_window(none)
    body = {"columns": seen.columns, "rows": seen.rows, "cursor": list(seen.cursor)}
    return AskAnswer(text=seen.text, size=len(seen.text.encode()), ended=True, body=body)


def _no_window(none: NoWindow) -> AskAnswer:
    return AskAnswer(problem=Problem(code="no_window", message=none.message, hint=none.hint), ended=True)
