"""Mission page: what was asked, the questions, the plan whole, the conversation, what may be typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.cli.missions import chat, plan_page
from toryo.fronts.text.output import columns, facts, fold_copyable, one_line, paint, plain

if TYPE_CHECKING:
    from toryo.protocol.views.missions import MissionView, QuestionView


def page(mission: MissionView) -> str:
    parts = [f"{one_line(mission['title'])}\n{_facts(mission)}"]
    if mission["text"].strip() not in ("", mission["title"]):
        parts.append(fold_copyable(plain(mission["text"].strip("\n")), columns(), 0))
    if mission["questions"]:
        parts.append("\n".join(["questions", *(f"  {_question(one)}" for one in mission["questions"])]))
    if told := plan_page.page(mission):
        parts.append(told)
    if mission["messages"]:
        parts.append("\n".join([paint("conversation", "bold"), *chat.lines(mission["messages"], 0)]))
    if typed := chat.actions(mission):
        parts.append("\n".join(f"type: {paint(line, 'cyan')}" for line in typed))
    return "\n\n".join(parts)


def _facts(mission: MissionView) -> str:
    return facts(
        [
            ("mission", mission["id"]),
            ("status", chat.state(mission)),
            ("because", one_line(mission["detail"])),
            ("project", mission["project_name"]),
            ("lands on", mission["target"]),
            ("size", mission["size"]),
            ("approval", mission["approval"]),
            ("plan", _version(mission)),
            ("files", mission["spec"]),
            ("follows", mission["follows"]),
            ("at once", mission["parallelism"] or None),
            ("budget", ", ".join(f"{key}={limit:g}" for key, limit in mission["budget"].items())),
            ("planner", chat.usage(mission["usage"])),
            ("agents", chat.usage_of_agents(mission["usage_of_agents"])),
        ]
    )


def _version(mission: MissionView) -> str:
    plan = mission["plan"]
    if plan is None:
        return ""
    if plan["rejected"] is not None:
        return f"version {plan['version']}, rejected: {one_line(plan['rejected'])}"
    wanted = ", only the plan is wanted" if mission["plan_only"] else ""
    return f"version {plan['version']}, {'approved' if plan['approved_at'] else 'not approved'}{wanted}"


def _question(question: QuestionView) -> str:
    answer = question["answer"]
    told = paint("not answered", "yellow") if answer is None else f"→ {one_line(answer)}"
    return f"{question['id']}  {one_line(question['text'])}  {told}"
