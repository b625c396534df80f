"""Gives a run its window: what the launch needs for it, and the window that only shows a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from toryo.workbench.clients.calls import Interactive
from toryo.workbench.runs import records
from toryo.workbench.runs.launch import LaunchSpec
from toryo.workbench.terminals import spool
from toryo.workbench.terminals.door import Tmux, program
from toryo.workbench.terminals.marker import with_marker
from toryo.workbench.terminals.spool import Screen
from toryo.workbench.terminals.windows import TERM, Window


def with_log_window(run_dir: Path, spec: LaunchSpec) -> LaunchSpec:
    """The agent runs in the background as ever; a window will show its log."""
    program()  # better no start than one whose window was promised
    spool.write_screen(run_dir, Screen("exec", str(spec.log)))
    return spec


def on_screen(
    tmux: Tmux, run_dir: Path, spec: LaunchSpec, driven: Interactive, prompt_file: Path
) -> LaunchSpec:
    """The shim is started inside a window, and the agent gets the window's terminal as its stdio."""
    program()
    done = driven.done_file
    spool.write_screen(
        run_dir,
        Screen(
            style="interactive",
            log=str(spec.log),
            ready=driven.ready,
            leave=driven.leave,
            done_file="" if done is None else str(done),
            prompt_file=str(prompt_file),
            prompt_given=driven.prompt_given,
            tools_file="" if driven.tools_file is None else str(driven.tools_file),
            asks_file="" if driven.asks_file is None else str(driven.asks_file),
        ),
    )

    def start(run_dir: Path, argv: Sequence[str]) -> int:
        # what the shim itself complains about belongs into its own file, not onto the agent's screen
        shell = ("/bin/sh", "-c", 'exec "$@" 2>>"$0"', str(run_dir / records.SHIM_LOG), *argv)
        return Window(tmux, run_dir.name).open(shell, run_dir, log=spec.log)

    return replace(spec, env=terminal_env(spec.env), starter=start)


def typed_prompt(driven: Interactive, prompt: str) -> str:
    """The prompt as it is typed: a CLI without a hook for the end of a turn is asked to print the marker."""
    wanted = prompt if driven.prompt is None else driven.prompt
    return wanted if driven.done_file is not None or driven.prompt_given else with_marker(wanted)


def show_log(tmux: Tmux, run_dir: Path, screen: Screen) -> Window:
    """A window that shows what an agent in the background prints; found again where it is there."""
    window = Window(tmux, run_dir.name)
    if not window.is_there():
        window.open(("tail", "-n", "+1", "-F", screen.log), run_dir)
    return window


def terminal_env(env: Mapping[str, str]) -> dict[str, str]:
    """Of a program in a window of ours, whatever terminal the coordinator was started from."""
    own = {
        name: value for name, value in env.items() if name not in ("TMUX", "TMUX_PANE", "COLUMNS", "LINES")
    }
    return {**own, "TERM": TERM}
