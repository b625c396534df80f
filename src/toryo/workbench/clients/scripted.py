"""The client `scripted`: plays an agent from a YAML script; the program itself is scripted_agent.py."""

from __future__ import annotations

import sys

from toryo.workbench.clients.calls import Call, CannotCall, Command, filled
from toryo.workbench.clients.run_files import spool_variable


class ScriptedClient:
    name = "scripted"
    program = None

    def argv(self, call: Call) -> Command:
        if not call.command.strip():
            raise CannotCall("the agent has no script", hint="Give the path of a YAML script as its command.")
        script = filled(call.command.strip(), call)
        # -P: the worktree is the current folder, and a module of the user's must not stand in for ours
        module = "toryo.workbench.clients.scripted_agent"
        argv = (sys.executable, "-P", "-m", module, script)
        return Command(argv, stdin=call.prompt, env=spool_variable(call), hears=True)
