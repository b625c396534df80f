"""A project may name another model and a smaller window; the endpoint and its key stay those of the home."""

from __future__ import annotations

import pytest

from toryo.planner.acts import window
from toryo.planner.models.choosing import Choice, NoModel
from toryo.planner.models.in_use import ModelInUse, Models
from toryo.protocol.kinds.planner import Brief

HOME = Choice(base_url="http://127.0.0.1:9/v1", model="small", key="k", window=8000)


def test_another_model_is_asked_at_the_same_endpoint_with_the_same_key() -> None:
    models = Models(lambda: HOME, {})
    used = models.current("large").choice
    assert (used.base_url, used.key, used.model) == (HOME.base_url, "k", "large")
    assert models.current().choice == HOME
    cli = Models(lambda: Choice(via="claude"), {}).current("opus")
    assert (cli.model.via, cli.choice.model) == ("claude", "opus")


def test_a_name_of_a_model_alone_is_no_model() -> None:
    with pytest.raises(NoModel):
        Models(lambda: Choice(), {}).current("large")


@pytest.mark.parametrize(
    ("home", "project", "counts"), [(8000, 0, 8000), (8000, 4000, 4000), (8000, 9000, 8000), (None, 0, None)]
)
def test_the_smaller_window_counts(home: int | None, project: int, counts: int | None) -> None:
    used = ModelInUse(Choice(base_url="u", model="m", window=home), Models(lambda: HOME, {}).current().model)
    assert window(used, Brief(mission="n1", purpose="plan", text="x", window=project)) == counts
