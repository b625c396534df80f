"""The daemon's side of the socket, scripted: gives orders, collects facts, answers as told."""

from __future__ import annotations

import json
import socketserver
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

Body = dict[str, Any]


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        daemon = self.server.script
        daemon.connections.add(self.request)
        try:
            for line in self.rfile:
                request = json.loads(line)
                params = request["params"]
                body = daemon.answer(params["name"], params["arguments"], params["_meta"])
                if body is None:
                    return
                result = {"content": [], "structuredContent": body, "isError": False}
                answer = {"jsonrpc": "2.0", "id": request["id"], "result": result}
                self.wfile.write(json.dumps(answer).encode() + b"\n")
        except OSError:
            return
        finally:
            daemon.connections.discard(self.request)


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    script: ScriptedDaemon


class ScriptedDaemon:
    def __init__(self, socket_path: Path) -> None:
        self.path = socket_path
        self.lock = threading.Condition()
        self.connections: set[Any] = set()
        self.calls: list[tuple[str, Body]] = []
        self.credentials: set[str] = set()
        self.projects: list[Body] = []
        self.work: Counter[tuple[str, str]] = Counter()
        """Pair → runs that may still be claimed."""
        self.orders: dict[str, Body] = {}
        self.asks: dict[str, Body] = {}
        self.answers: dict[str, Body] = {}
        """By ask."""
        self.facts: list[Body] = []
        self.blobs: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self.profiles: dict[str, str] = {}
        """Agent → system prompt."""
        self.requests: dict[str, Body] = {}
        self.heartbeats: list[list[str]] = []
        self.refuse: dict[str, str] = {}
        self.unknown_keys: set[str] = set()
        self.lose_answer: Counter[str] = Counter()
        """Tool → how many answers are lost on the way back."""
        self.status = "ok"
        self.superseded = False
        self.acknowledges = True
        self.incarnation = 0
        self.version = 0
        self.running = False
        self._server: _Server | None = None

    # ── life ──

    def start(self) -> ScriptedDaemon:
        self.path.unlink(missing_ok=True)
        self._server = _Server(str(self.path), _Handler)
        self._server.script = self
        self.running = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def stop(self) -> None:
        if not self.running or self._server is None:
            return
        self.running = False
        with self.lock:
            self.lock.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self.path.unlink(missing_ok=True)
        for connection in list(self.connections):
            try:
                connection.shutdown(2)
            except OSError:
                continue

    # ── what the test says ──

    def give(self, order: Body) -> None:
        with self.lock:
            self.orders[order["id"]] = order
            self._changed()

    def withdraw(self, order_id: str) -> None:
        with self.lock:
            self.orders.pop(order_id, None)
            self._changed()

    def ask(self, ask_id: str, within_s: float = 20, **read: Any) -> None:
        """Handed over until it is answered: more often than the daemon does."""
        with self.lock:
            self.asks[ask_id] = {"id": ask_id, "within_s": within_s, "read": read}
            self._changed()

    def look(self) -> None:
        with self.lock:
            self._changed()

    def about(self, kind: str, order: str | None = None) -> list[Body]:
        """The bodies of the facts of a kind that arrived, in order."""
        with self.lock:
            return [
                fact["body"]
                for fact in self.facts
                if fact["kind"] == kind and (order is None or fact["order"] == order)
            ]

    def asked(self, tool: str) -> list[Body]:
        with self.lock:
            return [arguments for name, arguments in self.calls if name == tool]

    # ── what the coordinator hears ──

    def answer(self, tool: str, arguments: Body, meta: Body) -> Body | None:
        with self.lock:
            self.calls.append((tool, arguments))
            self.credentials.add(meta.get("toryo/credential", ""))
            if meta.get("toryo/credential", "") in self.unknown_keys:
                return {"success": False, "error": "This credential is not known here.", "hint": ""}
            if tool in self.refuse:
                return {"success": False, "error": self.refuse[tool], "hint": ""}
        body = {"success": True, **getattr(self, f"_{tool}")(arguments)}
        with self.lock:
            if self.lose_answer[tool] > 0:
                self.lose_answer[tool] -= 1
                return None
        return body if self.running else None

    def _changed(self) -> None:
        self.version += 1
        self.lock.notify_all()

    def _issue_coordinator_key(self, arguments: Body) -> Body:
        return {"key": f"coord_for_{arguments['name']}"}

    def _register_coordinator(self, arguments: Body) -> Body:
        with self.lock:
            self.incarnation += 1
            return {
                "coordinator": f"{arguments['machine']}/{arguments['name']}",
                "incarnation": self.incarnation,
            }

    def _issue_planner_key(self, arguments: Body) -> Body:
        return {"key": f"plnr_for_{arguments['name']}"}

    def _register_planner(self, arguments: Body) -> Body:
        with self.lock:
            self.incarnation += 1
            return {
                "coordinator": f"planner/{arguments['machine']}/{arguments['name']}",
                "incarnation": self.incarnation,
            }

    def _health_check(self, arguments: Body) -> Body:
        return {"status": self.status, "version": "0", "timestamp": "2026-01-01T00:00:00Z"}

    def _list_active_projects_with_agents(self, arguments: Body) -> Body:
        return {"projects": self.projects}

    def _should_start(self, arguments: Body) -> Body:
        if self.work[(arguments["agent_id"], arguments["project_id"])] > 0:
            return {"should_start": True, "ai_type": "command"}
        return {"should_start": False}

    def _claim_run(self, arguments: Body) -> Body:
        with self.lock:
            request = arguments["request_id"]
            if request not in self.requests:
                pair = (arguments["agent_id"], arguments["project_id"])
                if self.work[pair] <= 0:
                    return {"claimed": False, "waiting_for": "slots"}
                self.work[pair] -= 1
                self.requests[request] = {"claimed": True, "run_id": f"r{len(self.requests) + 1:04d}"}
            return self.requests[request]

    def _next_orders(self, arguments: Body) -> Body:
        end = time.monotonic() + arguments["wait_s"]
        with self.lock:
            while str(self.version) == arguments["seen"] and self.running and not self.superseded:
                if not self.lock.wait(end - time.monotonic()):
                    break
            return {
                "version": str(self.version),
                "orders": list(self.orders.values()),
                "look": any(count > 0 for count in self.work.values()),
                "superseded": self.superseded,
                "asks": list(self.asks.values()),
            }

    def _answer_asks(self, arguments: Body) -> Body:
        with self.lock:
            for one in arguments["answers"]:
                self.answers[one["id"]] = one["answer"]
                self.asks.pop(one["id"], None)
            return {"taken": [], "superseded": self.superseded}

    def _report_facts(self, arguments: Body) -> Body:
        with self.lock:
            if not self.acknowledges:
                return {"acknowledged": [], "superseded": self.superseded}
            known = {(fact["seq"]) for fact in self.facts}
            fresh = [fact for fact in arguments["facts"] if fact["seq"] not in known]
            self.facts += fresh
            self.blobs |= arguments["blobs"]
            self.lock.notify_all()
            return {
                "acknowledged": [fact["seq"] for fact in arguments["facts"]],
                "superseded": self.superseded,
            }

    def _get_subordinate_profile(self, arguments: Body) -> Body:
        agent = arguments["agent_id"]
        return {"agent_id": agent, "name": agent, "role": "", "system_prompt": self.profiles.get(agent, "")}

    def _fetch_blob(self, arguments: Body) -> Body:
        return {"text": self.texts[arguments["hash"]]}

    def _heartbeat(self, arguments: Body) -> Body:
        with self.lock:
            self.heartbeats.append(arguments.get("live_runs", []))
        return {"superseded": self.superseded}
