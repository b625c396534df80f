"""Answers about the installation's own settings, and the try of its notify command."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from toryo.protocol.views.answer import Answer, ProblemView


class SettingView(TypedDict):
    key: str
    value: Any
    source: str
    about: str
    variable: str


class ListedSettings(Answer):
    file: str
    settings: list[SettingView]


class OneSetting(Answer, SettingView):
    pass


class UnsetSetting(Answer):
    key: str
    was_set: bool


class TriedNotify(Answer):
    command: str
    told: bool
    failure: str
    problem: ProblemView | None
    exit_code: int | None
    timed_out: bool
    seconds: float
    output: str
