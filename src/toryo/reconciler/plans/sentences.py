"""Sentences about faults and notes of a plan: what a planner is told to mend, and a person reads. Pure."""

from __future__ import annotations

from toryo.reconciler.plans.facts import Fault, FaultCode, Note, NoteCode

CHECKS_OF_ALL = "under `dod: checks` in .toryo/config.yaml"
_FAULTS = {
    FaultCode.EMPTY: "the plan has no task",
    FaultCode.NO_TITLE: "{tasks} has no title",
    FaultCode.BAD_ID: "{tasks} is no id: write T and at least three digits, such as T001",
    FaultCode.DUPLICATE_ID: "{tasks} stands there more than once: every id is one task's",
    FaultCode.UNKNOWN_DEPENDENCY: "{tasks} depends on {names}, which is no task of the plan",
    FaultCode.CYCLE: "{way} wait for each other: take one of these edges away",
    FaultCode.UNKNOWN_AGENT: "{tasks} names the agent {names}, who does not work in the project",
    FaultCode.WRITES_NOTHING: "{tasks} may write nothing: name its paths, or null if unknown",
    FaultCode.BAD_PATH: "{tasks} writes {names}: name paths inside the repository, from its root",
    FaultCode.NO_CHECK: f"no command checks {{tasks}}: name one for each, or for all of them {CHECKS_OF_ALL}",
    FaultCode.SHARED_WORKTREE: "{tasks} is `shared`: it needs just one predecessor of its own agent",
    FaultCode.SHARED_UNIT: "{tasks} is a unit, which has a worktree of its own: write `worktree` new",
}
_NOTES = {
    NoteCode.UNKNOWN_PATH: "{tasks} writes {names}, which the repository does not have",
    NoteCode.OVERLAP: "{tasks} may write the same files ({names}) and run one after the other",
    NoteCode.OTHER_MISSION: "{tasks} may write what the mission “{title}” writes, too",
    NoteCode.NO_SETUP: "the repository has no tests, and no task sets them up first",
}


def fault_text(fault: Fault) -> str:
    return _FAULTS[fault.code].format(
        tasks=", ".join(fault.tasks), names=", ".join(fault.names), way=" → ".join(fault.tasks)
    )


def note_text(note: Note) -> str:
    title = note.names[-1] if note.names else ""
    return _NOTES[note.code].format(tasks=", ".join(note.tasks), names=", ".join(note.names), title=title)
