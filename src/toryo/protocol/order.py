"""An order and a fact as they travel: envelopes; their inputs and bodies are in kinds/, one file a kind.

Inputs carry commit ids, names and durations; the prompt travels as the hash of a blob.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.domain.words import OrderKind, OrderState
from toryo.protocol.base import Model, Whole

VERSION = 1


class Order(Model):
    id: str
    kind: OrderKind
    key: str
    version: int = VERSION
    project: str = ""
    task: str = ""
    run: str = ""
    landing: str = ""
    generation: int = 0
    state: OrderState = OrderState.OPEN
    limit_s: float = 60
    inputs: dict[str, Any] = Field(default_factory=dict)


class Fact(Model):
    seq: Whole
    kind: str
    order: str = ""
    generation: Whole = 0
    version: Whole = VERSION
    body: dict[str, Any] = Field(default_factory=dict)
