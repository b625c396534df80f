"""Base of every message between daemon and coordinator (pydantic; fronts never import it).

Unknown fields are ignored, so that one version back is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from toryo.domain.words import OrderKind

Whole = Annotated[int, Field(ge=-(2**62), le=2**62)]
"""A number that every database can hold."""


class Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Problem(Model):
    """Why an order could not be carried out; `code` is machine-readable, `hint` is for the person."""

    code: str
    message: str
    hint: str = ""


@dataclass(frozen=True)
class Kind:
    """One kind of order: what it is given, and which facts come of it."""

    kind: OrderKind
    inputs: type[Model]
    ends_by: Mapping[str, type[Model]]
    """Facts that end the order."""
    reports: Mapping[str, type[Model]] = field(default_factory=dict)
    """Facts on the way."""
