"""Withdrawal of a landing by whoever asked for it."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.words import OrderState
from toryo.store.database.engine import Tx
from toryo.store.database.rows import LandingRow
from toryo.store.tables import landings, orders


def withdraw_landing(tx: Tx, landing: LandingRow) -> None:
    landings.update(tx, landing.id, ended="withdrawn")
    for order in orders.of_landing(tx, landing.id):
        if order.state == OrderState.OPEN:  # one that was taken may be done already: then the ref decides
            orders.set_state(tx, order, OrderState.WITHDRAWN)
    tx.mark(subjects.queue(landing.project, landing.target))
