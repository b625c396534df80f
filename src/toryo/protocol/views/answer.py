"""What every answer of a people's tool has; the other views of this folder are one file a noun.

A view is the type of an answer as it goes over the wire. `NotRequired` is a key that may be missing.
"""

from __future__ import annotations

from typing_extensions import TypedDict


class Answer(TypedDict):
    success: bool


class ProblemView(TypedDict):
    """Why a coordinator could not carry something out."""

    code: str
    message: str
    hint: str
