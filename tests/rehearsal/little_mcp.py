"""A small MCP server on standard input and output, with two of Toryo's tools. Its argument gets each call."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def schema(*names: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": [*names],
    }


TOOLS = [
    {"name": "authenticate", "description": "a", "inputSchema": schema("agent_id", "project_id")},
    {
        "name": "report_completed",
        "description": "r",
        "inputSchema": schema("session_token", "result", "note"),
    },
]


def answer(message: dict[str, Any], log: Path) -> dict[str, Any] | None:
    match message.get("method"):
        case "initialize":
            return {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "little", "version": "1"},
            }
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            params = message["params"]
            with log.open("a") as file:
                file.write(json.dumps({"name": params["name"], "arguments": params["arguments"]}) + "\n")
            body = {"session_token": 'a "token"', "task": {"note": "n-7"}}
            text = json.dumps(body if params["name"] == "authenticate" else {"success": True})
            return {"content": [{"type": "text", "text": text}], "isError": False}
    return None


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        result = answer(message, Path(sys.argv[1]))
        error = {"error": {"code": -32601, "message": "not here"}}
        told = error if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **told}), flush=True)


if __name__ == "__main__":
    main()
