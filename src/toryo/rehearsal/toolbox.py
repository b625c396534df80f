"""From a reply to the tool call that this client understands, among the tools its request offers. No I/O.

Every CLI calls its shell and its MCP tools by other names: the tables here are what is known of them.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Mapping
from typing import Any

from toryo.domain.errors import ToryoError
from toryo.rehearsal.conversations import Asked, Offered, Speaker, ToolCall
from toryo.rehearsal.scripts import Reply

SHELLS = ("Bash", "exec_command", "shell_command", "shell", "run_shell_command", "bash")
"""claude, codex (three generations), gemini, opencode."""
CODE_MODE = "exec"
"""codex with its own models: one freeform tool that takes JavaScript."""
WORDS = re.compile(r"^Agent ID: (?P<agent_id>\S+)\nProject ID: (?P<project_id>\S+)", re.MULTILINE)
"""How Toryo's prompt names the two."""

PATIENT = {"yield_time_ms": 30_000}
"""codex goes on without the command after ten seconds; this is the most it takes."""

EDIT = (
    "import sys, pathlib\n"
    "file, old, new = pathlib.Path(sys.argv[1]), *sys.argv[2:]\n"
    "text = file.read_text()\n"
    "old in text or sys.exit(f'not in {file}: {old}')\n"
    "file.write_text(text.replace(old, new, 1))"
)


class NotOffered(ToryoError):
    """The client offers no tool for that."""

    way_out = "docs/howto/rehearsing.md says which tools each client offers."


class NotSaid(ToryoError):
    """No tool result has that field."""

    way_out = "docs/howto/rehearsing.md shows how a result is used."


def call_for(reply: Reply, asked: Asked) -> ToolCall | None:
    """None: the reply is text alone."""
    match reply.verb:
        case "say" | "answer":
            return None
        case "run":
            return shell_call(str(reply.value), asked)
        case "write":
            return shell_call(_write(**reply.value), asked)
        case "edit":
            value = reply.value
            words = (sys.executable, "-c", EDIT, value["path"], value["old"], value["new"])
            return shell_call(shlex.join(words), asked)
        case "commit":
            return shell_call(f"git add -A && git commit -q -m {shlex.quote(reply.value)}", asked)
        case _:
            return tool_call(reply.value["tool"], reply.value["arguments"], asked)


def shell_call(line: str, asked: Asked) -> ToolCall:
    """As it stands, where the client runs it: a rehearsal finds out whether that is the worktree."""
    command = line
    for tool in asked.tools:
        if tool.freeform and tool.name == CODE_MODE:
            return _in_code_mode(tool, "exec_command", {"cmd": command, **PATIENT})
        if tool.namespace or tool.name not in SHELLS:
            continue
        if tool.name == "exec_command":
            return ToolCall(tool, {"cmd": command, **PATIENT})
        if tool.name == "shell":
            return ToolCall(tool, {"command": ["bash", "-lc", command]})
        told = {"description": "a line of the script"} if "description" in tool.properties else {}
        return ToolCall(tool, {"command": command, **told})
    raise NotOffered(f"No tool that runs commands is offered, so this was not run: {line}")


def tool_call(name: str, arguments: Mapping[str, Any], asked: Asked) -> ToolCall:
    """By its own name, whatever the client puts before it; what the script leaves out and can be known is
    filled in: the session's token, the agent's and the project's id."""
    filled = {key: _filled(value, asked) for key, value in arguments.items()}
    tool = _find(name, asked)
    if tool is None:
        code = next((one for one in asked.tools if one.freeform and one.name == CODE_MODE), None)
        if code is None:
            raise NotOffered(f"No tool called {name} is offered.")
        known = _known({"session_token", "agent_id", "project_id"} & _wanted(name), asked)
        return _in_code_mode(code, name, {**known, **filled}, anywhere=True)
    return ToolCall(tool, {**_known(tool.properties - set(filled), asked), **filled})


def _find(name: str, asked: Asked) -> Offered | None:
    exact = [tool for tool in asked.tools if tool.name == name and not tool.freeform]
    ends = [tool for tool in asked.tools if tool.called.endswith(f"_{name}")]
    return next(iter([*exact, *ends]), None)


def _wanted(name: str) -> set[str]:
    """What Toryo's own tools want, where the request does not say it."""
    return {"agent_id", "project_id"} if name == "authenticate" else {"session_token"}


def _known(wanted: frozenset[str] | set[str], asked: Asked) -> dict[str, str]:
    known: dict[str, str] = {}
    if "session_token" in wanted:
        found = _field(["session_token"], asked)
        known |= {} if found is None else {"session_token": str(found)}
    prompts = "\n".join(turn.text for turn in asked.turns if turn.speaker is Speaker.USER)
    match = WORDS.search(prompts)
    return known | ({key: match[key] for key in match.groupdict() if key in wanted} if match else {})


def _filled(value: Any, asked: Asked) -> Any:
    """`{from: last.session_token}`: the field in the newest tool result that has it."""
    if not (isinstance(value, dict) and set(value) == {"from"}):
        return value
    path = str(value["from"]).split(".")
    if path[0] != "last" or len(path) < 2:
        raise NotSaid(f"`from` is `last.FIELD`, not {value['from']}.")
    found = _field(path[1:], asked)
    if found is None:
        raise NotSaid(f"No tool result has the field {value['from']}.")
    return found


def _field(path: list[str], asked: Asked) -> Any:
    for turn in reversed(asked.turns):
        if turn.speaker is not Speaker.RESULT:
            continue
        found = look_for(path[0], turn.text)
        for name in path[1:]:
            found = found.get(name) if isinstance(found, dict) else None
        if found is not None:
            return found
    return None


def look_for(name: str, value: Any) -> Any:
    """The first field of that name, however deep, also in JSON within text within JSON."""
    if isinstance(value, dict):
        if name in value:
            return value[name]
        value = list(value.values())
    if isinstance(value, list):
        return next((found for one in value if (found := look_for(name, one)) is not None), None)
    if not isinstance(value, str) or name not in value:
        return None
    decoder = json.JSONDecoder()
    at = 0
    while (at := _next_bracket(value, at)) >= 0:
        try:
            inner, end = decoder.raw_decode(value, at)
        except ValueError:
            at += 1
            continue
        found = look_for(name, inner)
        if found is not None:
            return found
        at = end
    return None


def _next_bracket(text: str, at: int) -> int:
    found = [place for place in (text.find("{", at), text.find("[", at)) if place >= 0]
    return min(found, default=-1)


def _in_code_mode(
    code: Offered, name: str, arguments: Mapping[str, Any], *, anywhere: bool = False
) -> ToolCall:
    """JavaScript for the freeform tool. `anywhere`: the tool's full name ends with this one."""
    found = json.dumps(name)
    if anywhere:
        ending = json.dumps(f"__{name}")
        found = f"Object.keys(tools).find(one => one.endsWith({ending})) ?? {found}"
    script = f"const done = await tools[{found}]({json.dumps(dict(arguments))});\ntext(JSON.stringify(done));"
    return ToolCall(code, text=script)


def _write(path: str, text: str) -> str:
    """A here-document where the text allows it: a person may read it in the log."""
    file = shlex.quote(path)
    folder = f"mkdir -p -- {shlex.quote(path.rpartition('/')[0])} && " if "/" in path else ""
    if text.endswith("\n") and "END_OF_FILE" not in text:
        return f"{folder}cat > {file} <<'END_OF_FILE'\n{text}END_OF_FILE"
    return f"{folder}printf '%s' {shlex.quote(text)} > {file}"
