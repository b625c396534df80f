"""The client `command`: any program, from a template that is split like a shell would, without a shell."""

from __future__ import annotations

import shlex

from toryo.workbench.clients.calls import Call, CannotCall, Command, filled, holes
from toryo.workbench.clients.run_files import spool_variable

LONGEST_ARGUMENT = 131_071
"""Linux refuses a longer single argument (MAX_ARG_STRLEN)."""


class CommandClient:
    name = "command"
    program = None

    def argv(self, call: Call) -> Command:
        """Holes are filled after the splitting: a value with blanks or quotes stays one argument."""
        try:
            words = shlex.split(call.command)
        except ValueError as error:
            raise CannotCall(f"the agent's command cannot be split: {error}", hint=call.command) from error
        if not words:
            raise CannotCall(
                "the agent has no command",
                hint="toryo agent add NAME --client command --command 'sh agent.sh {prompt_file}'",
            )
        argv = tuple(filled(word, call) for word in words)
        if any(len(argument.encode("utf-8", "surrogateescape")) > LONGEST_ARGUMENT for argument in argv):
            raise CannotCall(
                "the prompt is too long for an argument", hint="Write {prompt_file} instead of {prompt}."
            )
        told = holes(call.command) & {"prompt", "prompt_file"}
        return Command(argv, None if told else call.prompt, env=spool_variable(call), hears=True)
