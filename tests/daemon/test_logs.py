"""The log's lines: JSON, without secrets, bounded."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from toryo.daemon import logs
from toryo.usecases.credentials import (
    new_coordinator_key,
    new_operator_key,
    new_passkey,
    new_session_token,
    run_token,
)


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    for handler in before:
        root.removeHandler(handler)
    logs.configure(tmp_path / "logs")
    yield tmp_path / "logs" / "daemon.jsonl"
    for handler in list(root.handlers):
        root.removeHandler(handler)
        handler.close()
    for handler in before:
        root.addHandler(handler)
    root.setLevel(level)
    logging.getLogger("mcp").setLevel(logging.NOTSET)
    structlog.reset_defaults()


def a_run_token() -> str:
    return run_token(b"s", "r1234abcd")


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_line_is_a_json_object_with_time_level_and_fields(log_file: Path) -> None:
    structlog.get_logger("toryo.somewhere").info("run_started", run_id="r1", count=3)
    (entry,) = entries(log_file)
    assert entry["event"] == "run_started"
    assert (entry["run_id"], entry["count"], entry["level"]) == ("r1", 3, "info")
    assert entry["logger"] == "toryo.somewhere"
    assert entry["timestamp"].endswith("Z")


def test_other_libraries_loggers_write_the_same_lines(log_file: Path) -> None:
    logging.getLogger("mcp.server").error("handler for %r raised", "tools/call")
    (entry,) = entries(log_file)
    assert entry["event"] == "handler for 'tools/call' raised"
    assert entry["level"] == "error"


@pytest.mark.parametrize(
    "make", [new_operator_key, new_coordinator_key, new_session_token, new_passkey, a_run_token]
)
def test_no_secret_reaches_the_log_wherever_it_stands(log_file: Path, make: Callable[[], str]) -> None:
    secret = make()
    log = structlog.get_logger("toryo")
    log.info(f"got {secret}", text=f"a {secret} b", deep={"list": [secret]})
    logging.getLogger("mcp").warning("refused %s", secret)
    try:
        raise ValueError(secret)
    except ValueError:
        log.exception("failed")
    text = log_file.read_text()
    assert len(entries(log_file)) == 3
    assert secret not in text
    assert secret.partition("_")[2][:20] not in text
    assert "_***" in text


def test_passkeys_of_any_shape_are_known_by_their_field(log_file: Path) -> None:
    structlog.get_logger("toryo").info("authenticate", passkey="hunter2", args={"session_token": "short"})
    (entry,) = entries(log_file)
    assert entry["passkey"] == "***"
    assert entry["args"] == {"session_token": "***"}


def test_ordinary_words_with_these_beginnings_stay(log_file: Path) -> None:
    structlog.get_logger("toryo").info("run_started", what="op_kind coord_name run_id sess_x")
    (entry,) = entries(log_file)
    assert entry["event"] == "run_started"
    assert entry["what"] == "op_kind coord_name run_id sess_x"


def test_the_log_is_turned_over_by_size_and_stays_private(
    log_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = next(one for one in logging.getLogger().handlers if isinstance(one, logs.PrivateFile))
    assert (handler.maxBytes, handler.backupCount) == (10_000_000, 5)
    monkeypatch.setattr(handler, "maxBytes", 2000)
    for number in range(200):
        structlog.get_logger("toryo").info("line", number=number)
    files = sorted(log_file.parent.iterdir())
    assert [file.name for file in files] == ["daemon.jsonl", *(f"daemon.jsonl.{n}" for n in range(1, 6))]
    assert all(file.stat().st_size <= 2000 for file in files)
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert entries(log_file)[-1]["number"] == 199
