"""Arguments that several tools of people share: a project by name or path, a task, a run."""

from __future__ import annotations

from pydantic import Field

from toryo.daemon.tools.registry import Arguments
from toryo.domain.errors import UserError


class Which(Arguments):
    project: str = Field(default="", description="Name or id of a project; or give `path`.")
    path: str = Field(default="", description="Absolute path inside the project's repository.")


class Task(Arguments):
    task: str = Field(description="A task's id, or the unique beginning of one.")


class Said(Task):
    note: str = Field(default="", description="Why; kept, and read by the agents that come after.")


class Answer(Said):
    seen: str = Field(default="", description="The reason that it answers; the first answer counts.")


class RunOrTask(Arguments):
    run: str = ""
    task: str = ""

    def named(self) -> str:
        if not (self.run or self.task):
            raise UserError("Which run or task?", hint="Give the id of one.")
        return self.run or self.task
