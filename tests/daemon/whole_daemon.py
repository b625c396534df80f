"""The whole daemon in a thread of the test, with the real tools, store, drain and socket and a clock that the
test moves; hands whose every answer a test chooses; and a shop: one project with one agent."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from answer_views import insist_view
from toryo import processes
from toryo.daemon import life
from toryo.daemon.core.head import Head
from toryo.daemon.credentials import Keys, operator_key
from toryo.daemon.mcp.calls import Calls
from toryo.daemon.mcp.socket_server import SocketServer
from toryo.daemon.process import open_context, writer_for
from toryo.daemon.tools.table import table
from toryo.engine.context import HeadContext
from toryo.engine.drain import drain
from toryo.fronts.processes.stop import stop_planner
from toryo.fronts.text.output import Progress
from toryo.protocol.asks import AskAnswer
from toryo.protocol.base import Model
from toryo.protocol.kinds.landing import Accepted, CandidateBuilt, Published
from toryo.protocol.kinds.repository import Adopted, Surveyed
from toryo.protocol.kinds.run import Exited, Prepared, Said, Started
from toryo.protocol.kinds.work import Cleaned, Collected
from toryo.protocol.wire import ToolFailed, call
from toryo.settings import Home
from toryo.usecases.credentials import hash_token
from waiting import eventually

Body = dict[str, Any]

FIRST, TREE = "1" * 40, "2" * 40
WORK, MERGED = "3" * 40, "4" * 40
NEVER_S = 1e6
"""The head's interval: a jump of the test's clock must not look like a suspended machine."""


class WholeDaemon:
    def __init__(self, home: Home) -> None:
        self.home = home
        self.ahead_s = 0.0
        self.set_s = 0.0
        life.make_private(home)
        self.operator = operator_key(home.operator_key)
        self._up = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._up.wait(20), "the daemon did not come up"

    async def _serve(self) -> None:
        writer = writer_for(self.home.database)
        context = await writer.run(open_context, self.home, self.home.database, self.now)
        self.head = Head(
            context,
            writer,
            interval_s=NEVER_S,
            steady=self.steady,
        )
        self._loop = asyncio.get_running_loop()
        bound, path = life.listen(self.home)
        await self.head.start()
        server = SocketServer(Calls(self.head, table(), Keys(hash_token(self.operator), context.secret)))
        await server.start(bound)
        self._up.set()
        await self.head.stopped.wait()
        await server.close()
        bound.close()
        life.leave(self.home, path)
        await self.head.close()
        context.store.close()

    def close(self) -> None:
        with Progress("ending its planner") as progress:  # a command that chose a model started one
            stop_planner(self.home, progress)
        self._loop.call_soon_threadsafe(self.head.stop)
        self._thread.join(20)
        assert not self._thread.is_alive()

    def now(self) -> float:
        return time.time() + self.ahead_s + self.set_s

    def steady(self) -> float:
        return time.monotonic() + self.ahead_s

    def do(self, use_case: Callable[..., Any], *arguments: Any) -> Any:
        """In the writer thread, as tools do it."""
        return asyncio.run_coroutine_threadsafe(self.head.do(use_case, *arguments), self._loop).result(20)

    def change(self, write: Callable[..., None], *arguments: Any, **columns: Any) -> None:
        """What no tool of this version writes, straight into the store."""

        def use_case(context: HeadContext) -> None:
            with context.store.change() as tx:
                write(tx, *arguments, **columns)

        self.do(use_case)

    def settle(self) -> None:
        """Until everything that was marked and is due has been looked at."""
        while self.do(drain):
            pass

    def set_clock(self, seconds: float) -> None:
        """By so much, as a person does: no time passes."""
        self.set_s += seconds
        self.do(lambda context: None)

    def pass_time(self, seconds: float) -> None:
        self.ahead_s += seconds
        self.settle()

    def by(self, credential: str, tool: str, /, **arguments: Any) -> Body:
        answer = call(self.home.socket_in_use(), tool, arguments, credential)
        if credential == self.operator:
            insist_view(tool, answer)
        return answer

    def person(self, tool: str, /, **arguments: Any) -> Body:
        return self.by(self.operator, tool, **arguments)

    def agent(self, tool: str, /, **arguments: Any) -> Body:
        """An outside agent: it has no credential, only its passkey and later its session token."""
        return self.by("", tool, **arguments)

    def refused(self, credential: str, tool: str, /, **arguments: Any) -> Body:
        with pytest.raises(ToolFailed) as failed:
            self.by(credential, tool, **arguments)
        return failed.value.body


class Hands:
    """A coordinator that does nothing: the test says what it saw."""

    def __init__(self, daemon: WholeDaemon, name: str = "main") -> None:
        self.daemon = daemon
        self.name = name
        self.machine = processes.machine_id()
        self.id = f"{self.machine}/{name}"
        self.key = daemon.person("issue_coordinator_key", machine=self.machine, name=name)["key"]
        self.answers: list[tuple[str, Body]] = []
        """Everything the daemon ever told it."""
        self._seq = 0
        self.register()

    def call(self, tool: str, /, **arguments: Any) -> Body:
        body = self.daemon.by(self.key, tool, **arguments)
        self.answers.append((tool, body))
        return body

    def speak(self, tool: str, /, **arguments: Any) -> Body:
        """A call that says which process of this coordinator it is."""
        return self.call(tool, coordinator=self.id, incarnation=self.incarnation, **arguments)

    def register(self) -> None:
        body = self.call("register_coordinator", machine=self.machine, name=self.name, boot="b", pid=1)
        self.incarnation = int(body["incarnation"])

    def should_start(self, agent: str, project: str) -> bool:
        self.daemon.settle()
        return bool(self.call("should_start", agent_id=agent, project_id=project)["should_start"])

    def claim(self, agent: str, project: str, request: str = "a-request") -> Body:
        self.daemon.settle()
        return self.speak("claim_run", agent_id=agent, project_id=project, request_id=request)

    def order(self, kind: str, **fields: str) -> Body:
        """The open order of that kind, once it is there."""

        def look() -> Body | None:
            found = self.speak("next_orders", wait_s=0)["orders"]
            wanted = {"kind": kind, **fields}
            return next((one for one in found if wanted.items() <= one.items()), None)

        return eventually(look, what=f"an order {kind} {fields}")  # type: ignore[return-value]

    def report(self, order: Body, kind: str, fact: Model) -> None:
        self._seq += 1
        body = {
            "seq": self._seq,
            "kind": kind,
            "order": order["id"],
            "generation": order["generation"],
            "body": fact.model_dump(mode="json"),
        }
        assert self.speak("report_facts", facts=[body])["acknowledged"] == [self._seq]
        self.daemon.settle()

    def ask(self, what: str = "") -> Body:
        """The open ask of that read, once it is there."""

        def look() -> Body | None:
            found = self.speak("next_orders", wait_s=0)["asks"]
            return next((one for one in found if what in ("", one["read"]["what"])), None)

        return eventually(look, what=f"an ask {what}")  # type: ignore[return-value]

    def answer(self, ask: Body, answer: AskAnswer) -> None:
        told = [{"id": ask["id"], "answer": answer.model_dump(mode="json")}]
        assert self.speak("answer_asks", answers=told)["taken"] == [ask["id"]]

    # what usually happens

    def prepare(self, order: Body | None = None) -> None:
        order = order or self.order("prepare")
        inputs = order["inputs"]
        self.report(
            order,
            "prepared",
            Prepared(
                name=inputs["name"],
                worktree=f"{inputs['repo']}/.worktrees/{inputs['name']}",
                branch=f"agent/{inputs['name']}",
                base=inputs["base"] or FIRST,
                head=inputs["base"] or FIRST,
            ),
        )

    def start(self) -> Body:
        order = self.order("run")
        self.report(order, "started", Started(shim_pid=1, pid=2, started_at="", boot="b"))
        return order

    def exit(self, order: Body, code: int = 0, said: Said | None = None) -> None:
        self.report(order, "exited", Exited(exit_code=code, said=said))

    def collect(self, commits: int = 1) -> None:
        fact = Collected(head=WORK, commits=commits, new_commits=commits, changed_count=commits)
        self.report(self.order("collect"), "collected", fact)

    def build(self, commit: str = MERGED) -> None:
        """Its tree has the same name."""
        built = CandidateBuilt(commit=commit, tree=commit)
        self.report(self.order("candidate"), "candidate_built", built)

    def land(self, commit: str = MERGED) -> None:
        self.report(self.order("accept"), "accepted", Accepted(moved=True, tip=commit))
        self.report(self.order("publish"), "published", Published(published=True, commit=commit))
        self.report(self.order("clean"), "cleaned", Cleaned(freed=True))


class Shop:
    """One daemon with hands, an agent `dev` and a project."""

    def __init__(self, home: Home, folder: Path, daemon: Any = None) -> None:
        """`daemon`: another one than the usual in a thread, with the same ways to speak to it."""
        self.daemon: Any = daemon or WholeDaemon(home)
        self.hands = Hands(self.daemon)
        self._folder = folder
        self.passkey = self.add_agent("dev", system_prompt="You are a developer.")
        self.project = self.add_project("front")

    def add_agent(self, name: str, client: str = "command", **wishes: Any) -> str:
        """Its passkey."""
        command = {"command": "sh it.sh"} if client in ("command", "scripted") else {}
        return str(self.daemon.person("add_agent", name=name, client=client, **command, **wishes)["passkey"])

    def add_project(self, name: str) -> str:
        """Its id; every agent known by then may be assigned to it."""
        path = str(self._folder / name)
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(self.daemon.person, "register_project", path=path, name=name)
            found = Surveyed(root=path, base="main", base_commit=FIRST, base_tree=TREE)
            self.hands.report(self.hands.order("survey"), "surveyed", found)
            order = self.hands.order("adopt")
            wish = order["inputs"]
            adopted = Adopted(project=wish["project"], root=path, tip=FIRST, tip_tree=TREE)
            self.hands.report(order, "adopted", adopted)
            return str(asked.result(20)["project"]["id"])

    def add_task(self, title: str = "Mend it", **wishes: Any) -> str:
        task = self.daemon.person("add_task", **{"title": title, "project": self.project, **wishes})["id"]
        self.daemon.settle()
        return str(task)

    def task(self, task: str) -> Body:
        self.daemon.settle()
        found: Body = self.daemon.person("get_task", task=task)["task"]
        return found

    def state(self, task: str) -> str:
        found = self.task(task)
        return f"{found['status']} {found['reason']}".strip()

    def authenticate(self, agent: str = "dev", project: str = "", passkey: str = "") -> Body:
        return self.daemon.agent(
            "authenticate",
            agent_id=agent,
            project_id=project or self.project,
            passkey=passkey or self.passkey,
        )

    def retry(self, task: str, note: str = "") -> Body:
        """The hands look first whether a person worked in the worktree: nobody did."""
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(self.daemon.person, "retry_task", task=task, note=note)
            answer = AskAnswer(ended=True, body={"there": True, "commits": 0, "files": []})
            self.hands.answer(self.hands.ask("left"), answer)
            return asked.result(30)

    def session(self, **who: str) -> str:
        return str(self.authenticate(**who)["session_token"])

    def get_task(self, session: str) -> Body:
        """get_my_task of an outside agent, with its worktree prepared meanwhile."""
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(self.daemon.agent, "get_my_task", session_token=session)
            self.hands.prepare()
            return asked.result(30)

    def report(self, session: str, result: str = "success", **said: str) -> Body:
        body = self.daemon.agent("report_completed", session_token=session, result=result, **said)
        self.daemon.settle()
        return body

    def run_token(self, order: Body) -> str:
        return str(order["inputs"]["token"])
