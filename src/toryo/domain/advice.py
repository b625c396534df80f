"""What a person may do about a task in some state, and what to say of it: one table for every front. Pure."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from toryo.domain.actions import Action, Do, action, lines
from toryo.domain.client_names import PROGRAMS
from toryo.domain.reasons import About, Reason, meaning, parse, verdicts
from toryo.domain.words import TaskStatus, Verb

MOST_NAMES = 3
INSTALL = {
    "claude": "npm install -g @anthropic-ai/claude-code",
    "codex": "npm install -g @openai/codex",
    "gemini": "npm install -g @google/gemini-cli",
    "opencode": "npm install -g opencode-ai",
}
"""Agent CLI → the line that installs it."""
OWN_FILES = ("dirty", "untracked", "ignored")
"""Why a publish waits: files of the user's on the landing's paths."""


@dataclass(frozen=True)
class Around:
    """What stands around a task, for the names in its lines."""

    agent: str = ""
    client: str = ""
    able: tuple[str, ...] = ()
    """Other agents of the project that can work."""
    disabled: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    """Agents that do not work in the project."""
    installed: tuple[str, ...] = ()
    """Agent CLIs on the machine of the project."""
    run: str = ""
    path: str = ""
    project: str = ""
    target: str = ""
    machine: str = ""
    """Of its account, where that waits on more than one."""
    checkout: str = ""
    """Where a publish waits, if that is not the project's own checkout or nobody knows."""
    waiting: tuple[str, ...] = ()
    waiting_why: str = ""
    behind: int = 0
    """Other tasks that were accepted after it and wait for the same publish."""
    first: str = ""
    """The task that it waits behind, if it is not the first of them itself."""
    dismissed: bool = False
    above: str = ""
    """The unit that has ended, of which it is a part: that one is retried."""
    superseded: bool = False
    """Its parent has landed, or began anew without it: it is not retried."""


def next_actions(
    task: str, status: TaskStatus, reason: str, detail: str = "", around: Around | None = None
) -> tuple[Action, ...]:
    """The likeliest first; none where nothing waits for a person."""
    around = around or Around()
    said = verdicts(status, reason)
    if around.dismissed:
        said = tuple(verb for verb in said if verb is not Verb.DISMISS)
    if around.superseded:
        said = tuple(verb for verb in said if verb is not Verb.RETRY)
    return (
        *_named(task, status, reason, detail, around),
        *(_verdict(verb, task, reason, around) for verb in said),
        *_by_others(task, status, reason, around),
    )


def _by_others(task: str, status: TaskStatus, reason: str, around: Around) -> tuple[Action, ...]:
    """Where an orchestrator of the person's own starts the work."""
    is_on_hold = status is TaskStatus.BLOCKED and parse(reason)[0] is Reason.HELD and around.agent
    return (action(Do.START_SESSION, task, agent=around.agent),) if is_on_hold else ()


def _verdict(verb: Verb, task: str, reason: str, around: Around) -> Action:
    """Said to what the reason is about: a target and an account have verbs of their own."""
    about = meaning(reason).about
    if about is About.TARGET and verb in _OF_TARGETS and around.target and around.project:
        return action(_OF_TARGETS[verb], around.target, project=around.project)
    if about is About.ACCOUNT and verb is Verb.RETRY and around.client:
        return action(Do.RELEASE_ACCOUNT, around.client, machine=around.machine)
    return action(Do(verb.value), around.above if verb is Verb.RETRY and around.above else task)


_OF_TARGETS = {Verb.APPROVE: Do.APPROVE_TARGET, Verb.RETRY: Do.RETRY_TARGET}


def next_lines(
    task: str, status: TaskStatus, reason: str, detail: str = "", around: Around | None = None
) -> tuple[str, ...]:
    """The same as command lines."""
    return lines(next_actions(task, status, reason, detail, around))


def not_on_path(client: str) -> str:
    """What to say of a client that is not installed; its agent may be defined all the same."""
    line = f"; type: {INSTALL[client]}" if client in INSTALL else ""
    return f"not on PATH{line}"


def missing(program: str) -> str:
    """The same as a sentence, of any program."""
    return f"{program} is {'not there' if '/' in program else not_on_path(program)}"


def waiting_words(around: Around) -> str:
    """What a person is to do in their checkout before a publish goes on, and what waits with it."""
    return in_its_queue(_wish(around), around)


def in_its_queue(wish: str, around: Around) -> str:
    """What holds up a branch, with the task that it holds up first or how many more wait behind that."""
    if around.first:
        return f"behind {around.first}: {wish}"
    if around.behind:
        noun = "task waits" if around.behind == 1 else "tasks wait"
        return f"{wish}; {around.behind} more accepted {noun} behind it"
    return wish


def _wish(around: Around) -> str:
    where, paths = around.checkout or around.path, ", ".join(around.waiting)
    then = f"then {around.target} moves"
    match around.waiting_why:
        case "dirty" | "untracked" | "ignored":
            return f"commit or stash in {where}, {then}: {paths}"
        case "index.lock":
            return f"a git is at work in {where} (index.lock), {then}"
        case "git":
            return f"git {paths} is at work in {where}, {then}"
        case "switch":
            return f"a git switch is at work in {where}; {around.target} has moved, the rest waits for it"
        case "missing checkout":
            return f"{around.target} is checked out in {where}, which is not there: plug it in, {then}"
        case _:
            named = f": {paths}" if paths else ""
            return f"finish the {around.waiting_why} in {where}, {then}{named}"


def _named(task: str, status: TaskStatus, reason: str, detail: str, around: Around) -> tuple[Action, ...]:
    """Actions with the names of agents, paths and branches; they come before the verdicts."""
    others = tuple(action(Do.REASSIGN, task, agent=name) for name in around.able[:MOST_NAMES])
    match parse(reason)[0]:
        case Reason.NO_AGENT:
            enable = tuple(action(Do.ENABLE_AGENT, name) for name in around.disabled[:MOST_NAMES])
            assign = tuple(action(Do.ASSIGN_AGENT, name) for name in around.elsewhere[:MOST_NAMES])
            client = around.installed[0] if around.installed else "claude"
            return (*others, *enable, *assign) or (action(Do.ADD_AGENT, "worker", client=client),)
        case Reason.NO_CLIENT:
            program = action(Do.ADD_PROGRAM, around.agent)
            own = tuple(
                action(Do.ADD_AGENT, around.agent, client=name) for name in around.installed[:MOST_NAMES]
            )
            return (*own, *others, program) if own else (program, *others)
        case Reason.NO_PROGRAM:
            install = action(Do.INSTALL, command=INSTALL[around.client]) if around.client in INSTALL else None
            named = (
                action(Do.NAME_PROGRAM, around.agent, command="'…'") if around.client in PROGRAMS else None
            )
            return (install or named or action(Do.DOCTOR), *others)
        case Reason.ASKED:
            return (action(Do.ANSWER, task),)
        case Reason.AGENT_DISABLED:
            return (action(Do.ENABLE_AGENT, around.agent), *others)
        case Reason.AGENT_UNASSIGNED:
            return (action(Do.ASSIGN_AGENT, around.agent), *others)
        case Reason.PROJECT_ARCHIVED:
            return (action(Do.ACTIVATE_PROJECT, around.project),)
        case Reason.COULD_NOT_START:
            return (*_start_again(around), *others)
        case Reason.BASE_RED | Reason.BASE_COULD_NOT_RUN | Reason.BASE_FLAKY:
            return (action(Do.EVIDENCE, task),)
        case Reason.UNKNOWN:
            return (action(Do.RELEASE_RUN, around.run),) if around.run else ()
        case Reason.WAITING_FOR_INPUT:
            return (action(Do.SAY, task), action(Do.ATTACH, task))
        case Reason.REPOSITORY_REPLACED if status is TaskStatus.NEEDS_REVIEW:
            # accepted work lies in the repository that was there: another project would be no way out for it
            return _in_git(reason, around)[:1]
        case _:
            return _in_git(reason, around)


def _start_again(around: Around) -> tuple[Action, ...]:
    """A program that is not there: installed if it is a known CLI's, else named anew."""
    if around.client in INSTALL and around.client not in around.installed:
        return (action(Do.INSTALL, command=INSTALL[around.client]),)
    if around.client in PROGRAMS and around.agent:
        return (action(Do.NAME_PROGRAM, around.agent, command="'…'"),)
    return (action(Do.DOCTOR),) if around.agent else ()


def _in_git(reason: str, around: Around) -> tuple[Action, ...]:
    if not around.path:
        return ()
    path = around.checkout or around.path
    match parse(reason)[0]:
        case Reason.WAITING_FOR_CHECKOUT:
            paths = " ".join(shlex.quote(path) for path in around.waiting)
            option = {"untracked": " -u", "ignored": " -a"}.get(around.waiting_why, "")
            if around.waiting_why == "missing checkout":
                return (action(Do.LIST_WORKTREES, path=around.path),)
            if around.waiting_why in OWN_FILES and paths:
                return (action(Do.STASH, path=path, option=option, paths=paths),)
            return (action(Do.LOOK_IN_GIT, path=path),)
        case Reason.TARGET_MISSING:
            return (action(Do.MAKE_BRANCH, around.target, path=path),)
        case Reason.REPOSITORY_MISSING:
            return (action(Do.MOVE_PROJECT, around.project),)
        case Reason.REPOSITORY_REPLACED:
            return (action(Do.MOVE_PROJECT, around.project), action(Do.INIT, path=around.path))
        case Reason.OWNED_ELSEWHERE:
            return (action(Do.TAKE_OVER, path=around.path),)
        case _:
            return ()
