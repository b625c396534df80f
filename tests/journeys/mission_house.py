"""Missions of one house: a scripted model behind a key, shell agents, and where each word came to."""

from __future__ import annotations

import json
import secrets
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from house import House

from rehearsal.model_process import ModelProcess, model_process
from waiting import eventually

LONG_S = 120
WORD = r"(?P<word>kumo[0-9a-f]{6})"
"""In the sentence; a later demand has one that begins with `sora`."""
LATER = r"(?P<later>sora[0-9a-f]{6})"
AGENT = """\
mkdir -p "$ROOT/prompts"; cp "$1" "$ROOT/prompts/$TORYO_RUN"; env > "$ROOT/prompts/$TORYO_RUN.env"
part=$(grep -o "Part [A-Z]" "$1" | head -1 | cut -c6)
echo "$$ $(cut -d" " -f22 /proc/$$/stat) $PWD" >> "$ROOT/up-$part"
until [ -e "$ROOT/go" ] || [ -e "$ROOT/go-$part" ]; do sleep 0.05; done
mkdir -p work; grep -oE "(kumo|sora)[0-9a-f]{6}" "$1" | sort -u > "work/$part.txt"
git add -A; git commit -qm "part $part"
"""
"""Keeps its prompt, says who it is, waits to be let go, and commits the words of its prompt."""


def fresh(stem: str = "kumo") -> str:
    return stem + secrets.token_hex(3)


def part(purpose: str, *replies: dict[str, Any], when: str = "") -> dict[str, Any]:
    return {"purpose": purpose, "replies": list(replies)} | ({"when": when} if when else {})


def question(*questions: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"answer": {"title": "{{word}}", "size": "small", "questions": list(questions), **more}}


def task(letter: str, *after: str, word: str = "{{word}}", **more: Any) -> dict[str, Any]:
    return {
        "id": id_of(letter),
        "title": f"Part {letter} of {word}",
        "description": f"write {word}",
        "depends_on": [id_of(one) for one in after],
        "write": [f"work/{letter}.txt"],
        "checks": ["true"],
        **more,
    }


def id_of(letter: str) -> str:
    return f"T{ord(letter) - ord('A') + 1:03d}"


def plan(*tasks: dict[str, Any], word: str = "{{word}}") -> dict[str, Any]:
    return {
        "answer": {
            "spec": f"# Feature Specification: {word}",
            "plan": f"# Implementation Plan: {word}",
            "parallelism": 4,
            "tasks": list(tasks),
        }
    }


@dataclass
class Missions:
    """A house with a planner; what a person does with it, and what a test looks at afterwards."""

    house: House
    model: ModelProcess
    key: str
    words: list[bytes] = field(default_factory=list)
    """Command lines that held the key."""

    def begin(self, text: str, *options: str) -> str:
        """Stored, and nobody waits; its id."""
        told = self.house.ok("do", text, "--no-wait", "--json", *options)
        return str(json.loads(told)["mission"])

    def shown(self, mission: str) -> dict[str, Any]:
        shown = self.house.read("mission", "show", mission)
        assert isinstance(shown, dict)
        return shown

    def until(
        self, mission: str, question: Callable[[dict[str, Any]], object], what: str, within_s: float = 60
    ) -> dict[str, Any]:
        """The mission, as soon as the question is true of it."""
        found: list[dict[str, Any]] = []

        def asked() -> bool:
            found[:] = [self.shown(mission)]
            return bool(question(found[0]))

        try:
            eventually(asked, within_s=within_s, what=what)
        except BaseException:
            print(json.dumps(found[-1:], indent=1), self.house.story(), self.told_model())
            raise
        return found[0]

    def stands(self, mission: str, where: str, within_s: float = 60) -> dict[str, Any]:
        """Until it is `status` or `status reason`."""
        return self.until(
            mission,
            lambda one: where in (one["status"], f"{one['status']} {one['reason']}"),
            f"it is {where}",
            within_s,
        )

    def approve(self, mission: str) -> None:
        self.stands(mission, "awaiting_approval plan_ready")
        self.house.ok("mission", "approve", mission)

    def completes(self, *missions: str) -> None:
        for mission in missions:
            done = self.house.toryo("mission", "wait", mission, limit_s=LONG_S)
            assert done.returncode == 0, done.stdout + done.stderr + self.house.story() + self.told_model()

    def tasks(self, mission: str) -> dict[str, dict[str, Any]]:
        """Plan id → task as it is shown."""
        planned = self.shown(mission)["plan"]["tasks"]
        return {one["id"]: self.house.task(one["task"]) for one in planned if one["task"]}

    # ── agents ──

    def agent(self) -> None:
        self.house.agent(f'ROOT="{self.house.root}"\n{AGENT}')

    def let_go(self, letter: str = "") -> None:
        (self.house.root / (f"go-{letter}" if letter else "go")).touch()

    def hold(self) -> None:
        (self.house.root / "go").unlink()

    def up(self, letter: str, number: int = 1) -> tuple[int, int, str]:
        """The pid, start and worktree of the agent of that part, once its Nth run is up."""
        file = self.house.root / f"up-{letter}"
        lines = eventually(
            lambda: (
                file.exists() and file.read_text().count("\n") >= number and file.read_text().splitlines()
            ),
            within_s=60,
            what=f"agent {letter} is up",
        )
        pid, start, folder = lines[number - 1].split(" ", 2)  # type: ignore[index]
        return int(pid), int(start), folder

    def runs_of(self, letter: str) -> int:
        file = self.house.root / f"up-{letter}"
        return file.read_text().count("\n") if file.exists() else 0

    def prompts(self) -> list[str]:
        files = (self.house.root / "prompts").glob("*")
        return [file.read_text() for file in files if file.suffix != ".env"]

    # ── the model ──

    def asked(self, purpose: str = "") -> list[dict[str, Any]]:
        """What the model received, in turn."""
        asked = [one for one in self.model.requests() if one.get("purpose")]
        return [one for one in asked if purpose in ("", one["purpose"])]

    def answered(self, purpose: str) -> list[str]:
        return [json.dumps(one["body"]) for one in self.asked(purpose) if one["verb"] == "answer"]

    def told_model(self) -> str:
        return "\n".join(f"{one['purpose']} {one['verb']}" for one in self.asked())

    # ── what came back ──

    def came_back(self, word: str, *purposes: str, branch: str = "side") -> None:
        """The word is in these requests, in a task's title, a worker's prompt and a landed file."""
        for purpose in purposes:
            assert any(word in body for body in self.answered(purpose)), (word, purpose, self.told_model())
        listed = self.house.read("task", "list")["tasks"]
        assert any(word in one["title"] for one in listed), (word, listed)
        assert any(word in prompt for prompt in self.prompts()), word
        assert word in self.landed(branch), (word, self.house.files_on(branch))

    def landed(self, branch: str = "side") -> str:
        paths = [one for one in self.house.files_on(branch) if one.startswith("work/")]
        return "".join(self.house.text_on(path, branch) for path in sorted(paths))

    def planner(self) -> int:
        """The pid of its planner."""
        home = f"TORYO_HOME={self.house.home}".encode()
        return eventually(
            lambda: next(
                (
                    pid
                    for pid, words in command_lines()
                    if b"planner run" in words.replace(b"\0", b" ") and home in _environment(pid)
                ),
                0,
            ),
            what="its planner",
        )

    def where_the_key_is(self) -> list[str]:
        """Files of home, repository, logs and user, objects of git, and command lines that held it."""
        key = self.key.encode()
        files = [one for one in self.house.root.rglob("*") if one.is_file() and not one.is_symlink()]
        found = [str(one) for one in files if key in one.read_bytes()]
        objects = subprocess.run(
            ["git", "cat-file", "--batch-all-objects", "--batch"],
            cwd=self.house.repo,
            capture_output=True,
            check=True,
            timeout=60,
        )
        found += ["an object of git"] if key in objects.stdout else []
        found += [f"a request: {one['verb']}" for one in self.asked() if self.key in json.dumps(one)]
        return found + [words.decode(errors="replace") for words in self.words]


@contextmanager
def missions(house: House, folder: Path, *parts: dict[str, Any], agent: bool = True) -> Iterator[Missions]:
    """A project whose planner asks the scripted model with a key; nothing of it stays anywhere."""
    key = f"sk-journey-{secrets.token_hex(16)}"
    house.env |= {"TORYO_PLANNER_API_KEY": key}
    with model_process(folder, {"model": list(parts)}) as model:
        played = Missions(house, model, key)
        with _watched(played):
            house.ok("init", "--yes")
            if agent:
                played.agent()
            house.ok("planner", "use", "--url", f"{model.url}/v1", "--model", "tea")
            yield played
            house.toryo("down")
        assert played.where_the_key_is() == []


@contextmanager
def _watched(played: Missions) -> Iterator[None]:
    """Looks at every command line of the machine again and again."""
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.05):
            played.words += [words for _, words in command_lines() if played.key.encode() in words]

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield
    finally:
        over.set()
        looking.join()


def command_lines() -> Iterator[tuple[int, bytes]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                yield int(entry.name), (entry / "cmdline").read_bytes()
            except OSError:
                continue


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def lives(pid: int, start: int) -> bool:
    """This very process, not another one of its number."""
    try:
        found = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return found[0] not in ("Z", "X") and int(found[19]) == start
