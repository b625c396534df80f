"""Event sentences: one event in words for a person. Pure: nothing is asked for and nothing printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.text.output import one_line

if TYPE_CHECKING:
    from typing import Any

    from toryo.protocol.views.status import EventView

SHORT = 12
LONGEST = 200

_SENTENCES = {
    "account_released": "{client} need not wait any longer: a person said so",
    "agent_added": "the agent {agent} was added: {client}",
    "agent_assigned": "{agent} works here now",
    "agent_unassigned": "{agent} works here no more",
    "agent_changed": "the agent {agent} was changed",
    "agent_removed": "the agent {agent} was removed",
    "agent_passkey_changed": "{agent} has a new passkey",
    "agent_active": "{agent} may be started again",
    "agent_disabled": "{agent} is started no more",
    "branch_deleted": "a person deleted the branch {branch}; {kept} holds what it held",
    "coordinator_unseen": "the coordinator {coordinator} is not heard of",
    "message_dead": "a message that nobody could hear is kept aside",
    "message_stored": "a message was sent: {type}",
    "messages_cleared": "{count} messages that nobody could hear were put away",
    "paths_set_back": "what the work made of {paths} is left out: its mission keeps them",
    "mission_answered": "its questions are answered: {questions}",
    "mission_approved": "version {version} of its plan was approved",
    "mission_asks": "it asks a person: {questions} to answer",
    "mission_budget": "its limits were changed",
    "mission_cancel": "it was cancelled by a person",
    "mission_impact": "what was asked for affects {affected}",
    "mission_pause": "it was paused by a person: nothing new starts",
    "mission_pause_now": "it was paused by a person, and its runs are stopped",
    "mission_planned": "version {version} of its plan has {tasks} tasks",
    "mission_rejected": "version {version} of its plan was rejected",
    "mission_resume": "it goes on",
    "mission_said": "a person said something to it",
    "mission_set": "{parallelism} of its tasks may run at once",
    "mission_started": "a mission was asked for: {title}",
    "mission_tasks_made": "its plan became {tasks} tasks",
    "model_waiting": "the model cannot be asked now ({why}): {message}",
    "planner_unseen": "the planner {planner} is not heard of",
    "files_unchanged": "the files of the mission are on {target} already",
    "foreign_move": "somebody moved {target} while a landing was under way",
    "landing_ended": "did not land: {why}",
    "look_failed": "{target} could not be looked at",
    "project_added": "the project {name} was added: {path}",
    "project_active": "{name} is worked on again",
    "project_archived": "{name} is archived",
    "project_moved": "it is at {path} now",
    "project_removed": "every trace of Toryo was taken out of {path}",
    "publish_failed": "{target} could not be moved: {message}",
    "publish_waiting": "merging into {target} waits for your checkout ({why}): {paths}",
    "queue_resumed": "landings on {target} go on",
    "queue_stopped": "landings on {target} are stopped: {why}",
    "review_commented": "a person comments on {path}",
    "review_marked": "a person looked through {hunks} of its changed places",
    "review_sent": "a person's comments were sent: {comments}",
    "setting_changed": "the setting {key} of the installation was changed",
    "run_claims": "the agent says: {result}",
    "run_expired": "its session expired",
    "run_lost": "the agent is lost: {reason}",
    "run_parking_over": "it need not wait for its account any more",
    "run_progress": "the agent says: {summary}",
    "run_released": "a person released the run",
    "run_reported": "the agent reported: {result}",
    "run_started": "an agent has started",
    "run_stop_asked": "a person asks the agent to stop",
    "run_submitted": "a person's own work was submitted",
    "run_told": "a person says: {text}",
    "run_unparked": "a person said that it need not wait for its account",
    "run_unheard": "ended before the agent heard: {text}",
    "scan_failed": "the repository could not be read for a plan: {message}",
    "session_ended": "the session of {agent} was ended",
    "session_expired": "the session of {agent} expired",
    "target_approved": "a person approved {target} ({why}): {note}",
    "target_not_opened": "no work can land on {target}: {message}",
    "target_opened": "work lands on {target} from now on",
    "target_moved": "somebody moved {target} to {commit}: it is followed",
    "target_published": "{target} is at {commit} now",
    "target_retried": "a person retried {target} ({why}): {note}",
    "task_added": "added",
    "task_answer": "answered: {note}",
    "task_approve": "approved: {note}",
    "task_cancel": "cancelled: {note}",
    "task_changed": "changed: {changed}",
    "task_dismiss": "put aside: {note}",
    "task_judged": "the model says: {action}: {note}",
    "task_reject": "rejected: {note}",
    "task_release": "may go on: {note}",
    "task_retry": "is to be tried again: {note}",
    "task_revert": "is to be taken back",
    "task_submit": "submitted by a person",
    "tip_lost": "what was accepted for {target} is not in the repository any more",
    "tip_taken_over": "{target} goes on from {new}",
    "tree_stopped": "nothing more is split up here: {why}",
    "unit_pause": "{unit} was paused by a person: nothing new starts",
    "unit_pause_now": "{unit} was paused by a person, and its runs are stopped",
    "unit_resume": "{unit} goes on",
    "work_taken_off": "what was accepted and is not wanted any more is taken off {target}",
}


WORDED = frozenset({*_SENTENCES, "task_status", "mission_status", "check_finished", "run_exited"})
"""Kinds that a person reads a sentence of."""


def like(kind: str) -> str:
    """The kind that was probably meant; empty if there is this one, or none like it."""
    import difflib

    from toryo.domain.event_kinds import PLUMBING

    known = {*PLUMBING, *WORDED}
    return "" if kind in known else next(iter(difflib.get_close_matches(kind, known, 1)), "task_status")


def sentence(one: EventView) -> str:
    kind, body = str(one["kind"]), one.get("body") or {}
    if kind in ("task_status", "mission_status"):
        return _status(body)
    if kind == "check_finished":
        return _check(body)
    if kind == "run_exited":
        return _exit(body)
    known = _SENTENCES.get(kind)
    if known is None:
        return _in_short(kind, body)
    found = known.format_map(_Values(body))
    return one_line(found)[:LONGEST].rstrip(" :")


class _Values(dict[str, "Any"]):
    """A body's values as words; what it does not have is nothing."""

    def __getitem__(self, name: str) -> str:
        value = self.get(name)
        if name in ("commit", "new", "old"):
            return str(value or "")[:SHORT]
        if isinstance(value, list | tuple):
            return ", ".join(map(str, value))
        if isinstance(value, dict):
            return ", ".join(map(str, value))
        return "" if value is None else str(value).replace("_", " ") if name == "why" else str(value)

    def __missing__(self, name: str) -> str:
        return ""


def _status(body: dict[str, Any]) -> str:
    status = str(body.get("status", "")).replace("_", " ")
    reason, detail = str(body.get("reason") or "").replace("_", " "), str(body.get("detail") or "")
    why = f"{reason}: {detail}" if reason and detail else reason or detail
    return one_line(f"{status} ({why})" if why else status)[:LONGEST]


def _check(body: dict[str, Any]) -> str:
    result = str(body.get("result", "")).replace("_", " ")
    return one_line(f"check {body.get('command', '')} {result}")[:LONGEST]


def _exit(body: dict[str, Any]) -> str:
    if body.get("could_not_start"):
        return one_line(f"the agent could not be started: {body['could_not_start']}")[:LONGEST]
    if body.get("timed_out"):
        return "the agent was ended: its time was over"
    if body.get("stopped"):
        return "the agent was stopped"
    code, signal = body.get("exit_code"), body.get("signal")
    return f"the agent was ended by {signal}" if signal else f"the agent has ended (exit {code})"


def _in_short(kind: str, body: dict[str, Any]) -> str:
    """Of a kind that has no sentence: its name, and the values that say something."""
    told = {name: value for name, value in body.items() if value not in (None, "", [], {})}
    values = " ".join(f"{name}={_short(value)}" for name, value in told.items())
    return one_line(f"{kind.replace('_', ' ')}  {values}").rstrip()


def _short(value: Any) -> str:
    text = one_line(str(value))
    return text if len(text) <= 60 else text[:59] + "…"
