"""Why a goal is missed, by the beginning of the figure's name: shown only beside a figure that missed it."""

from __future__ import annotations

LAUNCH = (
    "a launch has a fixed cost that the floor has not, the same for any repository: two calls and a durable "
    "claim (4 to 5 ms), some fifteen small files that a crash is mended from, and a start record that is on "
    "the disk before the agent begins. What does not need the worktree is done while git checks it out, and "
    "keeps both cores busy: where other work takes one of them, it stands in a row again. git's own part is "
    "smaller than the floor's (one process instead of four)."
)

REASONS: dict[str, str] = {
    "cold launch, small": LAUNCH,
    "cold launch right after 3 were retired, small": LAUNCH,
    "cold launch": (
        "the fixed cost of a launch, and the status of the main checkout that runs beside git's two checkout "
        "workers: three processes for two cores, or for fewer where other work takes one."
    ),
    "landing": (
        "three orders one after the other, each with a report, its commit, a decision and a wake-up (about "
        "7 ms); git's own part is two processes and some questions to a git that stays."
    ),
    "exit → recorded": (
        "three wake-ups one after the other (shim, coordinator, daemon) and a durable commit; each wake-up "
        "of a core that slept costs up to half a millisecond here."
    ),
    "accepted → dependants": (
        "two commits and the drain between them; beside other work each waits for the disk."
    ),
    "ready + claim": (
        "one transaction of 18 statements where the floor has three, each some hundredths of a millisecond "
        "of Python, whatever the number of tasks."
    ),
    "own time around": (
        "five orders one after the other (collect, candidate, accept, publish and the launch), about a dozen "
        "git processes of 2 ms, and a report with its commit for each."
    ),
    "message → agent has it, headless": (
        "one after the other: the call, a durable order, the coordinator's long poll, a thread of its lane, "
        "a file, a rename, and the wake-up of the agent; each wakes a core that slept."
    ),
    "the same as a tool call": "the claim itself, see above; an empty call costs 0.35 ms on a free machine.",
    "sentence → questions on the screen, nothing": (
        "daemon, coordinator and planner begin one after the other, and the planner's first call pays for "
        "the imports of whoever speaks HTTP; all of it is computing, which beside other work takes several "
        "times as long."
    ),
    "toryo ": "the interpreter's start is the floor; what comes on top is the imports and one call.",
    "idle": (
        "per interval of 10 s one heartbeat and one look for work, and every 30 s the whole set of orders; "
        "the rest of the time nothing runs."
    ),
}
"""The first beginning that fits is taken."""
