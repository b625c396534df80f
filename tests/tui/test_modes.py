"""The four screens: Tab switches two of them always, the palette finds everything, a lost daemon is shown."""

from __future__ import annotations

from terminal import MissionShop, Screen, on_screen
from whole_daemon import WholeDaemon

from toryo.protocol.asks import AskAnswer


def branch(name: str, kind: str = "local", **more: object) -> dict[str, object]:
    bare = {"commit": "1" * 40, "committed_at": "2026-01-01T00:00:00Z", "subject": f"Work on {name}"}
    told = {"ahead": 0, "behind": 0, "worktree": "", "is_target": False}
    return {"name": name, "kind": kind, **bare, **told, **more}


BRANCHES = [
    branch("main", is_target=True),
    branch("認証/ログイン", ahead=2, behind=1, worktree="/repo/.worktrees/login"),
    branch("agent/mend-it", "agent", ahead=1, committed_at="2026-01-01T09:00:00+09:00"),
    branch("origin/main", "remote", ahead=None, behind=None),
]


def answer_branches(shop: MissionShop) -> None:
    body = {"target": "main", "target_commit": "1" * 40, "branches": BRANCHES}
    shop.hands.answer(shop.hands.ask("branches"), AskAnswer(ended=True, size=len(BRANCHES), body=body))


def test_branches_are_listed_with_details_and_summary_at_once_and_filtered(shop: MissionShop) -> None:
    async def journey(seen: Screen) -> None:
        await seen.elsewhere(answer_branches, shop)
        text = await seen.until("branches 4", "認証/ログイン", "agent/mend-it", "origin/main")
        assert text.index("details") < text.index("AI summary"), "both at once"
        await seen.press("j")
        await seen.until("2 commits ahead, 1 behind", "/repo/.worktrees/login", "Work on 認証/ログイン")
        await seen.press("slash", *"mend")
        await seen.until("branches 1 of 4", gone="origin/main")
        await seen.until("1 commit ahead, 0 behind", " d ago", gone="+09:00")
        await seen.press("enter", "C")
        await seen.until("git checkout agent/mend-it")

    on_screen(shop, journey)


def test_tab_switches_the_modes_from_an_input_too_and_what_was_typed_stays(model: MissionShop) -> None:
    async def journey(seen: Screen) -> None:
        await seen.until("What do you want done?")
        await seen.press(*"login")
        await seen.press("tab")
        await seen.until("AI summary", gone="no mission")
        await seen.press("tab")
        await seen.until("no mission · 0 queued", "login")

    on_screen(model, journey, screen="agent")


def test_the_palette_finds_a_task_and_goes_there(shop: MissionShop) -> None:
    shop.add_task("Mend the parser")
    shop.add_task("Write the login form")

    async def journey(seen: Screen) -> None:
        await seen.until("targets")
        await seen.press("f1")
        await seen.until("Branch mode")
        await seen.press(*"login form")
        await seen.until("Write the login form")
        await seen.pilot.pause(0.3)
        await seen.press("enter")
        await seen.until("needs you", "Write the login form", "It is the turn of")

    on_screen(shop, journey, screen="queue")


def test_a_lost_daemon_is_shown_and_regained(shop: MissionShop) -> None:
    shop.add_task("Mend the parser")

    async def journey(seen: Screen) -> None:
        await seen.until("Mend the parser")
        await seen.elsewhere(shop.daemon.close)
        await seen.until("The daemon is not running.", "What you see may be old", "Mend the parser")
        home = shop.daemon.home
        shop.daemon = await seen.elsewhere(WholeDaemon, home)
        await seen.until("Mend the parser", gone="What you see may be old")
        await seen.elsewhere(lambda: shop.add_task("Came later"))
        await seen.until("Came later")

    on_screen(shop, journey, screen="work")
