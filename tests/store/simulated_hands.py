"""Coordinators without processes, for tests of the head: they carry out orders on a simulated repository.

What happens is asked of a `Pick`, whose first choice is always the honest one. What was done stays done: a
repeated order has the same outcome, as from the journal, and the refs decide about moves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from simulated_git import Repository, Worktree

from toryo.domain.naming import free_name
from toryo.domain.words import PlaceKind
from toryo.engine.context import HeadContext
from toryo.protocol.order import Fact
from toryo.usecases.coordinators.coordinators import heartbeat, issue_key, list_active_projects, register
from toryo.usecases.coordinators.next_orders import take_orders
from toryo.usecases.coordinators.report_facts import report_facts
from toryo.usecases.runs.claim import claim_run

Pick = Callable[[str, Sequence[Any]], Any]
"""(what is asked, choices) → one of them."""

INTERVAL_S = 10.0
ALWAYS = "always"
"""A merge that conflicts even where git would fast-forward: for worlds in which order must not matter."""


CHECKS: dict[str, tuple[str, ...]] = {"none": (), "one": ("make test",), "two": ("make lint", "make test")}


def settings_text(which: str, flaky: str = "land") -> str:
    """A config.yaml with these checks."""
    commands = "".join(f"    - {{type: t, command: {command}}}\n" for command in CHECKS[which])
    return f"dod:\n  flaky: {flaky}\n  checks:\n{commands}" if commands else "{}"


def honest(_what: str, choices: Sequence[Any]) -> Any:
    return choices[0]


@dataclass
class Process:
    """An agent that works."""

    run: str
    task: str
    order: dict[str, Any]
    hands: Hands
    worktree: Worktree
    is_asked_to_stop: bool = False


@dataclass
class World:
    """What is true, whoever knows it."""

    repositories: dict[str, Repository] = field(default_factory=dict)
    processes: dict[str, Process] = field(default_factory=dict)
    """Live ones, by run."""
    begun: set[str] = field(default_factory=set)
    """Runs that were ever started."""
    stopped: set[str] = field(default_factory=set)
    """Runs that were asked to stop before they began: their agents never do."""
    prepared: dict[str, dict[str, Any]] = field(default_factory=dict)
    worktrees: dict[str, Worktree] = field(default_factory=dict)
    """By run."""
    starts: dict[str, str] = field(default_factory=dict)
    passed: set[tuple[str, str]] = field(default_factory=set)
    """(tree, command) that passed at some time."""


class Hands:
    """One coordinator: a journal, an outbox, and what it told about targets."""

    def __init__(self, context: HeadContext, world: World, machine: str, name: str) -> None:
        self.context = context
        self.world = world
        self.machine = machine
        self.name = name
        self.id = f"{machine}/{name}"
        self.incarnation = 0
        self.sequence = 0
        self.journal: dict[str, tuple[str, dict[str, Any]]] = {}
        self.outbox: list[Fact] = []
        self.published: dict[str, str] = {}
        self.told: dict[str, dict[str, Any]] = {}
        self.waiting: dict[str, str] = {}

    def start(self) -> None:
        """A new process of this coordinator: what was on disk stays, what was in memory is gone."""
        if not self.incarnation:
            issue_key(self.context, PlaceKind.COORDINATOR, self.machine, self.name)
        about = {"boot": "b", "pid": 1, "clients": {}, "fingerprint": "fp", "interval_s": INTERVAL_S}
        self.incarnation = register(self.context, self.id, **about)["incarnation"]
        self.told.clear()
        self.waiting.clear()

    def beat(self) -> None:
        live = [one.run for one in self.world.processes.values() if one.hands is self]
        heartbeat(self.context, self.id, self.incarnation, live)

    def claim(self, agent: str, project: str, request: str) -> str:
        """The run that was claimed, or nothing."""
        answer = claim_run(self.context, agent, project, self.id, self.incarnation, request)
        return str(answer["run_id"]) if answer["claimed"] else ""

    def wanted(self) -> tuple[dict[str, Any], ...]:
        return take_orders(self.context, self.id, self.incarnation).orders

    def todo(self) -> list[dict[str, Any]]:
        """What is left to do; not what is under way or on its way."""
        answered = {fact.order for fact in self.outbox if fact.kind != "publish_waiting"}
        return [order for order in self.wanted() if order["id"] not in answered and self._may_do(order)]

    def _may_do(self, order: dict[str, Any]) -> bool:
        """A run begins once its worktree is there, although it was ordered with the claim, and only once."""
        if order["kind"] != "run":
            return True
        return order["run"] in self.world.prepared and order["run"] not in self.world.processes

    def carry_out(self, order: dict[str, Any], pick: Pick) -> None:
        known = self.journal.get(order["id"])
        if known is None:
            done = ACTS[order["kind"]](self, order, pick)
            if done is None:
                return
            known = self.journal[order["id"]] = done
        self.report(known[0], known[1], order)
        if order["kind"] in ("accept", "publish"):
            self.told.pop(order["project"], None)
            self.look()

    def report(self, kind: str, body: dict[str, Any], order: dict[str, Any] | None = None) -> None:
        self.sequence += 1
        name, generation = (order["id"], order["generation"]) if order else ("", 0)
        self.outbox.append(Fact(seq=self.sequence, kind=kind, order=name, generation=generation, body=body))

    def deliver(self, facts: Sequence[Fact], *, is_heard: bool = True, incarnation: int = 0) -> int:
        """How many were taken. `is_heard`: the answer comes back, so those are not sent again."""
        if not facts:
            return 0
        answer = report_facts(self.context, self.id, incarnation or self.incarnation, facts, {})
        taken = set(answer["acknowledged"])
        early = [fact for fact in facts if fact.seq not in taken]
        assert all(fact.kind == "target_seen" for fact in early), "an order's fact was not acknowledged"
        if is_heard and not answer["superseded"]:
            self.outbox = [fact for fact in self.outbox if fact.seq not in taken]
        return len(taken)

    def poll(self) -> None:
        """Hear which commits the daemon believes published."""
        for project in list_active_projects(self.context)["projects"]:
            for target in project["targets"]:
                self.published[project["project_id"]] = target["published"]

    def look(self) -> None:
        """Tell where the branches stand, if that is news."""
        for project, published in self.published.items():
            repository = self.world.repositories[project]
            seen = seen_now(repository, published)
            if self.told.get(project) != seen:
                self.outbox = [
                    fact
                    for fact in self.outbox
                    if fact.kind != "target_seen" or fact.body["project"] != project
                ]
                self.report("target_seen", seen)
                self.told[project] = seen

    def end(self, process: Process, pick: Pick) -> None:
        """The agent ends, one way or another; its run's order gets its final fact."""
        how = "stopped" if process.is_asked_to_stop else pick("end", ENDINGS)
        repository = self.world.repositories[process.order["project"]]
        if "commit" in how:
            _work(repository, process.worktree)
        del self.world.processes[process.run]
        kind = "lost" if "lost" in how else "exited"
        body = {"reason": "gone"} if kind == "lost" else dict(EXITS[how.removesuffix(" commit")])
        self.journal[process.order["id"]] = (kind, body)
        self.report(kind, body, process.order)


ENDINGS = (
    "exit 0 commit",
    "exit 0 commit",
    "exit 0 commit",
    "exit 0",
    "exit 3 commit",
    "signal commit",
    "timed out",
    "lost commit",
    "lost",
    "no result commit",
    "limit commit",
    "outage",
)
LATER = "1970-01-12T13:56:40Z"
"""Some hours after the house's clock begins: 1,000,000 s."""
EXITS: dict[str, dict[str, Any]] = {
    "exit 0": {"exit_code": 0},
    "exit 3": {"exit_code": 3},
    "signal": {"exit_code": None, "signal": "SIGKILL"},
    "timed out": {"exit_code": None, "signal": "SIGTERM", "timed_out": True},
    "stopped": {"exit_code": None, "signal": "SIGTERM", "stopped": True},
    "no result": {"exit_code": 0, "said": {"result": "none"}},
    "limit": {
        "exit_code": 1,
        "said": {"conversation": "c1", "limited": {"why": "usage_limit", "resets_at": LATER}},
    },
    "outage": {"exit_code": 1, "said": {"result": "error", "limited": {"why": "outage"}}},
}


def seen_now(repository: Repository, published: str) -> dict[str, Any]:
    branch = repository.branch
    return {
        "project": repository.project,
        "target": "main",
        "commit": branch,
        "tree": repository.tree(branch) if branch else "",
        "relation": repository.relation(),
        "tip": repository.tip,
        "published": published,
        "settings_tree": repository.settings_tree(branch) if branch else "",
        "lost": sorted(_lost(repository, published)) if branch else [],
        "owner": "another" if repository.sight == "owned" else "",
        "contains_published": not published or bool(branch and repository.contains(branch, published)),
    }


def _lost(repository: Repository, published: str) -> frozenset[str]:
    return repository.gone(repository.branch) | (
        repository.history(published) - repository.history(repository.branch)
    )


def _work(repository: Repository, worktree: Worktree) -> None:
    """The agent commits: a merge that was begun is finished by that."""
    if worktree.merging:
        worktree.head = repository.commit(worktree.head, worktree.merging)
        worktree.merging = ""
    worktree.head = repository.commit(worktree.head)


Done = tuple[str, dict[str, Any]] | None


def _problem(code: str) -> dict[str, Any]:
    return {"problem": {"code": code, "message": f"{code} happened"}}


def _prepare(hands: Hands, order: dict[str, Any], pick: Pick) -> Done:
    inputs, world = order["inputs"], hands.world
    run = inputs["run"]
    if run in world.prepared:
        return "prepared", world.prepared[run]
    if pick("prepare", ("ok",) * 6 + ("problem",)) == "problem":
        return "prepared", _problem("git_failed")
    repository = world.repositories[order["project"]]
    name = str(inputs["name"])
    if inputs["existing"]:
        worktree = repository.worktrees.get(name)
        if worktree is None:
            return "prepared", _problem("worktree_missing")
    else:
        name = free_name(name, lambda one: one in repository.worktrees or one in repository.retired)
        worktree = repository.worktrees[name] = Worktree(name, base=inputs["base"], head=inputs["base"])
    base = inputs["base"]
    moved = repository.without(worktree.head, repository.tip) or repository.tip
    if inputs["existing"] and moved != worktree.head:
        worktree.head, worktree.merging, base = moved, "", repository.tip
    if inputs["merge"] and not repository.contains(worktree.head, inputs["merge"]):
        worktree.merging = inputs["merge"]
    world.worktrees[run] = worktree
    body = {
        "name": name,
        "worktree": f"/trees/{name}",
        "branch": f"agent/{name}",
        "base": base,
        "head": worktree.head,
    }
    world.prepared[run] = body
    return "prepared", body


def _run(hands: Hands, order: dict[str, Any], pick: Pick) -> Done:
    """Only started here: `Hands.end` tells the end."""
    world, run = hands.world, str(order["inputs"]["run"])
    if run in world.processes:
        return None
    assert run not in world.begun, f"{run} would be started twice"
    others = [one.run for one in world.processes.values() if one.task == order["task"]]
    assert not others, f"{run} would be started beside {others} of the same task"
    worktree = world.worktrees[run]
    assert worktree.name not in world.repositories[order["project"]].retired
    world.begun.add(run)
    if run in world.stopped:
        return "exited", {"exit_code": None, "stopped": True}
    if pick("launch", ("ok",) * 9 + ("could not start",)) != "ok":
        return "exited", {"exit_code": None, "could_not_start": "no such program"}
    world.processes[run] = Process(run, order["task"], order, hands, worktree)
    hands.report("started", {"shim_pid": 1, "pid": 2, "started_at": "", "boot": "b"}, order)
    return None


def _stop(hands: Hands, order: dict[str, Any], _pick: Pick) -> Done:
    process = hands.world.processes.get(order["inputs"]["run"])
    if process is None:
        hands.world.stopped.add(order["inputs"]["run"])
        return "stopped", {"asked": False, "gone": True}
    process.is_asked_to_stop = True
    return "stopped", {"asked": True, "gone": False}


def _collect(hands: Hands, order: dict[str, Any], pick: Pick) -> Done:
    inputs, world = order["inputs"], hands.world
    repository = world.repositories[order["project"]]
    if inputs["run"] not in world.worktrees:  # a person's: in the worktree of the run before
        name = inputs["branch"].removeprefix("agent/")
        if name not in repository.worktrees:
            return "collected", _problem("worktree_missing")
        world.worktrees[inputs["run"]] = repository.worktrees[name]
    worktree = world.worktrees[inputs["run"]]
    assert all(one.worktree is not worktree for one in world.processes.values()), "collected while one works"
    if inputs["commit"] and pick("by hand", ("commits", "nothing")) != "nothing":
        worktree.head, worktree.merging = repository.commit(worktree.head), ""
    what = pick("collect", ("ok",) * 8 + ("violation", "problem", "nothing"))
    if what == "problem":
        return "collected", _problem("git_failed")
    made = repository.history(worktree.head)
    violations = [{"path": "secrets/key", "rule": "exclude"}] if what == "violation" else []
    return "collected", {
        "head": worktree.head,
        "branch": f"agent/{worktree.name}",
        "commits": len(made - repository.history(inputs["base"])),
        "new_commits": len(made - repository.history(inputs["start"])),
        "changed_files": [] if what == "nothing" else ["src/a.py"],
        "changed_count": 0 if what == "nothing" else 1,
        "violations": violations,
        "unmerged": ["a.py"] if worktree.merging else [],
        "snapshot": {"ref": "refs/toryo/snapshots/x", "commit": worktree.head},
    }


def _revert(hands: Hands, order: dict[str, Any], pick: Pick) -> Done:
    inputs, repository = order["inputs"], hands.world.repositories[order["project"]]
    if not repository.contains(repository.tip, inputs["commit"]):
        return "collected", _problem("not_on_target")
    if pick("reverse", ("clean", "clean", "conflict")) == "conflict":
        return "collected", _problem("revert_conflict")
    head = repository.commit(repository.tip)
    whole = {"commits": 1, "new_commits": 1, "changed_files": ["src/a.py"], "changed_count": 1}
    return "collected", {"head": head, **whole}


def _write(hands: Hands, order: dict[str, Any], pick: Pick) -> Done:
    inputs = order["inputs"]
    repository = hands.world.repositories[order["project"]]
    if pick("write", ("ok",) * 9 + ("problem",)) == "problem":
        return "written", _problem("git_failed")
    base = inputs["base"]
    texts = hashlib.sha256(str(inputs["files"]).encode()).hexdigest()[:8]
    if any(one.startswith(f"w{texts}-") for one in repository.history(base)):
        return "written", {"commit": base, "tree": repository.tree(base), "changed": False}
    words = hashlib.sha256(f"{base}{inputs['message']}".encode()).hexdigest()[:8]
    commit = repository.commit(base, name=f"w{texts}-{words}")
    return "written", {"commit": commit, "tree": repository.tree(commit)}


def _candidate(hands: Hands, order: dict[str, Any], pick: Pick) -> Done:
    inputs = order["inputs"]
    repository = hands.world.repositories[order["project"]]
    if repository.tip != inputs["tip"]:
        return "candidate_built", {"stale": repository.tip}
    head = inputs["heads"][0]["commit"]
    if inputs["linear"]:
        assert repository.parents[head] == (repository.tip,), "it was written on another tip"
        return "candidate_built", {"commit": head, "tree": repository.tree(head)}
    if repository.contains(repository.tip, head):
        return "candidate_built", {"commit": repository.tip, "tree": repository.tree(repository.tip)}
    if pick("build", ("ok",) * 9 + ("problem",)) == "problem":
        return "candidate_built", _problem("git_failed")
    head = repository.without(head, repository.tip, *inputs["heads"][0]["since"][:1])
    if not head:
        return "candidate_built", _problem("removed")
    pair = (repository.tip, head)
    if pair not in repository.conflicts:
        answer = pick("merge", ("clean", "clean", "clean", "conflict"))
        can = not repository.contains(head, repository.tip) or answer == ALWAYS
        repository.conflicts[pair] = can and answer != "clean"
    if repository.conflicts[pair]:
        conflict = {"paths": ["a.py"], "partner": repository.tip, "task": order["task"]}
        return "candidate_built", {"conflict": conflict}
    commit = repository.merge(repository.tip, head, inputs["message"] + inputs["date"])
    return "candidate_built", {"commit": commit, "tree": repository.tree(commit)}


def _check(hands: Hands, order: dict[str, Any], pick: Pick) -> Done:
    choices = ("passed", "passed", "passed", "failed", "failed", "could_not_run", "interrupted")
    result = pick("check", choices)
    inputs = order["inputs"]
    if result == "passed":
        hands.world.passed.add((inputs["tree"], inputs["command"]))
    if result == "interrupted":
        return "checked", {"result": "could_not_run", "interrupted": True}
    return "checked", {"result": result, "exit_code": 0 if result == "passed" else 1, "fingerprint": "fp"}


def _accept(hands: Hands, order: dict[str, Any], pick: Pick) -> Done:
    inputs = order["inputs"]
    repository = hands.world.repositories[order["project"]]
    if pick("accept", ("ok",) * 9 + ("problem",)) == "problem":
        return "accepted", _problem("ref_locked")
    if repository.tip != inputs["new"]:
        if not inputs["reset"] and not repository.contains(inputs["new"], inputs["old"]):
            return "accepted", _problem("not_a_descendant")
        if repository.tip != inputs["old"]:
            return "accepted", {"moved": False, "tip": repository.tip}
        for removal in inputs["removed"]:
            stays = frozenset().union(*(repository.history(one) for one in removal["stays"]))
            repository.removals.append(repository.history(removal["commit"]) - stays)
        repository.tip = inputs["new"]
    settings = repository.settings_tree(repository.tip)
    return "accepted", {"moved": True, "tip": repository.tip, "settings_tree": settings}


def _publish(hands: Hands, order: dict[str, Any], pick: Pick) -> Done:
    inputs = order["inputs"]
    repository = hands.world.repositories[order["project"]]
    new, branch = inputs["new"], repository.branch
    if pick("publish", ("ok",) * 9 + ("problem",)) == "problem":
        return "published", _problem("ref_locked")
    if branch and repository.contains(branch, new):
        return "published", {"published": True, "commit": new, "found": branch}
    rewound = branch and branch != inputs["old"] and repository.was_rewound(new)
    if not branch or not repository.contains(new, branch) or rewound:
        return "published", {"diverged": True, "found": branch}
    if repository.busy:
        if hands.waiting.get(order["id"]) != repository.busy:
            paths = [] if repository.busy == "rebase" else ["a.py"]
            hands.report("publish_waiting", {"why": repository.busy, "paths": paths}, order)
            hands.waiting[order["id"]] = repository.busy
        return None
    repository.move(new)
    return "published", {"published": True, "commit": new, "found": new}


def _clean(hands: Hands, order: dict[str, Any], _pick: Pick) -> Done:
    run = order["inputs"]["run"]
    repository, worktree = hands.world.repositories[order["project"]], hands.world.worktrees.get(run)
    if worktree is None:  # a person's run, whose worktree was gone before
        return "cleaned", {"freed": True}
    busy = [one.run for one in hands.world.processes.values() if one.worktree is worktree]
    assert not busy, f"the worktree of {run} would be retired while {busy} works in it"
    repository.worktrees.pop(worktree.name, None)
    repository.retired.add(worktree.name)
    return "cleaned", {"freed": True, "trash": "/trash"}


def _survey(hands: Hands, order: dict[str, Any], pick: Pick) -> Done:
    if pick("survey", ("ok",) * 9 + ("problem",)) == "problem":
        return "surveyed", _problem("git_failed")
    tree = hands.world.repositories[order["project"]].settings_tree(order["inputs"]["commit"])
    files = {"config.yaml": settings_text(tree.partition(":")[2])} if tree else {}
    source = "commit" if tree else "none"
    return "surveyed", {"settings_files": files, "settings_from": source, "settings_tree": tree}


ACTS: dict[str, Callable[[Hands, dict[str, Any], Pick], Done]] = {
    "prepare": _prepare,
    "run": _run,
    "stop": _stop,
    "collect": _collect,
    "revert": _revert,
    "write": _write,
    "candidate": _candidate,
    "check": _check,
    "accept": _accept,
    "publish": _publish,
    "clean": _clean,
    "survey": _survey,
}
