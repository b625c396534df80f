"""Why a goal is missed, by the beginning of the figure's name: shown only beside a figure that missed it."""

from __future__ import annotations

LAUNCH = (
    "every launch has a fixed cost that the floor has not: four tool calls before the claim (their order is "
    "a contract), three commits and four journal writes that are on the disk before the next step, and the "
    "shim's interpreter (9 ms). It is the same for any repository; git itself is faster here than "
    "`git worktree add` (one process instead of four). A shim started beside the checkout and a warm pool "
    "would take most of it away."
)

REASONS: dict[str, str] = {
    "cold launch, small": LAUNCH,
    "cold launch right after 3 were retired, small": LAUNCH,
    "cold launch": (
        "the fixed cost of a launch, and the status of the main checkout that runs beside git's two checkout "
        "workers: three processes for two cores, or for fewer where other work takes one."
    ),
    "landing": (
        "19 git processes where the floor has 3 (each looks before it moves a ref), and three orders, each "
        "with a journal entry and a report, one after the other."
    ),
    "exit → recorded": (
        "four wake-ups one after the other (shim, coordinator, the daemon's loop, its writer) and two "
        "durable writes; each waits longer where other work has the cores or the disk."
    ),
    "accepted → dependants": (
        "two commits and the drain between them; beside other work each waits for the disk."
    ),
    "ready + claim": (
        "one transaction of 16 statements where the floor has three; each costs about 0.1 ms of CPU in "
        "SQLAlchemy, whatever the number of tasks."
    ),
    "the same as a tool call": "the claim itself, see above; an empty call costs 0.35 ms on a free machine.",
    "toryo ": "the interpreter's start is the floor; what comes on top is the imports and one call.",
    "idle": (
        "per interval of 10 s one heartbeat and one look for work, and every 30 s the whole set of orders; "
        "the rest of the time nothing runs."
    ),
}
"""The first beginning that fits is taken."""
