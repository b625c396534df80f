"""Every named point at which somebody may be killed: three of each kind of order, and the finer ones.

The names are those of `toryo.steps.step` and, for the shim, of `Run.crash`; a test holds list and code
together.
"""

from __future__ import annotations

from toryo.domain.words import PLANNER_KINDS, OrderKind

MOMENTS = ("before", "after", "reported")
"""Of an order: before its effect, after it, after its report."""


KINDS = tuple(kind for kind in OrderKind if kind is not OrderKind.SUMMARISE)
"""A summary is made within another order; nobody orders one."""
MIND = tuple(kind for kind in KINDS if kind in PLANNER_KINDS)


def of_order(kind: OrderKind) -> tuple[str, ...]:
    return tuple(f"{kind}.{moment}" for moment in MOMENTS)


ORDERS: tuple[str, ...] = tuple(point for kind in KINDS for point in of_order(kind))

LAUNCH = ("launch.before_mkdir", "launch.after_mkdir", "launch.written", "launch.after_exec")
EXIT = ("exit.before", "exit.reported")
CHECK = (
    "check.slot_taken",
    "check.placed",
    "check.set_up",
    "check.occupied",
    "check.launched",
    "check.ended",
)
PUBLISH = ("publish.locked", "publish.journalled", "publish.merged", "publish.index")
MENDING = ("publish.snapshotted", "publish.put_away")
"""Of a publication that was interrupted before."""
SCREEN = ("window.before", "screen.ready", "words.noted", "words.pasted", "words.entered", "screen.hinted")
HEARING = ("words.written", "words.put")
"""Of words for an agent without a screen."""
HEAD = ("claim.kept", "facts.kept", "drain.decided")
"""The daemon's own: something is kept but not answered, or decided but not kept."""
SHIM = ("shim.locked", "shim.forked", "shim.recorded", "shim.released", "shim.agent_gone")

FINER: tuple[str, ...] = (*LAUNCH, *EXIT, *CHECK, *PUBLISH, *MENDING, *SCREEN, *HEARING, *HEAD)
POINTS: tuple[str, ...] = (*ORDERS, *FINER, *SHIM)
