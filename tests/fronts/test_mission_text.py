"""Missions as text: a batch of questions, a plan shown whole, its graph, and chat lines."""

from __future__ import annotations

import pytest
from shown_missions import FREE, LIMIT, NO_RUN, STORE, message, mission, plan, question, task

from toryo.domain.errors import UsageError, UserError
from toryo.fronts.cli.missions import chat, mission_page, plan_page, requests
from toryo.fronts.cli.missions.conversation import awaits_approval
from toryo.fronts.text import questions, task_graph


def test_a_batch_numbers_the_questions_and_their_options_and_marks_the_default():
    assert questions.batch([STORE, LIMIT, FREE]).splitlines() == [
        "3 questions before the plan is made",
        "",
        "1. Where are counters kept?",
        "   1) memory  (default)",
        "   2) Redis",
        "",
        "2. How many requests a minute?",
        "   default: 60",
        "",
        "3. What does a refused client read?",
        "   no default: it needs your answer",
    ]


def test_only_questions_that_hold_a_mission_up_are_open():
    asked = [STORE, question("Q2", "?", answer="60")]
    assert questions.open_questions(mission("active", reason="questions", questions=asked)) == [STORE]
    assert questions.open_questions(mission("cancelled", questions=asked)) == []


def test_a_number_chooses_an_option_and_other_words_are_the_answer():
    answers = questions.Answers([STORE, LIMIT])
    assert (answers.next, answers.take("2"), answers.next, answers.take("100 of them")) == (1, "", 2, "")
    assert answers.given == {"Q1": "Redis", "Q2": "100 of them"}
    assert answers.next == 0


def test_a_line_may_name_its_question_and_the_others_keep_their_defaults():
    answers = questions.Answers([STORE, LIMIT, FREE])
    assert answers.missing == [3]
    assert answers.take("3= try again later") == ""
    assert (answers.given, answers.missing, answers.next) == ({"Q3": "try again later"}, [], 1)


def test_an_equals_sign_in_an_answer_is_no_address():
    answers = questions.Answers([LIMIT])
    assert answers.take("limit=5") == ""
    assert answers.given == {"Q2": "limit=5"}


@pytest.mark.parametrize("line", ["7", "0", "1="])
def test_a_line_that_is_no_answer_is_told_and_not_kept(line):
    answers = questions.Answers([STORE])
    assert answers.take(line) != ""
    assert answers.given == {}


def test_the_line_to_type_offers_all_defaults_only_where_each_question_has_one():
    assert questions.lines_to_type("n1", [STORE, LIMIT]) == [
        "toryo mission answer n1 --defaults",
        "toryo mission answer n1 Q1=memory Q2=60",
    ]
    assert questions.lines_to_type("n1", [FREE]) == ["toryo mission answer n1 'Q3=your answer'"]


def test_the_graph_draws_each_task_below_what_it_waits_for_and_names_other_edges():
    tasks = [
        task("T001", "Count"),
        task("T002", "Refuse", "T001", write=["src/**"], agent="coder"),
        task("T003", "Document"),
        task("T004", "Join", "T003", "T002", worktree="shared"),
    ]
    assert task_graph.draw(tasks) == [
        "· T001  Count",
        "└─ · T002  Refuse",
        "   │    agent coder · writes src/**",
        "   └─ · T004  Join  after T003",
        "           by its predecessor's agent",
        "· T003  Document",
    ]


def test_tasks_of_a_cycle_are_drawn_once_each():
    tasks = [task("T001", "One", "T002"), task("T002", "Two", "T001")]
    assert task_graph.draw(tasks) == ["· T001  One  after T002", "└─ · T002  Two"]


def test_a_task_that_exists_shows_its_id_its_status_and_what_was_not_predicted():
    one = task(
        *("T001", "Count"),
        task="t9",
        status="done",
        write=["src/**"],
        touched=["src/a.py", "README.md"],
    )
    assert task_graph.draw([one]) == [
        "✔ T001 t9  Count  done",
        "     writes src/** · touched src/a.py, README.md (not predicted: README.md)",
    ]


def test_a_plan_is_shown_whole_with_faults_notes_and_findings():
    found = [{"where": "spec", "text": "vague", "fatal": True}]
    told = plan_page.page(
        mission("awaiting_approval", plan=plan(faults=["cycle"], notes=["no tests"], findings=found))
    )
    order = ["spec (plan 1)", "60 times a minute", "── plan ", "A counter", "2 tasks, at most 2 at once"]
    order += ["T001", "T002", "faults", "- cycle", "notes", "- no tests", "findings", "- fatal: spec: vague"]
    places = [told.index(part) for part in order]
    assert places == sorted(places)


def test_a_plan_of_one_task_says_that_one_agent_is_enough():
    told = plan_page.page(mission("awaiting_approval", plan=plan(task("T001", "Mend it"))))
    assert "One agent is enough" in told
    assert "at once" not in told


def test_a_faulty_plan_offers_no_approval():
    faulty = mission("awaiting_approval", plan=plan(faults=["cycle"]))
    assert plan_page.lines_to_type(faulty) == ['toryo mission reject n1 "what is to be different"']
    assert plan_page.lines_to_type(mission(plan=plan()))[0] == "toryo mission approve n1"


@pytest.mark.parametrize(
    ("verdict", "waits"), [({}, True), ({"approved_at": "x"}, False), ({"rejected": ""}, False)]
)
def test_a_plan_waits_for_approval_until_somebody_judged_it(verdict, waits):
    for status in ("awaiting_approval", "active"):
        assert awaits_approval(mission(status, reason="plan_ready", plan=plan(**verdict))) is waits
    assert not awaits_approval(mission("active", reason="replanning", plan=plan()))


def test_chat_lines_are_those_after_the_last_seen_with_the_speakers_name():
    said = [
        message(1, "person", "do it"),
        message(2, "planner", "two\nlines"),
        message(3, "progress", "T1 runs"),
    ]
    assert chat.lines(said, 0) == ["person: do it", "planner: two\nlines", "T1 runs"]
    assert chat.lines(said, 2) == ["T1 runs"]
    assert chat.lines(said, 0, without=("person",))[0] == "planner: two\nlines"


def test_words_of_others_never_drive_the_terminal():
    assert "\033" not in chat.line(message(1, "planner", "red \033[31m"))
    assert "\033" not in plan_page.page(mission(plan=plan(task("T1", "\033[2Jgone"), spec="\033[2J")))
    assert "\033" not in questions.batch([question("Q1", "\033[2J?", "\033[1m")])


def test_the_end_of_a_mission_names_each_task_and_what_planner_and_agents_took():
    used = {"calls": 2, "input_tokens": 900, "output_tokens": 80, "cost_usd": 0.5, "cost": "estimated"}
    tasks = plan(task("T001", "Count", task="t9", status="failed", reason="exit:1"))
    spent = {**NO_RUN, "runs": 3, "input_tokens": 4100, "output_tokens": 70, "cost_usd": 1.25}
    agents = {**spent, "cost": "observed"}
    now = mission("failed", reason="given_up", plan=tasks, usage=used, usage_of_agents=agents)
    assert chat.ended(now) == [
        "n1  failed (given up)",
        "  T001 t9  Count  failed (exit:1)",
        "  planner: 2 calls, 900 tokens in, 80 out, $0.50 (estimated)",
        "  agents: 3 runs, 4100 tokens in, 70 out, $1.25 (observed)",
    ]


def test_the_page_of_a_mission_has_its_questions_plan_conversation_and_lines_to_type():
    now = mission(
        "active",
        questions=[{**STORE, "answer": "Redis"}],
        plan=plan(approved_at="2026-01-01T00:00:00Z"),
        messages=[message(1, "person", "add rate limiting")],
        actions=[{"do": "cancel", "subject": "n1", "args": {}, "line": "toryo mission cancel n1"}],
        budget={"tokens": 500000.0},
    )
    told = mission_page.page(now)
    assert "budget    tokens=500000" in told
    assert "version 1, approved" in told
    assert "Q1  Where are counters kept?  → Redis" in told
    assert "person: add rate limiting" in told
    assert told.endswith("type: toryo mission cancel n1")


def test_limits_and_answers_are_read_from_words():
    assert requests.budget_of(["tokens=5e5", "usd=0"]) == {"tokens": 500000.0, "usd": 0.0}
    assert requests.answers_of(["Q1=a=b", "Q2= x "]) == {"Q1": "a=b", "Q2": "x"}


@pytest.mark.parametrize("word", ["tokens", "tokens=x", "tokens=-1", "tokens=inf", "gold=1"])
def test_a_limit_that_is_none_is_refused(word):
    with pytest.raises(UsageError):
        requests.budget_of([word])


def test_a_folder_to_take_in_is_named_from_the_project(tmp_path, monkeypatch):
    (tmp_path / "specs" / "001").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "specs")
    assert requests.folder_in(str(tmp_path), "001") == "specs/001"
    for outside in ("../..", ".."):
        with pytest.raises(UserError):
            requests.folder_in(str(tmp_path), outside)
