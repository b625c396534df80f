"""A target that a person set back names the work that this took off it, and no older."""

from __future__ import annotations

from test_being_told import land, rewind
from whole_daemon import FIRST, Shop

from toryo.protocol.kinds.landing import Accepted, Published


def why(shop: Shop) -> str:
    shop.daemon.settle()
    (entry,) = shop.daemon.person("get_status")["needs_you"]
    assert entry["reason"] == "target_rewound"
    return str(entry["why"])


def approve(shop: Shop, to: str = FIRST) -> None:
    """Toryo goes on from where the branch is now."""
    shop.daemon.person("approve_target", target="main", project="front")
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip=to))
    if any(one["kind"] == "publish" for one in shop.hands.speak("next_orders", wait_s=0)["orders"]):
        shop.hands.report(shop.hands.order("publish"), "published", Published(published=True, commit=to))


def test_only_what_went_since_the_last_approval_is_named(shop: Shop) -> None:
    first = land(shop, "5" * 40)
    rewind(shop, "5" * 40)
    assert why(shop).endswith(f"no longer on it: {first}")
    approve(shop)
    assert shop.daemon.person("get_status")["needs_you"] == []
    second = land(shop, "6" * 40)
    rewind(shop, "5" * 40, "6" * 40)
    assert why(shop).endswith(f"no longer on it: {second}")


def test_of_very_many_five_are_named_and_the_rest_counted(shop: Shop) -> None:
    commits = [f"{number:x}" * 40 for number in range(5, 12)]
    named = [land(shop, commit) for commit in commits]
    rewind(shop, *commits)
    assert why(shop).endswith(f"no longer on it: {', '.join(named[:1:-1])} and 2 more")
