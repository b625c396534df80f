"""Evidence: the bundle of facts a landing stands on, written before the tip may move."""

from __future__ import annotations

from typing import Any

from toryo.domain.outside import dod_result
from toryo.domain.times import iso
from toryo.domain.words import CheckResult, Outcome
from toryo.engine.claim_view import claim_body, told_at_the_end
from toryo.engine.ids import new_id
from toryo.engine.messages import words_of
from toryo.protocol.views import evidence as views
from toryo.protocol.views.runs import RunView
from toryo.protocol.views.tasks import VerbView
from toryo.store.database.engine import Tx
from toryo.store.database.rows import CheckRow, EvidenceRow, GateRow, LandingRow, RunRow
from toryo.store.tables import claims, evidence, facts, gates, landings, projects, runs, tasks, verbs


def write_evidence(tx: Tx, landing: LandingRow) -> str:
    row = EvidenceRow(
        id=new_id("e"), task=landing.task, landing=landing.id, body=bundle(tx, landing), at=tx.now
    )
    evidence.insert(tx, row)
    return row.id


def bundle(tx: Tx, landing: LandingRow) -> dict[str, Any]:
    gate = gates.get(tx, landing.gate) if landing.gate else None
    mine = runs.of_task(tx, landing.task) if landing.task else []
    last = next((run for run in mine if run.id == landing.run), None)
    collected = (last.collected or {}) if last else {}
    return {
        "task": landing.task,
        "landing": landing.id,
        "tree": landing.tree,
        "commit": landing.candidate,
        "head": landing.head,
        "old_tip": landing.old_tip,
        "target": landing.target,
        "verdict": landing.verdict or (gate.verdict if gate else ""),
        "trusted_by_person": landing.trusted,
        "gate": gate_body(gate),
        "checks": checks_of(tx, gate),
        "runs": [run_facts(tx, run) for run in mine],
        "violations": collected.get("violations", []),
        "foreign": collected.get("foreign", []),
        "restored": _restored(tx, landing),
        "verbs": verbs_said(tx, landing.task),
        "settings_problem": _settings_problem(tx, landing.project),
    }


def _restored(tx: Tx, landing: LandingRow) -> list[str]:
    """Paths of its mission that the work had changed, and that stayed as the target has them."""
    told = [fact.body for fact in facts.of_landing(tx, landing.id) if fact.kind == "candidate_built"]
    return list(told[-1].get("restored", ())) if told else []


def _settings_problem(tx: Tx, project: str) -> str:
    """What is wrong with the target's settings: the checks are those of older ones then."""
    row = projects.get(tx, project)
    return row.settings_problem if row else ""


def base_of(tx: Tx, project: str, target: str) -> views.BaseView | None:
    """The gate that holds a task back: of the tip, or of where a person put the branch."""
    row = projects.target(tx, project, target)
    if row is None:
        return None
    followed = landings.newest_following(tx, project, target, row.seen) if row.seen else None
    gate = gates.get(tx, followed.gate if followed and followed.gate else row.tip_gate)
    if gate is None:
        return None
    return {"tree": gate.tree, "verdict": gate.verdict, "checks": checks_of(tx, gate)}


def pending(tx: Tx, task_id: str) -> dict[str, Any]:
    """What is known of a task that has no evidence yet: the same shape, from its newest landing."""
    newest = landings.of_task(tx, task_id)
    if newest:
        return bundle(tx, newest[-1])
    mine, task = runs.of_task(tx, task_id), tasks.get(tx, task_id)
    collected = (mine[-1].collected or {}) if mine else {}
    return {
        "task": task_id,
        "tree": "",
        "commit": "",
        "verdict": "",
        "checks": [],
        "runs": [run_facts(tx, run) for run in mine],
        "violations": collected.get("violations", []),
        "foreign": collected.get("foreign", []),
        "verbs": verbs_said(tx, task_id),
        "settings_problem": _settings_problem(tx, task.project if task else ""),
    }


def gate_body(gate: GateRow | None) -> views.GateView | None:
    if gate is None:
        return None
    return {"id": gate.id, "setup": dict(gate.setup), "exclude": list(gate.exclude)}


def checks_of(tx: Tx, gate: GateRow | None) -> list[views.CheckView]:
    """One row per check: flaky where a second attempt passed; goals are checks too."""
    if gate is None:
        return []
    rows = gates.checks_of(tx, gate.id)
    listed: list[views.CheckView] = []
    for spec in gate.checks:
        mine = [row for row in rows if row.command == spec["command"]]
        listed.append(_check(str(spec["command"]), mine))
    for goal in gate.goals:
        listed.append(
            {
                "command": f"goal {goal['type']}: {goal['pattern']}",
                "result": goal["result"],
                "exit_code": None,
                "duration_s": 0.0,
                "output": "",
                "attempts": 1,
            }
        )
    return listed


def _check(command: str, rows: list[CheckRow]) -> views.CheckView:
    if not rows:
        return {
            "command": command,
            "result": "not_run",
            "exit_code": None,
            "duration_s": 0.0,
            "output": "",
            "attempts": 0,
        }
    last = rows[-1]
    result = last.result
    if result == CheckResult.PASSED and any(row.result == CheckResult.FAILED for row in rows):
        result = CheckResult.FLAKY
    return {
        "command": command,
        "result": result,
        "exit_code": last.exit_code,
        "duration_s": round(last.duration_s, 3),
        "output": last.tail,
        "output_blob": last.output,
        "attempts": len(rows),
        "reason": last.reason,
        "setup_key": last.setup_key,
        "fingerprint": last.fingerprint,
        "reused": last.reused_from is not None,
        "at": iso(last.at),
    }


def verbs_said(tx: Tx, task_id: str) -> list[VerbView]:
    """What people said about a task, and about which reason: a yes of theirs is part of what it stands on."""
    return [
        {"verb": one.verb, "reason": one.reason, "note": one.note, "at": iso(one.at)}
        for one in verbs.of_task(tx, task_id)
    ]


def run_facts(tx: Tx, run: RunRow) -> RunView:
    """A run as everybody sees it: `task show`, `run show`, evidence."""
    collected, said, signs = run.collected or {}, run.said or {}, run.signs or {}
    snapshot = collected.get("snapshot") or {}
    said_of_it = claims.of_run(tx, run.id)
    merged = any(one.run == run.id and one.published_at is not None for one in landings.of_task(tx, run.task))
    exit_facts = next((fact.body for fact in facts.of_run(tx, run.id) if fact.kind == "exited"), {})
    return {
        "id": run.id,
        "task": run.task,
        "project": run.project,
        "purpose": run.purpose,
        "generation": run.generation,
        "agent": run.agent,
        "client": run.client,
        "client_version": said.get("client_version") or None,
        "model": said.get("model") or None,
        "usage": said.get("usage"),
        "conversation": said.get("conversation") or None,
        "denied": list(said.get("denied", ())),
        "message": said.get("message") or None,
        "last_words": said.get("words") or None,
        "coordinator": run.coordinator,
        "access": run.access,
        "live": run.live,
        "outcome": run.outcome,
        "reason": run.outcome_reason,
        "parked_until": iso(run.parked_until),
        "asks": signs.get("asks") or None,
        "silent_since": iso(signs.get("silent_since")),
        "dod_result": dod_result(Outcome(run.outcome), merged=merged, exit_code=run.exit_code),
        "exit_code": run.exit_code,
        "signal": run.signal or None,
        "started_at": iso(run.started_at),
        "ended_at": iso(run.ended_at),
        "worktree": run.worktree,
        "prompt_hash": run.prompt,
        "commits": collected.get("new_commits", 0),
        "commits_beyond_base": collected.get("commits", 0),
        "log": collected.get("log", []),
        "changed_files": list(collected.get("changed_files", [])),
        "uncommitted": list(snapshot.get("uncommitted", [])),
        "snapshot": snapshot.get("ref"),
        "snapshot_commit": snapshot.get("commit"),
        "children_killed": list(exit_facts.get("children_killed", [])),
        "violations": collected.get("violations", []),
        "foreign": collected.get("foreign", []),
        "kept_worktree": collected.get("kept_worktree", ""),
        "words": words_of(tx, run.id),
        **told_at_the_end(said_of_it),
        "claims": [claim_body(claim) for claim in said_of_it],
    }
