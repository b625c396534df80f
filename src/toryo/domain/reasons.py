"""Reasons: why a status is as it is. One enum member, one row of the table each. Pure.

On the wire and in the store a reason is `code` or `code:argument`. A code that no member has is an agent
CLI's own: a `client_error`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from toryo.domain.words import TaskStatus, Verb


class About(StrEnum):
    """What the reason is about, and so whose verbs answer it."""

    TASK = "task"
    TARGET = "target"
    ACCOUNT = "account"
    PROJECT = "project"
    AGENT = "agent"
    MISSION = "mission"
    MESSAGE = "message"


class Turn(StrEnum):
    """Who moves it on."""

    PERSON = "person"
    AGENT = "agent"
    TORYO = "toryo"
    SERVICE = "service"
    NOBODY = "nobody"


class Reason(StrEnum):
    NONE = ""
    # before a run
    HELD = "held"
    DEPENDENCY = "dependency"
    DEPENDENCY_FAILED = "dependency_failed"
    PROJECT_ARCHIVED = "project_archived"
    NO_AGENT = "no_agent"
    NO_CLIENT = "no_client"
    NO_PROGRAM = "no_program"
    AGENT_DISABLED = "agent_disabled"
    AGENT_UNASSIGNED = "agent_unassigned"
    # the target
    BASE_GATE = "base_gate"
    FOLLOWED = "followed"
    BASE_RED = "base_red"
    BASE_COULD_NOT_RUN = "base_could_not_run"
    BASE_FLAKY = "base_flaky"
    TARGET_REWOUND = "target_rewound"
    TARGET_MISSING = "target_missing"
    TIP_MISSING = "tip_missing"
    FOREIGN_MOVE = "foreign_move"
    REPOSITORY_MISSING = "repository_missing"
    REPOSITORY_REPLACED = "repository_replaced"
    OWNED_ELSEWHERE = "owned_elsewhere"
    # between runs
    ANSWERED = "answered"
    PARKED = "parked"
    USAGE_LIMIT = "usage_limit"
    OUTAGE = "outage"
    PREPARE_FAILED = "prepare_failed"
    LOST = "lost"
    DISK_FULL = "disk_full"
    # a run
    PREPARING = "preparing"
    IMPLEMENT = "implement"
    FIX = "fix"
    RESOLVE = "resolve"
    REVERT = "revert"
    SUBMIT = "submit"
    OUTSIDE = "outside"
    UNKNOWN = "unknown"
    WAITING_FOR_INPUT = "waiting_for_input"
    # the end of a run
    EXIT = "exit"
    SIGNAL = "signal"
    TIMED_OUT = "timed_out"
    STOPPED = "stopped"
    COULD_NOT_START = "could_not_start"
    NO_RESULT = "no_result"
    CLIENT_ERROR = "client_error"
    RELEASED = "released"
    RUN_CAP = "run_cap"
    # its work
    COLLECTING = "collecting"
    COLLECT_FAILED = "collect_failed"
    NO_COMMIT = "no_commit"
    NO_CHANGE = "no_change"
    ASKED = "asked"
    CLAIMED_FAILED = "claimed_failed"
    CLAIMED_BLOCKED = "claimed_blocked"
    OUTSIDE_RUN = "outside_run"
    SCOPE_VIOLATION = "scope_violation"
    TWO_BRANCHES = "two_branches"
    WORKTREE_MISSING = "worktree_missing"
    # verifying and landing
    QUEUED = "queued"
    CHECKING = "checking"
    ACCEPTING = "accepting"
    CHECKS_FAILED = "checks_failed"
    COULD_NOT_RUN = "could_not_run"
    FLAKY = "flaky"
    REVIEW = "review"
    COMMENTED = "commented"
    CONFLICT = "conflict"
    PROBLEM = "problem"
    PUBLISHING = "publishing"
    PUBLISH_FAILED = "publish_failed"
    WAITING_FOR_CHECKOUT = "waiting_for_checkout"
    TAKEN_OFF = "taken_off"
    # units
    DECOMPOSE = "decompose"
    INTEGRATE = "integrate"
    WAITING_FOR_CHILDREN = "waiting_for_children"
    CHILDREN_AT_REST = "children_at_rest"
    INTEGRATE_FAILED = "integrate_failed"
    CHILDREN_FAILED = "children_failed"
    NOT_SPLIT = "not_split"
    WAITING_FOR_PARENT = "waiting_for_parent"
    TREE_STOPPED = "tree_stopped"
    # at rest
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    NOT_ON_TARGET = "not_on_target"
    REMOVED = "removed"
    # missions
    READING = "reading"
    ASKING = "asking"
    QUESTIONS = "questions"
    DRAFTING = "drafting"
    MENDING = "mending"
    ANALYZING = "analyzing"
    NO_PLANNER = "no_planner"
    PLANNER_WAITS = "planner_waits"
    PLANNER_AWAY = "planner_away"
    PLANNER_FAILED = "planner_failed"
    PLAN_READY = "plan_ready"
    PLAN_ONLY = "plan_only"
    PLAN_FAULTY = "plan_faulty"
    FINDINGS = "findings"
    OTHER_MISSIONS = "other_missions"
    NEEDS_YOU = "needs_you"
    JUDGING = "judging"
    WEIGHING = "weighing"
    REPLANNING = "replanning"
    LANDING_FILES = "landing_files"
    FILES_STUCK = "files_stuck"
    CLEANING = "cleaning"
    PAUSED = "paused"
    RESUMED = "resumed"
    BUDGET = "budget"
    GIVEN_UP = "given_up"
    # messages of units
    UNDELIVERED = "undelivered"


@dataclass(frozen=True)
class Meaning:
    """A row of the table."""

    sentence: str
    """What the status says, in plain words."""
    about: About = About.TASK
    turn: Turn | None = None
    """Where that is not what the status alone says."""
    verdicts: tuple[Verb, ...] | None = None
    """What a person may say about it; None: what the status alone allows."""


_TARGET, _PROJECT, _AGENT, _MISSION = About.TARGET, About.PROJECT, About.AGENT, About.MISSION
_APPROVE, _REJECT, _RETRY, _CANCEL = Verb.APPROVE, Verb.REJECT, Verb.RETRY, Verb.CANCEL
_JUDGED = (_APPROVE, _REJECT)
_HELD_BACK = (_APPROVE, _REJECT, _RETRY)

MEANINGS: dict[Reason, Meaning] = {
    Reason.NONE: Meaning("nothing is in its way"),
    Reason.HELD: Meaning(
        "it is held until a person or an orchestrator starts it", verdicts=(_APPROVE, _CANCEL)
    ),
    Reason.DEPENDENCY: Meaning("it waits for another task to land", turn=Turn.TORYO),
    Reason.DEPENDENCY_FAILED: Meaning("a task that it needs did not land", turn=Turn.PERSON),
    Reason.PROJECT_ARCHIVED: Meaning("its project is archived", _PROJECT, Turn.PERSON),
    Reason.NO_AGENT: Meaning("no agent of the project may be started", _AGENT, Turn.PERSON),
    Reason.NO_CLIENT: Meaning("its agent has no program", _AGENT, Turn.PERSON),
    Reason.NO_PROGRAM: Meaning("its agent's program is not installed", _AGENT, Turn.PERSON),
    Reason.AGENT_DISABLED: Meaning("its agent is disabled", _AGENT, Turn.PERSON),
    Reason.AGENT_UNASSIGNED: Meaning("its agent no longer works in the project", _AGENT, Turn.PERSON),
    Reason.BASE_GATE: Meaning("the target itself is being checked first", _TARGET, Turn.TORYO),
    Reason.FOLLOWED: Meaning("a person moved the target, and it is being followed", _TARGET, Turn.TORYO),
    Reason.BASE_RED: Meaning(
        "the checks fail on the base itself; mend it and commit on the target, it goes on by itself",
        _TARGET,
        Turn.PERSON,
        (_APPROVE, _RETRY),
    ),
    Reason.BASE_COULD_NOT_RUN: Meaning(
        "the checks cannot run on the base; mend that, then commit on the target or retry",
        _TARGET,
        Turn.PERSON,
        (_RETRY, _APPROVE),
    ),
    Reason.BASE_FLAKY: Meaning(
        "a check of the base failed and then passed; approve to go on", _TARGET, Turn.PERSON, (_APPROVE,)
    ),
    Reason.TARGET_REWOUND: Meaning(
        "the target was moved back by hand; approve to go on from where it is now",
        _TARGET,
        Turn.PERSON,
        (_APPROVE,),
    ),
    Reason.TARGET_MISSING: Meaning("the target branch is gone; make it again", _TARGET, Turn.PERSON, ()),
    Reason.TIP_MISSING: Meaning(
        "Toryo's own refs (refs/toryo/) were deleted; retry to go on with what is left",
        _TARGET,
        Turn.PERSON,
        (_RETRY,),
    ),
    Reason.FOREIGN_MOVE: Meaning(
        "somebody moved Toryo's own ref (refs/toryo/tips/); approve to put it back",
        _TARGET,
        Turn.PERSON,
        (_APPROVE,),
    ),
    Reason.REPOSITORY_MISSING: Meaning(
        "the repository is not where it was; say where it is now", _PROJECT, Turn.PERSON, ()
    ),
    Reason.REPOSITORY_REPLACED: Meaning(
        "another repository lies where the project's own was", _PROJECT, Turn.PERSON, ()
    ),
    Reason.OWNED_ELSEWHERE: Meaning(
        "another installation of Toryo lands on this repository; stop it, then take over",
        _PROJECT,
        Turn.PERSON,
        (),
    ),
    Reason.ANSWERED: Meaning("its question was answered: it goes on"),
    Reason.PARKED: Meaning(
        "the account of its client waits for a limit or an outage to end",
        About.ACCOUNT,
        Turn.SERVICE,
        (_RETRY,),
    ),
    Reason.USAGE_LIMIT: Meaning(
        "its account met its usage limit again and again", About.ACCOUNT, None, _JUDGED
    ),
    Reason.OUTAGE: Meaning("its service was out again and again", About.ACCOUNT, None, _JUDGED),
    Reason.PREPARE_FAILED: Meaning("its worktree could not be prepared"),
    Reason.LOST: Meaning("its run was lost"),
    Reason.DISK_FULL: Meaning("its run failed on a full disk"),
    Reason.PREPARING: Meaning("its worktree is being prepared", turn=Turn.TORYO),
    Reason.IMPLEMENT: Meaning("an agent implements it"),
    Reason.FIX: Meaning("an agent mends its checks"),
    Reason.RESOLVE: Meaning("an agent resolves its conflict"),
    Reason.REVERT: Meaning("its reverse is being made", turn=Turn.TORYO),
    Reason.SUBMIT: Meaning("a person's own work is collected", turn=Turn.TORYO),
    Reason.OUTSIDE: Meaning("an agent that somebody else started works on it"),
    Reason.UNKNOWN: Meaning("the machine of its run does not answer", turn=Turn.PERSON),
    Reason.WAITING_FOR_INPUT: Meaning("its agent asks something on its screen", turn=Turn.PERSON),
    Reason.EXIT: Meaning("its agent's process ended with an error"),
    Reason.SIGNAL: Meaning("its agent's process was ended by a signal"),
    Reason.TIMED_OUT: Meaning("its run reached the time limit"),
    Reason.STOPPED: Meaning("a person stopped its run"),
    Reason.COULD_NOT_START: Meaning("its agent's program could not be started", _AGENT),
    Reason.NO_RESULT: Meaning("its agent CLI ended without a result in its record"),
    Reason.CLIENT_ERROR: Meaning("its agent CLI's own record says error"),
    Reason.RELEASED: Meaning("a person freed its run"),
    Reason.RUN_CAP: Meaning("its runs of this attempt are used up"),
    Reason.COLLECTING: Meaning("what its run left is being collected"),
    Reason.COLLECT_FAILED: Meaning("what its run left could not be collected"),
    Reason.NO_COMMIT: Meaning("its run brought no commit"),
    Reason.NO_CHANGE: Meaning("its commits change no file", verdicts=(_RETRY, _APPROVE, _REJECT)),
    Reason.ASKED: Meaning("its agent asks a question"),
    Reason.CLAIMED_FAILED: Meaning("its agent says that it failed", verdicts=_HELD_BACK),
    Reason.CLAIMED_BLOCKED: Meaning("its agent says that it is blocked", verdicts=_HELD_BACK),
    Reason.OUTSIDE_RUN: Meaning("nobody saw the end of its outside run", verdicts=_JUDGED),
    Reason.SCOPE_VIOLATION: Meaning("its work touches what it may not", verdicts=_HELD_BACK),
    Reason.TWO_BRANCHES: Meaning("two branches hold work of it"),
    Reason.WORKTREE_MISSING: Meaning("its worktree, branch or commits were deleted"),
    Reason.QUEUED: Meaning("it waits for its turn to be checked"),
    Reason.CHECKING: Meaning("its merge with the target is being checked"),
    Reason.ACCEPTING: Meaning("its checked merge is being accepted"),
    Reason.CHECKS_FAILED: Meaning("its checks failed"),
    Reason.COULD_NOT_RUN: Meaning("its checks could not run", verdicts=_JUDGED),
    Reason.FLAKY: Meaning("a check failed, then passed on the same files", verdicts=_JUDGED),
    Reason.REVIEW: Meaning("it is green and waits for your review", verdicts=(_APPROVE, _REJECT, _RETRY)),
    Reason.COMMENTED: Meaning("a person's comments on its change are worked in"),
    Reason.CONFLICT: Meaning("its work conflicts with the target"),
    Reason.PROBLEM: Meaning("git could not merge it", verdicts=(_APPROVE, _RETRY)),
    Reason.PUBLISHING: Meaning("the branch is being moved to it"),
    Reason.PUBLISH_FAILED: Meaning("git could not move the branch", _TARGET, Turn.PERSON, (_RETRY, _REJECT)),
    Reason.WAITING_FOR_CHECKOUT: Meaning(
        "it is accepted and waits for your checkout", _TARGET, Turn.PERSON, (_REJECT,)
    ),
    Reason.TAKEN_OFF: Meaning("a person took it back before it was on the branch"),
    Reason.DECOMPOSE: Meaning("an agent divides it into parts, or implements it"),
    Reason.INTEGRATE: Meaning("an agent integrates what its children landed"),
    Reason.WAITING_FOR_CHILDREN: Meaning("it waits for its children", turn=Turn.TORYO),
    Reason.CHILDREN_AT_REST: Meaning("its children are at rest: it integrates what they landed"),
    Reason.INTEGRATE_FAILED: Meaning("its integration ended with an error; it is run once more"),
    Reason.CHILDREN_FAILED: Meaning("none of its children landed"),
    Reason.NOT_SPLIT: Meaning("it neither spawned a child nor committed anything"),
    Reason.WAITING_FOR_PARENT: Meaning(
        "it is accepted and waits for its parent's worktree", _TARGET, Turn.AGENT
    ),
    Reason.TREE_STOPPED: Meaning("its tree of units turned in a circle", _MISSION, Turn.PERSON),
    Reason.REJECTED: Meaning("a person rejected it"),
    Reason.CANCELLED: Meaning("a person cancelled it"),
    Reason.NOT_ON_TARGET: Meaning("what it was to revert is not on the target"),
    Reason.REMOVED: Meaning("it was done, and a person took its work off the target since"),
    Reason.READING: Meaning("the repository is being read for it", _MISSION, Turn.TORYO),
    Reason.ASKING: Meaning("the planner looks for open questions", _MISSION, Turn.TORYO),
    Reason.QUESTIONS: Meaning("its questions wait for your answers", _MISSION, Turn.PERSON),
    Reason.DRAFTING: Meaning("the planner makes its plan", _MISSION, Turn.TORYO),
    Reason.MENDING: Meaning("the planner mends its plan", _MISSION, Turn.TORYO),
    Reason.ANALYZING: Meaning("the planner compares its spec, plan and tasks", _MISSION, Turn.TORYO),
    Reason.NO_PLANNER: Meaning("no model is configured for the planner", _MISSION, Turn.PERSON),
    Reason.PLANNER_WAITS: Meaning("the planner's model cannot be asked now", _MISSION, Turn.SERVICE),
    Reason.PLANNER_AWAY: Meaning("the planner is not running", _MISSION, Turn.PERSON),
    Reason.PLANNER_FAILED: Meaning("the model gave no answer that can be used", _MISSION, Turn.PERSON),
    Reason.PLAN_READY: Meaning("its plan waits for your approval", _MISSION, Turn.PERSON),
    Reason.PLAN_ONLY: Meaning("only the plan was asked for; approve it to go on", _MISSION, Turn.PERSON),
    Reason.PLAN_FAULTY: Meaning("its plan has faults: it cannot be started like this", _MISSION, Turn.PERSON),
    Reason.FINDINGS: Meaning("the analysis of its plan found something fatal", _MISSION, Turn.PERSON),
    Reason.OTHER_MISSIONS: Meaning("missions that were approved before it go first", _MISSION, Turn.TORYO),
    Reason.NEEDS_YOU: Meaning("none of its tasks goes on without you", _MISSION, Turn.PERSON),
    Reason.JUDGING: Meaning("the planner judges a task that cannot go on", _MISSION, Turn.TORYO),
    Reason.WEIGHING: Meaning("the planner weighs what you ask for now", _MISSION, Turn.TORYO),
    Reason.REPLANNING: Meaning("the planner makes a new plan; other tasks go on", _MISSION, Turn.TORYO),
    Reason.LANDING_FILES: Meaning("its files are being landed", _MISSION, Turn.TORYO),
    Reason.FILES_STUCK: Meaning("its files could not be landed", _MISSION, Turn.PERSON),
    Reason.CLEANING: Meaning("its branches and worktrees are being retired", _MISSION, Turn.TORYO),
    Reason.PAUSED: Meaning("a person paused it", _MISSION, Turn.PERSON),
    Reason.RESUMED: Meaning("its mission goes on, and it where it was stopped"),
    Reason.BUDGET: Meaning("it reached its budget", _MISSION, Turn.PERSON),
    Reason.GIVEN_UP: Meaning("a task of it was given up", _MISSION, Turn.NOBODY),
    Reason.UNDELIVERED: Meaning("messages to it could not be delivered", About.MESSAGE, Turn.PERSON),
}

_TURN: dict[TaskStatus, Turn] = {
    TaskStatus.OPEN: Turn.PERSON,
    TaskStatus.BLOCKED: Turn.PERSON,
    TaskStatus.READY: Turn.TORYO,
    TaskStatus.RUNNING: Turn.AGENT,
    TaskStatus.VERIFYING: Turn.TORYO,
    TaskStatus.LANDING: Turn.TORYO,
    TaskStatus.NEEDS_REVIEW: Turn.PERSON,
    TaskStatus.DONE: Turn.NOBODY,
    TaskStatus.FAILED: Turn.PERSON,
    TaskStatus.CANCELLED: Turn.NOBODY,
}
_SAYS_ALL = frozenset(
    {TaskStatus.NEEDS_REVIEW, TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.DONE, TaskStatus.OPEN}
)
"""Statuses that say whose turn it is, whatever the reason."""


def parse(text: str) -> tuple[Reason, str]:
    """The member and its argument; of a client's own code that code is the argument."""
    code, _, argument = text.partition(":")
    if code in _CODES:
        return Reason(code), argument
    return Reason.CLIENT_ERROR, text


def meaning(text: str) -> Meaning:
    return MEANINGS[parse(text)[0]]


def turn(status: TaskStatus, text: str) -> Turn:
    """Whose turn it is; what a person ended waits for nobody."""
    if status is TaskStatus.FAILED and text in BY_A_PERSON:
        return Turn.NOBODY
    own = meaning(text).turn
    return _TURN[status] if own is None or status in _SAYS_ALL else own


def verdicts(status: TaskStatus, text: str) -> tuple[Verb, ...]:
    """What a person may say, the likeliest first; a person who ended a task knows of it."""
    if status is TaskStatus.OPEN:
        return (_APPROVE, _CANCEL)
    own = meaning(text).verdicts
    if own is not None and status not in (TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.DONE):
        return own
    match status:
        case TaskStatus.NEEDS_REVIEW:
            return (_RETRY, _REJECT)
        case TaskStatus.FAILED:
            return (_RETRY,) if text in BY_A_PERSON else (_RETRY, Verb.DISMISS)
        case TaskStatus.CANCELLED:
            return (_RETRY,)
        case _:
            return ()


BY_A_PERSON = frozenset({Reason.REJECTED.value, Reason.STOPPED.value})
"""Reasons of failed tasks of which a person knows: they ended them."""
HOLDS_UP = (Reason.WAITING_FOR_CHECKOUT.value, Reason.PUBLISH_FAILED.value)
"""Reasons of a landing whose branch does not move: everything accepted after it waits behind it."""
IS_AWAY = (Reason.REPOSITORY_MISSING.value, Reason.REPOSITORY_REPLACED.value)
"""Reasons of a repository that is not at its path: of a run that ended there nothing can be told."""
STOPS = tuple(
    one.value
    for one, row in MEANINGS.items()
    if row.about in (About.TARGET, About.PROJECT)
    and row.turn is Turn.PERSON
    and one.value not in (*HOLDS_UP, Reason.PROJECT_ARCHIVED)
)
"""Reasons that stop a target: nothing begins on it or lands until a person acts."""
ABOUT_AGENTS = tuple(one.value for one, row in MEANINGS.items() if row.about is About.AGENT)
_CODES = frozenset(one.value for one in Reason if one is not Reason.CLIENT_ERROR)
