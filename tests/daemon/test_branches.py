"""What people do with one branch: shown with its task, deleted with its commits kept, never one in use."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from whole_daemon import MERGED, Body, Shop

from toryo.protocol.asks import AskAnswer
from toryo.protocol.base import Model, Problem
from toryo.protocol.kinds.branch import BranchDropped, BranchOpened
from toryo.protocol.kinds.landing import Accepted, Published
from toryo.protocol.wire import ToolFailed

HEAD = "5" * 40


def branch(name: str, kind: str = "local", **more: object) -> Body:
    bare = {"commit": HEAD, "committed_at": "2026-01-01T00:00:00Z", "subject": "Mend"}
    return {
        "name": name,
        "kind": kind,
        **bare,
        "ahead": 2,
        "behind": 1,
        "worktree": "",
        "is_target": False,
    } | more


class Desk:
    """A person, and hands that see the branches that the test names."""

    def __init__(self, shop: Shop, *there: Body) -> None:
        self.shop, self.there = shop, there

    def ask(self, tool: str, name: str, *facts: tuple[str, str, Model], **more: Any) -> Body:
        """`facts`: (kind of the order, kind of its fact, the fact)."""
        with ThreadPoolExecutor(1) as pool:
            arguments = {"branch": name, "project": self.shop.project, **more}
            asked = pool.submit(self.shop.daemon.person, tool, **arguments)
            found = [one for one in self.there if one["name"] == name]
            body = {"target_commit": HEAD, "branches": found}
            self.shop.hands.answer(self.shop.hands.ask("branches"), AskAnswer(ended=True, body=body))
            for kind, fact, told in facts:
                self.shop.hands.report(self.shop.hands.order(kind), fact, told)
            return asked.result(30)  # type: ignore[no-any-return]

    def refused(self, tool: str, name: str, *facts: tuple[str, str, Model], **more: Any) -> Body:
        with pytest.raises(ToolFailed) as failed:
            self.ask(tool, name, *facts, **more)
        return failed.value.body


def begun(shop: Shop) -> tuple[str, str]:
    """A task and its branch; its agent is at work."""
    task = shop.add_task("Mend it")
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.start()
    return task, str(shop.task(task)["branch"])


def test_a_branch_is_shown_with_its_distance_its_task_and_what_may_be_done(shop: Shop) -> None:
    task, name = begun(shop)
    told = Desk(shop, branch(name, "agent", worktree="/w")).ask("show_branch", name)
    assert (told["target"], told["branch"]["ahead"]) == ("main", 2)
    assert (told["task"]["id"], told["task"]["status"]) == (task, "running")
    assert "delete_branch" not in [one["do"] for one in told["actions"]], "it is checked out"
    free = Desk(shop, branch("feature/x")).ask("show_branch", "feature/x")
    assert "toryo branch delete feature/x" in [one["line"] for one in free["actions"]]


def test_a_deleted_branch_is_told_with_what_was_not_merged_and_the_way_back(shop: Shop) -> None:
    gone = BranchDropped(commit=HEAD, kept="refs/toryo/deleted/x/5", unmerged=2)
    told = Desk(shop, branch("x")).ask(
        "delete_branch", "x", ("drop_branch", "branch_dropped", gone), commit=HEAD
    )
    assert (told["unmerged"], told["kept"]) == (2, "refs/toryo/deleted/x/5")
    assert told["back"].endswith(f"branch x {HEAD}")
    events = shop.daemon.person("list_events", last=5)["events"]
    assert [one["body"]["branch"] for one in events if one["kind"] == "branch_deleted"] == ["x"]


def test_the_commit_that_the_person_saw_is_what_the_order_names(shop: Shop) -> None:
    moved = BranchDropped(problem=Problem(code="branch_moved", message="x is not at 444444444444 any more."))
    desk = Desk(shop, branch("x"))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(desk.refused, "delete_branch", "x", commit="4" * 40)
        order = shop.hands.order("drop_branch")
        assert order["inputs"]["old"] == "4" * 40
        shop.hands.report(order, "branch_dropped", moved)
        assert "not at" in asked.result(30)["error"]


def test_a_target_a_remote_branch_one_of_a_living_run_and_none_are_refused(shop: Shop) -> None:
    task, name = begun(shop)
    there = (branch("main", is_target=True), branch("origin/x", "remote"), branch(name, "agent"))
    desk = Desk(shop, *there)
    assert "Work lands on main" in desk.refused("delete_branch", "main")["error"]
    assert "git branch x origin/x" in desk.refused("delete_branch", "origin/x")["hint"]
    assert task in desk.refused("delete_branch", name)["error"]
    assert "no branch 'nowhere'" in desk.refused("delete_branch", "nowhere")["error"]


def test_a_merge_is_a_task_whose_work_is_collected_from_the_branch_and_landed_by_the_gate(shop: Shop) -> None:
    told = Desk(shop, branch("feature/x", base="6" * 40)).ask("merge_branch", "feature/x", note="by Friday")
    assert (told["target"], told["submitted"]) == ("main", False)
    order = shop.hands.order("collect")
    wish = order["inputs"]
    assert (wish["branch"], wish["committed"], wish["worktree"]) == ("feature/x", HEAD, "")
    assert wish["base"] == "6" * 40
    assert not shop.hands.should_start("dev", shop.project), "no agent is started on it"
    shop.hands.collect()
    shop.hands.build()
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip=MERGED))
    shop.hands.report(shop.hands.order("publish"), "published", Published(published=True, commit=MERGED))
    assert shop.state(told["task"]) == "done"
    assert shop.task(told["task"])["runs"][0]["purpose"] == "submit"


def test_what_cannot_or_need_not_be_merged_is_refused_with_the_reason(shop: Shop) -> None:
    there = (
        branch("main", is_target=True),
        branch("origin/x", "remote"),
        branch("merged", ahead=0),
        branch("alien", ahead=None, behind=None),
        branch("x"),
    )
    desk = Desk(shop, *there)
    told = {
        name: desk.refused("merge_branch", name)["error"] for name in ("main", "merged", "alien", "origin/x")
    }
    assert "what work lands on" in told["main"]
    assert "has all of merged" in told["merged"]
    assert "nothing in common" in told["alien"]
    assert "a remote branch" in told["origin/x"]
    first = desk.ask("merge_branch", "x")["task"]
    assert f"{first} merges x already" in desk.refused("merge_branch", "x")["error"]


def test_of_an_agents_branch_its_own_task_is_submitted(shop: Shop) -> None:
    task, name = begun(shop)
    assert "works on" in Desk(shop, branch(name, "agent")).refused("merge_branch", name)["error"]
    shop.hands.exit(shop.hands.order("run"), code=1)
    shop.hands.collect()
    assert shop.state(task).startswith("failed")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(Desk(shop, branch(name, "agent")).ask, "merge_branch", name)
        left = {"there": True, "on_branch": True, "commits": 1, "files": [], "worktree": "/w"}
        shop.hands.answer(shop.hands.ask("left"), AskAnswer(ended=True, body=left))
        told = asked.result(30)
    assert (told["task"], told["submitted"]) == (task, True)
    assert shop.task(task)["runs"][-1]["purpose"] == "submit"


def test_a_branch_is_opened_below_the_projects_worktrees_and_the_line_goes_there(shop: Shop) -> None:
    made = BranchOpened(path="/repo/.worktrees/log in", is_new=True)
    told = Desk(shop, branch("x")).ask("open_branch", "x", ("open_branch", "branch_opened", made))
    assert (told["line"], told["is_new"]) == ("cd '/repo/.worktrees/log in'", True)


def test_a_cli_is_started_by_hand_beside_the_crew_and_only_where_no_agent_of_it_works(shop: Shop) -> None:
    shop.add_agent("ann", "claude", model="opus")
    made = BranchOpened(path="/w", argv=("tmux", "attach-session", "-t", "=branch-x-1"))
    desk = Desk(shop, branch("x"))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(desk.ask, "start_on_branch", "x", agent="ann")
        order = shop.hands.order("open_branch")
        assert (order["inputs"]["client"], order["inputs"]["model"]) == ("claude", "opus")
        shop.hands.report(order, "branch_opened", made)
        assert asked.result(30)["attach"] == "tmux attach-session -t =branch-x-1"
    assert shop.daemon.person("list_tasks", project=shop.project)["tasks"] == [], "it is the person's own"
    assert "no agent CLI" in desk.refused("start_on_branch", "x", agent="dev")["error"]
    task, name = begun(shop)
    assert task in Desk(shop, branch(name, "agent")).refused("start_on_branch", name, agent="ann")["error"]
