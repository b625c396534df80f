"""The real, pinned CLIs as the model; only what they ask is scripted."""

from __future__ import annotations

import json

import pytest

from rehearsal.model_process import model_process
from rehearsal.real_clients import clean_environment
from toryo.planner.models.cli import TALKS, CliModel
from toryo.planner.models.model import ModelRefused, Outage, Request, Turn, UsageLimit, Voice
from toryo.rehearsal.environments import environment

every_cli = pytest.mark.parametrize("client", sorted(TALKS))
pytestmark = [pytest.mark.xdist_group("agent-clis"), pytest.mark.timeout(300)]
LONG = "".join(f"line {number} with 'quotes' and $HOME\n" for number in range(3000))
REQUEST = Request("plan", "RULES-OF-OURS", (Turn(Voice.PERSON, f"greet mikan\n{LONG}the end"),))
PLAN = {"spec": "# Greet {{whom}}\n" + LONG, "plan": "", "tasks": []}


def part(**reply: object) -> dict[str, object]:
    return {"model": [{"purpose": "plan", "when": r"greet (?P<whom>\w+)", "replies": [reply]}]}


@every_cli
def test_an_installed_cli_answers_whole_without_tools_and_tells_its_usage(client, tmp_path):
    with model_process(tmp_path, part(answer=PLAN)) as model:
        env = clean_environment(**environment(client, model.url, tmp_path / "home"))
        reply = CliModel(client, env=env, limit_s=120).ask(REQUEST)
        kept = [one for one in model.requests() if one.get("purpose") == "plan"]
    assert json.loads(reply.text)["spec"] == "# Greet mikan\n" + LONG
    assert not reply.cut
    assert reply.usage.input_tokens > 1000
    assert reply.usage.output_tokens > 1000
    assert len(kept) == 1
    body = json.dumps(kept[0]["body"])
    assert "RULES-OF-OURS" in body
    assert "the end" in body
    tools = {tool.get("name", tool.get("type")) for tool in kept[0]["body"].get("tools") or ()}
    assert not tools & {"Bash", "Edit", "Write", "Read", "exec_command", "shell", "apply_patch", "web_search"}


@every_cli
def test_a_limit_of_its_account_is_told_with_its_end_where_the_cli_knows_it(client, tmp_path):
    with model_process(tmp_path, part(limit={"after_s": 7200})) as model:
        env = clean_environment(**environment(client, model.url, tmp_path / "home"))
        with pytest.raises(UsageLimit) as limit:
            CliModel(client, env=env, limit_s=120).ask(REQUEST)
    # Claude Code learns the end for subscriptions only, which no scripted model gives
    assert limit.value.until.startswith("20") is (client == "codex")


@every_cli
def test_an_outage_is_told_as_one_and_a_wrong_key_is_for_a_person(client, tmp_path):
    script = {
        "model": [
            {"purpose": "plan", "replies": [{"error": 500}]},
            {"purpose": "judge", "replies": [{"deny": True}]},
        ]
    }
    with model_process(tmp_path, script) as model:
        env = clean_environment(**environment(client, model.url, tmp_path / "home"))
        one = CliModel(client, env=env, limit_s=120)
        with pytest.raises(Outage):
            one.ask(REQUEST)
        with pytest.raises(ModelRefused):
            one.ask(Request("judge", "", REQUEST.turns))
