"""coordinator.yaml (S1-02, S1-31…35)."""

from __future__ import annotations

from pathlib import Path

import pytest

from toryo.coordinator.config import Config, ConfigWrong, read_config

SOCKET = Path("/home/of/toryo/mcp.sock")


def read(tmp_path: Path, text: str, env: dict[str, str] | None = None) -> Config:
    path = tmp_path / "coordinator.yaml"
    path.write_text(text)
    return read_config(path, SOCKET, env or {})


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    config = read_config(tmp_path / "coordinator.yaml", SOCKET)
    assert (config.polling_interval, config.max_concurrent) == (10, 3)
    assert config.mcp_socket_path == SOCKET
    assert config.serves("anybody")


def test_every_key_of_the_contract_is_read(tmp_path: Path, unreachable_home: Path) -> None:
    config = read(
        tmp_path,
        """
polling_interval: 2.5
max_concurrent: 7
mcp_socket_path: ~/somewhere/mcp.sock
ai_providers:
  claude: {cli_command: /opt/claude, cli_args: [--dangerously-skip-permissions]}
  gemini:
agents:
  dev: {passkey: "${DEV_PASSKEY}"}
  reviewer:
""",
        {"DEV_PASSKEY": "open sesame"},
    )
    assert (config.polling_interval, config.max_concurrent) == (2.5, 7)
    assert config.mcp_socket_path == unreachable_home / "somewhere/mcp.sock"
    assert config.ai_providers["claude"].cli_command == "/opt/claude"
    assert config.ai_providers["claude"].cli_args == ("--dangerously-skip-permissions",)
    assert config.agents is not None
    assert config.agents["dev"].passkey.get_secret_value() == "open sesame"
    assert "open sesame" not in repr(config)


def test_claude_code_means_claude(tmp_path: Path) -> None:
    file = tmp_path / "coordinator.yaml"
    file.write_text("ai_providers:\n  claude-code: {cli_command: /opt/claude}\n")
    found = read_config(file, tmp_path / "mcp.sock").ai_providers
    assert {name: one.cli_command for name, one in found.items()} == {"claude": "/opt/claude"}


def test_agents_is_an_allow_list_where_it_is_present(tmp_path: Path) -> None:
    config = read(tmp_path, "agents: {dev: {passkey: x}}")
    assert config.serves("dev")
    assert not config.serves("reviewer")
    assert read(tmp_path, "agents:").serves("reviewer")
    assert not read(tmp_path, "agents: {}").serves("dev")


@pytest.mark.parametrize(
    ("text", "key", "hint"),
    [
        ("mcp_server_command: toryo daemon", "mcp_server_command", "toryo up"),
        ("mcp_database_path: /x.db", "mcp_database_path", "mcp_socket_path"),
        ("agents: {dev: {passkey: x, ai_type: claude}}", "agents.dev.ai_type", "daemon"),
        ("agents: {dev: {passkey: x, system_prompt: be good}}", "agents.dev.system_prompt", "daemon"),
        ("agents: {dev: {passkey: x, working_directory: /y}}", "agents.dev.working_directory", "project"),
        ("polling_intervall: 3", "polling_intervall", "polling_interval"),
        ("ai_providers: {claude: {command: x}}", "ai_providers.claude.command", "cli_command"),
    ],
)
def test_an_unknown_key_is_refused_with_file_key_and_hint(
    tmp_path: Path, text: str, key: str, hint: str
) -> None:
    with pytest.raises(ConfigWrong) as wrong:
        read(tmp_path, text)
    assert str(tmp_path / "coordinator.yaml") in wrong.value.message
    assert f"unknown key {key}" in wrong.value.message
    assert hint in wrong.value.hint


@pytest.mark.parametrize(
    "text",
    ["polling_interval: 0", "max_concurrent: none", "- a list", "agents: [dev]", "a: [", "ai_providers: 3"],
)
def test_a_value_that_makes_no_sense_is_refused_and_the_file_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigWrong, match=r"coordinator\.yaml"):
        read(tmp_path, text)


def test_a_passkey_from_a_variable_that_is_not_set_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigWrong, match="DEV_PASSKEY"):
        read(tmp_path, "agents: {dev: {passkey: '${DEV_PASSKEY}'}}")


def test_a_refused_passkey_is_not_printed(tmp_path: Path) -> None:
    with pytest.raises(ConfigWrong) as wrong:
        read(tmp_path, "agents: {dev: {passkey: {very: secret}}}")
    assert "secret" not in wrong.value.message


def test_the_documented_file_can_be_used_as_it_stands(tmp_path: Path) -> None:
    """S1-31, S1-32: and names every key there is."""
    page = (Path(__file__).parents[2] / "docs" / "contracts.md").read_text()
    section = page.partition("## A coordinator's own settings")[2]
    path = tmp_path / "coordinator.yaml"
    path.write_text(section.partition("```yaml\n")[2].partition("```")[0])
    found = read_config(path, tmp_path / "mcp.sock", {"CODER_PASSKEY": "secret"})
    assert (found.polling_interval, found.max_concurrent, found.silent_after) == (10, 3, 60)
    assert found.agents is not None
    assert found.agents["coder"].passkey.get_secret_value() == "secret"
    assert found.model_fields_set == set(Config.model_fields)
