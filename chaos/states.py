"""Prepared states: an installation right before each kind of order, made once, brought back for each kill."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from chaos import agents, conversations
from chaos.invariants import git
from chaos.place import HANDS, HEAD, MIND, Place
from toryo.domain import subjects
from toryo.domain.ids import ProjectId, TaskId
from toryo.domain.units import STATUS
from toryo.domain.words import FilesPurpose, MissionStatus, OrderKind, TaskStatus, Verb
from toryo.engine.orders.files import want_scan
from toryo.engine.orders.insertion import hub, insert
from toryo.engine.orders.units import close_target, open_target
from toryo.engine.subjects.files import land_files
from toryo.protocol.kinds.units import RefreshInputs, UnitFile
from toryo.store.database.engine import Store, Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import TargetRow, TaskRow, VerbRow
from toryo.store.tables import missions, projects, tasks, texts, verbs

FILES = {
    "README.md": "hello\n",
    "shared.txt": "nobody's\n",
    "check.sh": "! grep -rq BROKEN src shared.txt 2>/dev/null && test -e made\n",
    ".gitignore": "made\n",
    ".toryo/config.yaml": "base: main\nsetup: ['touch made']\ndod:\n  checks:\n"
    "    - {type: test, command: 'sh check.sh'}\n",
}
INTERVAL_S = 0.2
MOST_TRIES = 5

LANDING = (
    ("ran", "exit.reported"),
    ("collected", "collect.reported"),
    ("built", "candidate.reported"),
    ("checked", "check.reported"),
    ("accepted", "accept.reported"),
    ("published", "publish.reported"),
)
"""State after state of one task on its way, each with the point at which it was put away."""


def bring(place: Place, name: str) -> None:
    """The installation in that state; made first, with all that come before it, where it is not there yet."""
    if not place.has(name):
        _MAKERS[name](place)
    place.bring(name)


def _fresh(place: Place) -> None:
    """A repository, and an installation that has never run."""
    place.repo.mkdir(parents=True)
    for path, text in FILES.items():
        (place.repo / path).parent.mkdir(parents=True, exist_ok=True)
        (place.repo / path).write_text(text)
    for argv in (
        ["init", "-q", "-b", "main"],
        ["config", "user.name", "Some One"],
        ["config", "user.email", "some.one@localhost"],
        ["add", "-A"],
        ["commit", "-q", "-m", "first"],
    ):
        subprocess.run(["git", *argv], cwd=place.repo, check=True, timeout=60)
    folder = place.home.coordinator("main")
    folder.mkdir(parents=True)
    (folder / "coordinator.yaml").write_text(f"polling_interval: {INTERVAL_S}\nmax_concurrent: 16\n")
    (place.home.path / "clients").mkdir()
    # only for its name: the coordinators that we fork have another client of that name
    (place.home.path / "clients" / "little.yaml").write_text("program: sh\nargv: [sh]\n")
    agents.write(place.here / "agents")
    place.keep("fresh")


def _begun(place: Place) -> None:
    """A project whose target is green, and the agents."""
    bring(place, "fresh")
    place.disarm()
    place.start()
    place.call("register_project", path=str(place.repo), base="main")
    for name, wish in agents.write(place.here / "agents").items():
        place.call("add_agent", name=name, path=str(place.repo), slots=16, **wish)
    place.until(lambda: at_rest(place), "the base is checked")
    place.keep("begun")


def _branched(place: Place) -> None:
    """A branch of the person's own, with a commit that is nowhere else."""
    bring(place, "begun")
    tree = git(place.repo, "rev-parse", "main^{tree}").strip()
    commit = git(place.repo, "commit-tree", "-m", "an idea", "-p", "main", tree).strip()
    git(place.repo, "branch", "idea", commit)
    place.keep("branched")


def _added(agent: str) -> Callable[[Place], None]:
    def make(place: Place) -> None:
        """One task for that agent, and nobody who could start it."""
        bring(place, "begun")
        place.disarm()
        place.start(HEAD)
        place.call("add_task", path=str(place.repo), title=f"A task for {agent}", agent=agent)
        place.keep(agent)

    return make


def _landing(place: Place) -> None:
    """All states of a task on its way, in one go."""
    for _ in range(MOST_TRIES):
        if _land(place):
            return
    raise AssertionError("the next order is always carried out before somebody stands")


def _land(place: Place) -> bool:
    """False: on a busy machine the next order may be carried out before that point is reached."""
    bring(place, "quick")
    for name, point in LANDING:
        place.arm(point)
        place.start()
        place.until(place.who_stands, f"somebody comes to {point}")
        if name != "published" and git(place.repo, "rev-list", "--count", "main").strip() != "1":
            return False
        place.keep(name)
    place.disarm()
    place.start()
    place.until(lambda: at_rest(place), "the task is done")
    place.keep("done")
    return True


def _half(place: Place) -> None:
    """A publication whose git was killed in mid-write."""
    bring(place, "accepted")
    place.arm("publish.journalled")
    place.start()
    place.until(place.who_stands, "somebody publishes")
    place.kill_all()
    tip = git(place.repo, "for-each-ref", "--format=%(objectname)", "refs/toryo/tips")
    (path,) = git(place.repo, "diff", "--name-only", "main", tip).split()
    half = git(place.repo, "show", f"{tip}:{path}")[:5]
    (place.repo / path).parent.mkdir(exist_ok=True)
    (place.repo / path).write_text(half)
    (place.repo / ".git" / "index.lock").write_text("half an index")
    place.keep("half")


def _unfinished(place: Place) -> None:
    """A run that failed, and in its worktree what a person made since: a commit, and a file beside it."""
    bring(place, "fails")
    place.disarm()
    place.start()
    place.until(lambda: at_rest(place), "the run has failed")
    place.kill_all()
    (worktree,) = (path for path in (place.repo / ".worktrees").iterdir() if not path.name.startswith("."))
    (worktree / "mine.txt").write_text("a person's commit\n")
    subprocess.run(["git", "add", "mine.txt"], cwd=worktree, check=True, timeout=60)
    subprocess.run(["git", "commit", "-q", "-m", "mine"], cwd=worktree, check=True, timeout=60)
    (worktree / "draft.txt").write_text("a person's file\n")
    place.keep("unfinished")


def _files(place: Place) -> None:
    """A mission that has ended and still has its files to land, and a scan that was asked for."""
    bring(place, "begun")
    store = Store.open(place.home.database)
    with store.change() as tx:
        (project,) = projects.listing(tx)
        row = MissionRow(
            id="n1",
            project=project.id,
            target="main",
            text="do it",
            spec_dir="specs/SPEC-1",
            status=MissionStatus.COMPLETED,
            created_at=tx.now,
            changed_at=tx.now,
        )
        missions.insert(tx, row)
        written = [("specs/SPEC-1/spec.md", "# What\n"), ("specs/SPEC-1/tasks.md", "- [ ] T001\n")]
        land_files(tx, row, FilesPurpose.SPEC, 1, written, "docs: the spec")
        target = projects.target(tx, project.id, "main")
        assert target is not None
        want_scan(tx, project, target.tip)
    store.close()
    place.keep("files")


def _wished(place: Place) -> None:
    """A mission whose repository is read and whose questions are to be found; nobody who could."""
    _minded(place)
    place.start(HEAD, HANDS)
    conversations.begin(place, conversations.WISH)
    place.until(lambda: place.rows("select 1 from orders where kind = 'question'"), "questions are wanted")
    place.keep("wished")


def _stuck(place: Place) -> None:
    """The only task of a mission failed, and that is to be judged."""
    _minded(place)
    place.arm("judge.before")
    place.start(HEAD, HANDS, MIND)
    conversations.begin(place, conversations.STUCK)
    conversations.answer(place)
    conversations.approve(place)
    place.until(place.who_stands, "somebody judges")
    place.keep("stuck")


def _changed(place: Place) -> None:
    """A mission whose first task may start, and nobody who could start it."""
    _minded(place)
    place.start(HEAD, HANDS, MIND)
    conversations.begin(place, conversations.CHANGED)
    conversations.answer(place)
    place.kill(place.pids[HANDS])
    conversations.approve(place)
    place.keep("changed")


def _minded(place: Place) -> None:
    """With a model, which is the same in all states of this place."""
    bring(place, "begun")
    place.disarm()
    url = place.model(conversations.SCRIPT)
    place.home.planner("main").mkdir(parents=True)
    place.home.config.write_text(f"planner: {{base_url: '{url}', model: tea}}\n")
    place.home.planner_api_key.write_text("sk-campaign-0123456789\n")
    place.home.planner_api_key.chmod(0o600)


def _unit(place: Place) -> None:
    """A unit whose branch is to be a target, and one whose target closes; nobody works on them any more."""
    bring(place, "begun")
    commit, tree = (git(place.repo, "rev-parse", name) for name in ("main", "main^{tree}"))
    for name in ("t1", "t2"):
        git(place.repo, "branch", f"agent/root-{name}", commit)
    git(place.repo, "update-ref", "refs/toryo/tips/agent/root-t2", commit)
    store = Store.open(place.home.database)
    with store.change() as tx:
        (project,) = projects.listing(tx)
        opened, closed = (_ended_unit(tx, project.id, name) for name in ("t1", "t2"))
        open_target(tx, project, opened)
        known = {"tip": commit, "tip_tree": tree, "published": commit, "seen": commit, "seen_tree": tree}
        projects.put_target(tx, TargetRow(project=project.id, name=closed.branch, unit=closed.id, **known))
        close_target(tx, project, closed)
        for one in (opened, closed):
            tasks.update(tx, one.id, name="", branch="")  # no run of it reported a place
    store.close()
    place.keep("unit")


def _ended_unit(tx: Tx, project: ProjectId, id: str) -> TaskRow:
    row = TaskRow(
        id=TaskId(id),
        project=project,
        title="A tree",
        timeout_s=60,
        target="main",
        name=f"root-{id}",
        branch=f"agent/root-{id}",
        unit="root",
        status=TaskStatus.CANCELLED,
        reason="cancelled",
        created_at=tx.now,
    )
    tasks.insert(tx, row)
    verbs.add(tx, VerbRow(subject=subjects.task(row.id), verb=Verb.CANCEL, at=tx.now))
    return row


def _aside(place: Place) -> None:
    """A unit whose run has ended: a child's work is to be put into its worktree, over what lies there."""
    bring(place, "begun")
    place.disarm()
    place.start()
    place.call("spawn_tree", path=str(place.repo), requirements="goal: x\n", agent="fails", at_once=True)
    place.until(lambda: at_rest(place), "the root has failed")
    place.kill_all()
    (worktree,) = (path for path in (place.repo / ".worktrees").iterdir() if not path.name.startswith("."))
    head = git(worktree, "rev-parse", "HEAD")
    (worktree / "README.md").write_text("a child's\n")
    git(worktree, "commit", "-qam", "a child's work")
    landed = git(worktree, "rev-parse", "HEAD")
    git(worktree, "reset", "-q", "--hard", head)
    (worktree / "README.md").write_text("the unit's own\n")
    blob = git(worktree, "hash-object", "README.md")
    (run,) = place.rows("select id from runs")[0]
    place.wrote.write_text(f"{run} {blob} README.md\n")  # nobody may lose it
    store = Store.open(place.home.database)
    with store.change() as tx:
        (project,) = projects.listing(tx)
        (root,) = tasks.newest(tx, TaskStatus.FAILED, project=project.id, limit=1)
        target = f"agent/{worktree.name}"
        git(place.repo, "update-ref", f"refs/toryo/tips/{target}", landed)
        tree = git(place.repo, "rev-parse", f"{landed}^{{tree}}")
        row = TargetRow(
            project=project.id,
            name=target,
            tip=landed,
            tip_tree=tree,
            published=head,
            seen=head,
            seen_tree=git(place.repo, "rev-parse", f"{head}^{{tree}}"),
            unit=root.id,
        )
        projects.put_target(tx, row)
        tx.mark(subjects.queue(project.id, target))
        wanted = RefreshInputs(
            run="r0",
            repo=project.path,
            worktree=str(worktree),
            branch=target,
            files=(UnitFile(path=STATUS, blob=texts.put(tx, "children: []\n")),),
        )
        place_of_hands = hub(project)
        insert(
            tx, OrderKind.REFRESH, "refresh/r0/1", place_of_hands, wanted, project=project.id, task=root.id
        )
    store.close()
    place.keep("aside")


def at_rest(place: Place) -> bool:
    """Nothing is left to be done: no order, no live run, no subject to look at, no task on its way.

    A queue that has stopped waits for a person, whatever it has accepted: that is judged, not waited for."""
    rest = "('done', 'failed', 'cancelled', 'needs_review')"
    busy = place.rows(
        "select 1 from orders where state in ('open', 'taken')"
        " union all select 1 from runs where live"
        f" union all select 1 from tasks where status not in {rest}"
        " union all select 1 from landings where ended = ''"
        " union all select 1 from marks where look_at = 0"
        " union all select 1 from targets where tip_gate = '' and unit = ''"
        " union all select 1 from targets where tip != published and stopped = ''"
        " union all select 1 from gates where verdict = ''"
    )
    return not busy and bool(place.rows("select 1 from projects"))


_MAKERS: dict[str, Callable[[Place], None]] = {
    "fresh": _fresh,
    "begun": _begun,
    "branched": _branched,
    **{name: _added(name) for name in agents.SCRIPTS},
    **dict.fromkeys(("done", *(name for name, _ in LANDING)), _landing),
    "half": _half,
    "aside": _aside,
    "unfinished": _unfinished,
    "files": _files,
    "wished": _wished,
    "stuck": _stuck,
    "changed": _changed,
    "unit": _unit,
}
