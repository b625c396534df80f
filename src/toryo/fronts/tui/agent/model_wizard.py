"""Wizard of the model's settings: an endpoint or an installed CLI, tried before anything is written.

It then writes what `toryo planner use` writes; the key goes into its own file, as `toryo planner key` has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, Static

from toryo.domain.errors import ToryoError, Unavailable
from toryo.files import write_whole
from toryo.fronts.text.output import duration
from toryo.fronts.tui.background import in_thread
from toryo.fronts.tui.dialogs import Dialog
from toryo.fronts.tui.line_input import LineInput

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    BINDINGS: ClassVar = [
        ("escape", "leave", "leave"),
        ("ctrl+s", "save", "save"),
        # here, not in the field: what is typed or pasted after it in one breath goes to the next one
        Binding("enter", "next", "next", priority=True, show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._before: dict[str, str | None] = {}
        """What the file of the settings says."""
        self._models: list[Any] = []
        """Those that are being tried."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="box") as box:
            box.border_title = "The model that plans"
            yield Static(ABOUT, markup=False)
            for name, about in FIELDS:
                yield Field(id=name, placeholder=about, password=name == "key")
            yield Static("Enter: next, at the last one it is tried · Esc leaves", id="told", markup=False)

    @property
    def _front(self) -> ToryoApp:
        return cast("ToryoApp", self.app)

    async def on_mount(self) -> None:
        try:
            for name in ("via", "base_url", "model", "api_key_env"):
                found = await self._front.ask("get_config", key=f"planner.{name}")
                self._before[name] = str(found["value"]) if found["source"] == "home" else None
                field = {"base_url": "endpoint", "via": "endpoint", "model": "model"}.get(name, "")
                if field and found["value"] and not self._value(field):
                    self.query_one(f"#{field}", Input).value = str(found["value"])
        except ToryoError as refused:
            self._tell(refused.message)

    def on_unmount(self) -> None:
        for one in self._models:
            one.close()

    def action_next(self) -> None:
        names = [name for name, _ in FIELDS]
        here = self.focused.id if self.focused is not None else names[-1]
        at = names.index(str(here)) if here in names else len(names) - 1
        if at + 1 < len(names):
            self.set_focus(self.query_one(f"#{names[at + 1]}"))
        if at == len(names) - 1:
            # behind what is still to be typed into the field
            self.query_one(f"#{names[at]}", Input).call_later(self.action_save)
        elif at == 1:
            self.query_one("#model", Input).call_later(self._save_client)

    def _save_client(self) -> None:
        """One that is installed here has no key."""
        if self._value("endpoint") in CLIENTS:
            self.action_save()

    def action_save(self) -> None:
        if not any(one.disabled for one in self.query(Input)):  # it is being tried
            self.run_worker(self._save())

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
        values = wanted(where, model, key, self._before)
        self._lock(True)
        self._tell("Trying it… Esc leaves all as it was.")
        try:
            tried = {**values, "key": key}
            found = await in_thread(self._front.check_model, tried, self._models.append)
            if key:
                self._keep(key)
            await self._write(values)
        except ToryoError as refused:
            # a model that is overloaded is asked again by the planner, not here
            hint = "" if isinstance(refused, Unavailable) else f"{refused.hint} "
            self._tell(f"It does not answer: {refused.message} {hint}Nothing is changed; Enter tries again.")
            self._lock(False)
            return
        took = duration(float(found.get("seconds") or 0))
        self._front.notify(f"{found.get('model') or where} answers in {took}", markup=False)
        self.dismiss(True)

    def _lock(self, is_tried: bool) -> None:
        for one in self.query(Input):
            one.disabled = is_tried
        if not is_tried:
            self.query_one("#key" if self._value("endpoint") not in CLIENTS else "#model").focus()

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


def wanted(where: str, model: str, key: str, before: Mapping[str, str | None]) -> dict[str, str | None]:
    """Setting → new value; None: it is taken out. A variable that holds the key of this endpoint stays."""
    if where in CLIENTS:
        return {"via": where, "base_url": None, "api_key_env": None, "model": model or None}
    variable = before.get("api_key_env") if where == before.get("base_url") and not key else None
    return {"via": None, "base_url": where, "api_key_env": variable, "model": model}


class Field(LineInput):
    def take_lines(self, lines: list[str]) -> None:
        """A line for each field from here on."""
        names = [name for name, _ in FIELDS]
        at = names.index(str(self.id))
        super().take_lines(lines[:1])
        for name, line in zip(names[at + 1 :], lines[1:], strict=False):
            self.screen.query_one(f"#{name}", Input).value = line
            self.screen.set_focus(self.screen.query_one(f"#{name}"))
