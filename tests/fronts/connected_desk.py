"""A daemon with a connected run, and CLIs that speak for it through the bridge."""

from __future__ import annotations

from pathlib import Path

from daemon.whole_daemon import Shop, WholeDaemon
from fronts.stdio_client import StdioClient, credential_file
from toryo.settings import Home


class Desk:
    """A daemon with a connected run that was prepared and started, and CLIs that speak for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shop = Shop(Home(folder / "home"), folder)
        self.task = ""
        self.clients: list[StdioClient] = []
        self._token = ""

    @property
    def token(self) -> str:
        """The run's token; the run begins with the first question for it."""
        if not self._token:
            self.shop.add_agent("cli", access="connected")
            self.shop.daemon.person("assign_agent", agent="cli", project=self.shop.project)
            self.task = self.shop.add_task(agent="cli")
            assert self.shop.hands.claim("cli", self.shop.project)["claimed"]
            self.shop.hands.prepare()
            self._token = self.shop.run_token(self.shop.hands.start())
        return self._token

    @property
    def credential(self) -> Path:
        return credential_file(self.folder, self.shop.daemon.home.socket_in_use(), self.token)

    def client(self, *argv: str) -> StdioClient:
        self.clients.append(StdioClient(*argv) if argv else StdioClient.of(self.credential))
        return self.clients[-1]

    def restart(self) -> None:
        self.shop.daemon.close()
        self.shop.daemon = self.shop.hands.daemon = WholeDaemon(self.shop.daemon.home)

    def work(self, client: StdioClient, *, modern: bool = False) -> None:
        """The five steps of a connected run (S1-41), without a passkey."""
        who = {"agent_id": "cli", "project_id": self.shop.project}
        session = client.call("authenticate", modern=modern, **who)["session_token"]
        told = client.call("get_my_task", modern=modern, session_token=session)
        assert told["task"]["task_id"] == self.task
        said = {"session_token": session, "result": "success", "summary": "it works"}
        assert client.call("report_completed", modern=modern, **said)["success"] is True

    def claims(self) -> list[str]:
        return [one["summary"] for one in self.shop.task(self.task)["claims"]]

    def close(self) -> None:
        for client in self.clients:
            client.close()
        self.shop.daemon.close()
