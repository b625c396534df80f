"""Plan rules, applied: a plan's facts gathered from the store, judged, and kept as a version."""

from __future__ import annotations

from toryo.domain import planned_tasks
from toryo.engine.default_agents import default_agent
from toryo.engine.missions.repository_seen import seen
from toryo.engine.project_settings import settings_of
from toryo.protocol.kinds.planner import PlanAnswer, PlannedTask
from toryo.reconciler.plans.facts import OtherMission, PlanFacts, PlanJudgement
from toryo.reconciler.plans.rules import judge_plan
from toryo.reconciler.plans.sentences import fault_text, note_text
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow, PlanRow
from toryo.store.database.rows import ProjectRow
from toryo.store.tables import missions, plans, projects


def keep_plan(
    tx: Tx, row: MissionRow, answer: PlanAnswer, *, mends: int = 0, tasks_text: str = ""
) -> PlanRow:
    """The next version, with what the rules say of it."""
    project = projects.get(tx, row.project)
    assert project is not None  # missions have a foreign key to it
    judged = judge(tx, project, row, answer.tasks)
    before = plans.newest(tx, row.id)
    plan = PlanRow(
        mission=row.id,
        version=(before.version if before else 0) + 1,
        request=row.request,
        spec=answer.spec,
        plan=answer.plan,
        tasks=[one.model_dump(mode="json") for one in answer.tasks],
        tasks_text=tasks_text,
        parallelism=answer.parallelism,
        faults=[fault_text(one) for one in judged.faults],
        notes=[note_text(one) for one in judged.notes],
        edges=[[one.task, one.needs] for one in judged.edges],
        mends=mends,
        created_at=tx.now,
    )
    plans.insert(tx, plan)
    return plan


def judge_again(tx: Tx, project: ProjectRow, row: MissionRow) -> bool:
    """Faults of the plan that waits, by the settings and agents that the project has now; whether the last
    one has gone."""
    plan = plans.newest(tx, row.id)
    if plan is None or plan.request != row.request:
        return False
    if plan.approved_at is not None or plan.rejected_at is not None or plan.made_at is not None:
        return False
    judged = judge(tx, project, row, tuple(PlannedTask.model_validate(one) for one in plan.tasks))
    found = [fault_text(one) for one in judged.faults]
    if found == list(plan.faults):
        return False
    plans.update(tx, row.id, plan.version, faults=found)
    return not found


def judge(tx: Tx, project: ProjectRow, row: MissionRow, tasks: tuple[PlannedTask, ...]) -> PlanJudgement:
    read = seen(tx, row)
    return judge_plan(
        PlanFacts(
            tasks=tuple(planned(one) for one in tasks),
            agents=frozenset(one.id for one in projects.agents_of(tx, project.id)),
            default_agent=default_agent(tx, project),
            has_checks=bool(settings_of(project.settings).dod.checks),
            has_tests=read.has_tests if read else True,
            paths=frozenset(read.paths) if read else frozenset(),
            landed=frozenset(
                one.planned for one in missions.planned_of(tx, row.id) if one.landed_commit and one.planned
            ),
            others=_others(tx, row),
        )
    )


def planned(one: PlannedTask) -> planned_tasks.PlannedTask:
    return planned_tasks.PlannedTask(
        id=one.id,
        title=one.title,
        description=one.description,
        depends_on=one.depends_on,
        write=one.write,
        checks=one.checks,
        agent=one.agent or "",
        worktree=planned_tasks.Worktree(one.worktree),
        unit=one.unit,
        story=one.story or "",
        done=one.done,
    )


def _others(tx: Tx, row: MissionRow) -> tuple[OtherMission, ...]:
    found = []
    for other in missions.live(tx, row.project):
        unfinished = [one for one in missions.planned_of(tx, other.id) if not one.landed_commit]
        write = tuple(dict.fromkeys(path for one in unfinished for path in one.write or ()))
        if other.id != row.id and write:
            found.append(OtherMission(other.id, other.title, write))
    return tuple(found)
