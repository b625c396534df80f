"""Keys, tokens and passkeys, and whom they speak for."""

from __future__ import annotations

from pathlib import Path

import pytest
from whole_daemon import Shop

from toryo.daemon.credentials import Keys, Recognised, UnknownCredential, identify_place, operator_key
from toryo.daemon.process import open_context
from toryo.engine.context import Caller, CallerKind
from toryo.protocol.orchestrator import key_from
from toryo.settings import Home
from toryo.store.database.engine import Committed
from toryo.store.database.rows import CoordinatorRow, EventRow
from toryo.store.tables import coordinators
from toryo.usecases.credentials import (
    check_passkey,
    hash_passkey,
    hash_token,
    new_coordinator_key,
    new_operator_key,
    new_passkey,
    new_planner_key,
    new_session_token,
    run_of_token,
    run_token,
)

SECRET = b"s" * 32


def test_the_operators_key_is_made_once_and_kept(tmp_path: Path) -> None:
    key = operator_key(tmp_path / "operator.key")
    assert key.startswith("op_")
    assert len(key) >= 43
    assert (tmp_path / "operator.key").stat().st_mode & 0o777 == 0o600
    assert operator_key(tmp_path / "operator.key") == key


def test_an_empty_key_file_left_by_a_crash_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "operator.key").touch()
    assert operator_key(tmp_path / "operator.key").startswith("op_")


def test_a_key_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    (tmp_path / "operator.key").write_text("op_mine\n")
    (tmp_path / "operator.key").chmod(0o644)
    assert operator_key(tmp_path / "operator.key") == "op_mine"
    assert (tmp_path / "operator.key").stat().st_mode & 0o777 == 0o600


def test_a_runs_token_can_be_derived_again_and_names_its_run() -> None:
    token = run_token(SECRET, "r1234abcd")
    assert token.startswith("run_")
    assert token == run_token(SECRET, "r1234abcd")
    assert run_of_token(SECRET, token) == "r1234abcd"


@pytest.mark.parametrize(
    "token",
    [
        "",
        "run_",
        "run_r1234abcd",
        "run_r1234abcd_",
        run_token(b"other", "r1234abcd"),
        run_token(SECRET, "r1234abcd").replace("r1234abcd", "r1234abce"),
        run_token(SECRET, "r1234abcd")[:-1],
        run_token(SECRET, "r1234abcd").removeprefix("run_"),
    ],
)
def test_a_token_that_was_not_made_here_speaks_for_no_run(token: str) -> None:
    assert run_of_token(SECRET, token) is None


def test_a_passkey_is_kept_as_a_salted_hash() -> None:
    one, other = hash_passkey("open sesame"), hash_passkey("open sesame")
    assert one != other
    assert "sesame" not in one
    assert one.startswith("scrypt$16384$")
    assert check_passkey("open sesame", one)
    assert not check_passkey("open sesam", one)


@pytest.mark.parametrize("stored", ["", "plain", "scrypt$1$2", "scrypt$x$8$1$00$00", "md5$16384$8$1$00$00"])
def test_a_stored_value_that_is_no_hash_matches_nothing(stored: str) -> None:
    assert not check_passkey("", stored)
    assert not check_passkey(stored, stored)


def test_every_kind_of_secret_is_random_and_has_its_prefix() -> None:
    for prefix, make in (
        ("op_", new_operator_key),
        ("coord_", new_coordinator_key),
        ("plnr_", new_planner_key),
        ("sess_", new_session_token),
        ("pass_", new_passkey),
    ):
        assert make().startswith(prefix)
        assert make() != make()


def test_each_credential_gives_its_kind_of_caller() -> None:
    keys = Keys(hash_token("op_right"), SECRET)
    assert keys.identify("") == Caller(CallerKind.OUTSIDE)
    assert keys.identify("op_right") == Caller(CallerKind.OPERATOR)
    assert keys.identify(key_from("op_right")) == Caller(CallerKind.ORCHESTRATOR)
    assert keys.identify(run_token(SECRET, "r1")) == Caller(CallerKind.RUN, run="r1")
    assert keys.identify("coord_any") is None
    for wrong in ("op_wrong", key_from("op_wrong"), "run_r1_xyz", "sess_x", "bäd", "\udc80"):
        with pytest.raises(UnknownCredential):
            keys.identify(wrong)


def test_a_coordinator_is_known_by_the_hash_of_its_newest_key(tmp_path: Path) -> None:
    home = Home(tmp_path / "home").make()
    context = open_context(home, home.database)
    old, new = new_coordinator_key(), new_coordinator_key()
    with context.store.change() as tx:
        coordinators.insert(
            tx, CoordinatorRow(id="m/main", machine="m", name="main", key_hash=hash_token(old), clients={})
        )
    assert identify_place(context, old) == Caller(CallerKind.COORDINATOR, place="m/main")
    with context.store.change() as tx:
        coordinators.update(tx, "m/main", key_hash=hash_token(new))
    with pytest.raises(UnknownCredential):
        identify_place(context, old)
    assert identify_place(context, new).place == "m/main"
    context.store.close()


def test_a_replaced_key_is_void_at_once(shop: Shop) -> None:
    old = shop.hands.key
    shop.hands.speak("heartbeat", live_runs=[])
    whose = {"machine": shop.hands.machine, "name": shop.hands.name}
    shop.hands.key = shop.daemon.person("issue_coordinator_key", **whose)["key"]
    told = shop.daemon.refused(old, "should_start", agent_id="ann", project_id="p1")
    assert "not known" in told["error"]
    shop.hands.speak("heartbeat", live_runs=[])
    told = shop.daemon.person("list_events", limit=200)
    issued = [one["body"] for one in told["events"] if one["kind"] == "coordinator_key_issued"]
    assert issued == [{"coordinator": shop.hands.id}] * 2


def test_what_was_looked_up_before_a_key_was_issued_is_not_remembered_after_it() -> None:
    recognised = Recognised()
    caller = Caller(CallerKind.COORDINATOR, place="m/main")
    before = recognised.issued
    event = EventRow(at=0, kind="coordinator_key_issued")
    recognised.committed(Committed((event,), frozenset(), False))
    assert recognised.put("coord_x", caller, before) == caller
    assert recognised.get("coord_x") is None
    recognised.put("coord_x", caller, recognised.issued)
    recognised.committed(Committed((EventRow(at=0, kind="run_exited"),), frozenset(), False))
    assert recognised.get("coord_x") == caller
