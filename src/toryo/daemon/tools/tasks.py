"""The tools of people about tasks: add, list, update, wait, judge, retry, submit, revert."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from toryo.daemon.core.changes import EVENTS, task_topic
from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import Answer, Said, Task, Which
from toryo.daemon.tools.missions.opening import open_target
from toryo.daemon.tools.registry import LARGEST, Arguments, people_tool
from toryo.domain.errors import Refused, Unavailable
from toryo.domain.words import Priority, Verb
from toryo.engine.context import Caller, HeadContext
from toryo.protocol.orchestrator import LONGEST_WAIT_S
from toryo.protocol.views import tasks as views
from toryo.usecases.projects import fresh_settings
from toryo.usecases.runs import remote_reads
from toryo.usecases.tasks import add, revert, submit, tasks, update, verbs

EVALUATING_S = 2
LOOK_S = 20
HEARD_S, SIGHT_S, SETTINGS_S = 0.5, 3, 5
"""Of a task that is added: until somebody listens, says where the branch is, and has read its settings."""


class NewTask(Which):
    title: str = Field(description="What is to be done, in one line.")
    description: str = Field(default="", description="All that the agent must know; it sees no other task.")
    type: str = Field(
        default="task", pattern=r"^[a-z][a-z0-9_-]{0,31}$", description="One of the project's `task_types`."
    )
    priority: Priority = Priority.MEDIUM
    agent: str = Field(default="", description="Who does it, by name; empty: the project's default agent.")
    after: list[str] = Field(
        default_factory=list, description="Ids of tasks that must have landed before this one starts."
    )
    parent: str = Field(default="", description="Id of the task that this one belongs to.")
    write: list[str] | None = Field(default=None, description="Globs of the only files it may change.")
    checks: list[str] = Field(
        default_factory=list, description="Commands that must exit 0, besides the project's own checks."
    )
    timeout_s: float | None = Field(
        default=None, gt=0, le=7 * 86400, description="Of a run, in seconds; else the project's."
    )
    held: bool = Field(default=False, description="Start nothing until approve_task or start_session.")
    onto: str = Field(
        default="",
        max_length=500,
        description="The branch that it starts from and lands on; empty: the project's.",
    )


class Tasks(Which):
    status: str = Field(default="", description="Only tasks of this status.")
    parent: str = Field(default="", description="Only children of this task.")
    limit: int = Field(default=50, ge=1, le=1000)
    after_seq: int = Field(default=0, ge=0, le=LARGEST, description="`next_after` of the page before.")
    recent: int = Field(
        default=0, ge=0, le=2000, description="Instead of a page: all unfinished and so many of the newest."
    )


class Wait(Arguments):
    tasks: list[str] = Field(min_length=1, max_length=1000, description="Ids of tasks.")
    seen: dict[str, str] = Field(
        default_factory=dict,
        description="By id, `status:reason` of the last answer: what changed since is answered at once.",
    )
    timeout_s: float = Field(default=30, ge=0, le=30, description="Seconds to wait at most; then call again.")


class WaitForOne(Task):
    timeout_s: float = Field(
        default=LONGEST_WAIT_S,
        ge=0,
        le=LONGEST_WAIT_S,
        description="Seconds to wait at most; then call again.",
    )


class Retry(Answer):
    discard: bool = Field(
        default=False,
        description="Also where a person worked in the worktree; what lies there is kept aside.",
    )
    allow: list[str] = Field(
        default=[],
        max_length=1000,
        description="Paths that it may change from now on, besides what limits it.",
    )


class Update(Task):
    status: Literal["", "open", "in_progress", "done", "cancelled", "failed"] = Field(
        default="",
        description="`done` sets nothing: it is evaluated, and `missing` says what stands between.",
    )
    title: str = ""
    description: str | None = None
    type: str = Field(default="", pattern=r"^([a-z][a-z0-9_-]{0,31})?$")
    priority: Priority | None = None
    agent: str = ""
    after: list[str] | None = Field(
        default=None, description="Ids of all tasks that it waits for from now on."
    )
    write: list[str] | None = None
    checks: list[str] | None = None
    timeout_s: float | None = Field(default=None, gt=0, le=7 * 86400)


LISTS = ("after", "write", "checks")


async def add_task(head: Head, caller: Caller, args: NewTask) -> views.AddedTask:
    given = args.model_dump(exclude={"onto"})
    await _refresh_settings(head, caller, args.project, args.path)
    target, notes = "", list[str]()
    if args.onto:
        target, notes = await open_target(head, args.project, args.path, args.onto)
    wish = add.NewTask(
        **{
            **given,
            "after": tuple(args.after),
            "checks": tuple(args.checks),
            "write": None if args.write is None else tuple(args.write),
            "target": target,
        }
    )
    added = await head.do(add.add_task, wish)
    return {**added, "notes": [*notes, *added["notes"]]}


async def _refresh_settings(head: Head, caller: Caller, project: str, path: str) -> None:
    """The settings of a commit made just before count; without a coordinator those known do."""
    try:
        read = await head.read(fresh_settings.read_of_base, project, path)
        answered = await head.asks.ask(caller.connection, read, SIGHT_S, taken_within_s=HEARD_S)
    except Unavailable:
        return
    seen = dict(answered["body"])

    def question(context: HeadContext) -> tuple[bool, None]:
        return fresh_settings.are_in_force(context, seen), None

    await head.until((EVENTS,), SETTINGS_S, question)


async def list_tasks(head: Head, caller: Caller, args: Tasks) -> views.ListedTasks:
    if args.recent:
        return await head.read(tasks.recent_tasks, args.project, args.path, args.recent)
    return await head.read(
        tasks.list_tasks, args.project, args.path, args.status, args.parent, args.limit, args.after_seq
    )


async def get_task(head: Head, caller: Caller, args: Task) -> dict[str, Any]:
    return await head.read(tasks.show_task, args.task)


async def wait_tasks(head: Head, caller: Caller, args: Wait) -> views.AwaitedTasks:
    _, first = await head.read(tasks.waiting_for, args.tasks, args.seen)
    topics = [task_topic(one["id"]) for one in first["tasks"]]
    seen = args.seen or {one["id"]: f"{one['status']}:{one['reason']}" for one in first["tasks"]}

    def question(context: HeadContext) -> tuple[bool, views.AwaitedTasks]:
        return tasks.waiting_for(context, args.tasks, seen)

    return await head.read_until(topics, args.timeout_s, question)


async def wait_task(head: Head, caller: Caller, args: WaitForOne) -> views.AwaitedOne:
    """Steps of a task that only go on are no reason to answer: whoever reads the answer pays for it."""
    _, begun = await head.read(tasks.waiting_for_one, args.task, None)

    def question(context: HeadContext) -> tuple[bool, views.AwaitedOne]:
        return tasks.waiting_for_one(context, args.task, begun["needs_you"])

    return await head.read_until((task_topic(begun["id"]),), args.timeout_s, question)


def _says(verb: Verb) -> Any:
    async def handler(head: Head, caller: Caller, args: Answer) -> views.SaidVerb:
        return await head.do(verbs.say, verb, args.task, args.note, args.seen)

    return handler


async def _look(head: Head, caller: Caller, task: str) -> dict[str, Any] | None:
    """What the worktree holds beyond what was collected; None: there is nothing to ask about."""
    read = await head.read(submit.look, task)
    if read is None:
        return None
    answered = await head.asks.ask(caller.connection, read, LOOK_S)
    return dict(answered["body"]) if not answered.get("problem") else {}


async def get_hand_work(head: Head, caller: Caller, args: Task) -> views.HandWork:
    """For a front that asks a person first."""
    drops = await head.do(submit.drops_worktree, args.task)
    left = await _look(head, caller, args.task) if drops else None
    held = left is not None and submit.is_hand_work(left)
    return {"success": True, "holds": held, "what": submit.described(left) if left and held else ""}


async def retry_task(head: Head, caller: Caller, args: Retry) -> views.SaidVerb:
    """Start over; not without asking where a person worked in the worktree after its run."""
    keep = False
    if await head.do(submit.drops_worktree, args.task):
        try:
            left = await _look(head, caller, args.task) or {}
        except remote_reads.NobodyAnswered as silent:
            if not args.discard:
                raise Refused(
                    "Nobody could look whether the worktree holds work of yours.",
                    hint=f"`toryo up`, then again; or `toryo task retry {args.task} --discard`.",
                ) from silent
            left = {"files": ["?"]}
        if not args.discard:
            submit.refuse_to_drop(args.task, left)
        keep = submit.is_hand_work(left)
    return await head.do(
        submit.retry, args.task, args.note, keep=keep, seen=args.seen, allow=tuple(args.allow)
    )


async def submit_task(head: Head, caller: Caller, args: Said) -> views.SubmittedTask:
    await head.do(submit.insist_submittable, args.task)
    left = await _look(head, caller, args.task)
    if left:
        submit.refuse_unfit(args.task, left)
    return await head.do(submit.submit, args.task, args.note)


async def revert_task(head: Head, caller: Caller, args: Said) -> views.RevertedTask:
    return await head.do(revert.revert, args.task, args.note)


async def update_task(head: Head, caller: Caller, args: Update) -> views.UpdatedTask:
    """Wish, let the drain look at it, and tell what it is now."""
    seen = head.changes.version(EVENTS)
    said = args.model_dump()
    said |= {name: tuple(said[name]) for name in LISTS if said[name] is not None}
    wish = update.Update(**said)
    task = await head.do(update.update_task, wish)
    if args.status:
        await head.wait_for_change(task_topic(task), seen, EVALUATING_S)
    return await head.do(update.evaluated, task, wish)


TOOLS = (
    people_tool(
        "add_task",
        NewTask,
        add_task,
        views.AddedTask,
        "Add a task; an agent begins with it as soon as what it waits for has landed.",
    ),
    people_tool("list_tasks", Tasks, list_tasks, views.ListedTasks, "A page of tasks, oldest first."),
    people_tool("get_task", Task, get_task, views.OneTask, "One task with its runs and claims."),
    people_tool(
        "wait_tasks",
        Wait,
        wait_tasks,
        views.AwaitedTasks,
        "Wait until all are at rest, or one changed; call it again until `all_at_rest`.",
    ),
    people_tool(
        "wait_task",
        WaitForOne,
        wait_task,
        views.AwaitedOne,
        "Wait until one task is at rest or comes to need a person; call it again until `at_rest`.",
    ),
    people_tool(
        "cancel_task", Answer, _says(Verb.CANCEL), views.SaidVerb, "End a task; what it left is kept."
    ),
    people_tool(
        "approve_task", Answer, _says(Verb.APPROVE), views.SaidVerb, "Say yes to what a task waits for."
    ),
    people_tool("reject_task", Answer, _says(Verb.REJECT), views.SaidVerb, "Say no: the task has failed."),
    people_tool(
        "dismiss_task",
        Answer,
        _says(Verb.DISMISS),
        views.SaidVerb,
        "Take a failed task off what needs a person.",
    ),
    people_tool(
        "retry_task",
        Retry,
        retry_task,
        views.SaidVerb,
        "Start over with a failed, cancelled or reviewed task.",
    ),
    people_tool(
        "submit_task",
        Said,
        submit_task,
        views.SubmittedTask,
        "Send what a task's worktree holds now through the gate.",
    ),
    people_tool("revert_task", Said, revert_task, views.RevertedTask, "Land the reverse of a done task."),
    people_tool(
        "get_hand_work",
        Task,
        get_hand_work,
        views.HandWork,
        "Whether a retry would drop a person's own work.",
    ),
    people_tool(
        "update_task",
        Update,
        update_task,
        views.UpdatedTask,
        "Change a task; `after` is all it waits for; done is only evaluated, and what is missing named.",
    ),
)
