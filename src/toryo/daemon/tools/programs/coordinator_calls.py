"""Tools that coordinators and planners call. No answer here has a task's text or status (S1-06, S1-07)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import Field

from toryo.daemon.core.changes import LOOK, asks_topic, place_topic
from toryo.daemon.core.head import Head
from toryo.daemon.tools.registry import COORDINATORS, LARGEST, PLACES, PLANNERS, Arguments, Tool
from toryo.domain.errors import NotFound, Refused
from toryo.domain.words import OrderKind, PlaceKind
from toryo.engine import capacities
from toryo.engine.context import Caller, CallerKind, HeadContext
from toryo.protocol.asks import Answered
from toryo.protocol.order import Fact
from toryo.store.database.rows import OrderRow
from toryo.usecases.agents import agents
from toryo.usecases.coordinators import coordinators, next_orders, report_facts
from toryo.usecases.runs import claim as claim_run
from toryo.usecases.runs import remote_reads

LONGEST_WAIT_S = 30
STARTABLE = "+"
"""In a version: before it the orders, behind it what can be started."""


class Limits(Arguments):
    """What the coordinator's own settings allow; left out: no limit is known, and every agent is served."""

    max_concurrent: int = Field(default=0, ge=0, le=LARGEST)
    serves: list[str] | None = None


class RegisterPlanner(Arguments):
    machine: str
    name: str
    boot: str
    pid: int = Field(ge=0, le=LARGEST)
    interval_s: float = Field(default=10, gt=0, le=86400, allow_inf_nan=False)


class Register(RegisterPlanner, Limits):
    clients: dict[str, str] = Field(default_factory=dict)
    fingerprint: str = ""


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


class AnswerAsks(Arguments):
    coordinator: str
    incarnation: int = Field(ge=0, le=LARGEST)
    answers: list[Answered] = Field(max_length=64)


class Blob(Arguments):
    hash: str = Field(pattern=r"^[0-9a-f]{64}$")


class Hindrance(Arguments):
    """What keeps orders waiting there, and the line to type."""

    what: str = Field(max_length=2000)
    hint: str = Field(default="", max_length=2000)


class Heartbeat(Limits):
    coordinator: str
    incarnation: int = Field(ge=0, le=LARGEST)
    live_runs: list[str] = Field(default_factory=list)
    hindered: list[Hindrance] = Field(default_factory=list, max_length=20)


class Clients(Arguments):
    coordinator: str
    incarnation: int = Field(ge=0, le=LARGEST)
    clients: dict[str, str] = Field(max_length=1000)
    """An empty path: looked for, and not there. `command:PROGRAM` is what an agent of that client starts."""


def _own(caller: Caller, coordinator: str) -> None:
    """A key speaks for its own coordinator only."""
    if caller.place != coordinator:
        raise Refused(
            f"This key belongs to {caller.place}, not to {coordinator[:200]}.",
            hint=f"Each {caller.kind} has a key of its own: give it another `--name`.",
        )


async def register(head: Head, caller: Caller, args: Register) -> dict[str, Any]:
    coordinator = coordinators.place_id(PlaceKind.COORDINATOR, args.machine, args.name)
    _own(caller, coordinator)
    await head.do(capacities.note, coordinator, args.max_concurrent, args.serves)
    return await head.do(
        coordinators.register,
        coordinator,
        boot=args.boot,
        pid=args.pid,
        clients=args.clients,
        fingerprint=args.fingerprint,
        interval_s=args.interval_s,
    )


async def register_planner(head: Head, caller: Caller, args: RegisterPlanner) -> dict[str, Any]:
    planner = coordinators.place_id(PlaceKind.PLANNER, args.machine, args.name)
    _own(caller, planner)
    return await head.do(
        coordinators.register,
        planner,
        boot=args.boot,
        pid=args.pid,
        clients={},
        fingerprint="",
        interval_s=args.interval_s,
    )


async def list_active(head: Head, caller: Caller, args: Listing) -> dict[str, Any]:
    if args.coordinator:
        _own(caller, args.coordinator)
    return await head.do(coordinators.list_active_projects)


async def should_start(head: Head, caller: Caller, args: Pair) -> dict[str, Any]:
    return await head.do(claim_run.should_start, args.agent_id, args.project_id)


async def claim(head: Head, caller: Caller, args: Claim) -> dict[str, Any]:
    _own(caller, args.coordinator)
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
    places = await head.do(next_orders.places_of, args.coordinator)

    known, _, could = args.seen.partition(STARTABLE)

    def ask(context: HeadContext) -> tuple[bool, next_orders.OrderSet]:
        nonlocal could
        found = next_orders.take_orders(context, args.coordinator, args.incarnation)
        can = _startable(found)
        # what it could start and started is no news to it; that something can be started again, is
        could = could if can else ""
        is_asked = head.asks.are_waiting(places)
        return found.superseded or is_asked or _level(found) != known or can != could, found

    topics = (*map(place_topic, places), *map(asks_topic, places), LOOK)
    found = await head.until(topics, args.wait_s, ask)
    asks = [] if found.superseded else head.asks.take(args.coordinator, places, anew=not args.seen)
    return {
        "success": True,
        "version": _version(found),
        "orders": list(found.orders),
        "look": bool(found.startable),
        "startable": [[one.agent, one.project] for one in found.startable],
        "programs": list(found.programs),
        "superseded": found.superseded,
        "asks": asks,
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


async def answer_asks(head: Head, caller: Caller, args: AnswerAsks) -> dict[str, Any]:
    """Nothing is written: what nobody waits for any more is let go."""
    _own(caller, args.coordinator)
    if await head.read(next_orders.is_superseded, args.coordinator, args.incarnation):
        return {"success": True, "taken": [], "superseded": True}
    told = [(one.id, one.answer.model_dump(mode="json")) for one in args.answers]
    taken = [id for id, answer in told if head.asks.put(args.coordinator, id, answer)]
    return {"success": True, "taken": taken, "superseded": False}


async def fetch_blob(head: Head, caller: Caller, args: Blob) -> dict[str, Any]:
    text = await head.do(remote_reads.text_of, args.hash)
    if text is None:
        raise NotFound(
            f"There is no blob {args.hash[:12]}…", hint="`toryo doctor` says what became of the store."
        )
    return {"success": True, "text": text}


async def heartbeat(head: Head, caller: Caller, args: Heartbeat) -> dict[str, Any]:
    _own(caller, args.coordinator)
    if caller.kind is CallerKind.COORDINATOR:
        await head.do(capacities.note, args.coordinator, args.max_concurrent, args.serves)
    return await head.do(
        coordinators.heartbeat,
        args.coordinator,
        args.incarnation,
        args.live_runs,
        [one.model_dump() for one in args.hindered],
    )


async def tell_clients(head: Head, caller: Caller, args: Clients) -> dict[str, Any]:
    _own(caller, args.coordinator)
    return await head.do(coordinators.tell_clients, args.coordinator, args.incarnation, args.clients)


TOOLS = (
    Tool(
        "register_coordinator",
        COORDINATORS,
        Register,
        register,
        "Begin a new incarnation of this coordinator.",
    ),
    Tool(
        "register_planner",
        PLANNERS,
        RegisterPlanner,
        register_planner,
        "Begin a new incarnation of this planner.",
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
        PLACES,
        NextOrders,
        orders,
        "The orders that are open or taken for this coordinator or planner.",
    ),
    Tool("report_facts", PLACES, Report, report, "Report what was seen; repeated freely."),
    Tool(
        "answer_asks",
        COORDINATORS,
        AnswerAsks,
        answer_asks,
        "Answer what was asked; nothing of it is stored.",
    ),
    Tool("fetch_blob", PLACES, Blob, fetch_blob, "A stored text by its hash."),
    Tool("tell_clients", COORDINATORS, Clients, tell_clients, "Say which clients' programs are there now."),
    Tool(
        "heartbeat",
        PLACES,
        Heartbeat,
        heartbeat,
        "Say that this process and its runs live.",
    ),
)
