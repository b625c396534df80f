"""The tools of people about missions: start, show, wait, answer, approve, reject, steer, export."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from toryo.daemon.core.changes import mission_topic
from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import Which
from toryo.daemon.tools.missions.opening import open_target, take_in
from toryo.daemon.tools.registry import LARGEST, Arguments, people_tool
from toryo.engine.context import Caller, HeadContext
from toryo.protocol.views import missions as views
from toryo.usecases.missions import answer, approve, start, steer, view

LONGEST_WAIT_S = 30


class Start(Which):
    text: str = Field(default="", description="What is wanted; may be empty with `taken_from`.")
    onto: str = Field(
        default="", description="The branch that it starts from and lands on; empty: the one checked out."
    )
    plan_only: bool = Field(default=False, description="Stop at the plan.")
    approval: Literal["", "auto", "plan", "each"] = Field(
        default="", description="Who starts its tasks; of this and the settings the stricter one counts."
    )
    follow: str = Field(default="", description="Id of the finished mission whose spec it goes on from.")
    new: bool = Field(default=False, description="It continues no finished mission.")
    taken_from: str = Field(
        default="", description="A committed spec-kit folder of the repository, such as specs/001-x."
    )
    budget: dict[str, float] = Field(
        default_factory=dict, description="Limits: turns, tokens, minutes, usd; reaching one pauses it."
    )


class Missions(Which):
    status: str = Field(default="", description="Only missions of this status.")
    limit: int = Field(default=50, ge=1, le=1000)
    after_seq: int = Field(default=0, ge=0, le=LARGEST, description="`next_after` of the page before.")


class Mission(Arguments):
    mission: str = Field(description="A mission's id, or the unique beginning of one.")


class Wait(Mission):
    seen: str = Field(
        default="", description="status:reason:number of its last message; empty: as it stands now."
    )
    timeout_s: float = Field(default=30, ge=0, le=LONGEST_WAIT_S)


class Answer(Mission):
    answers: dict[str, str] = Field(
        default_factory=dict, description="Question id → answer; the number of an option stands for its text."
    )
    defaults: bool = Field(default=False, description="Take the default of every other open question.")


class Approve(Mission):
    version: int = Field(default=0, ge=0, le=LARGEST, description="Of the plan; 0: the newest.")


class Reject(Approve):
    reason: str = Field(description="What to change: the plan is made anew with it.")


class Say(Mission):
    text: str = Field(
        description="A new demand; while a plan waits its approval, or why it is rejected; or an answer."
    )


class Set(Mission):
    parallelism: int = Field(description="How many of its tasks run at once.")


class Pause(Mission):
    now: bool = Field(default=False, description="Stop its runs, too; they go on where they were.")


class Budget(Mission):
    budget: dict[str, float] = Field(description="Limits: turns, tokens, minutes, usd; 0 takes a limit away.")


async def start_mission(head: Head, caller: Caller, args: Start) -> views.StartedMission:
    if not args.taken_from:
        await head.do(start.insist_on_model, args.project, args.path)
    target, notes = await open_target(head, args.project, args.path, args.onto)
    taken = None
    if args.taken_from:
        taken = await take_in(head, caller, args.project, args.path, args.taken_from, target)
    wish = start.NewMission(
        text=args.text,
        taken=taken,
        project=args.project,
        path=args.path,
        target=target,
        plan_only=args.plan_only,
        approval=args.approval,
        follow=args.follow,
        new=args.new,
        budget=args.budget,
    )
    begun = await head.do(start.start_mission, wish)
    return {**begun, "notes": [*notes, *begun["notes"]]}


async def list_missions(head: Head, caller: Caller, args: Missions) -> views.ListedMissions:
    return await head.read(
        view.list_missions, args.project, args.path, args.status, args.limit, args.after_seq
    )


async def show_mission(head: Head, caller: Caller, args: Mission) -> views.OneMission:
    return await head.read(view.show_mission, args.mission)


async def wait_mission(head: Head, caller: Caller, args: Wait) -> views.AwaitedMission:
    _, (mission, now, _) = await head.do(view.waited_for, args.mission, args.seen)
    seen = args.seen or now

    def question(context: HeadContext) -> tuple[bool, tuple[str, str, views.AwaitedMission]]:
        return view.waited_for(context, mission, seen)

    return (await head.until((mission_topic(mission),), args.timeout_s, question))[2]


async def answer_mission(head: Head, caller: Caller, args: Answer) -> views.SaidToMission:
    return await head.do(answer.answer_mission, args.mission, args.answers, defaults=args.defaults)


async def approve_mission(head: Head, caller: Caller, args: Approve) -> views.SaidToMission:
    return await head.do(approve.approve_mission, args.mission, args.version)


async def reject_mission(head: Head, caller: Caller, args: Reject) -> views.SaidToMission:
    return await head.do(approve.reject_mission, args.mission, args.reason, args.version)


async def say_mission(head: Head, caller: Caller, args: Say) -> views.SaidToMission:
    return await head.do(approve.say_mission, args.mission, args.text)


async def set_mission(head: Head, caller: Caller, args: Set) -> views.SaidToMission:
    return await head.do(steer.set_mission, args.mission, args.parallelism)


async def pause_mission(head: Head, caller: Caller, args: Pause) -> views.SaidToMission:
    return await head.do(steer.pause_mission, args.mission, now=args.now)


async def resume_mission(head: Head, caller: Caller, args: Mission) -> views.SaidToMission:
    return await head.do(steer.resume_mission, args.mission)


async def cancel_mission(head: Head, caller: Caller, args: Mission) -> views.SaidToMission:
    return await head.do(steer.cancel_mission, args.mission)


async def budget_mission(head: Head, caller: Caller, args: Budget) -> views.SaidToMission:
    return await head.do(steer.budget_mission, args.mission, args.budget)


async def export_mission(head: Head, caller: Caller, args: Mission) -> views.ExportedMission:
    return await head.read(view.export_mission, args.mission)


def _tool(name: str, arguments: type[Arguments], handler: Any, answer_view: type, about: str) -> Any:
    return people_tool(name, arguments, handler, answer_view, about)


TOOLS = (
    _tool("start_mission", Start, start_mission, views.StartedMission, "From one sentence to finished work."),
    _tool("list_missions", Missions, list_missions, views.ListedMissions, "A page of missions."),
    _tool("show_mission", Mission, show_mission, views.OneMission, "One mission with conversation and plan."),
    _tool(
        "wait_mission",
        Wait,
        wait_mission,
        views.AwaitedMission,
        "Wait until it rests or something is new; call it again until `at_rest`.",
    ),
    _tool("answer_mission", Answer, answer_mission, views.SaidToMission, "Answer its questions."),
    _tool("approve_mission", Approve, approve_mission, views.SaidToMission, "Say yes to its whole plan."),
    _tool("reject_mission", Reject, reject_mission, views.SaidToMission, "Say no, and what to change."),
    _tool("say_mission", Say, say_mission, views.SaidToMission, "Say something to it in the middle."),
    _tool("set_mission", Set, set_mission, views.SaidToMission, "Change how many tasks run at once."),
    _tool("pause_mission", Pause, pause_mission, views.SaidToMission, "Start nothing new, or stop its runs."),
    _tool("resume_mission", Mission, resume_mission, views.SaidToMission, "Go on where it was paused."),
    _tool("cancel_mission", Mission, cancel_mission, views.SaidToMission, "End it; what landed stays."),
    _tool("budget_mission", Budget, budget_mission, views.SaidToMission, "Change its limits."),
    _tool("export_mission", Mission, export_mission, views.ExportedMission, "The files of its plan."),
)
