"""Entry point of the command line: finds the verb's file, runs it, and prints every error in one place.

Standard library only, and only the chosen verb's file is imported: a command must start in milliseconds.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from toryo import __version__
from toryo.domain.errors import NotAProject, UsageError, UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    from toryo.fronts.cli.parsing import Parser
    from toryo.fronts.client import Process

SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "begin": {
        "demo": ("begin.demo", "see one sentence become finished work, in a minute: no key, no network"),
        "rehearse": ("begin.rehearse", "your agents and checks with the real CLI and a scripted model"),
        "init": ("begin.init", "make the repository here a project"),
        "up": ("begin.life", "start the daemon and a coordinator"),
        "down": ("begin.life", "stop them; running agents go on"),
    },
    "work": {
        "do": ("missions.do", "from one sentence to finished work: questions, plan, your yes, tasks"),
        "mission": ("missions.mission", "what `do` began: list, show, wait, answer, approve, say …"),
        "planner": ("missions.planner", "the model that plans: use, key, check; run is the planner itself"),
        "task": ("work.tasks", "what you want done: add, list, show, wait, retry, cancel …"),
        "spawn": ("units.spawn", "a tree of agents that divide requirements.yml themselves"),
        "unit": ("units.unit", "the units of a tree: tree, show, stop, pause, resume, retry"),
        "agent": ("work.agents", "who does it: add, list, assign, disable, sync …"),
        "project": ("work.projects", "where: list, show, archive, activate, move, remove"),
        "target": ("work.targets", "the branches that work lands on: list, show, approve, retry"),
        "branch": ("work.branches", "the branches there are: list, show, merge, open, start, delete"),
        "account": ("work.accounts", "clients that a limit or an outage parks: list, release"),
        "config": ("work.config", "settings of this installation: list, get, set, unset"),
        "notify": ("work.notify", "being told without looking: test"),
        "memory": ("work.memory", "lasting decisions that agents read: list, show, add, preview"),
    },
    "look": {
        "ui": ("look.ui", "branches, conversation and crew in one screen; `toryo` alone opens it, too"),
        "tmux": ("units.tmux", "a tree of units in panes of your tmux, as many as fit; they follow it"),
        "status": ("look.status", "what runs, what waits, what needs you; --watch stays open"),
        "web": ("look.web", "the page: the whole crew in a browser, and what needs you; --stop ends it"),
        "why": ("look.why", "why a task, run, target or project stands as it does"),
        "run": ("look.runs", "executions of agents: list, show, stop, release"),
        "log": ("look.log", "what an agent printed"),
        "attach": ("look.attach", "become the terminal of a running agent"),
        "events": ("look.events", "what happened, in order"),
        "diff": ("look.diff", "what a task changed"),
        "review": ("look.review", "see what a task changed, mark it as seen, comment on lines: send, mark …"),
        "evidence": ("look.evidence", "what a task's status stands on; -f follows its checks"),
        "verify": ("look.evidence", "run a task's checks again on the same files"),
        "restore": ("look.evidence", "put back what a run left behind"),
        "doctor": ("look.doctor", "look for what is wrong, and say how to mend it"),
    },
    "for programs": {
        "worker": ("programs.workers", "the prompt for a worker that you start yourself: command, run"),
        "post": ("bus.messages", "inside a unit's run: tell its parent something"),
        "send": ("bus.messages", "tell a unit something: a person any, a unit its parent or child"),
        "inbox": ("bus.messages", "what a unit was told; inside its run what is new"),
        "bus": ("bus.export", "all messages of units: export writes them as bus.jsonl"),
        "session": ("programs.sessions", "record a run of an outside orchestrator: start, end"),
        "mcp": ("programs.mcp", "an MCP server on stdio: another AI directs the work, with your key"),
        "mcp-bridge": (
            "programs.mcp_bridge",
            "join an agent CLI's stdio to the daemon, with a run's credential file",
        ),
        "completion": ("programs.completion", "completions for bash, zsh or fish"),
        "daemon": ("begin.life", "be the daemon (`toryo up` starts it for you)"),
        "coordinator": ("begin.life", "be a coordinator (`toryo up` starts it for you)"),
        "web-server": ("programs.web_server", "be the page's process (`toryo web` starts it for you)"),
    },
}
"""Verb → (its file below cli/, one line of help). A new verb is a line here and a file beside."""

VERBS = {verb: told for verbs in SECTIONS.values() for verb, told in verbs.items()}

HELP = ("-h", "--help", "help")
INTERRUPTED = 130


def run(argv: Sequence[str], processes: Mapping[str, Process]) -> int:
    """Parse, act, print; the exit code: 0 fine, 1 the user can mend it, 2 usage, 255 a bug."""
    if list(argv) in (["--version"], ["-V"]):
        print(f"toryo {__version__}")
        return 0
    try:
        _never_fail_to_print()
        code = _act(argv, processes)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_left()
    except Exception as error:  # noqa: BLE001 - the front's outermost edge: printed once, with an exit code
        from toryo.fronts.text.errors import complain

        code = complain(error, argv)
        if isinstance(error, OSError):
            _reader_left()  # the output itself may be what failed
    return code


def _act(argv: Sequence[str], processes: Mapping[str, Process]) -> int:
    words = [*argv[1:], "--help"] if argv and argv[0] in HELP else list(argv)
    if not words and _on_a_terminal():
        words = ["ui"]
    if not words or words[0] in HELP:
        from toryo.fronts.cli.overviews import overview

        print(overview())
        return 0 if words else 2
    parser, rest = find(words)
    if parser is None:
        from toryo.fronts.cli.overviews import overview_of_group

        print(overview_of_group(words[0]))
        return 0 if rest else 2
    try:
        args = parser.parse_args(rest)
    except SystemExit:  # argparse has printed its help
        return 0
    from toryo.fronts.client import Desk

    with Desk(processes, reads=args.reads, hands=args.hands) as desk:
        try:
            code: int = args.act(args, desk)
        except UserError as failed:
            if getattr(failed, "body", {}).get("kind") == NotAProject.kind:
                verb_file("work.moved_here").mend_hint(failed, desk)
            raise
        return code


def _on_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and verb_file("look.ui").can_open()


def find(words: Sequence[str]) -> tuple[Parser | None, Sequence[str]]:
    """The parser of the verb alone, and the words left for it; None for a group without one of its verbs."""
    from toryo.fronts.cli.parsing import make_parser

    word = words[0]
    if word not in VERBS:
        from toryo.fronts.cli.overviews import instead_of

        raise UsageError(f"There is no verb `{word}`.", hint=instead_of(word))
    file, about = VERBS[word]
    module = verb_file(file)
    verbs = getattr(module, "VERBS", None)
    if verbs is None:
        parser = make_parser(word, about)
        module.declare(parser, word)
        return parser, words[1:]
    alone = getattr(module, "BY_ITSELF", "")
    if alone and (len(words) < 2 or (words[1].startswith("-") and words[1] not in HELP)):
        words = [word, alone, *words[1:]]  # `toryo config` lists
    if len(words) < 2 or words[1] in HELP:
        return None, words[1:]
    inner = words[1]
    if inner not in verbs:
        from toryo.fronts.cli.overviews import instead_of

        raise UsageError(f"There is no verb `{word} {inner}`.", hint=instead_of(inner, word))
    about, declare = verbs[inner]
    parser = make_parser(f"{word} {inner}", about)
    declare(parser)
    return parser, words[2:]


def verb_file(name: str) -> ModuleType:
    """`importlib` would be one more module to load."""
    module: ModuleType = __import__(f"toryo.fronts.cli.{name}", fromlist=["declare"])
    return module


def _never_fail_to_print() -> None:
    """What the terminal's own encoding lacks becomes `?`: a title in another script is no reason to fail."""
    if sys.stdin is None:  # started with it closed: there is nobody to ask and nothing to read
        sys.stdin = open(os.devnull)  # noqa: SIM115 - as long as the process
    if sys.stdout is None or sys.stderr is None:  # the same
        nowhere = open(os.devnull, "w")  # noqa: SIM115 - as long as the process
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _reader_left() -> int:
    # `toryo log … | head`: nobody reads any more, and the interpreter must not complain about it at its end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0
