"""Messages between units, through the real tools: stored first, told in order, read once; dead letters."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from unit_shop import HEARD, Tree
from whole_daemon import MERGED, Shop

from toryo.domain import subjects
from toryo.domain.ids import TaskId
from toryo.engine.context import HeadContext
from toryo.protocol.kinds.landing import Accepted, PublishWaiting
from toryo.protocol.kinds.run import Exited, Lost
from toryo.protocol.kinds.say import Spoken
from toryo.reconciler.bus.delivery import MOST_TRIES
from toryo.reconciler.subjects import REMOVED
from toryo.store.database.engine import Tx
from toryo.store.tables import landings, tasks


@pytest.fixture
def tree(shop: Shop) -> Tree:
    """The root and its child `root-a` run."""
    made = Tree(shop, "a")
    made.start("root-a")
    return made


@pytest.fixture
def wide(shop: Shop) -> Tree:
    """As `tree`, with `root-b`, which waits to be started."""
    made = Tree(shop, "a", "b")
    made.start("root-a")
    return made


def heard(unit: str, status: str, message: str) -> str:
    return f"[CHILD:{unit}] Status: {status}, Message: {message}"


def test_a_child_is_heard_by_its_living_parent_in_the_order_in_which_it_spoke(tree: Tree) -> None:
    for number in range(3):
        tree.tell("root-a", message=f"part {number}")
    assert [tree.hear("root") for _ in range(3)] == [
        heard("root-a", "progress", f"part {number}") for number in range(3)
    ]
    assert tree.said("root") == []
    assert {state for _, state in tree.inbox("root")} == {"delivered"}


def test_nothing_is_said_before_the_last_one_was_seen_or_lies_ready(tree: Tree) -> None:
    for number in range(3):
        tree.tell("root-a", message=f"part {number}")
    (first,) = tree.said("root")
    tree.lie_ready(first)
    first, second = tree.said("root")
    assert [first["inputs"]["number"], second["inputs"]["number"]] == [1, 2]
    tree.hands.report(second, "spoken", HEARD)
    assert [state for _, state in tree.inbox("root")] == ["waiting", "delivered", "waiting"]


def test_a_parent_tells_its_child_and_a_person_any_unit(tree: Tree) -> None:
    tree.tell("root", "instruct", to="unit:root-a", command="review", pr="123")
    assert tree.hear("root-a") == '[PARENT:root] Type: instruct, Data: {"command": "review", "pr": "123"}'
    tree.daemon.person("send_to_unit", to="unit:root-a", type="instruct", data={"message": "stop\nthere"})
    assert tree.hear("root-a") == '[PERSON] Type: instruct, Data: {"message": "stop\\nthere"}'


def test_siblings_and_strangers_are_refused_and_nothing_is_stored(wide: Tree) -> None:
    wide.hands.exit(wide.orders["root"])
    wide.start("root-b")
    assert "neither the parent" in wide.refused("root-a", to="unit:root-b")
    assert "neither the parent" in wide.refused("root-a", to="unit:root-a")
    assert "no unit 'root-x'" in wide.refused("root-a", to="unit:root-x")
    assert "no message type" in wide.refused("root-a", "gossip")
    assert "is_error" in wide.refused("root-a", "result")
    assert "not this run's own unit" in wide.refused("root-a", sender="unit:root-b")
    assert "not this run's own unit" in wide.refused("root-a", task=wide.tasks["root-b"])
    plain = wide.shop.add_task("No unit")
    assert "is no unit" in wide.daemon.refused(wide.daemon.operator, "send_to_unit", to=plain)["error"]
    assert wide.daemon.person("export_messages")["messages"] == []


def test_its_own_name_and_task_may_be_given_in_either_form(tree: Tree) -> None:
    for name in ("root-a", "unit:root-a", tree.tasks["root-a"]):
        token = tree.token("root-a")
        tree.daemon.by(token, "send_message", type="progress", data={}, sender=name, task=name)


def test_a_run_that_has_ended_says_nothing_more(tree: Tree) -> None:
    tree.hands.exit(tree.orders["root-a"])
    assert "has ended" in tree.refused("root-a")


def test_a_message_with_an_id_of_the_senders_own_is_stored_once(tree: Tree) -> None:
    for _ in range(2):
        tree.daemon.by(tree.token("root-a"), "send_message", type="progress", message="m0123456789")
    assert len(tree.inbox("root")) == 1


def test_a_result_without_error_is_a_claim_that_is_told_only_once_it_has_landed(
    tree: Tree,
) -> None:
    tree.tell("root-a", "result", is_error=False, message="All of it!")
    assert tree.said("root") == []
    tree.hands.exit(tree.orders["root-a"])
    tree.hands.collect()
    assert tree.said("root") == []
    land(tree, "root-a")
    assert tree.hear("root") == heard("root-a", "completed", "All of it!")
    assert tree.said("root") == []


def land(tree: Tree, unit: str) -> None:
    """Its branch goes through the queue of its parent's, whatever is asked for on the way."""
    tree.daemon.change(tasks.update, tree.tasks[unit], landed_commit="4" * 40)
    from toryo.protocol.kinds.landing import CandidateBuilt

    tree.hands.report(
        tree.hands.order("candidate"), "candidate_built", CandidateBuilt(commit="4" * 40, tree="4" * 40)
    )
    tree.hands.land()
    tree.daemon.settle()
    assert tree.shop.state(tree.tasks[unit]).startswith("done"), tree.shop.task(tree.tasks[unit])


def test_a_child_that_posted_nothing_is_complete_all_the_same_once_it_has_landed(tree: Tree) -> None:
    tree.hands.exit(tree.orders["root-a"])
    tree.hands.collect()
    land(tree, "root-a")
    assert tree.hear("root") == heard("root-a", "completed", "Part a")


def test_a_child_that_says_that_it_failed_is_heard_at_once_and_once(tree: Tree) -> None:
    tree.tell("root-a", "result", is_error=True, message="no way")
    assert tree.hear("root") == heard("root-a", "error", "no way")
    tree.daemon.person("stop_unit", unit=tree.tasks["root-a"])
    tree.hands.exit(tree.orders["root-a"], 1)
    tree.daemon.settle()
    assert tree.said("root") == []


def test_a_child_that_will_not_land_is_told_to_its_parent_as_an_error(tree: Tree) -> None:
    tree.tell("root-a", "result", is_error=False, message="It is done")
    tree.daemon.person("cancel_task", task=tree.tasks["root-a"])
    tree.hands.exit(tree.orders["root-a"], 1)
    tree.daemon.settle()
    assert tree.hear("root").startswith("[CHILD:root-a] Status: error, Message: cancelled")


def test_a_child_that_rests_until_a_person_moves_it_is_told_once_an_entry(tree: Tree) -> None:
    tree.hands.exit(tree.orders["root-a"])
    tree.hands.collect(0)
    assert tree.hear("root").startswith("[CHILD:root-a] Status: error, Message: needs_review (not_split: ")
    tree.daemon.change(tasks.update, tree.tasks["root-a"], detail="other words")
    tree.daemon.change(mark, tree.tasks["root-a"])
    assert tree.said("root") == []
    tree.shop.retry(tree.tasks["root-a"])
    tree.start("root-a")
    tree.hands.exit(tree.orders["root-a"])
    tree.hands.collect(0)
    assert "not_split" in tree.hear("root"), "it came to rest again"


def mark(tx: Tx, task: str) -> None:
    tx.mark(subjects.task(TaskId(task)))


def test_a_child_behind_one_that_failed_is_told_to_the_parent(shop: Shop) -> None:
    tree = Tree(shop, "a", "b")
    needs = [tree.tasks["root-a"]]
    tree.daemon.change(tasks.set_needs, tree.tasks["root-b"], needs)
    tree.daemon.person("cancel_task", task=tree.tasks["root-a"])
    tree.daemon.settle()
    assert tree.hear("root").startswith("[CHILD:root-a] Status: error, Message: cancelled")
    assert tree.hear("root").startswith("[CHILD:root-b] Status: error, Message: blocked (dependency_failed:")
    assert tree.said("root") == []


def test_a_landing_that_waits_for_its_parents_worktree_is_told_to_the_parent_once(tree: Tree) -> None:
    tree.hands.exit(tree.orders["root-a"])
    tree.hands.collect()
    tree.hands.build()
    tree.hands.report(tree.hands.order("accept"), "accepted", Accepted(moved=True, tip=MERGED))
    publish = tree.hands.order("publish")
    for paths in (("a.py",), ("a.py",), ("a.py", "b.py")):
        tree.hands.report(publish, "publish_waiting", PublishWaiting(why="dirty", paths=paths))
    told = tree.hear("root")
    assert told.startswith("[CHILD:root-a] Status: progress, Message: its work waits for your worktree: a.py")
    assert tree.said("root") == []


def test_a_child_whose_landed_work_a_person_took_back_is_not_complete_twice(tree: Tree) -> None:
    tree.hands.exit(tree.orders["root-a"])
    tree.hands.collect()
    land(tree, "root-a")
    assert "completed" in tree.hear("root")
    (landing,) = tree.daemon.do(landings_of, tree.tasks["root-a"])
    tree.daemon.change(landings.update, landing, ended=REMOVED)
    tree.daemon.change(mark, tree.tasks["root-a"])
    assert tree.shop.state(tree.tasks["root-a"]) == "done removed"
    assert tree.said("root") == []


def landings_of(context: HeadContext, task: str) -> list[str]:
    with context.store.read() as tx:
        return [one.id for one in landings.of_task(tx, task)]


def test_what_came_while_nobody_ran_stands_in_the_next_prompt_once_and_in_order(tree: Tree) -> None:
    tree.hands.exit(tree.orders["root-a"], 1)
    tree.daemon.settle()
    for number in range(3):
        data = {"n": number}
        tree.daemon.person("send_to_unit", to=tree.tasks["root-a"], type="instruct", data=data)
    again(tree, "root-a")
    prompt = tree.prompt("root-a")
    lines = [f'[PERSON] Type: instruct, Data: {{"n": {number}}}' for number in range(3)]
    assert "\n".join(["## Messages", "", *lines]) in prompt
    assert [prompt.count(line) for line in lines] == [1, 1, 1]
    assert tree.said("root-a") == []
    tree.hands.exit(tree.orders["root-a"], 1)
    again(tree, "root-a")
    assert "## Messages" not in tree.prompt("root-a")


def again(tree: Tree, unit: str) -> None:
    """The unit's next run, after one that left nothing."""
    tree.hands.collect(0)
    state = tree.shop.state(tree.tasks[unit])
    if not state.startswith("ready"):
        tree.shop.retry(tree.tasks[unit])
    tree.start(unit)


def test_a_run_that_was_lost_may_not_have_read_its_prompt_so_the_next_one_is_told_again(tree: Tree) -> None:
    tree.tell("root", "instruct", to="root-a", command="go")
    tree.hear("root-a")
    tree.hands.report(tree.orders["root-a"], "lost", Lost(reason="boot"))
    again(tree, "root-a")
    assert tree.prompt("root-a").count("[PARENT:root] Type: instruct") == 1


def test_an_agent_that_cannot_be_spoken_to_finds_it_in_its_next_prompt(tree: Tree) -> None:
    tree.tell("root", "instruct", to="root-a", n=1)
    tree.tell("root", "instruct", to="root-a", n=2)
    tree.fail("root-a", "no_screen")
    assert tree.said("root-a") == []
    listed = tree.daemon.person("list_messages", unit=tree.tasks["root-a"])["messages"]
    assert [one["attempts"] for one in listed] == [0, 0]
    tree.hands.exit(tree.orders["root-a"], 1)
    again(tree, "root-a")
    assert tree.prompt("root-a").count("[PARENT:root]") == 2


def test_words_that_a_run_ended_without_wait_for_the_next_one(tree: Tree) -> None:
    tree.tell("root", "instruct", to="root-a", n=1)
    (order,) = tree.said("root-a")
    tree.lie_ready(order)
    tree.hands.report(tree.orders["root-a"], "exited", Exited(exit_code=1))
    tree.fail("root-a", "unheard")
    assert tree.inbox("root-a")[0][1] == "waiting"
    again(tree, "root-a")
    assert tree.prompt("root-a").count("[PARENT:root]") == 1


def test_a_missing_window_is_a_warning_and_after_five_tries_a_dead_letter_in_attention(tree: Tree) -> None:
    tree.tell("root-a", message="first")
    tree.tell("root-a", message="second")
    for _ in range(MOST_TRIES):
        assert tree.fail("root", "no_window") == heard("root-a", "progress", "first")
        assert tree.said("root") == [] or tree.inbox("root")[0][1] == "dead"
        tree.daemon.pass_time(61)
    kinds = [one["kind"] for one in tree.daemon.person("list_events", limit=200)["events"]]
    assert (kinds.count("message_undelivered"), kinds.count("message_dead")) == (MOST_TRIES - 1, 1)
    assert tree.hear("root") == heard("root-a", "progress", "second")
    (entry,) = undelivered(tree)
    assert (entry["task"], entry["why"]) == (
        tree.tasks["root"],
        "messages to it could not be delivered: 1",
    )
    assert entry["lines"] == [f"toryo inbox {entry['task']}", f"toryo inbox {entry['task']} --clear"]
    assert tree.daemon.person("clear_messages", unit=entry["task"])["cleared"] == 1
    assert undelivered(tree) == []
    assert [state for _, state in tree.inbox("root")] == ["cleared", "delivered"]


def undelivered(tree: Tree) -> list[dict[str, Any]]:
    found = tree.daemon.person("get_status")["needs_you"]
    return [one for one in found if one["reason"] == "undelivered"]


def test_a_unit_that_was_cancelled_is_told_nothing_more_and_nobody_is_bothered(wide: Tree) -> None:
    wide.daemon.person("send_to_unit", to=wide.tasks["root-b"], data={"n": 1})
    wide.daemon.person("cancel_task", task=wide.tasks["root-b"])
    wide.daemon.settle()
    assert [state for _, state in wide.inbox("root-b")] == ["dead"]
    assert undelivered(wide) == []
    body = wide.daemon.refused(wide.daemon.operator, "send_to_unit", to=wide.tasks["root-b"])
    assert "nobody is there to be told" in body["error"]


def test_a_unit_reads_its_inbox_once_and_may_ask_again_from_the_same_place(tree: Tree) -> None:
    token = tree.token("root")
    tree.tell("root-a", message="one")
    tree.tell("root-a", message="two")
    first = tree.daemon.by(token, "read_messages")
    assert [one["line"][-3:] for one in first["messages"]] == ["one", "two"]
    assert tree.said("root") == []  # what it read is typed no more
    again_ = tree.daemon.by(token, "read_messages")
    assert [one["id"] for one in again_["messages"]] == [one["id"] for one in first["messages"]]
    assert tree.daemon.by(token, "read_messages", after=first["next"])["messages"] == []


def test_a_peek_leaves_messages_new_until_the_place_behind_them_is_named(tree: Tree) -> None:
    token = tree.token("root")
    tree.tell("root-a", message="one")
    for _ in range(2):
        (shown,) = tree.daemon.by(token, "read_messages", peek=True)["messages"]
    assert tree.inbox("root")[0][1] == "waiting"
    tree.daemon.by(token, "read_messages", peek=True, after=shown["seq"])
    assert tree.inbox("root")[0][1] == "delivered"
    assert tree.daemon.by(token, "read_messages", peek=True)["messages"] == []


def test_who_waits_for_a_message_is_answered_when_it_comes(tree: Tree) -> None:
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(tree.daemon.by, tree.token("root"), "read_messages", wait_s=20)
        tree.tell("root-a", "query", message="which port?")
        assert [one["type"] for one in asked.result(30)["messages"]] == ["query"]


def test_the_export_has_a_line_for_every_stored_message_in_order(tree: Tree) -> None:
    tree.tell("root-a", message="one")
    tree.tell("root-a", "result", is_error=False)
    tree.tell("root-a", "log", message="for the record")
    tree.tell("root", "result", is_error=False)
    tree.daemon.person("send_to_unit", to=tree.tasks["root-a"], data={"n": 1})
    page = tree.daemon.person("export_messages", project=tree.shop.project)
    a, root = tree.tasks["root-a"], tree.tasks["root"]
    assert [(one["from"], one["to"], one["type"], one["task_id"]) for one in page["messages"]] == [
        ("unit:root-a", "unit:root", "progress", a),
        ("unit:root-a", "toryo", "result", a),
        ("unit:root-a", "log", "log", a),
        ("unit:root", "toryo", "result", root),
        ("person", "unit:root-a", "instruct", a),
    ]
    assert set(page["messages"][0]) == {"id", "ts", "from", "to", "type", "task_id", "data"}
    assert tree.daemon.person("export_messages", after=page["next"])["messages"] == []
    first = tree.daemon.person("export_messages", limit=2)
    rest = tree.daemon.person("export_messages", after=first["next"])
    assert first["messages"] + rest["messages"] == page["messages"]


def test_spoken_without_being_seen_is_a_try_that_failed(tree: Tree) -> None:
    tree.tell("root-a", message="one")
    tree.hear("root", Spoken())
    assert tree.inbox("root")[0][1] == "waiting"
    tree.daemon.pass_time(3)
    assert tree.hear("root") == heard("root-a", "progress", "one")
