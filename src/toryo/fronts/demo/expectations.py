"""What must be so after the demo, judged from the answers that gathering.py got from real commands. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from toryo.domain.words import TaskStatus, Verdict
from toryo.fronts.demo.plan import CLAIMER, FAILURE, FIXED, IDLER, MENU_LINE, RESOLVED, TASKS, tasks_for
from toryo.fronts.demo.repository import BILL_FILE, CHECK, MENU_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from toryo.fronts.demo.gathering import Answers
    from toryo.fronts.demo.plan import PlannedTask


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
    """Status, reason, and every run with its purpose and exit code, exactly."""
    runs = [(str(run["purpose"]), run["exit_code"]) for run in task["runs"]]
    found = _ended(str(task["status"]), str(task["reason"]), runs)
    wanted = _ended(plan.status, plan.reason, plan.runs)
    return Expectation(f"{plan.number} {plan.title}: {wanted}", found == wanted, found)


def _ended(status: str, reason: str, runs: Sequence[tuple[str, int | None]]) -> str:
    state = f"{status} ({reason})" if reason else status
    return f"{state} after " + ", ".join(f"{purpose} exit {code}" for purpose, code in runs)


def _green(answers: Answers) -> Expectation:
    wrong = []
    for plan in TASKS:
        if plan.status is not TaskStatus.DONE:
            continue
        proof = answers.evidence[plan.number]
        checks = [(one["command"], one["result"], one["exit_code"]) for one in proof["checks"]]
        if proof["verdict"] != Verdict.GREEN or checks != [(CHECK, "passed", 0)]:
            wrong.append(f"{plan.number}: {proof['verdict'] or 'none'} {checks}")
    return Expectation(
        f"each done task has green evidence: {CHECK} passed", not wrong, "; ".join(wrong) or "green"
    )


def _unproven(answers: Answers) -> Expectation:
    found = {number: answers.evidence[number]["verdict"] for number in (CLAIMER, IDLER)}
    ok = not any(found.values()) and not any(answers.tasks[number]["landed_commit"] for number in found)
    return Expectation("the liars have no verdict and landed nothing", ok, str(found))


def _claim(answers: Answers) -> Expectation:
    found = [one["result"] for one in answers.tasks[CLAIMER]["claims"] if one["kind"] == "completed"]
    return Expectation("kitsune's claim of success is kept, as a claim", found == ["success"], str(found))


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


def _kept_off(answers: Answers) -> Expectation:
    commits = [one["id"] for run in answers.tasks[CLAIMER]["runs"] for one in run["log"]]
    there = [commit for commit in commits if commit in answers.main_commits]
    there += [name for name in ("HOURS.md",) if name in answers.main_files]
    return Expectation("nothing of the liars is on main", bool(commits) and not there, str(there or commits))


def _kept(answers: Answers) -> Expectation:
    commits = [one["id"] for run in answers.tasks[CLAIMER]["runs"] for one in run["log"]]
    lost = [commit for commit in commits if commit not in answers.kept_commits]
    ok = bool(commits) and not lost and answers.restorable == "Open from ten to five.\n"
    return Expectation("nothing of the liars is lost", ok, f"{lost or commits}, {answers.restorable!r}")


def _verified(answers: Answers) -> Expectation:
    found = {name: answers.verified.get(name) for name in ("verdict", "commit", "tree")}
    ok = found == {"verdict": Verdict.GREEN, "commit": answers.main, "tree": answers.main_tree}
    return Expectation("`toryo verify`: the checks pass again on main's own tree", ok, str(found))


def _checkout(answers: Answers) -> Expectation:
    ok = answers.checkout.splitlines() == ["## main", "?? .toryo/"]
    return Expectation(
        "your checkout is on main; only what `init` wrote is uncommitted", ok, answers.checkout
    )


def _worktrees(answers: Answers) -> Expectation:
    waiting = {str(answers.tasks[number]["worktree"]) for number in (CLAIMER, IDLER)}
    left = [path for path in answers.worktrees if path not in waiting]
    return Expectation("the worktrees of done tasks are gone", not left, str(left or answers.worktrees))


def _recomputed(answers: Answers) -> Expectation:
    compared, differences = answers.recomputed["compared"], answers.recomputed["differences"]
    ok = compared == len(TASKS) and not differences
    found = f"{compared} compared, {len(differences)} differences"
    return Expectation("`toryo doctor --recompute`: every status follows from the facts", ok, found)


RULES: tuple[Callable[[Answers], Expectation], ...] = (
    _green,
    _unproven,
    _claim,
    _told,
    _follows,
    _both_lines,
    _mended,
    _kept_off,
    _kept,
    _verified,
    _checkout,
    _worktrees,
    _recomputed,
)
