"""Branch mode: what a person does with one branch, each on a key, by the daemon's own tools."""

from __future__ import annotations

from pathlib import Path

from mission_shop import PlannerHands
from terminal import PLAN, MissionShop, Screen, on_screen
from test_modes import branch

from toryo.protocol.asks import AskAnswer
from toryo.protocol.kinds.branch import BranchDropped, BranchOpened
from toryo.protocol.kinds.files import Scanned
from toryo.protocol.kinds.repository import Adopted, Surveyed

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


QUESTIONS = {
    "title": "Limits",
    "size": "small",
    "questions": [{"id": "Q1", "text": "How many a minute?", "default": "60"}],
}


def test_p_plans_for_the_branch_and_a_key_writes_the_files_there_uncommitted(
    model: MissionShop, tmp_path: Path
) -> None:
    planner = PlannerHands(model)
    there = tmp_path / "login"

    def surveyed() -> None:
        found = Surveyed(root=str(there), base=LOGIN["name"], base_commit="1" * 40, base_tree="2" * 40)
        model.hands.report(model.hands.order("survey"), "surveyed", found)
        order = model.hands.order("adopt")
        tip = {"tip": "1" * 40, "tip_tree": "2" * 40}
        adopted = Adopted(project=order["inputs"]["project"], root=str(there), **tip)
        model.hands.report(order, "adopted", adopted)

    def scanned() -> None:
        model.hands.report(model.hands.order("scan"), "scanned", Scanned(has_tests=True))

    async def journey(seen: Screen) -> None:
        await seen.elsewhere(answer, model)
        await seen.until("branches 3", "feature/login")
        await seen.press("j", "p")
        await seen.until("plan for feature/login", "What is it about?", gone="AI summary")
        await seen.write("Limit requests")
        await seen.elsewhere(surveyed)
        await seen.until("you Limit requests")
        await seen.elsewhere(scanned)
        await seen.elsewhere(planner.answer, "question", QUESTIONS)
        await seen.until("1 question before the plan is made", "default: 60")
        await seen.press("enter")
        await seen.elsewhere(planner.answer, "plan", PLAN)
        await seen.until("spec (plan 1)", "# Feature Specification: Limits", "Enter or y writes the files")
        assert not there.exists(), "nothing is written before the key"
        await seen.press("enter")
        await seen.elsewhere(answer, model, only=True)
        order = await seen.elsewhere(model.hands.order, "open_branch")
        await seen.elsewhere(model.hands.report, order, "branch_opened", BranchOpened(path=str(there)))
        await seen.until("uncommitted", "AI summary", gone="plan for feature/login")

    on_screen(model, journey)
    names = sorted(path.name for path in there.rglob("*.md"))
    assert {"plan.md", "spec.md", "tasks.md"} <= set(names)
    mission = model.daemon.person("list_missions")["missions"][-1]
    assert (mission["status"], mission["reason"]) == ("awaiting_approval", "plan_only")
    assert model.daemon.person("list_tasks")["tasks"] == []


def test_esc_leaves_the_plan_of_a_branch_and_what_is_typed_there_filters_nothing(model: MissionShop) -> None:
    async def journey(seen: Screen) -> None:
        await seen.elsewhere(answer, model)
        await seen.until("branches 3", "feature/login")
        await seen.press("p", *"zzz", "tab")
        await seen.until("What do you want done?")
        await seen.press("tab")
        await seen.until("plan for main", "zzz")
        await seen.press("escape")
        await seen.until("branches 3", "AI summary", gone="plan for main")

    on_screen(model, journey)
