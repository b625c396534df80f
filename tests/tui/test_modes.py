"""The four screens: Tab switches two of them always, the palette finds everything, a lost daemon is shown."""

from __future__ import annotations

from pathlib import Path

from terminal import MissionShop, Screen, on_screen
from test_work_screen import asks_answered, fail
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


def test_the_header_counts_on_every_screen_from_the_start_and_on_news(shop: MissionShop) -> None:
    task = shop.add_task("Mend the login")
    fail(shop, task)

    async def journey(seen: Screen) -> None:
        await seen.until("targets", "0 moving · 1 needs you · front")
        await seen.elsewhere(shop.daemon.person, "dismiss_task", task=task)
        await seen.until("0 moving · front", gone="needs you")

    on_screen(shop, journey, screen="queue")


def test_outside_of_any_project_one_of_several_is_chosen(model: MissionShop, tmp_path: Path) -> None:
    back = model.add_project("back")

    async def journey(seen: Screen) -> None:
        await seen.until("which project?", "front", "back")
        await seen.press("escape", "tab")
        await seen.until("all projects", "What do you want done?")
        await seen.write("Limit requests")
        await seen.until("which project?")
        await seen.press("escape")
        await seen.until("Limit requests", "Which project is it for?")
        await seen.press("enter")
        await seen.until("which project?")
        await seen.press("j", "enter")
        await seen.until("· back", "you Limit requests")
        assert [one["project"] for one in model.daemon.person("list_missions")["missions"]] == [back]

    on_screen(model, journey, path=str(tmp_path))


def test_a_project_that_is_added_later_is_found(shop: MissionShop, tmp_path: Path) -> None:
    shop.daemon.person("archive_project", project=shop.project)

    async def journey(seen: Screen) -> None:
        await seen.until("There is no project here", "no project")
        await seen.elsewhere(shop.add_project, "back")
        await seen.until("0 moving · back", gone="There is no project here")

    on_screen(shop, journey, path=str(tmp_path))


def test_unfinished_missions_are_told_in_branch_mode_until_agent_mode_has_offered_them(
    model: MissionShop,
) -> None:
    model.begin("Limit requests")

    async def journey(seen: Screen) -> None:
        await seen.until("1 mission is unfinished: Tab goes on with one", "Limit requests")
        await seen.press("tab")
        await seen.until("Unfinished missions", "Limit requests")
        await seen.press("escape", "tab")
        await seen.until("AI summary", gone="is unfinished")

    on_screen(model, journey)


async def find(seen: Screen, words: str, *then: str) -> None:
    await seen.press("f1")
    await seen.until("Branch mode")
    await seen.press(*("space" if sign == " " else sign for sign in words))
    await seen.until(*then)
    await seen.pilot.pause(0.3)
    await seen.press("enter")


def test_the_palette_has_branches_targets_agents_and_what_may_be_done_with_the_chosen_row(
    shop: MissionShop,
) -> None:
    task = shop.add_task("Mend the login")
    fail(shop, task)
    body = {"target": "main", "target_commit": "1" * 40, "branches": BRANCHES}
    there = AskAnswer(ended=True, size=len(BRANCHES), body=body)

    async def journey(seen: Screen) -> None:
        await seen.until("targets", "main")
        await find(seen, "target of front", "target of front")
        await seen.until("Nothing waits to land", gone="Branch mode")
        await find(seen, "agent/mend", "agent branch")
        await seen.until("details", "Work on agent/mend-it")
        await find(seen, "worktree for", "A worktree for it: agent/mend-it", "the chosen branch")
        await seen.until("details", gone="the chosen branch")
        await find(seen, "agent, command", "agent, command")
        await seen.until("needs you 1", "dev", "Mend the login")
        await seen.press("escape", "j")
        await seen.until("It is the turn of: person")
        await find(seen, "dismiss", "Dismiss", f"toryo task dismiss {task}")
        await seen.until(f"Dismiss {task}?", "y yes")

    with asks_answered(shop, lambda ask: there):
        on_screen(shop, journey, screen="queue")
