"""The tools of units: people begin and steer a tree, a unit's run spawns its children."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.changes import EVENTS
from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import Which
from toryo.daemon.tools.missions.opening import open_target
from toryo.daemon.tools.registry import RUNS, Arguments, Nothing, Tool, people_tool
from toryo.engine.context import Caller, HeadContext
from toryo.protocol.views import units as views
from toryo.usecases.units import spawn, steer, tree

PREPARING_S = 20


class Spawn(Which):
    requirements: str
    agent: str = ""
    onto: str = ""
    at_once: bool = False
    environment: dict[str, str] = Field(default_factory=dict)
    budget: dict[str, float] = Field(default_factory=dict)


class SpawnChildren(Arguments):
    breakdown: str = Field(default="", max_length=400_000, description="The text of task-breakdown.yml.")
    tasks: list[dict[str, Any]] = Field(
        default_factory=list,
        max_length=200,
        description="Or its tasks: id, description, and where wanted depends_on, agent, write, checks.",
    )


class Tree(Which):
    unit: str = Field(default="", description="A unit or a mission; empty: the newest tree here.")


class Unit(Arguments):
    unit: str
    path: str = ""


class Pause(Unit):
    now: bool = False


async def spawn_tree(head: Head, caller: Caller, args: Spawn) -> views.SpawnedTree:
    target, _ = await open_target(head, args.project, args.path, args.onto)
    wish = spawn.NewTree(
        requirements=args.requirements,
        project=args.project,
        path=args.path,
        agent=args.agent,
        target=target,
        at_once=args.at_once,
        environment=args.environment,
        budget=args.budget,
    )
    return await head.do(spawn.spawn_tree, wish)


async def spawn_children(head: Head, caller: Caller, args: SpawnChildren) -> views.SpawnedChildren:
    def ask(context: HeadContext) -> tuple[bool, None]:
        return spawn.may_spawn(context, caller.run), None

    await head.until((EVENTS,), PREPARING_S, ask)
    return await head.do(spawn.spawn_children, caller.run, args.breakdown, args.tasks)


async def show_tree(head: Head, caller: Caller, args: Tree) -> views.UnitTree:
    return await head.read(tree.show_tree, args.project, args.path, args.unit)


async def own_tree(head: Head, caller: Caller, args: Nothing) -> views.UnitTree:
    return await head.read(tree.own_tree, caller.run)


async def stop_unit(head: Head, caller: Caller, args: Unit) -> views.SteeredUnit:
    return await head.do(steer.stop_unit, args.unit, args.path)


async def pause_unit(head: Head, caller: Caller, args: Pause) -> views.SteeredUnit:
    return await head.do(steer.pause_unit, args.unit, args.path, now=args.now)


async def resume_unit(head: Head, caller: Caller, args: Unit) -> views.SteeredUnit:
    return await head.do(steer.resume_unit, args.unit, args.path)


async def retry_unit(head: Head, caller: Caller, args: Unit) -> views.SteeredUnit:
    return await head.do(steer.retry_unit, args.unit, args.path)


TOOLS = (
    people_tool("spawn_tree", Spawn, spawn_tree, views.SpawnedTree, "Begin a tree of units."),
    people_tool("unit_tree", Tree, show_tree, views.UnitTree, "A tree of units as it stands."),
    people_tool("stop_unit", Unit, stop_unit, views.SteeredUnit, "Stop a unit and all below it."),
    people_tool("pause_unit", Pause, pause_unit, views.SteeredUnit, "Start nothing of a unit and below it."),
    people_tool("resume_unit", Unit, resume_unit, views.SteeredUnit, "Let a paused unit go on."),
    people_tool("retry_unit", Unit, retry_unit, views.SteeredUnit, "Begin a unit anew."),
    Tool(
        "spawn_children",
        RUNS,
        SpawnChildren,
        spawn_children,
        "Divide your unit's work: a child for each task that has none. Then end; you hear when they rest.",
    ),
    Tool("my_tree", RUNS, Nothing, own_tree, "The tree of units that you are a part of."),
)
