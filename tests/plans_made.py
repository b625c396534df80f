"""Plans for tests: one task, and any graph of them without a cycle."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from toryo.domain.planned_tasks import PlannedTask

WRITES = st.sampled_from(
    [None, ("src/a/",), ("src/b/",), ("src/**",), ("docs/*.md",), ("src/a/x.py", "README.md")]
)
TITLES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "[P] no mark",
            "[US1] [P] x",
            "a (depends on T001) b",
            "ログイン画面",
            "- [ ] T001 x",
            "## Phase 1: Setup",
        ]
    ),
)


def a_task(id: str, *needs: str, **more: Any) -> PlannedTask:
    return PlannedTask(**{"id": id, "title": f"do {id}", "depends_on": needs, **more})


@st.composite
def dags(draw: st.DrawFn, most: int = 8, agents: tuple[str, ...] = ("",)) -> tuple[PlannedTask, ...]:
    """Edges lead back along a hidden order; the ids' order is another."""
    ids = draw(st.permutations([f"T{number:03d}" for number in range(1, draw(st.integers(1, most)) + 1)]))
    tasks = []
    for place, id in enumerate(ids):
        earlier = st.sets(st.sampled_from(ids[:place]), max_size=3) if place else st.just(set())
        tasks.append(
            PlannedTask(
                id=id,
                title=draw(TITLES),
                description=draw(st.sampled_from(["", "One line.", "Two\n\nlines", "- [ ] T001 not a task"])),
                depends_on=tuple(sorted(draw(earlier))),
                write=draw(WRITES),
                agent=draw(st.sampled_from(agents)),
                story=draw(st.sampled_from(["", "US1", "US2", "2"])),
                done=draw(st.booleans()),
            )
        )
    return tuple(draw(st.permutations(tasks)))
