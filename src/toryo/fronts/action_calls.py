"""Table from action to tool call: what a front that is no command line sends for each thing a person may do.

What needs a shell, another program or a secret on the screen stays a line to type.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toryo.domain.actions import Do

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from toryo.protocol.views.actions import ActionView


@dataclass(frozen=True)
class Call:
    """A tool with its arguments, and the text that a person still has to give."""

    tool: str
    arguments: Mapping[str, Any]
    wants: str = ""
    """Argument that a person writes; empty: none."""


@dataclass(frozen=True)
class _Form:
    tool: str
    subject: str = ""
    """Argument that takes the action's subject."""
    args: Mapping[str, str] = field(default_factory=dict)
    """The action's own arguments → the tool's."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    wants: str = ""


_CALLS: dict[Do, _Form] = {
    Do.APPROVE: _Form("approve_task", "task"),
    Do.REJECT: _Form("reject_task", "task", wants="note"),
    Do.RETRY: _Form("retry_task", "task"),
    Do.CANCEL: _Form("cancel_task", "task"),
    Do.DISMISS: _Form("dismiss_task", "task"),
    Do.SUBMIT: _Form("submit_task", "task"),
    Do.ANSWER: _Form("say", "id", wants="text"),
    Do.SAY: _Form("say", "id", wants="text"),
    Do.ATTACH: _Form("attach_run", "id"),
    Do.EVIDENCE: _Form("get_evidence", "task"),
    Do.REASSIGN: _Form("update_task", "task", {"agent": "agent"}),
    Do.SHOW_TASK: _Form("get_task", "task"),
    Do.REVERT: _Form("revert_task", "task"),
    Do.RELEASE_RUN: _Form("release_run", "run"),
    Do.ENABLE_AGENT: _Form("enable_agent", "agent"),
    Do.ASSIGN_AGENT: _Form("assign_agent", "agent"),
    Do.ACTIVATE_PROJECT: _Form("activate_project", "project"),
    Do.MOVE_PROJECT: _Form("move_project", "project", wants="path"),
    Do.APPROVE_TARGET: _Form("approve_target", "target", {"project": "project"}),
    Do.RETRY_TARGET: _Form("retry_target", "target", {"project": "project"}),
    Do.RELEASE_ACCOUNT: _Form("release_account", "client", {"machine": "machine"}),
    Do.RELEASE_AGENT: _Form("release_agent", "agent"),
    Do.RESUME_UNIT: _Form("resume_unit", "unit"),
    Do.STATUS: _Form("get_status"),
    Do.DOCTOR: _Form("doctor"),
    Do.WAIT: _Form("wait_task", "task"),
    Do.ANSWER_MISSION: _Form("answer_mission", "mission", fixed={"defaults": True}),
    Do.APPROVE_MISSION: _Form("approve_mission", "mission"),
    Do.REJECT_MISSION: _Form("reject_mission", "mission", wants="reason"),
    Do.SAY_TO_MISSION: _Form("say_mission", "mission", wants="text"),
    Do.SHOW_MISSION: _Form("show_mission", "mission"),
    Do.RESUME_MISSION: _Form("resume_mission", "mission"),
    Do.PAUSE_MISSION: _Form("pause_mission", "mission"),
    Do.CANCEL_MISSION: _Form("cancel_mission", "mission"),
    Do.BUDGET_MISSION: _Form("budget_mission", "mission", {"limit": "budget"}),
    Do.READ_INBOX: _Form("list_messages", "unit"),
    Do.CLEAR_INBOX: _Form("clear_messages", "unit"),
    Do.SHOW_BRANCH: _Form("show_branch", "branch"),
    Do.DELETE_BRANCH: _Form("delete_branch", "branch"),
    Do.MERGE_BRANCH: _Form("merge_branch", "branch"),
    Do.OPEN_BRANCH: _Form("open_branch", "branch"),
    Do.SUMMARISE_BRANCH: _Form("summarise_branch", "branch"),
    Do.START_ON_BRANCH: _Form("start_on_branch", "branch", wants="agent"),
    Do.FOLLOW_MISSION: _Form("start_mission", "follow", wants="text"),
}

TYPED = frozenset(
    {
        Do.ADD_AGENT,
        Do.ADD_PROGRAM,
        Do.NAME_PROGRAM,
        Do.START_SESSION,
        Do.MORE_SLOTS,
        Do.INSTALL,
        Do.INIT,
        Do.TAKE_OVER,
        Do.STASH,
        Do.LOOK_IN_GIT,
        Do.LIST_WORKTREES,
        Do.LIST_REMOVED,
        Do.MAKE_BRANCH,
        Do.UP,
        Do.PASSKEY,
        Do.USE_PLANNER,
        Do.CHECK_PLANNER,
    }
)
"""Lines to type: a program of the machine, a choice of more than one word, or a secret."""


def call(one: ActionView) -> Call | None:
    """None: it is a line to type."""
    form = _CALLS.get(Do(one["do"]))
    if form is None:
        return None
    arguments: dict[str, Any] = {**form.fixed}
    if form.subject:
        arguments[form.subject] = one["subject"]
    for own, theirs in form.args.items():
        if own in one["args"]:
            arguments[theirs] = one["args"][own]
    if "budget" in arguments:  # `tokens=0`
        key, _, limit = str(arguments["budget"]).partition("=")
        arguments["budget"] = {key: float(limit or 0)}
    return Call(form.tool, arguments, form.wants)


def forms() -> dict[Do, tuple[str, frozenset[str]]]:
    """Each action that is a call: its tool, and all arguments that it may give."""
    found = {}
    for do, form in _CALLS.items():
        given = {form.subject, form.wants, *form.args.values(), *form.fixed} - {""}
        found[do] = form.tool, frozenset(given)
    return found
