"""What a person asks for while somebody dies: asked again when the daemon went away, as a person would."""

from __future__ import annotations

import threading
from collections.abc import Callable

from chaos import conversations
from chaos.place import Place
from toryo.protocol.wire import Connection, ToolFailed, WireError


class Asking(threading.Thread):
    """One call on a connection of its own, beside whatever the campaign does."""

    def __init__(self, place: Place, tool: str, **arguments: object) -> None:
        super().__init__(name=f"asks {tool}", daemon=True)
        self.place, self.tool, self.arguments = place, tool, arguments
        self.answer: dict[str, object] | None = None
        self.refused = ""
        self.start()

    def run(self) -> None:
        place = self.place
        try:
            place.until(place.home.operator_key.exists, "the operator's key")
            with Connection(place.home.socket, place.home.operator_key.read_text().strip()) as wire:
                self.answer = wire.call(self.tool, dict(self.arguments), timeout_s=60)
        except ToolFailed as refused:
            self.refused = refused.message
        except (WireError, OSError) as away:
            self.refused = str(away)


def register(place: Place) -> None:
    """Until it is registered: a person repeats `init`."""
    asking = Asking(place, "register_project", path=str(place.repo), base="main")
    asking.join()
    if asking.answer is None:
        place.call("register_project", path=str(place.repo), base="main")


def task_of(place: Place) -> str:
    return str(place.rows("select id from tasks order by seq desc")[0][0])


def stop(place: Place) -> None:
    place.call("stop_run", run=newest_run(place))


def say(place: Place) -> None:
    Asking(place, "say", id=newest_run(place), text="hurry up").join()


def restore(place: Place) -> None:
    Asking(place, "restore_snapshot", task=task_of(place), destination=str(place.here / "restored")).join()


def submit(place: Place) -> None:
    Asking(place, "submit_task", task=task_of(place)).join()


def revert(place: Place) -> None:
    Asking(place, "revert_task", task=task_of(place)).join()


def remove(place: Place) -> None:
    """Until it is taken out: a person repeats it, and is told where it was taken out already."""
    asking = Asking(place, "remove_project", path=str(place.repo))
    asking.join()
    if asking.answer is None:
        place.call("remove_project", path=str(place.repo))


def drop_branch(place: Place) -> None:
    Asking(place, "delete_branch", path=str(place.repo), branch="idea").join()


def open_branch(place: Place) -> None:
    Asking(place, "open_branch", path=str(place.repo), branch="idea").join()


def notify(place: Place) -> None:
    place.call("set_config", key="notify", value="cat > /dev/null")
    Asking(place, "test_notify").join()


def newest_run(place: Place) -> str:
    found = place.rows("select id from runs order by seq desc limit 1")
    return str(found[0][0]) if found else ""


ACTS: dict[str, Callable[[Place], None]] = {
    "register": register,
    "stop": stop,
    "say": say,
    "restore": restore,
    "submit": submit,
    "revert": revert,
    "drop_branch": drop_branch,
    "open_branch": open_branch,
    "notify": notify,
    "remove": remove,
    "converse": conversations.converse,
    "demand": conversations.demand,
}
