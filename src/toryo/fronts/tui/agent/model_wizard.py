"""Wizard of the model's settings: an endpoint or an installed CLI, tried before it is believed.

It writes what `toryo planner use` writes; the key goes into its own file, as `toryo planner key` has it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar, cast

from textual.containers import Vertical
from textual.widgets import Input, Static

from toryo.domain.errors import ToryoError
from toryo.files import write_whole
from toryo.fronts.text.output import duration
from toryo.fronts.tui.dialogs import Dialog

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from toryo.fronts.tui.app import ToryoApp

CLIENTS = ("claude", "codex")
LONGEST_KEY = 10_000
ABOUT = "An OpenAI-compatible endpoint, or `claude` or `codex` as installed here."
FIELDS = (
    ("endpoint", "Endpoint URL, or claude, or codex"),
    ("model", "Model (of a CLI: may be left out)"),
    ("key", "Key of the endpoint (may be left out; it is not shown)"),
)


class ModelWizard(Dialog[bool]):
    BINDINGS: ClassVar = [("escape", "leave", "leave"), ("ctrl+s", "save", "save")]

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = "The model that plans"
            yield Static(ABOUT, markup=False)
            for name, about in FIELDS:
                yield Input(id=name, placeholder=about, password=name == "key")
            yield Static("Enter: next, at the last one it is tried · Esc leaves", id="told", markup=False)

    @property
    def _front(self) -> ToryoApp:
        return cast("ToryoApp", self.app)

    async def on_mount(self) -> None:
        try:
            for name, field in (("base_url", "endpoint"), ("model", "model")):
                found = await self._front.ask("get_config", key=f"planner.{name}")
                self.query_one(f"#{field}", Input).value = str(found["value"] or "")
        except ToryoError as refused:
            self._tell(refused.message)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        at = [name for name, _ in FIELDS].index(str(event.input.id))
        is_client = self._value("endpoint") in CLIENTS
        if at + 1 < len(FIELDS) and not (is_client and at == 1):
            self.query_one(f"#{FIELDS[at + 1][0]}", Input).focus()
        else:
            self.action_save()

    def action_save(self) -> None:
        self.run_worker(self._save(), exclusive=True)

    def _value(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value.strip()

    async def _save(self) -> None:
        where, model, key = (self._value(name) for name, _ in FIELDS)
        if not where or (where not in CLIENTS and not model):
            self._tell("Which endpoint and model?" if not where else "Which model of that endpoint?")
            return
        if key and (len(key) > LONGEST_KEY or not (key.isascii() and key.isprintable() and " " not in key)):
            self._tell("That is no key.")
            return
        before = {name: await self._now(name) for name in ("via", "base_url", "model")}
        try:
            await self._write(wanted(where, model))
            if key:
                await asyncio.to_thread(self._keep, key)
            self._tell("Trying it…")
            found = await asyncio.to_thread(self._front.check_model)
        except ToryoError as refused:
            self._tell(f"It does not answer: {refused.message} {refused.hint}".strip())
            await self._write(before)
            return
        took = duration(float(found.get("seconds") or 0))
        self._front.notify(f"{found.get('model') or where} answers in {took}", markup=False)
        self.dismiss(True)

    async def _now(self, name: str) -> str | None:
        """What the file of the settings says."""
        found = await self._front.ask("get_config", key=f"planner.{name}")
        return str(found["value"]) if found["source"] == "home" else None

    async def _write(self, values: dict[str, str | None]) -> None:
        """What is taken out goes first: an endpoint beside a CLI would be two models."""
        for name in sorted(values, key=lambda name: values[name] is not None):
            value = values[name]
            if value is None:
                await self._front.ask("unset_config", key=f"planner.{name}")
            else:
                await self._front.ask("set_config", key=f"planner.{name}", value=value)

    def _keep(self, key: str) -> None:
        file = self._front.home.planner_api_key
        file.parent.mkdir(mode=0o700, exist_ok=True)
        write_whole(file, key.encode() + b"\n", durably=True)

    def _tell(self, words: str) -> None:
        self.query_one("#told", Static).update(words)


def wanted(where: str, model: str) -> dict[str, str | None]:
    """Setting → new value; None: it is taken out."""
    if where in CLIENTS:
        return {"via": where, "base_url": None, "api_key_env": None, "model": model or None}
    return {"via": None, "base_url": where, "api_key_env": None, "model": model}
