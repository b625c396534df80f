"""Actions: something a person may do about a subject, and the command line of each. Pure.

Fronts that are no command line render the same action as a button or a key; only `line` knows the command's
grammar.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class Do(StrEnum):
    """What is done; the table below has the line of each."""

    APPROVE = "approve"
    REJECT = "reject"
    RETRY = "retry"
    CANCEL = "cancel"
    DISMISS = "dismiss"
    SUBMIT = "submit"
    ANSWER = "answer"
    SAY = "say"
    ATTACH = "attach"
    EVIDENCE = "evidence"
    REASSIGN = "reassign"
    START_SESSION = "start_session"
    SHOW_TASK = "show_task"
    REVERT = "revert"
    RELEASE_RUN = "release_run"
    ENABLE_AGENT = "enable_agent"
    ASSIGN_AGENT = "assign_agent"
    ADD_AGENT = "add_agent"
    ADD_PROGRAM = "add_program"
    NAME_PROGRAM = "name_program"
    INSTALL = "install"
    DOCTOR = "doctor"
    ACTIVATE_PROJECT = "activate_project"
    MOVE_PROJECT = "move_project"
    INIT = "init"
    TAKE_OVER = "take_over"
    STASH = "stash"
    LOOK_IN_GIT = "look_in_git"
    LIST_WORKTREES = "list_worktrees"
    LIST_REMOVED = "list_removed"
    MAKE_BRANCH = "make_branch"
    APPROVE_TARGET = "approve_target"
    RETRY_TARGET = "retry_target"
    RELEASE_ACCOUNT = "release_account"
    RELEASE_AGENT = "release_agent"
    MORE_SLOTS = "more_slots"
    RESUME_UNIT = "resume_unit"
    STATUS = "status"
    UP = "up"
    PASSKEY = "passkey"
    WAIT = "wait"
    ANSWER_MISSION = "answer_mission"
    APPROVE_MISSION = "approve_mission"
    REJECT_MISSION = "reject_mission"
    SAY_TO_MISSION = "say_to_mission"
    SHOW_MISSION = "show_mission"
    RESUME_MISSION = "resume_mission"
    PAUSE_MISSION = "pause_mission"
    CANCEL_MISSION = "cancel_mission"
    BUDGET_MISSION = "budget_mission"
    FOLLOW_MISSION = "follow_mission"
    USE_PLANNER = "use_planner"
    CHECK_PLANNER = "check_planner"
    READ_INBOX = "read_inbox"
    CLEAR_INBOX = "clear_inbox"
    SHOW_BRANCH = "show_branch"
    DELETE_BRANCH = "delete_branch"
    MERGE_BRANCH = "merge_branch"
    OPEN_BRANCH = "open_branch"
    SUMMARISE_BRANCH = "summarise_branch"
    START_ON_BRANCH = "start_on_branch"


_LINES: dict[Do, str] = {
    Do.APPROVE: "toryo task approve {subject}",
    Do.REJECT: "toryo task reject {subject}",
    Do.RETRY: "toryo task retry {subject}",
    Do.CANCEL: "toryo task cancel {subject}",
    Do.DISMISS: "toryo task dismiss {subject}",
    Do.SUBMIT: "toryo task submit {subject}",
    Do.ANSWER: "toryo task say {subject} 'your answer'",
    Do.SAY: 'toryo task say {subject} "…"',
    Do.ATTACH: "toryo attach {subject}",
    Do.EVIDENCE: "toryo evidence {subject}",
    Do.REASSIGN: "toryo task update {subject} --agent {agent}",
    Do.START_SESSION: "toryo session start {subject} --agent {agent}",
    Do.SHOW_TASK: "toryo task show {subject}",
    Do.REVERT: "toryo task revert {subject}",
    Do.RELEASE_RUN: "toryo run release {subject}",
    Do.ENABLE_AGENT: "toryo agent enable {subject}",
    Do.ASSIGN_AGENT: "toryo agent assign {subject}",
    Do.ADD_AGENT: "toryo agent add {subject} --client {client}",
    Do.ADD_PROGRAM: "toryo agent add {subject} --client command --command 'sh agent.sh {{prompt_file}}'",
    Do.NAME_PROGRAM: "toryo agent add {subject} --command {command}",
    Do.INSTALL: "{command}",
    Do.DOCTOR: "toryo doctor",
    Do.ACTIVATE_PROJECT: "toryo project activate {subject}",
    Do.MOVE_PROJECT: "toryo project move {subject} NEW-PATH",
    Do.INIT: "cd {path} && toryo init",
    Do.TAKE_OVER: "cd {path} && toryo init --take-over",
    Do.STASH: "git -C {path} stash push{option} -- {paths}",
    Do.LOOK_IN_GIT: "git -C {path} status",
    Do.LIST_WORKTREES: "git -C {path} worktree list",
    Do.LIST_REMOVED: "git -C {path} log --oneline {range}",
    Do.MAKE_BRANCH: "git -C {path} branch {subject} refs/toryo/tips/{subject}",
    Do.APPROVE_TARGET: "toryo target approve {subject} --project {project}",
    Do.RETRY_TARGET: "toryo target retry {subject} --project {project}",
    Do.RELEASE_ACCOUNT: "toryo account release {subject}",
    Do.RELEASE_AGENT: "toryo agent release {subject}",
    Do.MORE_SLOTS: "toryo agent add {subject} --slots {slots}",
    Do.RESUME_UNIT: "toryo unit resume {subject}",
    Do.STATUS: "toryo status",
    Do.UP: "toryo up",
    Do.PASSKEY: "toryo agent passkey {subject}",
    Do.WAIT: "toryo task wait {subject}",
    Do.ANSWER_MISSION: "toryo mission answer {subject} --defaults",
    Do.APPROVE_MISSION: "toryo mission approve {subject}",
    Do.REJECT_MISSION: "toryo mission reject {subject} 'what to change'",
    Do.SAY_TO_MISSION: 'toryo mission say {subject} "…"',
    Do.SHOW_MISSION: "toryo mission show {subject}",
    Do.RESUME_MISSION: "toryo mission resume {subject}",
    Do.PAUSE_MISSION: "toryo mission pause {subject}",
    Do.CANCEL_MISSION: "toryo mission cancel {subject}",
    Do.BUDGET_MISSION: "toryo mission budget {subject} {limit}",
    Do.FOLLOW_MISSION: 'toryo do --follow {subject} "…"',
    Do.USE_PLANNER: "toryo planner use claude",
    Do.CHECK_PLANNER: "toryo planner check",
    Do.READ_INBOX: "toryo inbox {subject}",
    Do.CLEAR_INBOX: "toryo inbox {subject} --clear",
    Do.SHOW_BRANCH: "toryo branch show {subject}",
    Do.DELETE_BRANCH: "toryo branch delete {subject}",
    Do.MERGE_BRANCH: "toryo branch merge {subject}",
    Do.OPEN_BRANCH: "toryo branch open {subject}",
    Do.SUMMARISE_BRANCH: "toryo branch show {subject} --summary",
    Do.START_ON_BRANCH: "toryo branch start {subject} --agent {agent}",
}
_OPTIONS: dict[Do, tuple[str, str]] = {Do.RELEASE_ACCOUNT: ("machine", " --machine {machine}")}
"""Argument that a line has only where it is given."""
_AS_THEY_ARE = frozenset({"command", "option", "paths"})
"""Arguments that are words of a command line already."""


@dataclass(frozen=True)
class Action:
    do: Do
    subject: str = ""
    """The id or name of what it is done to."""
    args: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def action(do: Do, subject: str = "", **args: str) -> Action:
    return Action(do, subject, MappingProxyType(args))


def line(one: Action) -> str:
    """What a person types; every name is quoted for a shell."""
    quoted = {
        name: value if name in _AS_THEY_ARE else shlex.quote(value)
        for name, value in {"subject": one.subject, **one.args}.items()
    }
    option, more = _OPTIONS.get(one.do, ("", ""))
    return (_LINES[one.do] + (more if one.args.get(option) else "")).format_map(quoted)


def lines(found: Iterable[Action]) -> tuple[str, ...]:
    return tuple(line(one) for one in found)
