"""Expectations of the demo, judged from the answers that gathering.py got from real commands. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from toryo.domain.words import MissionStatus, OrderKind, TaskStatus, Verdict
from toryo.fronts.demo.plan import (
    ANSWERS,
    CLAIMER,
    DESCRIPTIONS,
    FAILURE,
    FIXED,
    LIARS,
    MENU_LINE,
    PURPOSES,
    RESOLVED,
    SENTENCE,
    TASKS,
    tasks_for,
)
from toryo.fronts.demo.repository import BILL_FILE, CHECK, MENU_FILE, README

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from toryo.fronts.demo.gathering import Answers
    from toryo.fronts.demo.plan import PlannedTask


JUDGED_BY = "The planner says: "
"""How the note of a retry begins that a judgement led to."""


@dataclass(frozen=True)
class Expectation:
    what: str
    ok: bool
    found: str
    """What is so instead, or what it stands on."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def judge(answers: Answers) -> list[Expectation]:
    ends = [_end(task, answers.tasks[task.number]) for task in tasks_for(answers.client)]
    return ends + [rule(answers) for rule in RULES]


def _end(plan: PlannedTask, task: Mapping[str, Any]) -> Expectation:
    """Done, and every run with its purpose and exit code, exactly."""
    runs = [(str(run["purpose"]), run["exit_code"]) for run in task["runs"]]
    found = _ended(str(task["status"]), str(task["reason"]), runs)
    wanted = _ended(TaskStatus.DONE, "", plan.runs)
    return Expectation(f"{plan.number} {plan.title}: {wanted}", found == wanted, found)


def _ended(status: str, reason: str, runs: Sequence[tuple[str, int | None]]) -> str:
    state = f"{status} ({reason})" if reason else status
    return f"{state} after " + ", ".join(f"{purpose} exit {code}" for purpose, code in runs)


def _green(answers: Answers) -> Expectation:
    wrong = []
    for plan in TASKS:
        proof = answers.evidence[plan.number]
        checks = [(one["command"], one["result"], one["exit_code"]) for one in proof["checks"]]
        if proof["verdict"] != Verdict.GREEN or checks != [(CHECK, "passed", 0)]:
            wrong.append(f"{plan.number}: {proof['verdict'] or 'none'} {checks}")
    return Expectation(
        f"each done task has green evidence: {CHECK} passed", not wrong, "; ".join(wrong) or "green"
    )


def _completed(answers: Answers) -> Expectation:
    mission = answers.mission
    found = (
        answers.exit_code,
        str(mission["status"]),
        mission["text"],
        (mission["plan"] or {}).get("version"),
    )
    ok = found == (0, MissionStatus.COMPLETED, SENTENCE, 1)
    return Expectation("`toryo do` exited 0: the mission of this sentence is completed", ok, str(found))


def _answered(answers: Answers) -> Expectation:
    """They were asked with these defaults, taken, told to the model, and came back in the plan."""
    taken = {
        one["id"]: one["answer"] for one in answers.mission["questions"] if one["answer"] == one["default"]
    }
    wrong = [number for number, text in DESCRIPTIONS.items() if answers.tasks[number]["description"] != text]
    ok = taken == ANSWERS and not wrong
    return Expectation("the answers that were taken stand in the tasks of the plan", ok, f"{taken}, {wrong}")


def _judged(answers: Answers) -> Expectation:
    purposes = tuple(sorted(one.purpose for one in answers.asked))
    about = [_judgements(answers, number) for number in LIARS]
    ok = purposes == tuple(sorted(PURPOSES)) and about == [1, 1]
    what = "the model was asked for questions, plan, analysis, and to judge each liar once"
    return Expectation(what, ok, f"{purposes}, {about}")


def _judgements(answers: Answers, number: int) -> int:
    title = f"{answers.tasks[number]['title']}\\nState: "
    return sum(one.purpose == OrderKind.JUDGE and title in one.text for one in answers.asked)


def _disbelieved(answers: Answers) -> Expectation:
    """What each was retried from: one retry, by the planner's word, of work that had been stopped."""
    wanted = {one.number: [("retry", one.stopped)] for one in tasks_for(answers.client) if one.stopped}
    found = {
        number: [
            (str(one["verb"]), str(one["reason"]))
            for one in answers.tasks[number]["verbs"]
            if str(one["note"]).startswith(JUDGED_BY)
        ]
        for number in wanted
    }
    ok = found == wanted and all(len(answers.tasks[number]["verbs"]) == 1 for number in wanted)
    return Expectation("neither liar was believed: each stood still until it was judged", ok, str(found))


def _claim(answers: Answers) -> Expectation:
    """Twice the same words: the first time the exit code said otherwise."""
    task = answers.tasks[CLAIMER]
    exits = {run["id"]: run["exit_code"] for run in task["runs"]}
    plan = next(one for one in tasks_for(answers.client) if one.number == CLAIMER)
    found = [(exits[one["run"]], one["result"]) for one in task["claims"] if one["kind"] == "completed"]
    wanted = [(code, "success") for _, code in plan.runs]
    return Expectation("kitsune's claims of success are kept, as claims", found == wanted, str(found))


def _told(answers: Answers) -> Expectation:
    log = answers.logs.get(FIXED, "")
    return Expectation("the fix run was given the failure's output", FAILURE in log, log.strip()[:300])


def _follows(answers: Answers) -> Expectation:
    """The follower's first worktree began at a commit that had both of its predecessors."""
    base = answers.tasks[FIXED]["base_commit"]
    before = [answers.tasks[number]["landed_commit"] for number in (1, RESOLVED)]
    return Expectation(
        "3 began from what 1 and 2 had landed", base == before[1] and None not in before, f"{base}: {before}"
    )


def _both_lines(answers: Answers) -> Expectation:
    text = answers.main_files.get(MENU_FILE, "")
    ok = MENU_LINE in text.splitlines() and answers.conflicted == (MENU_FILE,)
    found = f"{answers.conflicted}: {text[-200:]}"
    return Expectation("main serves both teas, in the one line that was in conflict", ok, found)


def _mended(answers: Answers) -> Expectation:
    text = answers.main_files.get(BILL_FILE, "")
    return Expectation("main has the mended discount", "* 9 // 10" in text, text[-200:])


def _first_commits(answers: Answers) -> list[str]:
    return [str(one["id"]) for one in answers.tasks[CLAIMER]["runs"][0]["log"]]


def _kept_off(answers: Answers) -> Expectation:
    commits = _first_commits(answers)
    there = [commit for commit in commits if commit in answers.main_commits]
    there += ["TODO"] if "TODO" in answers.main_files[README] else []
    ok = bool(commits) and not there
    return Expectation("nothing of the liars' first tries is on main", ok, str(there or commits))


def _kept(answers: Answers) -> Expectation:
    commits = _first_commits(answers)
    lost = [commit for commit in commits if commit not in answers.kept_commits]
    ok = bool(commits) and not lost and answers.restorable == "Open from ten to five.\n"
    found = f"{lost or commits}, {answers.restorable!r}"
    return Expectation("nothing of the liars' first tries is lost", ok, found)


def _verified(answers: Answers) -> Expectation:
    found = {name: answers.verified.get(name) for name in ("verdict", "commit", "tree")}
    wanted = {"verdict": Verdict.GREEN, "commit": answers.landed, "tree": answers.landed_tree}
    beyond = [path for path in answers.beyond if not path.startswith("specs/")]
    ok = found == wanted and not beyond
    what = "`toryo verify`: the checks pass again on main's own files"
    return Expectation(what, ok, f"{found}, {answers.beyond}")


def _ticked(answers: Answers) -> Expectation:
    """Written by Toryo from evidence, as the mission's last landing."""
    text = "\n".join(text for path, text in answers.main_files.items() if path.startswith("specs/") and text)
    boxes = [line[:5] for line in text.splitlines() if line.startswith("- [")]
    ok = boxes == ["- [x]"] * len(TASKS)
    return Expectation("main has the spec, and every box of its tasks.md is ticked", ok, str(boxes))


def _checkout(answers: Answers) -> Expectation:
    ok = answers.checkout.splitlines() == ["## main", "?? .toryo/"]
    return Expectation(
        "your checkout is on main; only what `init` wrote is uncommitted", ok, answers.checkout
    )


def _worktrees(answers: Answers) -> Expectation:
    return Expectation("no worktree is left", not answers.worktrees, str(answers.worktrees))


def _recomputed(answers: Answers) -> Expectation:
    compared, differences = answers.recomputed["compared"], answers.recomputed["differences"]
    ok = compared == len(TASKS) and not differences
    found = f"{compared} compared, {len(differences)} differences"
    return Expectation("`toryo doctor --recompute`: every status follows from the facts", ok, found)


RULES: tuple[Callable[[Answers], Expectation], ...] = (
    _completed,
    _answered,
    _judged,
    _green,
    _disbelieved,
    _claim,
    _told,
    _follows,
    _both_lines,
    _mended,
    _kept_off,
    _kept,
    _verified,
    _ticked,
    _checkout,
    _worktrees,
    _recomputed,
)
