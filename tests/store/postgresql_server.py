"""A private PostgreSQL server for tests: own directory, own socket, no network, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import create_engine

from toryo.store.database.schema import metadata
from waiting import eventually

OWNER = "toryo"
QUICK = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]


def programs() -> Path:
    """The directory of initdb and postgres; without it the tests fail, they are not skipped."""
    installed = Path("/usr/lib/postgresql").glob("*/bin/postgres")
    versions = sorted(installed, key=lambda one: one.parts[-3].zfill(4))
    found = versions[-1] if versions else shutil.which("postgres")
    if not found:
        pytest.fail("PostgreSQL's server is missing: `apt-get install postgresql` (`make test` does it).")
    return Path(found).parent


@contextmanager
def server() -> Iterator[Path]:
    """The directory of a running server's socket."""
    binaries = programs()
    home = Path(tempfile.mkdtemp(prefix="toryo-pg-"))  # short: a socket's path may have 104 bytes
    who = _someone_else(home)
    try:
        setup = [str(binaries / "initdb"), "-D", str(home / "data"), "-U", OWNER, "-E", "UTF8"]
        options = ["--locale=C.UTF-8", "--auth=trust", "--no-sync"]
        made = subprocess.run([*setup, *options], cwd=home, capture_output=True, text=True, timeout=60, **who)
        assert made.returncode == 0, made.stderr
        with open(home / "log", "wb") as log:
            arguments = ["-D", "data", "-k", str(home), "-c", "listen_addresses=", *QUICK]
            process = subprocess.Popen(
                [str(binaries / "postgres"), *arguments], cwd=home, stdout=log, stderr=log, **who
            )
        try:
            eventually(lambda: _answers(home, process), within_s=30, what="PostgreSQL answers")
            yield home
        finally:
            process.send_signal(signal.SIGINT)  # "fast": does not wait for clients
            process.wait(timeout=30)
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def database(socket: Path, name: str) -> Iterator[str]:
    """The URL of a new, empty database."""
    with psycopg.connect(host=str(socket), user=OWNER, dbname="postgres", autocommit=True) as conn:
        conn.execute(f'CREATE DATABASE "{name}"'.encode())
    try:
        yield f"postgresql+psycopg://{OWNER}@/{name}?host={socket}"
    finally:
        with psycopg.connect(host=str(socket), user=OWNER, dbname="postgres", autocommit=True) as conn:
            conn.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


def empty(url: str) -> None:
    """Take everything out of the tables, but not the version of the schema."""
    engine = create_engine(url)
    names = ", ".join(f'"{table}"' for table in metadata.tables if table != "meta")
    with engine.begin() as conn:
        conn.exec_driver_sql(f"TRUNCATE {names} RESTART IDENTITY")
        conn.exec_driver_sql("DELETE FROM meta WHERE key <> 'schema_version'")
    engine.dispose()


def _someone_else(home: Path) -> dict[str, Any]:
    """PostgreSQL refuses to run as root: then it runs as its own user, or as nobody."""
    if os.geteuid() != 0:
        return {}
    names = {one.pw_name: one for one in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    os.chown(home, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _answers(socket: Path, process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, (socket / "log").read_text()
    try:
        psycopg.connect(host=str(socket), user=OWNER, dbname="postgres").close()
    except psycopg.OperationalError:
        return False
    return True
