"""Projects: what `init` shows and registers, and what is in force for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from toryo.domain import subjects
from toryo.domain.advice import not_on_path
from toryo.domain.client_names import AGENT_CLIS, OUTSIDE, PROGRAMS
from toryo.domain.errors import UserError
from toryo.domain.ids import ProjectId
from toryo.domain.times import iso
from toryo.domain.words import OrderKind
from toryo.engine.context import HeadContext
from toryo.engine.default_agents import default_agent, settle, unknown_wish
from toryo.engine.facts.landings import forget_tip
from toryo.engine.facts.projects import CONFIG, apply_target_seen, take_settings
from toryo.engine.ids import new_id
from toryo.engine.project_settings import first_settings, parse_settings
from toryo.protocol.kinds.repository import KnownTarget
from toryo.protocol.views import projects as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow, ProjectRow, TargetRow
from toryo.store.tables import agents, orders, projects, tasks
from toryo.usecases.agents.definition import known_clients, refuse_wrong_client
from toryo.usecases.agents.files import agents_in
from toryo.usecases.agents.of_projects import clashes, first_agent, import_agents, look_over_file
from toryo.usecases.finding import refuse_removed, the_project
from toryo.usecases.projects.worktree_notes import worktree_notes

LONGEST_NAME = 64
OWNER = "toryo/owner"
"""What adopt says that it wrote when it made the repository ours."""


def proposal(survey: Mapping[str, Any], chosen: Sequence[str] = ()) -> dict[str, Any]:
    """What `init` would write and what the user should know, from a survey.

    `chosen` are the commands that a person took of those that were offered."""
    config = survey["settings_files"].get(CONFIG)
    offered: list[tuple[str, str]] = []
    files: dict[str, str] = {}
    notes: list[str] = []
    if config is None:
        offered = [one for one in _offered(survey) if one[1] not in chosen]
        files, notes = _first_files(survey, chosen)
    else:
        parse_settings(config)
    if survey["submodules"]:
        notes.append(
            "Submodules are empty in worktrees and gates: `git submodule update --init` in an agent's own "
            "instructions or in setup fills them; what a run leaves in one is snapshotted."
        )
    if survey["lfs"]:
        notes.append("Git LFS: files that a run did not commit are snapshotted as they are, not as pointers.")
    told = [{"type": kind, "command": command} for kind, command in offered]
    return {"success": True, "survey": dict(survey), "files": files, "offered": told, "notes": notes}


def _first_files(survey: Mapping[str, Any], chosen: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The settings of a repository that has none, and what they leave unchecked."""
    notes = []
    taken = [one for one in _offered(survey) if one[1] in chosen]
    checks = (*((one["type"], one["command"]) for one in survey["checks"]), *taken)
    left = tuple(one for one in _offered(survey) if one not in taken)
    setup, inputs = tuple(survey["setup"]), tuple(survey["setup_inputs"])
    unchecked = [one["path"] for one in survey.get("unreached", ()) if one["command"] not in chosen]
    if not checks:
        notes.append("No test command was found: work will land unchecked until dod.checks names one.")
    if unchecked:
        notes.append(f"Packages whose tests no check runs: {', '.join(unchecked)}. Add them to dod.checks.")
    beside = str(survey.get("worktrees", ""))
    text = first_settings(survey["base"], checks, setup, inputs, beside, left)
    return {f".toryo/{CONFIG}": text}, [*notes, *worktree_notes(survey)]


def _offered(survey: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(type, command) of what a person may add to the checks."""
    found = [(one["type"], one["command"]) for one in survey.get("offered", ())]
    return [*found, *(("tests_pass", one["command"]) for one in survey.get("unreached", ()))]


def register(
    context: HeadContext, machine: str, survey: Mapping[str, Any], adopted: Mapping[str, Any], name: str
) -> views.RegisteredProject:
    root = str(adopted["root"] or survey["root"])
    with context.store.change() as tx:
        row = projects.get(tx, str(adopted["project"]))
        known = row is not None
        if row is None:
            row = ProjectRow(
                id=ProjectId(str(adopted["project"])),
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
        replaced = _archive_replaced(tx, row.id, root)
        if take_settings(tx, row, survey) is None:
            raise UserError(_problem(tx, row.id), hint="Mend .toryo/config.yaml and type `toryo init` again.")
        _first_target(tx, row, survey, adopted)
        found = agents_in(survey["settings_files"])
        import_agents(tx, row.id, found, known_clients(context, tx))
        first = first_agent(tx, row.id, survey["clients"])
        settle(tx, row.id)
        agent = agents.get(tx, default_agent(tx, projects.get(tx, row.id) or row), row.id) or first
        unknown = [*clashes(tx, row.id, found), *unknown_wish(tx, row.id)]
        tx.mark(subjects.queue(row.id, row.base))
    return {
        "success": True,
        "project": project_body(context, row.id),
        "agent": {"id": agent.id, "client": agent.client or None},
        "already_known": known,
        "notes": [*replaced, *_notes(survey, adopted, agent), *unknown],
    }


def _archive_replaced(tx: Tx, project_id: str, root: str) -> list[str]:
    """Another repository took the place of an older project's: what was known of that one is kept."""
    notes = []
    for other in projects.listing(tx):
        if other.path == root and other.id != project_id and other.status == "active":
            projects.update(tx, other.id, status="archived")
            tx.emit("project_archived", {"name": other.name}, project=other.id)
            tasks.mark_of_project(tx, other.id)
            tx.mark(subjects.queue(other.id, other.base))
            notes.append(f"{other.name} ({other.id}) was here before: it is archived, its record is kept")
    return notes


def refuse_wrong_name(name: str) -> None:
    if name and (len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip()):
        raise UserError(f"{name[:80]!r} is no project name.", hint="Use one line of at most 64 characters.")


def refuse_wrong_files(context: HeadContext, survey: Mapping[str, Any]) -> None:
    """Before anything is written: what is in .toryo/ must be right, or nothing at all is made of it."""
    files = survey["settings_files"]
    parse_settings(files.get(CONFIG, ""))
    with context.store.read() as tx:
        clients = known_clients(context, tx)
    for wish in agents_in(files):
        look_over_file(wish, clients)
        refuse_wrong_client(context, wish.client)


def _unused(tx: Tx, name: str) -> str:
    taken = {row.name for row in projects.listing(tx) if row.status != projects.REMOVED}
    return next(one for one in (name, *(f"{name}-{n}" for n in range(2, 10_000))) if one not in taken)


def wanted_base(survey: Mapping[str, Any]) -> str:
    """The base that the settings name, if it is another than the one surveyed."""
    text = survey["settings_files"].get(CONFIG)
    base = parse_settings(text).base if text else ""
    return base if base != survey["base"] else ""


def worktree_root(survey: Mapping[str, Any]) -> str:
    return parse_settings(survey["settings_files"].get(CONFIG, "")).worktrees


def _problem(tx: Tx, project: str) -> str:
    row = projects.get(tx, project)
    return row.settings_problem if row else ""


def _first_target(tx: Tx, row: ProjectRow, survey: Mapping[str, Any], adopted: Mapping[str, Any]) -> None:
    known = projects.target(tx, row.id, row.base)
    tip, tree = str(adopted["tip"]), str(adopted["tip_tree"])
    if known:
        if OWNER in adopted["wrote"]:
            projects.update_target(tx, row.id, row.base, foreign_tip="")
            if known.tip != tip:
                _take_tip(tx, known, tip, tree, survey)
        elif known.tip != tip and f"refs/toryo/tips/{row.base}" in adopted["wrote"]:
            forget_tip(tx, known)
        _look_over(tx, adopted)
        return
    target = TargetRow(
        project=row.id,
        name=row.base,
        tip=tip,
        tip_tree=tree,
        published=str(survey["base_commit"]),  # a tip that was there may wait to be published
        seen=str(survey["base_commit"]),
        seen_tree=str(survey["base_tree"]),
        waiting=[],
    )
    projects.put_target(tx, target)


def _look_over(tx: Tx, adopted: Mapping[str, Any]) -> None:
    """What was seen in passing is known at once, else tasks would say for a moment more that there is no
    repository. Not what was compared with a tip that is not ours: that is a foreign move, told elsewhere."""
    for seen in adopted["seen"]:
        target = projects.target(tx, str(seen["project"]), str(seen["target"]))
        if target and target.tip in ("", seen["tip"]):
            apply_target_seen(tx, seen)


def _take_tip(tx: Tx, target: TargetRow, tip: str, tree: str, survey: Mapping[str, Any]) -> None:
    """Taken over from an installation that landed meanwhile, and our own tip is lost: its tip is where we go
    on, once it is gated."""
    branch = str(survey["base_commit"])
    projects.update_target(
        tx,
        target.project,
        target.name,
        tip=tip,
        tip_tree=tree,
        tip_gate="",
        published=branch,
        seen=branch,
        seen_tree=str(survey["base_tree"]),
        seen_relation="same" if branch == tip else "behind",
        seen_contains_published=True,
    )
    about = subjects.target(target.project, target.name)
    told = {"target": target.name, "old": target.tip, "new": tip}
    tx.emit("tip_taken_over", told, subject=about, project=target.project)
    tasks.mark_of_target(tx, target.project, target.name)


def _notes(survey: Mapping[str, Any], adopted: Mapping[str, Any], agent: AgentRow) -> list[str]:
    client = agent.client
    notes = [f"wrote {what}" for what in adopted.get("wrote", ())]
    if survey["settings_from"] == "working copy":
        notes.append("settings: uncommitted (commit .toryo/ when you like them)")
    if not client:
        command = "--client command --command 'sh /path/to/agent.sh {prompt_file}'"
        notes.append(f"no agent CLI was found on PATH; type: toryo agent add worker {command}")
    elif client not in (*PROGRAMS, OUTSIDE, *survey["clients"]):
        notes.append(f"{agent.id} is driven by {client}, which is {not_on_path(client)}")
    for name in AGENT_CLIS:
        if name in survey["clients"] and name != client:
            notes.append(f"{name} is on PATH too; type: toryo agent add {name} --client {name}")
    return notes


def project_body(context: HeadContext, project_id: str) -> views.ProjectView:
    with context.store.read() as tx:
        row = projects.get(tx, project_id)
        assert row is not None  # it was written just now
        return body_of(tx, row)


def body_of(tx: Tx, row: ProjectRow) -> views.ProjectView:
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


def _target(row: TargetRow) -> views.TargetView:
    return {
        "name": row.name,
        "tip": row.tip,
        "published": row.published,
        "waiting": list(row.waiting),
        "waiting_why": row.waiting_why,
        "stopped": row.stopped,
    }


def list_projects(context: HeadContext) -> views.ListedProjects:
    with context.store.read() as tx:
        listed = [body_of(tx, row) for row in projects.listing(tx)]
    return {"success": True, "projects": listed}


def get_project(context: HeadContext, text: str, path: str) -> views.OneProject:
    with context.store.read() as tx:
        return {"success": True, "project": body_of(tx, the_project(tx, text, path))}


def new_project_id() -> str:
    return new_id("p")


def set_status(context: HeadContext, text: str, path: str, status: str) -> views.OneProject:
    """Archive or activate: an archived project starts nothing new, and keeps everything."""
    with context.store.change() as tx:
        row = the_project(tx, text, path)
        refuse_removed(row)
        projects.update(tx, row.id, status=status)
        tx.emit(f"project_{status}", {"name": row.name}, project=row.id)
        tasks.mark_of_project(tx, row.id)
        tx.mark(subjects.queue(row.id, row.base))
    return {"success": True, "project": project_body(context, row.id)}


def to_move(context: HeadContext, text: str, survey: Mapping[str, Any]) -> ProjectRow:
    """The project that may be said to be there; its git directory says whether it is the same repository."""
    with context.store.read() as tx:
        row = the_project(tx, text)
    if survey["project"] != row.id:
        raise UserError(
            f"{survey['root']} is another repository than that of {row.name} ({row.id}).",
            hint="A fresh clone is a new project: type `toryo init` there.",
        )
    return row


def path_of(context: HeadContext, project_id: str) -> tuple[str, str]:
    """(name, path) of a project; empty if there is none."""
    with context.store.read() as tx:
        row = projects.get(tx, project_id)
    return (row.name, row.path) if row else ("", "")


def known_targets(context: HeadContext, project_id: str) -> tuple[KnownTarget, ...]:
    with context.store.read() as tx:
        rows = projects.targets_of(tx, project_id)
    return tuple(KnownTarget(name=row.name, tip=row.tip, published=row.published) for row in rows)


def refuse_copy(name: str, root: str, path: str) -> None:
    raise UserError(
        f"{root} is a copy of the repository of {name} in {path}: both have its id.",
        hint=f"To make it a project of its own: `rm -r {root}/.git/toryo`, then `toryo init`. "
        f"If it replaces the other: `toryo project move {name} {root}`.",
    )


def move(context: HeadContext, project_id: str, root: str, adopted: Mapping[str, Any]) -> views.OneProject:
    """The repository is somewhere else now, and so is what is ordered there."""
    with context.store.change() as tx:
        row = the_project(tx, project_id)
        projects.update(tx, row.id, path=root)
        for order in orders.of_target(tx, row.id, OrderKind):
            orders.set_inputs(tx, order, _rebased(order.inputs, row.path, root))
        tx.emit("project_moved", {"path": root}, project=row.id)
        _look_over(tx, adopted)
        tx.mark(subjects.queue(row.id, row.base))
    return {"success": True, "project": project_body(context, row.id)}


def _rebased(inputs: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    """An order's inputs with the paths that lay in the old place."""
    moved = dict(inputs)
    for key in ("repo", "path", "worktree"):
        said = str(moved.get(key) or "")
        if said == old or said.startswith(f"{old}/"):
            moved[key] = new + said.removeprefix(old)
    return moved
