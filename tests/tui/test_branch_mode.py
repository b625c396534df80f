"""Branch mode: what a person does with one branch, each on a key, by the daemon's own tools."""

from __future__ import annotations

from mission_shop import PlannerHands
from terminal import MissionShop, Screen, on_screen
from test_modes import branch

from toryo.protocol.asks import AskAnswer
from toryo.protocol.kinds.branch import BranchDropped, BranchOpened

LOGIN = branch("feature/login", ahead=2, behind=1)
THERE = [branch("main", is_target=True), LOGIN, branch("origin/main", "remote")]


def answer(shop: MissionShop, *, only: bool = False) -> None:
    """All of them, or the one that is acted on."""
    ask = shop.hands.ask("branches")
    while bool(ask["read"]["name"]) is not only:  # a look at all of them may come between
        shop.hands.answer(ask, whole(only=not only))
        ask = shop.hands.ask("branches")
    shop.hands.answer(ask, whole(only=only))


def whole(*, only: bool) -> AskAnswer:
    body = {"target": "main", "target_commit": "1" * 40, "branches": [LOGIN] if only else THERE}
    return AskAnswer(ended=True, size=len(THERE), body=body)


def test_a_branch_is_deleted_after_a_question_that_counts_what_was_not_merged(shop: MissionShop) -> None:
    async def journey(seen: Screen) -> None:
        await seen.elsewhere(answer, shop)
        await seen.until("branches 3", "feature/login")
        await seen.press("j", "D")
        await seen.until("Delete feature/login?", "2 commits that are not merged")
        await seen.press("y")
        await seen.elsewhere(answer, shop, only=True)
        order = await seen.elsewhere(shop.hands.order, "drop_branch")
        assert order["inputs"]["old"] == "1" * 40
        gone = BranchDropped(commit="1" * 40, kept="refs/toryo/deleted/x", unmerged=2)
        await seen.elsewhere(shop.hands.report, order, "branch_dropped", gone)
        await seen.until("feature/login is deleted.", "(copied)")

    on_screen(shop, journey)


def test_a_branch_is_sent_through_the_gate_after_a_question(shop: MissionShop) -> None:
    async def journey(seen: Screen) -> None:
        await seen.elsewhere(answer, shop)
        await seen.until("branches 3", "feature/login")
        await seen.press("j", "M")
        await seen.until("Send feature/login through the gate?", "2 commits that are not merged")
        await seen.press("y")
        await seen.elsewhere(answer, shop, only=True)
        await seen.until("feature/login to main")
        order = await seen.elsewhere(shop.hands.order, "collect")
        assert order["inputs"]["branch"] == "feature/login"

    on_screen(shop, journey)


def test_a_worktree_and_an_agent_by_hand_are_had_by_a_key_each(shop: MissionShop) -> None:
    shop.add_agent("ann", "claude")
    shop.daemon.person("assign_agent", agent="ann", project=shop.project)

    async def journey(seen: Screen) -> None:
        await seen.elsewhere(answer, shop)
        await seen.until("branches 3", "feature/login")
        await seen.press("j", "w")
        await seen.elsewhere(answer, shop, only=True)
        order = await seen.elsewhere(shop.hands.order, "open_branch")
        await seen.elsewhere(shop.hands.report, order, "branch_opened", BranchOpened(path="/w/login"))
        await seen.until("cd /w/login", "(copied)")
        await seen.press("s")
        text = await seen.until("who starts on feature/login?", "ann", "claude")
        assert "dev" not in text, "it has no screen"
        await seen.press("enter")
        await seen.elsewhere(answer, shop, only=True)
        order = await seen.elsewhere(shop.hands.order, "open_branch")
        started = BranchOpened(path="/w/login", argv=("tmux", "attach", "-t", "=b"))
        await seen.elsewhere(shop.hands.report, order, "branch_opened", started)
        await seen.until("ann is started in /w/login", "tmux attach -t =b")

    on_screen(shop, journey)


def test_nothing_is_done_to_a_remote_branch(shop: MissionShop) -> None:
    async def journey(seen: Screen) -> None:
        await seen.elsewhere(answer, shop)
        await seen.until("branches 3")
        await seen.press("G", "D")
        await seen.until("A remote branch is not ours", gone="Delete")

    on_screen(shop, journey)


def test_the_summary_stands_below_the_details_and_is_made_on_demand(model: MissionShop) -> None:
    planner = PlannerHands(model)

    def git_is_read() -> None:
        answer(model, only=True)
        commits = AskAnswer(ended=True, body={"commits": []})
        model.hands.answer(model.hands.ask("commits"), commits)
        model.hands.answer(model.hands.ask("diff"), AskAnswer(ended=True, text=" login.py | 2 +"))

    async def journey(seen: Screen) -> None:
        await seen.elsewhere(answer, model)
        await seen.until("branches 3", "feature/login")
        await seen.press("j")
        await seen.until("2 commits ahead, 1 behind", "S asks the model what this branch does")
        await seen.press("S")
        await seen.until("The model is being asked")
        await seen.elsewhere(git_is_read)
        await seen.elsewhere(planner.answer, "summarise", {"summary": "It adds a 棟 form."})
        text = await seen.until("It adds a 棟 form.", "2 commits ahead, 1 behind", gone="being asked")
        assert text.index("2 commits ahead") < text.index("It adds"), "below the details, both at once"

    on_screen(model, journey)


def test_without_a_model_the_panel_says_how_to_have_one(shop: MissionShop) -> None:
    async def journey(seen: Screen) -> None:
        await seen.elsewhere(answer, shop)
        await seen.until("branches 3", "no model: `toryo planner use claude`")

    on_screen(shop, journey)
