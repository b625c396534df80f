"""Briefs with something under every heading, for the tests of prompts and conversations."""

from __future__ import annotations

from typing import Any

from toryo.protocol.kinds.planner import (
    AgentBrief,
    Brief,
    FinishedBrief,
    MessageBrief,
    PlanBrief,
    PlannedTask,
    QuestionBrief,
    TaskBrief,
)


def a_brief(**more: Any) -> Brief:
    given: dict[str, Any] = {
        "mission": "n1",
        "purpose": "plan",
        "text": "REQUEST-kumo",
        "target": "TARGET-main",
        "scan": "SCAN of the repository",
        "agents": (AgentBrief(name="AGENT-haru", role="ROLE-api", client="codex", write=("SCOPE/**",)),),
        "checks": ("CHECK-make-test",),
        "max_concurrent": 7,
        "conversation": (MessageBrief(who="person", text="MESSAGE-one"),),
        "questions": (
            QuestionBrief(id="q1", text="QUESTION-one", default="d", answer="ANSWER-one"),
            QuestionBrief(id="q2", text="QUESTION-two", default="DEFAULT-two"),
        ),
        "finished": (
            FinishedBrief(mission="n0", title="FINISHED-old", spec="specs/SPEC-1", summary="OLD-sum"),
        ),
        "plan": PlanBrief(
            version=3,
            spec="SPEC-text\n[NEEDS CLARIFICATION: POINT-open]",
            plan="PLAN-text",
            tasks=(
                PlannedTask(
                    id="T001",
                    title="PLANNED-one",
                    description="DESCRIBED-one",
                    depends_on=("T000",),
                    write=("WRITE/**",),
                    checks=("TASKCHECK",),
                    story="US1",
                ),
            ),
        ),
        "rejected": "REJECTED-because",
        "faults": ("FAULT-cycle",),
        "demand": "DEMAND-new",
        "tasks": (TaskBrief(id="T001", title="TASK-one", status="running", description="TASKTEXT-one"),),
        "task": TaskBrief(
            id="T009", title="JUDGED-one", status="failed", reason="checks", output="OUTPUT-end"
        ),
    }
    return Brief(**(given | more))
