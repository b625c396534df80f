"""The tools a coordinator calls. No answer here carries a task's text or status (S1-06, S1-07)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import Field

from toryo.daemon.changes import LOOK, place_topic
from toryo.daemon.head import Head
from toryo.daemon.mcp.registry import COORDINATORS, LARGEST, Arguments, Tool
from toryo.domain.errors import NotFound, Refused
from toryo.domain.words import OrderKind
from toryo.protocol.models import Fact
from toryo.store.rows import OrderRow
from toryo.usecases import agents, asking, claim_run, coordinators, next_orders, report_facts
from toryo.usecases.context import Caller, HeadContext

LONGEST_WAIT_S = 30
STARTABLE = "+"
"""In a version: before it the orders, behind it what can be started."""


class Register(Arguments):
    machine: str
    name: str
    boot: str
    pid: int = Field(ge=0, le=LARGEST)
    clients: dict[str, str] = Field(default_factory=dict)
    fingerprint: str = ""
    interval_s: float = Field(default=10, gt=0, le=86400, allow_inf_nan=False)


class Pair(Arguments):
    agent_id: str
    project_id: str


class Listing(Arguments):
    coordinator: str = ""


class Claim(Pair):
    coordinator: str
    incarnation: int = Field(ge=0, le=LARGEST)
    request_id: str = Field(min_length=8, max_length=100)


class Profile(Arguments):
    agent_id: str
    project_id: str = ""


class NextOrders(Arguments):
    coordinator: str
    incarnation: int = Field(ge=0, le=LARGEST)
    seen: str = ""
    wait_s: float = Field(default=10, ge=0, le=LONGEST_WAIT_S)


class Report(Arguments):
    coordinator: str
    incarnation: int = Field(ge=0, le=LARGEST)
    facts: list[Fact] = Field(max_length=500)
    blobs: dict[str, str] = Field(default_factory=dict)


class Blob(Arguments):
    hash: str = Field(pattern=r"^[0-9a-f]{64}$")


class Hindrance(Arguments):
    """What keeps orders waiting there, and the line to type."""

    what: str = Field(max_length=2000)
    hint: str = Field(default="", max_length=2000)


class Heartbeat(Arguments):
    coordinator: str
    incarnation: int = Field(ge=0, le=LARGEST)
    live_runs: list[str] = Field(default_factory=list)
    hindered: list[Hindrance] = Field(default_factory=list, max_length=20)


def _own(caller: Caller, coordinator: str) -> None:
    """A key speaks for its own coordinator only."""
    if caller.coordinator != coordinator:
        raise Refused(
            f"This key belongs to {caller.coordinator}, not to {coordinator[:200]}.",
            hint="Each coordinator has a key of its own: give it another `--name`.",
        )


async def register(head: Head, caller: Caller, args: Register) -> dict[str, Any]:
    coordinator = coordinators.coordinator_id(args.machine, args.name)
    _own(caller, coordinator)
    return await head.do(
        coordinators.register,
        coordinator,
        boot=args.boot,
        pid=args.pid,
        clients=args.clients,
        fingerprint=args.fingerprint,
        interval_s=args.interval_s,
    )


async def list_active(head: Head, caller: Caller, args: Listing) -> dict[str, Any]:
    if args.coordinator:
        _own(caller, args.coordinator)
    return await head.do(coordinators.list_active_projects)


async def should_start(head: Head, caller: Caller, args: Pair) -> dict[str, Any]:
    head.hurry()
    return await head.do(claim_run.should_start, args.agent_id, args.project_id)


async def claim(head: Head, caller: Caller, args: Claim) -> dict[str, Any]:
    _own(caller, args.coordinator)
    head.hurry()
    return await head.do(
        claim_run.claim_run,
        args.agent_id,
        args.project_id,
        args.coordinator,
        args.incarnation,
        args.request_id,
    )


async def profile(head: Head, caller: Caller, args: Profile) -> dict[str, Any]:
    return await head.do(agents.get_profile, args.agent_id, args.project_id)


async def orders(head: Head, caller: Caller, args: NextOrders) -> dict[str, Any]:
    """Answers when the set differs from the version `seen`, else waits."""
    _own(caller, args.coordinator)
    await head.settle()
    places = await head.do(next_orders.places_of, args.coordinator)

    known, _, could = args.seen.partition(STARTABLE)

    def ask(context: HeadContext) -> tuple[bool, next_orders.OrderSet]:
        nonlocal could
        found = next_orders.take_orders(context, args.coordinator, args.incarnation)
        can = _startable(found)
        # what it could start and started is no news to it; that something can be started again, is
        could = could if can else ""
        return found.superseded or _level(found) != known or can != could, found

    found = await head.until((*map(place_topic, places), LOOK), args.wait_s, ask)
    return {
        "success": True,
        "version": _version(found),
        "orders": list(found.orders),
        "look": bool(found.startable),
        "startable": [[one.agent, one.project] for one in found.startable],
        "superseded": found.superseded,
    }


def _version(found: next_orders.OrderSet) -> str:
    return f"{_level(found)}{STARTABLE}{_startable(found)}"


def _level(found: next_orders.OrderSet) -> str:
    # what it claimed itself is no news: a claim's answer brought both orders of the run
    return _short([[order.id, order.generation] for order in found.rows if not _is_claimed(order)])


def _startable(found: next_orders.OrderSet) -> str:
    """Empty: nothing can be started."""
    return _short([one.what for one in found.startable]) if found.startable else ""


def _short(level: list[Any]) -> str:
    return hashlib.sha256(json.dumps(sorted(level)).encode()).hexdigest()[:16]


def _is_claimed(order: OrderRow) -> bool:
    return order.kind in (OrderKind.PREPARE, OrderKind.RUN) and order.taken_by == order.place


async def report(head: Head, caller: Caller, args: Report) -> dict[str, Any]:
    _own(caller, args.coordinator)
    return await head.do(
        report_facts.report_facts, args.coordinator, args.incarnation, args.facts, args.blobs
    )


async def fetch_blob(head: Head, caller: Caller, args: Blob) -> dict[str, Any]:
    text = await head.do(asking.text_of, args.hash)
    if text is None:
        raise NotFound(
            f"There is no blob {args.hash[:12]}…", hint="`toryo doctor` says what became of the store."
        )
    return {"success": True, "text": text}


async def heartbeat(head: Head, caller: Caller, args: Heartbeat) -> dict[str, Any]:
    _own(caller, args.coordinator)
    return await head.do(
        coordinators.heartbeat,
        args.coordinator,
        args.incarnation,
        args.live_runs,
        [one.model_dump() for one in args.hindered],
    )


TOOLS = (
    Tool(
        "register_coordinator",
        COORDINATORS,
        Register,
        register,
        "Begin a new incarnation of this coordinator.",
    ),
    Tool(
        "list_active_projects_with_agents",
        COORDINATORS,
        Listing,
        list_active,
        "Active projects with the active agents assigned to them.",
    ),
    Tool(
        "should_start", COORDINATORS, Pair, should_start, "Whether an agent should be started in a project."
    ),
    Tool(
        "claim_run", COORDINATORS, Claim, claim, "Claim a run for a pair: the answer carries its first order."
    ),
    Tool(
        "get_subordinate_profile",
        COORDINATORS,
        Profile,
        profile,
        "An agent's role and system prompt.",
    ),
    Tool(
        "next_orders",
        COORDINATORS,
        NextOrders,
        orders,
        "The orders that are open or taken for this coordinator.",
    ),
    Tool("report_facts", COORDINATORS, Report, report, "Report what was seen; repeated freely."),
    Tool("fetch_blob", COORDINATORS, Blob, fetch_blob, "A stored text by its hash."),
    Tool("heartbeat", COORDINATORS, Heartbeat, heartbeat, "Say that this coordinator and its runs live."),
)
