"""Opening of a target: a branch that work has not landed on yet gets a tip, by its machine's own look."""

from __future__ import annotations

from typing import Any

from toryo.daemon.core.head import Head
from toryo.daemon.tools.reads.answers import answered
from toryo.daemon.tools.remote_reads import until_reported
from toryo.engine.context import Caller
from toryo.usecases.missions import taken_in
from toryo.usecases.runs import remote_reads
from toryo.usecases.targets import opening

SURVEY_S = 60
OURS = "agent/"
AGENTS_WORKTREE = "inside_worktree_of_toryo"
"""Code of a survey's problem."""


async def open_target(head: Head, project: str, path: str, onto: str) -> tuple[str, list[str]]:
    """The branch that work lands on: the named one, else the one that is checked out where it was asked for;
    with what a person should know about that choice."""
    row, known = await head.do(opening.of_project, project, path, onto)
    if onto and known:
        return onto, []
    if not onto and not path:
        return row.base, []
    where = path if path and not onto else row.path
    order = await head.do(remote_reads.order_survey, row.machine, where, onto or row.base)
    survey = await until_reported(head, order, "survey", SURVEY_S)
    branch, notes = onto, list[str]()
    if not onto:
        branch, why = _checked_out(survey, row.path)
        if why:
            branch, notes = row.base, [f"{why}: it lands on {row.base}"]
    row, known = await head.do(opening.of_project, project, path, branch)
    if known:
        return branch, notes
    if branch != remote_reads.refuse_problem(survey)["base"]:
        order = await head.do(remote_reads.order_survey, row.machine, row.path, branch)
        survey = remote_reads.refuse_problem(await until_reported(head, order, "survey", SURVEY_S))
    inputs = await head.do(opening.adopt_inputs, row.id, branch)
    order = await head.do(remote_reads.order_adopt, f"machine:{row.machine}", inputs)
    adopted = remote_reads.refuse_problem(await until_reported(head, order, "adopt", SURVEY_S))
    await head.do(opening.open_target, row.id, branch, survey, adopted)
    return branch, [*notes, f"it starts from {branch} and lands there"]


def _checked_out(survey: dict[str, Any], project: str) -> tuple[str, str]:
    """The branch there; or why nothing lands on it."""
    problem = survey.get("problem")
    if problem and problem.get("code") == AGENTS_WORKTREE:
        return "", "this is the worktree of an agent"
    if remote_reads.refuse_problem(survey)["root"] != project:
        return "", "this is another repository than the project's"
    branch = str(survey["head_branch"])
    if not branch:
        return "", "no branch is checked out here"
    return branch, f"{branch} is an agent's" if branch.startswith(OURS) else ""


async def take_in(
    head: Head, caller: Caller, project: str, path: str, folder: str, branch: str
) -> taken_in.TakenIn:
    """A spec-kit folder as that branch has it now, whatever the tip of accepted work is."""
    read = await head.read(taken_in.folder_read, project, path, folder, branch)
    found = await answered(head, caller, read, SURVEY_S)
    return taken_in.understood(folder, branch, found["body"])
