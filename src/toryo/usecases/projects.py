"""Projects: what `init` shows and registers, and what is in force for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from toryo.domain.errors import UserError
from toryo.domain.times import iso
from toryo.store import projects, tasks
from toryo.store.engine import Tx
from toryo.store.rows import ProjectRow, TargetRow
from toryo.usecases.agent_definitions import AGENT_CLIS, known_clients
from toryo.usecases.agent_files import agents_in
from toryo.usecases.agents_of_projects import first_agent, import_agents
from toryo.usecases.context import HeadContext
from toryo.usecases.default_agents import settle
from toryo.usecases.facts_of_projects import CONFIG, take_settings
from toryo.usecases.finding import the_project
from toryo.usecases.ids import new_id
from toryo.usecases.project_settings import first_settings, parse_settings

LONGEST_NAME = 64


def proposal(survey: Mapping[str, Any]) -> dict[str, Any]:
    """What `init` would write and what the user should know, from a survey."""
    notes = []
    files = {}
    if CONFIG not in survey["settings_files"]:
        checks = tuple((check["type"], check["command"]) for check in survey["checks"])
        text = first_settings(survey["base"], checks, tuple(survey["setup"]), tuple(survey["setup_inputs"]))
        files[f".toryo/{CONFIG}"] = text
    else:
        parse_settings(survey["settings_files"][CONFIG])
    if CONFIG not in survey["settings_files"] and not survey["checks"]:
        notes.append("No test command was found: work will land unchecked until dod.checks names one.")
    if survey["submodules"]:
        notes.append(
            "Submodules are empty in worktrees and gates: `git submodule update --init` in an agent's own "
            "instructions or in setup fills them; what a run leaves in one is snapshotted."
        )
    if survey["lfs"]:
        notes.append("Git LFS: files that a run did not commit are snapshotted as they are, not as pointers.")
    return {"success": True, "survey": dict(survey), "files": files, "notes": notes}


def register(
    context: HeadContext, machine: str, survey: Mapping[str, Any], adopted: Mapping[str, Any], name: str
) -> dict[str, Any]:
    root = str(adopted["root"] or survey["root"])
    if name and (len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip()):
        raise UserError(f"{name!r} is no project name.", hint="Use one line of at most 64 characters.")
    with context.store.change() as tx:
        row = projects.get(tx, str(adopted["project"]))
        known = row is not None
        if row is None:
            row = ProjectRow(
                id=str(adopted["project"]),
                name=_unused(tx, name or PurePosixPath(root).name),
                path=root,
                machine=machine,
                base=str(survey["base"]),
                settings={},
                settings_files={},
                created_at=tx.now,
            )
            projects.insert(tx, row)
            tx.emit("project_added", {"name": row.name, "path": root}, project=row.id)
        else:
            projects.update(tx, row.id, path=root, status="active", **({"name": name} if name else {}))
        if take_settings(tx, row, survey) is None:
            raise UserError(_problem(tx, row.id), hint="Mend .toryo/config.yaml and type `toryo init` again.")
        _first_target(tx, row, survey, adopted)
        found = agents_in(survey["settings_files"])
        import_agents(tx, row.id, found, known_clients(context, tx))
        agent = first_agent(tx, row.id, survey["clients"])
        settle(tx, row.id)
        tx.mark(f"queue:{row.id}/{row.base}")
    return {
        "success": True,
        "project": project_body(context, row.id),
        "agent": {"id": agent.id, "client": agent.client or None},
        "already_known": known,
        "notes": _notes(survey, adopted, agent.client),
    }


def _unused(tx: Tx, name: str) -> str:
    taken = {row.name for row in projects.listing(tx)}
    return next(one for one in (name, *(f"{name}-{n}" for n in range(2, 10_000))) if one not in taken)


def wanted_base(survey: Mapping[str, Any]) -> str:
    """The base that the settings name, if it is another than the one surveyed."""
    text = survey["settings_files"].get(CONFIG)
    base = parse_settings(text).base if text else ""
    return base if base != survey["base"] else ""


def _problem(tx: Tx, project: str) -> str:
    row = projects.get(tx, project)
    return row.settings_problem if row else ""


def _first_target(tx: Tx, row: ProjectRow, survey: Mapping[str, Any], adopted: Mapping[str, Any]) -> None:
    if projects.target(tx, row.id, row.base):
        return
    tip, tree = str(adopted["tip"]), str(adopted["tip_tree"])
    target = TargetRow(
        project=row.id,
        name=row.base,
        tip=tip,
        tip_tree=tree,
        published=tip,
        seen=str(survey["base_commit"]),
        seen_tree=str(survey["base_tree"]),
        waiting=[],
    )
    projects.put_target(tx, target)


def _notes(survey: Mapping[str, Any], adopted: Mapping[str, Any], client: str) -> list[str]:
    notes = [f"wrote {what}" for what in adopted.get("wrote", ())]
    if survey["settings_from"] == "working copy":
        notes.append("settings: uncommitted (commit .toryo/ when you like them)")
    if not client:
        command = "--client command --command 'sh /path/to/agent.sh {prompt_file}'"
        notes.append(f"no agent CLI was found on PATH; type: toryo agent add worker {command}")
    for name in AGENT_CLIS:
        if name in survey["clients"] and name != client:
            notes.append(f"{name} is on PATH too; type: toryo agent add {name} --client {name}")
    return notes


def project_body(context: HeadContext, project_id: str) -> dict[str, Any]:
    with context.store.read() as tx:
        row = projects.get(tx, project_id)
        if row is None:
            return {}
        return body_of(tx, row)


def body_of(tx: Tx, row: ProjectRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "path": row.path,
        "machine": row.machine,
        "status": row.status,
        "base": row.base,
        "settings_from": "uncommitted" if row.settings_from == "working copy" else row.settings_from,
        "settings_problem": row.settings_problem,
        "checks": [check["command"] for check in row.settings.get("dod", {}).get("checks", [])],
        "setup": list(row.settings.get("setup", [])),
        "default_agent": row.default_agent,
        "agents": [agent.id for agent in projects.agents_of(tx, row.id)],
        "targets": [_target(target) for target in projects.targets_of(tx, row.id)],
        "created_at": iso(row.created_at),
    }


def _target(row: TargetRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "tip": row.tip,
        "published": row.published,
        "waiting": list(row.waiting),
        "waiting_why": row.waiting_why,
        "stopped": row.stopped,
    }


def list_projects(context: HeadContext) -> dict[str, Any]:
    with context.store.read() as tx:
        listed = [body_of(tx, row) for row in projects.listing(tx)]
    return {"success": True, "projects": listed}


def get_project(context: HeadContext, text: str, path: str) -> dict[str, Any]:
    with context.store.read() as tx:
        return {"success": True, "project": body_of(tx, the_project(tx, text, path))}


def new_project_id() -> str:
    return new_id("p")


def set_status(context: HeadContext, text: str, path: str, status: str) -> dict[str, Any]:
    """Archive or activate: an archived project starts nothing new, and keeps everything."""
    with context.store.change() as tx:
        row = the_project(tx, text, path)
        projects.update(tx, row.id, status=status)
        tx.emit(f"project_{status}", {"name": row.name}, project=row.id)
        for agent in projects.agents_of(tx, row.id):
            tasks.mark_of_agent(tx, row.id, agent.id)
        tx.mark(f"queue:{row.id}/{row.base}")
    return {"success": True, "project": project_body(context, row.id)}


def move(context: HeadContext, text: str, survey: Mapping[str, Any]) -> dict[str, Any]:
    """The repository is somewhere else now; its git directory says whether it is the same one."""
    with context.store.change() as tx:
        row = the_project(tx, text)
        if survey["project"] != row.id:
            raise UserError(
                f"{survey['root']} is another repository than that of {row.name} ({row.id}).",
                hint="A fresh clone is a new project: type `toryo init` there.",
            )
        projects.update(tx, row.id, path=str(survey["root"]))
        tx.emit("project_moved", {"path": survey["root"]}, project=row.id)
        tx.mark(f"queue:{row.id}/{row.base}")
    return {"success": True, "project": project_body(context, row.id)}
