"""The campaign's table: each point with the state right before it, what a person does, and its victims."""

from __future__ import annotations

from dataclasses import dataclass

from chaos import points
from chaos.points import of_order
from chaos.victims import AGENT, BRIDGE, EVERYWHERE, IN_A_MISSION, IN_A_RUN, SHIM, TMUX, TREE
from toryo.domain.words import OrderKind

WAITING = ("waits", "screen", "changed")
"""Agents that live until they are let go."""

AGAIN = ("screen", "breaks", "unfinished", "aside")
"""States whose points are passed from others, too."""

WITHOUT_WINDOW = (AGENT, SHIM, TREE, BRIDGE)
"""Those who live before a run's window is opened."""


@dataclass(frozen=True)
class Case:
    point: str
    victim: str
    state: str
    act: str = ""
    """What a person asks for once the state stands (acts.py); nothing: the orders are there already."""

    @property
    def name(self) -> str:
        return f"{self.point}-{self.victim}{'-' + self.state if self.state in AGAIN else ''}"

    @property
    def has_live_run(self) -> bool:
        return self.state in WAITING


@dataclass(frozen=True)
class Scene:
    """Points that are passed from one state by one act."""

    state: str
    points: tuple[str, ...]
    act: str = ""
    more: tuple[str, ...] = ()
    """Victims besides those that are alive everywhere."""

    def cases(self) -> list[Case]:
        return [
            Case(point, victim, self.state, self.act)
            for point in self.points
            for victim in (*EVERYWHERE, *self.more)
        ]


ORDER = {kind: of_order(kind) for kind in points.KINDS}
RUN_BEFORE, RUN_AFTER, RUN_REPORTED = ORDER[OrderKind.RUN]

SCENES = (
    Scene("fresh", (*ORDER[OrderKind.SURVEY], *ORDER[OrderKind.ADOPT], "check.set_up"), "register"),
    Scene("quick", ("claim.kept", *ORDER[OrderKind.PREPARE], RUN_BEFORE, *points.LAUNCH[::2], *points.EXIT)),
    Scene("quick", ("facts.kept", "drain.decided", "shim.agent_gone")),
    Scene("ran", ORDER[OrderKind.COLLECT]),
    Scene("collected", ORDER[OrderKind.CANDIDATE]),
    Scene("built", (*ORDER[OrderKind.CHECK], "launch.after_mkdir")),
    Scene("built", tuple(point for point in points.CHECK if point != "check.set_up")),
    # a candidate that is red at first: whoever dies, it must not land
    Scene("breaks", (*ORDER[OrderKind.CANDIDATE], *ORDER[OrderKind.CHECK])),
    Scene("checked", ORDER[OrderKind.ACCEPT]),
    Scene("accepted", (*ORDER[OrderKind.PUBLISH], *points.PUBLISH)),
    Scene("half", points.MENDING),
    Scene("published", ORDER[OrderKind.CLEAN]),
    Scene("done", ORDER[OrderKind.RESTORE], "restore"),
    Scene("done", ORDER[OrderKind.REVERT], "revert"),
    Scene("unfinished", ORDER[OrderKind.COLLECT], "submit"),
    Scene("done", ORDER[OrderKind.NOTIFY], "notify"),
    Scene("branched", ORDER[OrderKind.DROP_BRANCH], "drop_branch"),
    Scene("branched", ORDER[OrderKind.OPEN_BRANCH], "open_branch"),
    Scene("done", ORDER[OrderKind.UNADOPT], "remove"),
    Scene("wished", ORDER[OrderKind.QUESTION], "converse", IN_A_MISSION),
    Scene("wished", ORDER[OrderKind.PLAN], "converse", IN_A_MISSION),
    Scene("wished", ORDER[OrderKind.ANALYZE], "converse", IN_A_MISSION),
    Scene("stuck", ORDER[OrderKind.JUDGE], "converse", IN_A_MISSION),
    Scene("changed", ORDER[OrderKind.IMPACT], "demand", IN_A_MISSION),
    Scene("unit", ORDER[OrderKind.OPEN_TARGET]),
    Scene("aside", (*ORDER[OrderKind.PUBLISH], *ORDER[OrderKind.REFRESH])),
    Scene("files", (*ORDER[OrderKind.SCAN], *ORDER[OrderKind.WRITE])),
    Scene("waits", ("launch.after_exec", RUN_AFTER, RUN_REPORTED, "window.before"), more=WITHOUT_WINDOW),
    Scene("waits", points.HEARING, "say", IN_A_RUN),
    Scene("waits", ORDER[OrderKind.STOP][:1], "stop", IN_A_RUN),
    Scene("waits", ORDER[OrderKind.STOP][1:], "stop"),
    Scene("waits", points.SHIM[:2], more=(SHIM,)),
    Scene("waits", points.SHIM[2:4], more=(AGENT, SHIM, TREE)),
    Scene("screen", points.SCREEN[1:], more=(AGENT, SHIM, TREE, TMUX)),
    Scene("screen", ORDER[OrderKind.SAY], "say", (AGENT, SHIM, TREE, TMUX)),
)
CASES: tuple[Case, ...] = tuple(case for scene in SCENES for case in scene.cases())
