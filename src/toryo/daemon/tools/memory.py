"""The tools of people about memory files: list, show, preview."""

from __future__ import annotations

from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import Which
from toryo.daemon.tools.registry import people_tool
from toryo.engine.context import Caller
from toryo.protocol.views import memory as views
from toryo.usecases import memory


class Memory(Which):
    name: str


async def list_memory(head: Head, caller: Caller, args: Which) -> views.ListedMemory:
    return await head.read(memory.list_memory, args.project, args.path)


async def show_memory(head: Head, caller: Caller, args: Memory) -> views.MemoryText:
    return await head.read(memory.show_memory, args.project, args.path, args.name)


async def preview_memory(head: Head, caller: Caller, args: Which) -> views.MemoryPreview:
    return await head.read(memory.preview_memory, args.project, args.path)


TOOLS = (
    people_tool("list_memory", Which, list_memory, views.ListedMemory, "The memory files in force."),
    people_tool("show_memory", Memory, show_memory, views.MemoryText, "One memory file."),
    people_tool(
        "preview_memory", Which, preview_memory, views.MemoryPreview, "The memory section as prompts get it."
    ),
)
