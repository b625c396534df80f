"""Memory: lasting project decisions in `.toryo/memory/`, as they are in force (S4-09, S4-12)."""

from __future__ import annotations

from toryo.domain.errors import NotFound
from toryo.engine.context import HeadContext
from toryo.protocol.views import memory as views
from toryo.store.database.rows import ProjectRow
from toryo.usecases.finding import the_project
from toryo.usecases.runs.claim import memory_files
from toryo.usecases.runs.prompt import memory_section


def list_memory(context: HeadContext, project: str, path: str) -> views.ListedMemory:
    with context.store.read() as tx:
        row = the_project(tx, project, path)
    listed: list[views.MemoryLine] = [
        {"path": one.path, "title": one.title, "size": len(_text(row, one.path).encode())}
        for one in memory_files(row)
    ]
    return {
        "success": True,
        "root": row.path,
        "files": listed,
        "settings_from": "uncommitted" if row.settings_from == "working copy" else row.settings_from,
    }


def show_memory(context: HeadContext, project: str, path: str, name: str) -> views.MemoryText:
    with context.store.read() as tx:
        row = the_project(tx, project, path)
    found = _named(row, name)
    return {"success": True, "path": found, "text": _text(row, found)}


def preview_memory(context: HeadContext, project: str, path: str) -> views.MemoryPreview:
    with context.store.read() as tx:
        files = memory_files(the_project(tx, project, path))
    return {"success": True, "text": memory_section(files) if files else ""}


def _text(row: ProjectRow, path: str) -> str:
    return str(row.settings_files.get(path.removeprefix(".toryo/"), ""))


def _named(row: ProjectRow, name: str) -> str:
    wanted = name.removeprefix(".toryo/").removeprefix("memory/").removesuffix(".md")
    known = [one.path for one in memory_files(row)]
    for path in known:
        if path.removeprefix(".toryo/memory/").removesuffix(".md") == wanted:
            return path
    listed = ", ".join(known) or "none yet; `toryo memory add`"
    raise NotFound(f"There is no memory {name!r} in force.", hint=f"There are: {listed}.")
