"""Actions as answers carry them."""

from __future__ import annotations

from toryo.domain.actions import Action, line
from toryo.protocol.views.actions import ActionView


def shown(one: Action) -> ActionView:
    return {"do": one.do.value, "subject": one.subject, "args": dict(one.args), "line": line(one)}
