"""A rehearsal from first to last: the user's project in a clone, real CLIs, a scripted model, a judgement.

Nothing outside its own folder is touched: clone, homes and installation lie there, and go with it.
"""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from toryo import processes, settings
from toryo.domain.errors import UserError
from toryo.fronts.demo import model
from toryo.fronts.demo.expectations import Expectation
from toryo.fronts.demo.leaving import ignore, leave, listen
from toryo.fronts.demo.stage import KEPT_VARIABLES, Stage, StepFailed, look_for_git, new_root
from toryo.fronts.text.output import Progress, duration, one_line, paint

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from toryo.fronts.demo.model import ScriptedModel

    Ended = dict[str, Any]
    """A task after its end: `plan`, `task` (`toryo task show`), `evidence` (`toryo evidence`)."""

HIDDEN = ("ANTHROPIC", "CLAUDE", "OPENAI", "CODEX", "GEMINI", "GOOGLE", "OPENCODE", "XDG_", "TORYO_", "GIT_")
SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PASSKEY", "CREDENTIALS")
"""Of the user's environment these stay outside: no account is spoken for, no setting of a CLI comes along."""
WORKER = "worker"


def play(script: str, *, client: str | None, keep: str | None, as_json: bool) -> int:
    """The exit code: 0 only if every expectation of the script holds."""
    look_for_git()
    begun = time.monotonic()
    file, project = Path(script).absolute(), _project()
    stage = Stage(
        new_root(keep, "toryo-rehearsal-"), more=_outer(), name=project.name, verb="rehearse SCRIPT"
    )
    listen()
    try:
        stage.user_home.mkdir(parents=True)
        given = model.start(stage, file)
        stage = given.at(stage)
        _clone(project, stage)
        ends = _perform(stage, given, client or str(given.plan["client"]))
        expectations = [one for end in ends for one in judge(end, stage)]
        requests = _requests(stage)
    finally:
        ignore()  # half a clean-up would be worse than a late one
        leave(stage, keep=keep is not None)
    ok = all(one.ok for one in expectations)
    took_s = round(time.monotonic() - begun, 3)
    if as_json:
        told = {"ok": ok, "duration_s": took_s, "requests": requests, "tasks": ends}
        more = {
            "expectations": [one.as_json() for one in expectations],
            "kept": str(stage.root) if keep else "",
        }
        print(json.dumps({**told, **more}, indent=2, ensure_ascii=False))
    else:
        print(_told(ends, expectations, requests))
        print(f"It took {duration(took_s)}" + (f"; all of it is kept in {stage.root}." if keep else "."))
    return 0 if ok else 1


def _project() -> Path:
    here = processes.run(["git", "rev-parse", "--show-toplevel"], limit_s=20)
    if here.code != 0:
        raise UserError("A rehearsal needs a repository, and here is none.", hint="`cd` to your project.")
    return Path(here.text.rstrip("\n"))


def _outer() -> dict[str, str]:
    """The user's environment, for their checks, without what speaks for an account."""
    return {
        name: value
        for name, value in settings.environment().items()
        if not name.startswith(HIDDEN) and not name.endswith(SECRET) and name not in ("HOME", "PATH", "PWD")
    } | {name: value for name, value in settings.environment().items() if name in KEPT_VARIABLES}


def _clone(project: Path, stage: Stage) -> None:
    """What is committed, and `.toryo/` as it lies there: that is what is rehearsed."""
    done = processes.run(
        ["git", "clone", "-q", "--no-hardlinks", str(project), str(stage.repo)], env=stage.env(), limit_s=600
    )
    if done.code != 0:
        raise StepFailed(f"`git clone {project}` exited {done.code}: {done.complaint[-1000:]}")
    for name, usual in (("user.name", "You"), ("user.email", "you@localhost")):
        known = processes.run(["git", "config", name], cwd=project, limit_s=20).text.strip()
        stage.git("config", name, known or usual)
    if (project / ".toryo").is_dir():
        shutil.copytree(project / ".toryo", stage.repo / ".toryo", dirs_exist_ok=True)
        stage.git("add", "--force", ".toryo")
        if stage.git("status", "--porcelain", ".toryo"):  # in force is what is committed
            stage.git("commit", "-q", "-m", "Settings as they are in the working copy")


def _perform(stage: Stage, given: ScriptedModel, client: str) -> list[Ended]:
    tasks: list[dict[str, Any]] = given.plan["tasks"]
    with Progress("the rehearsal is running") as progress:
        stage.toryo("init", "--yes")
        _agents(stage, given, client)
        ids: dict[str, str] = {}
        for task in tasks:
            ids[task["title"]] = str(stage.read(*_words(task, ids))["id"])
        end = time.monotonic() + float(given.plan["within_s"])
        while not stage.read("task", "wait", "--timeout", "1", *ids.values(), may_fail=True)["all_at_rest"]:
            progress.tick()
            if time.monotonic() > end:
                break
    return [
        {
            "plan": task,
            "task": stage.read("task", "show", ids[task["title"]]),
            "evidence": stage.read("evidence", ids[task["title"]]),
        }
        for task in tasks
    ]


def _agents(stage: Stage, given: ScriptedModel, client: str) -> None:
    """Those of `.toryo/agents/` are there; the script may add some; without any one worker does it all."""
    named: list[dict[str, Any]] = list(given.plan["agents"])
    own = any((stage.repo / ".toryo" / "agents").glob("*.y*ml"))
    if client and not named and not own:  # instead of what `init` chose
        named = [{"name": WORKER}]
    for one in named:
        used = str(one.get("client") or client)
        if not used:
            raise UserError(f"The agent {one['name']} has no client.", hint="Name one with --client.")
        words = ["agent", "add", one["name"], "--client", used]
        for field in ("role", "model", "access"):
            words += [f"--{field}", one[field]] if one.get(field) else []
        words += ["--system-prompt", one["system_prompt"]] if one.get("system_prompt") else []
        words += ["--prompt-file", str(_file(stage, one))] if one.get("prompt") else []
        words += [word for glob in one.get("write", ()) for word in ("--write", str(glob))]
        stage.toryo(*words)
    for one in stage.read("agent", "list")["agents"]:
        if one.get("client") in given.clients:
            model.look_for(given, str(one["client"]), stage)


def _file(stage: Stage, agent: Mapping[str, Any]) -> Path:
    stage.scripts.mkdir(exist_ok=True)
    file = stage.scripts / f"{agent['name']}.md"
    file.write_text(agent["prompt"], encoding="utf-8")
    return file


def _words(task: Mapping[str, Any], ids: Mapping[str, str]) -> list[str]:
    words = ["task", "add", task["title"]]
    for field, option in (
        ("description", "-d"),
        ("type", "-t"),
        ("agent", "--agent"),
        ("timeout_s", "--timeout"),
    ):
        words += [option, str(task[field])] if task.get(field) else []
    for field, option in (("write", "--write"), ("checks", "--check")):
        words += [word for one in task.get(field, ()) for word in (option, str(one))]
    return words + [word for other in task.get("after", ()) for word in ("--after", ids[other])]


def judge(end: Ended, stage: Stage) -> list[Expectation]:
    """Each field that the script expects, against what is so."""
    expect, task = end["plan"]["expect"], end["task"]
    found = {
        "status": str(task["status"]),
        "reason": str(task["reason"]),
        "verdict": str(end["evidence"]["verdict"] or ""),
        "runs": [str(run["purpose"]) for run in task["runs"]],
    }
    judged = [
        Expectation(f"{task['title']}: {name} {_shown(wanted)}", found[name] == wanted, _shown(found[name]))
        for name, wanted in expect.items()
        if name in found
    ]
    for path, text in expect.get("files", {}).items():
        there = stage.try_git("show", f"HEAD:{path}").text
        what = f"{task['title']}: {path} contains {one_line(str(text))!r}"
        judged.append(Expectation(what, str(text) in there, one_line(there)[:300]))
    return judged


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value) or "none"


def _requests(stage: Stage) -> int:
    return len(stage.requests.read_bytes().splitlines()) if stage.requests.exists() else 0


def _told(ends: list[Ended], expectations: list[Expectation], requests: int) -> str:
    lines: list[str] = []
    for end in ends:
        task = end["task"]
        reason = f" ({task['reason']})" if task["reason"] else ""
        lines.append(f"{paint(str(task['title']), 'bold')}: {task['status']}{reason}")
        for number, run in enumerate(task["runs"], 1):
            said = [
                f"{one['result']}: “{one['summary']}”" for one in run["claims"] if one["kind"] == "completed"
            ]
            lines += [f"  said   {one_line(text)}" for text in said]
            commits = "1 commit" if run["commits"] == 1 else f"{run['commits']} commits"
            facts = f"run {number} {run['purpose']}: exit {run['exit_code']}, {commits}"
            lines.append(f"  saw    {facts}")
        checks = ", ".join(f"{one['command']} {one['result']}" for one in end["evidence"]["checks"])
        lines.append(f"  proof  {end['evidence']['verdict'] or 'none'}" + (f": {checks}" if checks else ""))
    lines += ["", f"The model was asked {'once' if requests == 1 else f'{requests} times'}."]
    for one in expectations:
        sign = paint("✔", "green") if one.ok else paint("✘", "red")
        lines.append(f"{sign} {one.what}" + ("" if one.ok else f"\n  found: {one.found}"))
    return "\n".join(lines)
