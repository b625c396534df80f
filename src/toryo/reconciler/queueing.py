"""One target's queue: follow a person's moves, land one at a time, publish what was accepted. Pure."""

from __future__ import annotations

from dataclasses import replace

from toryo.domain.words import MAY_LAND, OrderKind, Verdict
from toryo.reconciler.decisions import EndedLanding, GateWish, NewLanding, OrderWish, QueueDecision
from toryo.reconciler.subjects import Policy, QueuedLanding, QueueFacts

AHEAD = "ahead"
FOLLOWING = {AHEAD: "adopt", "diverged": "restack"}
"""How the tip follows a branch that a person moved: take it over, or join it with what waits."""

FOLLOW_FAILED = {
    "red": "base_red",
    "could_not_run": "base_could_not_run",
    "flaky": "base_flaky",
}
NO_TIP = "no_tip"
AWAY = {
    "missing": "target_missing",
    "gone": "repository_missing",
    "other": "repository_replaced",
    "owned": "owned_elsewhere",
    NO_TIP: "tip_missing",
}
"""Sights of a target that leave nothing to land on."""
NOT_GREEN = (Verdict.RED, Verdict.COULD_NOT_RUN)
FOLLOWS = ("adopt", "restack")
"""Kinds of landing that are about a person's own commit; the others bring work of ours."""
FILES = "files"
TASK = "task"
STALE = "stale"
LANDED = "landed"


def decide_queue(queue: QueueFacts, policy: Policy, now: float) -> QueueDecision:
    following = follow_kind(queue)
    has_gate = queue.tip_gate or not queue.tip or queue.ungated
    gate = QueueDecision(gates=() if has_gate else (GateWish(queue.tip, queue.tip_tree),))
    stopped = _stopped(queue, following)
    if stopped:
        return replace(gate, stopped=stopped)
    if any(order.kind is OrderKind.ACCEPT for order in queue.orders):
        return _merge(gate, _publish(queue, following, now))  # its report says where the tip is
    if queue.unwanted and not queue.waiting and any(one.kind is OrderKind.PUBLISH for one in queue.orders):
        return gate  # it may be on the branch already: then it is too late to take it off
    step = _follow(queue, following, now) if following else None
    if step is None:
        step = _advance(queue, policy, now, following)
    return _merge(gate, step, _publish(queue, following, now))


def follow_kind(queue: QueueFacts) -> str:
    """The landing by which the tip goes to where the branch is; empty: it need not.

    What was accepted and is not on the branch yet gives way to it: taken off the tip, it lands anew from its
    own branch, and where it conflicts with a person's commits its agent resolves that like any conflict."""
    if not queue.seen_contains_published or not queue.tip or queue.unwanted:
        return "adopt"
    kind = FOLLOWING.get(queue.seen_relation, "")
    return "adopt" if kind == "restack" and queue.clashes else kind


def _stopped(queue: QueueFacts, following: str) -> str:
    """Why nothing may land: each of these waits for a person, and is never forced."""
    if queue.seen_relation in AWAY and (queue.tip or queue.seen_relation != NO_TIP):
        return AWAY[queue.seen_relation]
    if queue.foreign_tip:
        return "foreign_move"
    if not queue.seen_contains_published and queue.seen_tree != queue.trusted_tree:
        return "target_rewound"
    if following:
        trusted = queue.seen_tree == queue.trusted_tree
        return "" if trusted else FOLLOW_FAILED.get(queue.failed_follow, "")
    if queue.tip_tree != queue.trusted_tree and queue.tip_verdict in NOT_GREEN:
        return f"base_{queue.tip_verdict}"
    return ""


def _follow(queue: QueueFacts, following: str, now: float) -> QueueDecision | None:
    """Make the landing that follows the branch, and clear its way. None: it is under way."""
    mine = [one for one in queue.landings if one.kind == following and one.head == queue.seen]
    others = [one for one in queue.landings if one not in mine and (one.begun or one.kind in FOLLOWS)]
    if others:
        ended = tuple(_stale(one, "the target moved") for one in others)
        return QueueDecision(end=ended)
    if mine:
        return None
    if queue.failed_follow == "problem" and now < queue.retry_at:
        return QueueDecision()
    return QueueDecision(create=(NewLanding(following, queue.seen),))


def _advance(queue: QueueFacts, policy: Policy, now: float, following: str) -> QueueDecision:
    current = next((one for one in queue.landings if one.begun), None)
    if current is None:
        ready = [one for one in queue.landings if not following or one.kind == following]
        if not ready or (
            not following
            and not queue.ungated
            and queue.tip_verdict is None
            and queue.tip_tree != queue.trusted_tree
        ):
            return QueueDecision()  # nothing lands on a tip that is not yet known to be green
        return QueueDecision(begin=min(ready, key=lambda one: _rank(one, policy, now)).id)
    return _progress(queue, current)


def _rank(landing: QueuedLanding, policy: Policy, now: float) -> tuple[int, float, str]:
    """Effective priority (ageing lifts a class per hour), then age, then id."""
    lifted = max(0, int((now - landing.created_at) // policy.ageing_s))  # a clock may be set back
    return max(0, landing.priority - lifted), landing.created_at, landing.id


def _progress(queue: QueueFacts, landing: QueuedLanding) -> QueueDecision:
    ended = _dead_end(queue, landing)
    if ended:
        return QueueDecision(end=(ended,))
    if landing.kind == FILES and not landing.head:
        return QueueDecision(orders=(_order(OrderKind.WRITE, landing, queue.tip, ""),))
    if not landing.candidate:
        return QueueDecision(orders=(_order(OrderKind.CANDIDATE, landing, queue.tip, landing.head),))
    is_free = queue.ungated and landing.kind in FOLLOWS
    if not landing.gate and not is_free:
        return QueueDecision(gates=(GateWish(landing.candidate, landing.tree, landing.id),))
    if landing.verdict is None and not is_free:
        return QueueDecision()
    return QueueDecision(orders=(_order(OrderKind.ACCEPT, landing, landing.old_tip, landing.candidate),))


def _dead_end(queue: QueueFacts, landing: QueuedLanding) -> EndedLanding | None:
    if landing.problem:
        return EndedLanding(landing.id, "problem", str(landing.problem))
    if landing.stale or landing.accept_refused or landing.old_tip != queue.tip:
        return _stale(landing, "other work landed meanwhile")
    if landing.unchanged:
        return EndedLanding(landing.id, LANDED, "the target holds just these files")
    if landing.conflict:
        return EndedLanding(landing.id, "conflict")
    # a person's yes to a tree is about their own commit, never about a task's work
    follows = landing.kind in FOLLOWS
    trusted = landing.trusted or (follows and landing.tree == queue.trusted_tree)
    if landing.verdict is Verdict.FLAKY and landing.review_flaky and not trusted:
        return EndedLanding(landing.id, "flaky", "a check failed and then passed on the same tree")
    # a person reviews what comes onto their own branch, once: a tree as a whole
    is_reviewed = landing.review and landing.kind == TASK and not queue.ungated
    if landing.verdict in MAY_LAND and is_reviewed and not trusted:
        return EndedLanding(landing.id, "review", "its checks are green; approve it to land it")
    if landing.verdict is None or landing.verdict in MAY_LAND or (trusted and follows):
        return None
    return EndedLanding(landing.id, "red" if landing.verdict is Verdict.RED else "could_not_run")


def _stale(landing: QueuedLanding, detail: str) -> EndedLanding:
    """Built on a tip that is no longer one. A task asks to land anew; files are simply written again."""
    return EndedLanding(landing.id, STALE, detail, again=landing.kind == FILES)


def _order(kind: OrderKind, landing: QueuedLanding, old: str, new: str) -> OrderWish:
    return OrderWish(kind, f"{kind}/{landing.id}", landing=landing.id, old=old, new=new)


def _publish(queue: QueueFacts, following: str, now: float) -> QueueDecision:
    """At most one open publish; one that waits for the user's checkout gives way to a newer tip."""
    pending = [order for order in queue.orders if order.kind is OrderKind.PUBLISH]
    if queue.tip == queue.published or following:
        return QueueDecision(withdraw=tuple(order.id for order in pending) if queue.waiting else ())
    if any(order.new == queue.tip for order in pending):
        return QueueDecision()
    if (pending and not queue.waiting) or now < queue.retry_at:
        return QueueDecision()
    key = f"publish/{queue.project}/{queue.target}/{queue.published}/{queue.tip}"
    wish = OrderWish(OrderKind.PUBLISH, key, old=queue.published, new=queue.tip)
    return QueueDecision(orders=(wish,), withdraw=tuple(order.id for order in pending))


def _merge(*parts: QueueDecision) -> QueueDecision:
    whole = QueueDecision()
    for part in parts:
        whole = QueueDecision(
            stopped=whole.stopped or part.stopped,
            begin=whole.begin or part.begin,
            orders=whole.orders + part.orders,
            withdraw=whole.withdraw + part.withdraw,
            gates=whole.gates + part.gates,
            create=whole.create + part.create,
            end=whole.end + part.end,
        )
    return whole
