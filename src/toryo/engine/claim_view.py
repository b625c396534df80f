"""Claims as everybody sees them, and what an outside orchestrator told of its worker's end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from toryo.domain.times import iso
from toryo.protocol.views import runs as views
from toryo.store.database.rows import ClaimRow

SESSION, ARTIFACTS = "session", "artifacts"
"""Kinds: how a worker ended, with the error in its summary; the paths that it named, as JSON."""
LONGEST = 20_000


def claim_body(claim: ClaimRow) -> views.ClaimView:
    return {
        "run": claim.run,
        "kind": claim.kind,
        "result": claim.result,
        "summary": ", ".join(_paths(claim)) if claim.kind == ARTIFACTS else claim.summary,
        "next_steps": claim.next_steps,
        "late": claim.late,
        "at": iso(claim.at),
    }


def artifacts_text(paths: Sequence[str]) -> str:
    """As many of the first paths as a claim may hold."""
    kept = list(paths)
    while len(text := json.dumps(kept, ensure_ascii=False)) > LONGEST:
        kept = kept[: len(kept) * LONGEST // len(text)]
    return text


def told_at_the_end(claims: Iterable[ClaimRow]) -> views.ToldAtTheEnd:
    """The newest `error` and `artifacts` of a run; those of an end that came late stay claims only."""
    ends = [claim for claim in claims if not claim.late]
    errors = [claim.summary for claim in ends if claim.kind == SESSION]
    named = [_paths(claim) for claim in ends if claim.kind == ARTIFACTS]
    return {"error": errors[-1] if errors else "", "artifacts": named[-1] if named else []}


def _paths(claim: ClaimRow) -> list[str]:
    return [str(path) for path in json.loads(claim.summary)]
