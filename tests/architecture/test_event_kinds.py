"""Every kind of event that is emitted is told in a sentence, or is plumbing that no person is shown."""

from __future__ import annotations

import ast
from pathlib import Path

import toryo
from toryo.domain.event_kinds import PLUMBING
from toryo.domain.words import PlaceKind, Verb
from toryo.engine.parking import MOVED, UNPARKED
from toryo.fronts.cli.look.event_words import WORDED, sentence
from toryo.usecases.targets.verbs import RECORDED

SOURCE = Path(toryo.__file__).parent
RUN_FACTS = ("prepared", "started", "exited", "lost", "collected", "cleaned", "stopped")
OWN_FACTS = ("submitted", "started", "reported", "released", "expired", "withdrawn", UNPARKED, MOVED)
PAUSES = (Verb.PAUSE, Verb.PAUSE_NOW, Verb.RESUME)
TASK_VERBS = (*(set(Verb) - {*PAUSES, Verb.COMMENT, Verb.SUBMIT, Verb.REVERT}),)

WRITTEN: dict[str, tuple[str, ...]] = {
    "engine/bus/delivery.py: kind": ("message_dead", "message_undelivered"),
    "engine/drain.py: event": tuple(f"{kind}_{seen}" for kind in PlaceKind for seen in ("seen", "unseen")),
    "engine/facts/runs.py: f'run_{kind}'": tuple(f"run_{kind}" for kind in (*RUN_FACTS, *OWN_FACTS)),
    "engine/messages.py: kind": ("run_spoken", "run_unheard"),
    "engine/subjects/queue.py: kind": ("files_unchanged", "landing_ended"),
    "usecases/agents/agents.py: f'agent_{status}'": ("agent_active", "agent_disabled"),
    "usecases/coordinators/coordinators.py: f'{kind}_key_issued'": tuple(
        f"{kind}_key_issued" for kind in PlaceKind
    ),
    "usecases/coordinators/coordinators.py: f'{row.kind}_registered'": tuple(
        f"{kind}_registered" for kind in PlaceKind
    ),
    "usecases/coordinators/coordinators.py: f'{row.kind}_seen'": tuple(f"{kind}_seen" for kind in PlaceKind),
    "usecases/coordinators/report_facts.py: f'fact_{standing}'": ("fact_late", "fact_orphan"),
    "usecases/missions/approve.py: kind": ("mission_approved", "mission_rejected", "mission_said"),
    "usecases/missions/steer.py: kind": (
        *("mission_set", "mission_budget", "mission_cancel"),
        *(f"mission_{verb}" for verb in PAUSES),
    ),
    "usecases/projects/projects.py: f'project_{status}'": ("project_active", "project_archived"),
    "usecases/targets/verbs.py: RECORDED[verb]": tuple(RECORDED.values()),
    "usecases/tasks/verbs.py: f'task_{meaning.verb}'": tuple(f"task_{verb}" for verb in TASK_VERBS),
    "usecases/units/steer.py: f'unit_{verb}'": tuple(f"unit_{verb}" for verb in PAUSES),
}
"""What may come of those that are not written as they are."""


def emitted() -> tuple[set[str], set[str]]:
    """Kinds that are written down where they are emitted, and expressions that become one."""
    plain, written = set[str](), set[str]()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if not is_call or node.func.attr != "emit" or not node.args:
                continue
            said = node.args[0]
            for kind in (said.body, said.orelse) if isinstance(said, ast.IfExp) else (said,):
                if isinstance(kind, ast.Constant):
                    plain.add(str(kind.value))
                else:
                    written.add(f"{path.relative_to(SOURCE).as_posix()}: {ast.unparse(kind)}")
    return plain, written


def test_every_kind_that_is_emitted_has_a_sentence_or_is_plumbing() -> None:
    plain, written = emitted()
    assert written == WRITTEN.keys()
    kinds = plain.union(*WRITTEN.values())
    assert len(kinds) > 80
    assert kinds - WORDED - PLUMBING == set()
    assert (WORDED | PLUMBING) - kinds == set(), "nobody emits these any more"
    assert frozenset() == WORDED & PLUMBING


def test_a_sentence_has_no_code_in_it() -> None:
    assert [kind for kind in WORDED if "_" in sentence({"kind": kind, "body": {}})] == []
