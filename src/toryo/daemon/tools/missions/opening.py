"""Opening of a target: a branch that work has not landed on yet gets a tip, by its machine's own look."""

from __future__ import annotations

from toryo.daemon.core.head import Head
from toryo.daemon.tools.reads.answers import answered
from toryo.daemon.tools.remote_reads import until_reported
from toryo.engine.context import Caller
from toryo.usecases.missions import taken_in
from toryo.usecases.runs import remote_reads
from toryo.usecases.targets import opening

SURVEY_S = 60
OURS = "agent/"


async def open_target(head: Head, project: str, path: str, onto: str) -> tuple[str, list[str]]:
    """The branch that work lands on: the named one, else the one that is checked out where it was asked for;
    with what a person should know about that choice."""
    row, known = await head.do(opening.of_project, project, path, onto)
    if onto and known:
        return onto, []
    if not onto and not path:
        return row.base, []
    order = await head.do(remote_reads.order_survey, row.machine, path or row.path, onto or row.base)
    survey = remote_reads.refuse_problem(await until_reported(head, order, "survey", SURVEY_S))
    branch = onto or str(survey["head_branch"])
    notes = []
    if not onto and (not branch or branch.startswith(OURS)):
        where = f"{branch} is an agent's" if branch else "no branch is checked out here"
        notes.append(f"{where}: it lands on {row.base}")
        branch = row.base
    row, known = await head.do(opening.of_project, project, path, branch)
    if known:
        return branch, notes
    if branch != survey["base"]:
        order = await head.do(remote_reads.order_survey, row.machine, row.path, branch)
        survey = remote_reads.refuse_problem(await until_reported(head, order, "survey", SURVEY_S))
    inputs = await head.do(opening.adopt_inputs, row.id, branch)
    order = await head.do(remote_reads.order_adopt, f"machine:{row.machine}", inputs)
    adopted = remote_reads.refuse_problem(await until_reported(head, order, "adopt", SURVEY_S))
    await head.do(opening.open_target, row.id, branch, survey, adopted)
    return branch, [*notes, f"it starts from {branch} and lands there"]


async def take_in(
    head: Head, caller: Caller, project: str, path: str, folder: str, branch: str
) -> taken_in.TakenIn:
    """A spec-kit folder as that branch has it now, whatever the tip of accepted work is."""
    read = await head.read(taken_in.folder_read, project, path, folder, branch)
    found = await answered(head, caller, read, SURVEY_S)
    return taken_in.understood(folder, branch, found["body"])
