"""`make bench`: every figure as a ratio to a floor taken in the same run, on the screen and in RESULTS.md.

Nothing here passes or fails: a missed goal is shown as missed. `--tiny` only shows that it works.
"""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import bridge
import claim
import crew
import first_answer
import idle
import life
import log_page
import message
import open_browsers
import page
import reading
import recovery
import terminal_front
import units
from installation import command
from reasons import REASONS
from table import Figure, as_markdown, as_text

RESULTS = Path(__file__).with_name("RESULTS.md")


@dataclass(frozen=True)
class Sizes:
    lives: int = 60
    large_lives: int = 6
    large_files: int = 7000
    tasks: int = 100_000
    claims: int = 150
    commands: int = 20
    starts: int = 30
    calls: int = 300
    cli_runs: int = 20
    messages: int = 100
    calls_of_models: int = 50
    sentences: int = 10
    pages: int = 100
    log_size: int = 500_000_000
    agents: int = 50
    idle_s: float = 30
    kills: int = 20
    shown_tasks: int = 2000
    paints: int = 10
    front_events: int = 10_000
    changes: int = 100
    watched_lives: int = 60
    small_tree: int = 10
    large_tree: int = 1000


TINY = Sizes(
    lives=3,
    large_lives=2,
    large_files=200,
    tasks=500,
    claims=5,
    commands=2,
    starts=2,
    calls=5,
    cli_runs=1,
    messages=2,
    calls_of_models=2,
    sentences=1,
    pages=2,
    log_size=5_000_000,
    agents=3,
    idle_s=1,
    kills=1,
    shown_tasks=50,
    paints=1,
    front_events=100,
    changes=4,
    watched_lives=2,
    small_tree=2,
    large_tree=12,
)


def say(text: str) -> None:
    print(f"  {time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def parts(sizes: Sizes) -> dict[str, Callable[[], list[Figure]]]:
    return {
        "life": lambda: life.measure_small(sizes.lives, say),
        "claim": lambda: claim.measure(sizes.tasks, sizes.claims, say),
        "commands": lambda: reading.measure(sizes.tasks, sizes.commands, say),
        "bridge": lambda: bridge.measure(sizes.starts, sizes.calls, say),
        "log": lambda: log_page.measure(sizes.pages, sizes.log_size, say),
        "message": lambda: message.measure(sizes.messages, say),
        "planner": lambda: first_answer.measure(sizes.calls_of_models, sizes.sentences, say),
        "crew": lambda: crew.measure(sizes.cli_runs, say),
        "terminal": lambda: terminal_front.measure(
            sizes.shown_tasks, sizes.paints, sizes.idle_s, sizes.front_events, say
        ),
        "page": lambda: [
            *page.measure(sizes.shown_tasks, sizes.changes, sizes.paints, sizes.idle_s, say),
            *open_browsers.measure(sizes.watched_lives, say),
        ],
        "recovery": lambda: recovery.measure(sizes.kills, say),
        "units": lambda: units.measure(sizes.small_tree, sizes.large_tree, say),
        "idle": lambda: [
            *idle.measure(sizes.agents, 0.1, sizes.idle_s, say),
            *idle.measure(4 * sizes.agents, 0.3, sizes.idle_s, say),
        ],
        # last: a hundred thousand files are written back and deleted for minutes
        "large": lambda: life.measure_large(sizes.large_lives, sizes.large_files, say),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", nargs="*", help=f"only these: {', '.join(parts(Sizes()))}")
    parser.add_argument("--tiny", action="store_true", help="the smallest sizes; the numbers mean nothing")
    parser.add_argument("--results", type=Path, help="where to write; by default only a whole run writes")
    args = parser.parse_args()
    known = parts(TINY if args.tiny else Sizes())
    if set(args.figures) - known.keys():
        parser.error(f"known figures: {', '.join(known)}")
    figures, loads = [], [os.getloadavg()[0]]
    for name in args.figures or known:
        figures += [_explained(figure) for figure in known[name]()]
        loads.append(os.getloadavg()[0])
    machine = describe(loads)
    print(f"{as_text(figures)}\n\n{machine}")
    whole = not args.figures and not args.tiny
    where = args.results or (RESULTS if whole else None)
    if where is not None:
        where.write_text(results(figures, machine), encoding="utf-8")
    return 0


def _explained(figure: Figure) -> Figure:
    """A missed goal says why, as far as it is known."""
    if figure.met is not False:
        return figure
    why = next((text for begin, text in REASONS.items() if figure.name.startswith(begin)), "")
    return replace(figure, note=" ".join(filter(None, (figure.note, why))))


def describe(loads: list[float]) -> str:
    """The machine, without saying whose it is."""
    git = command(["git", "version"], cwd=Path.cwd()).split()[2]
    return (
        f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()}), "
        f"Python {platform.python_version()}, git {git}, SQLite {sqlite3.sqlite_version}. "
        "Load average before and after each part: "
        + ", ".join(f"{load:.1f}" for load in loads)
        + ". Other work on the machine shows up in it; floors and figures are taken in turns, so read ratios."
    )


def results(figures: list[Figure], machine: str) -> str:
    return (
        "# Figures\n\nWritten by `make bench`; do not edit. Each floor was taken in the same run, "
        "in turns with its figure. `p99` is the largest sample where there are fewer than 100.\n\n"
        f"{machine}\n\n{as_markdown(figures)}"
    )


if __name__ == "__main__":
    sys.exit(main())
