"""The scope of a run: which paths it may read and write."""

from __future__ import annotations

from toryo.domain.scopes import Scope
from toryo.protocol.base import Model


class ScopeInputs(Model):
    exclude: tuple[str, ...] = ()
    read: tuple[str, ...] = ("**",)
    write: tuple[str, ...] | None = None
    kept_out: tuple[str, ...] = ()
    """Not in the worktree; a change of one is set back where it would land, and is no breach."""

    private: tuple[str, ...] = ()
    """Written into the worktree for the agent, and never committed."""

    @property
    def scope(self) -> Scope:
        return Scope(self.exclude, self.read, self.write, self.kept_out, self.private)
