"""An agent ends with a question: a person sees its words, and the answer reaches it in its next run."""

from __future__ import annotations

import pytest
from whole_daemon import Body, Shop

from toryo.protocol.kinds.run import Said, Usage

QUESTION = "Sorted by name or by date?"


@pytest.fixture
def claude(shop: Shop) -> Shop:
    shop.add_agent("dev", client="claude", project=shop.project)
    return shop


def begin(shop: Shop) -> Body:
    claimed = shop.hands.claim("dev", shop.project, f"request-{len(shop.hands.answers)}")
    assert claimed["claimed"], claimed
    shop.hands.prepare()
    return shop.hands.start()


def end(shop: Shop, order: Body, words: str, commits: int = 0, conversation: str = "c1") -> None:
    usage = Usage(input_tokens=100, output_tokens=7)
    said = Said(result="success", message=words, words=words, conversation=conversation, usage=usage)
    shop.hands.exit(order, 0, said)
    shop.hands.collect(commits)


def ask(shop: Shop) -> str:
    task = shop.add_task()
    end(shop, begin(shop), f"I looked.\n\n{QUESTION}")
    return task


def prompt(shop: Shop, order: Body) -> str:
    return str(shop.hands.call("fetch_blob", hash=order["inputs"]["prompt"])["text"])


def test_a_question_is_shown_where_a_person_looks_with_the_line_that_answers_it(claude: Shop) -> None:
    task = ask(claude)
    assert claude.state(task) == "needs_review asked"
    assert not claude.hands.should_start("dev", claude.project), "it is not run again blindly"
    (wish,) = claude.daemon.person("get_status")["needs_you"]
    assert wish["why"] == f"the agent asks: I looked. {QUESTION}"
    assert wish["type"].startswith(f"toryo task say {task} ")
    assert claude.task(task)["runs"][-1]["last_words"] == f"I looked.\n\n{QUESTION}"


@pytest.mark.parametrize("way", ["say", "say to the run", "retry"])
def test_the_answer_reaches_the_agent_in_the_same_conversation(claude: Shop, way: str) -> None:
    task = ask(claude)
    if way == "retry":
        claude.retry(task, "by date, newest first")
    else:
        named = task if way == "say" else claude.task(task)["runs"][-1]["id"]
        answer = claude.daemon.person("say", id=named, text="by date, newest first")
        assert (answer["answered"], answer["problem"]) == (task, None)
    assert claude.state(task) == "ready answered"
    worktree = claude.task(task)["worktree"]
    order = begin(claude)
    assert (order["inputs"]["resume"], order["inputs"]["used"]["input_tokens"]) == ("c1", 100)
    text = prompt(claude, order)
    assert QUESTION in text
    assert "by date, newest first" in text
    assert claude.task(task)["worktree"] == worktree, "it goes on where it was"
    end(claude, order, "Done.", commits=1)
    assert claude.state(task).startswith("verifying")
    assert claude.daemon.person("recompute")["differences"] == []


def test_another_client_gets_the_answer_in_its_prompt_alone(claude: Shop) -> None:
    task = ask(claude)
    claude.daemon.person("say", id=task, text="by date")
    claude.add_agent("dev", client="codex", project=claude.project)
    order = begin(claude)
    assert (order["inputs"]["resume"], "by date" in prompt(claude, order)) == ("", True)


def test_an_answer_that_is_said_again_with_its_id_is_said_once(claude: Shop) -> None:
    task = ask(claude)
    words = {"id": task, "text": "by date", "message": "m0123456789"}
    first, again = (claude.daemon.person("say", **words) for _ in range(2))
    assert first == again
    assert [one["verb"] for one in claude.task(task)["verbs"]] == ["answer"]


def test_a_retry_without_words_starts_over(claude: Shop) -> None:
    task = ask(claude)
    claude.retry(task)
    assert (claude.state(task), claude.task(task)["worktree"]) == ("ready", "")
    assert begin(claude)["inputs"]["resume"] == ""


def test_the_note_of_a_retry_reaches_the_next_run_and_those_after_it(claude: Shop) -> None:
    task = claude.add_task()
    for _ in range(2):
        end(claude, begin(claude), "Nothing was to be done.")
    assert claude.state(task) == "needs_review no_commit"
    claude.retry(task, "the file is in lib/")
    for _ in range(2):
        order = begin(claude)
        assert "the file is in lib/" in prompt(claude, order)
        end(claude, order, "Nothing was to be done.")


def test_the_note_with_which_work_was_rejected_reaches_the_run_after_a_retry(claude: Shop) -> None:
    task = ask(claude)
    claude.daemon.person("reject_task", task=task, note="not with a new dependency")
    claude.retry(task)
    assert "not with a new dependency" in prompt(claude, begin(claude))


def test_a_note_with_the_release_of_a_held_task_reaches_its_first_run(claude: Shop) -> None:
    task = claude.add_task(held=True)
    claude.daemon.person("approve_task", task=task, note="but leave the tests alone")
    assert "but leave the tests alone" in prompt(claude, begin(claude))


def test_words_for_a_task_that_neither_runs_nor_asks_are_refused_with_the_line_that_reaches_it(
    claude: Shop,
) -> None:
    task = claude.add_task()
    claude.hands.exit(begin(claude), 3)
    claude.hands.collect(0)
    body = claude.daemon.refused(claude.daemon.operator, "say", id=task, text="try lib/")
    assert f"toryo task retry {task} --note" in str(body)
