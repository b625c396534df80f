"""Model in use: made of the settings as they are, anew where they have changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from toryo.planner.models.choosing import Choice, chosen
from toryo.planner.models.model import Model


@dataclass(frozen=True)
class ModelInUse:
    choice: Choice
    model: Model


class Models:
    """Settings are in force at once: they are read for every order."""

    def __init__(self, choice: Callable[[], Choice], env: Mapping[str, str]) -> None:
        self._choice, self._env = choice, env
        self._lock = threading.Lock()
        self._made: dict[Choice, Model] = {}

    def current(self, named: str = "") -> ModelInUse:
        """NoModel: there are no settings. `named`: another model of the same endpoint or CLI."""
        choice = self._choice()
        if named and (choice.via or choice.base_url):
            choice = replace(choice, model=named)
        with self._lock:
            model = self._made.get(choice)
            if model is None:
                model = self._made[choice] = chosen(choice, self._env)
        return ModelInUse(choice, model)

    def close(self) -> None:
        with self._lock:
            for model in self._made.values():
                model.close()
