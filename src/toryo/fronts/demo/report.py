"""Report of the demo, as text: the evidence of each task, main's history, what was believed."""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from toryo.fronts.demo.expectations import JUDGED_BY
from toryo.fronts.demo.plan import CLAIMER, IDLER, TASKS
from toryo.fronts.text.output import cut, duration, folded, one_line, paint
from toryo.fronts.text.steps import STATUS_COLOUR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from toryo.fronts.demo.expectations import Expectation
    from toryo.fronts.demo.gathering import Answers
    from toryo.fronts.demo.plan import PlannedTask
    from toryo.fronts.demo.stage import Stage

WIDEST = 96
WORDS = ("Done!", "I read:")
"""How the words that are told begin, wherever among its lines a client prints them."""


def columns() -> int:
    return min(shutil.get_terminal_size().columns, WIDEST) if sys.stdout.isatty() else WIDEST


def whole(
    stage: Stage, answers: Answers, expectations: Sequence[Expectation], *, kept: bool, took_s: float
) -> str:
    blocks = [evidence(answers), history(answers)]
    if all(one.ok for one in expectations):
        blocks += [as_expected(expectations), closing(stage, answers, kept=kept, took_s=took_s)]
    else:
        blocks.append(differing(expectations))
        if not kept:
            blocks.append(f"Hint: {stage.keep_hint}")
    return "\n\n".join(blocks)


def evidence(answers: Answers) -> str:
    lines = [paint("Evidence", "bold") + paint("  what was said, what Toryo saw, what it proved", "dim"), ""]
    for plan in TASKS:
        lines += _of_task(plan, answers)
    return "\n".join(lines)


def _of_task(plan: PlannedTask, answers: Answers) -> Iterator[str]:
    task = answers.tasks[plan.number]
    status = str(task["status"])
    state = paint(status, STATUS_COLOUR.get(status, "")) + (f" ({task['reason']})" if task["reason"] else "")
    yield f"{paint(str(plan.number), 'bold')} {plan.title}: {state}"
    for number, run in enumerate(task["runs"], 1):
        if run["purpose"] == "resolve":
            yield _fact("saw", f"a conflict with main in {', '.join(answers.conflicted)}", "cyan")
        if run["purpose"] == "fix":
            yield _fact("saw", "the checks failed on its merge with main", "cyan")
        is_last = number == len(task["runs"])
        if plan.stopped and is_last:
            yield from (_fact("judge", text, "bold") for text in _judgement(task))
        is_told = number == 1 if plan.number == IDLER else is_last
        yield from (_fact("said", text, "yellow") for text in _said(plan, run, answers, is_told=is_told))
        yield _fact("saw", _of_run(number, run), "cyan")
    yield _fact("proof", *_proof(plan, answers))


def _judgement(task: Mapping[str, Any]) -> Iterator[str]:
    for one in task["verbs"]:
        note = one_line(str(one["note"])).removeprefix(JUDGED_BY)
        yield f"not believed ({one['reason']}); told “{note}”"


def _said(plan: PlannedTask, run: Mapping[str, Any], answers: Answers, *, is_told: bool) -> list[str]:
    """Claims over MCP, and the telling line of the log where one was read of this run."""
    said = [f"{one['result']}: “{one['summary']}”" for one in run["claims"] if one["kind"] == "completed"]
    log = answers.logs.get(plan.number, "").strip()
    lines = log.splitlines()
    told = next((line for line in lines if any(word in line for word in WORDS)), "")
    return said + ([f"“{one_line(told)}”"] if told and is_told else [])


def _fact(label: str, text: str, colour: str) -> str:
    return f"  {paint(f'{label:<5}', colour)}  {cut(text, columns() - 9)}"


def _of_run(number: int, run: Mapping[str, Any]) -> str:
    count = int(run["commits"])
    noun = "commit" if count == 1 else "commits"
    text = f"run {number} {run['purpose']}: exit {run['exit_code']}, {count or 'no'} {noun}"
    if run["uncommitted"]:
        text += f", {', '.join(run['uncommitted'])} left uncommitted"
    return text


def _proof(plan: PlannedTask, answers: Answers) -> tuple[str, str]:
    """Its text, and the text's colour."""
    proof = answers.evidence[plan.number]
    if not proof["verdict"]:
        return "none: not on main", "red"
    checks = ", ".join(
        f"{one['command']} {one['result']} (exit {one['exit_code']}, {duration(one['duration_s'])})"
        for one in proof["checks"]
    )
    return f"{proof['verdict']}: {checks} on tree {proof['tree'][:7]}", "green"


def history(answers: Answers) -> str:
    head = paint("$", "dim") + " git log --graph --oneline main"
    return "\n".join([head, *(cut(line, columns()) for line in answers.graph.splitlines())])


def as_expected(expectations: Sequence[Expectation]) -> str:
    """The ends of the tasks, which come first, were told already."""
    listed = ["each task ended exactly as planned", *(one.what for one in expectations[len(TASKS) :])]
    return "\n".join(f"{paint('✔', 'green')} {cut(what, columns() - 2)}" for what in listed)


def differing(expectations: Sequence[Expectation]) -> str:
    wrong = [one for one in expectations if not one.ok]
    lines = [paint(f"{len(wrong)} of {len(expectations)} expectations do not hold:", "red")]
    for one in wrong:
        lines += [f"{paint('✘', 'red')} {one.what}", f"  found: {one_line(one.found)}"]
    return "\n".join(lines)


def closing(stage: Stage, answers: Answers, *, kept: bool, took_s: float) -> str:
    exited = answers.tasks[CLAIMER]["runs"][0]["exit_code"]
    believed = (
        "Believed: exit codes, commits, and checks that Toryo ran itself on the very trees it put on main."
        f" Not believed: kitsune's “success”, for it exited {exited};"
        " tanuki's exit 0, for it committed nothing."
        " The planner's model judged each once; they were believed when the facts agreed."
        " Nothing of what they left at first is lost."
    )
    toryo = program()
    lines, took = [textwrap.fill(believed, columns()), ""], duration(took_s)
    if kept:
        lines += [
            folded(f"It took {took}, and all of it is kept in {stage.root}. To look around in it:", 0),
            "",
            paint(f"  export TORYO_HOME={shlex.quote(str(stage.toryo_home))}", "bold"),
            paint(f"  cd {shlex.quote(str(stage.repo))}", "bold"),
            paint(f"  {toryo} status", "bold") + "            (starts daemon and coordinator there again)",
            paint(f"  {toryo} evidence {answers.tasks[CLAIMER]['id']}", "bold"),
            paint(f"  {toryo} down", "bold"),
        ]
    else:
        more = f" --client {answers.client}" if answers.client else ""
        lines += [
            folded(f"It took {took}, and all of it is removed again. To look around in it:", 0),
            paint(f"  {toryo} demo{more} --keep DIR", "bold"),
        ]
    lines += ["In a repository of yours:", paint(f"  cd REPOSITORY && {toryo} init", "bold")]
    return "\n".join(lines)


def program() -> str:
    """How this user can call us: by name if that works, else by the path beside our Python."""
    if shutil.which("toryo"):
        return "toryo"
    return str(Path(sys.executable).with_name("toryo"))
