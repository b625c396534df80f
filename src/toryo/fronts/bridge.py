"""Stdio bridge: joins an agent CLI to the daemon's socket, MCP lines both ways, as the run that a
credential names.

Owns the connection and what was asked on it, so that a restart of the daemon stays unseen; what a message
means is left to the daemon. `python -I -S bridge.py FILE` starts it alone: standard library, nothing of ours.
"""

from __future__ import annotations

# `socket` itself would cost each start 3 ms for what nobody here uses.
import _socket as socket
import json
import os
import re
import select
import stat
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# As in protocol/wire.py, which cannot be imported here; a test holds them together.
LONGEST_LINE = 1_048_576
LONGEST_ADDRESS = 104
BIND = "toryo/bind"
MODERN = "io.modelcontextprotocol/protocolVersion"

LONGEST_ANSWER = 16 * LONGEST_LINE
PATIENCE_S = 25.0
"""How long a request waits for a daemon that is away; CLIs themselves wait a minute for a tool."""
LEAVE_S = 2.0
"""After the CLI closed our stdin: for what is on its way."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.02, 0.5
MOST_TRIES = 3
"""Of one request: it may be the very thing that ends the daemon."""

REPEATABLE = ("authenticate", "report_completed", "report_progress", "get_", "list_", "read_messages")
"""Tools (or beginnings of their names) that do no harm when the daemon gets the same call twice."""

LISTED = ".listed"
"""Added to the credential's name: a file that says that the CLI has been told our tools."""

GREETING = "toryo-bridge"
"""The id of a handshake that we repeat on the CLI's behalf."""

PARSE_ERROR, INVALID_REQUEST, AWAY = -32700, -32600, -32000
HINT = "A person can start it with `toryo up`; call again in a minute."


class Refused(Exception):
    """The credential file cannot be used."""


def read_credential(path: str) -> tuple[str, str]:
    """Socket and token; a file that others may read or write is no credential."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as absent:
        raise Refused(f"{path} cannot be opened: {absent.strerror}.") from absent
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise Refused(f"{path} is not a plain file.")
        if found.st_uid != os.geteuid():
            raise Refused(f"{path} belongs to somebody else.")
        if found.st_mode & 0o077:
            raise Refused(f"{path} is open to others: `chmod 600 {path}`, if nobody has read it.")
        text = os.read(handle, 65536)
    finally:
        os.close(handle)
    return credential_in(path, text)


def credential_in(path: str, text: bytes) -> tuple[str, str]:
    """Socket and token of a file's text; what is wrong is told without its values."""
    try:
        said = json.loads(text.decode("utf-8-sig"))
    except json.JSONDecodeError as bad:
        raise Refused(f"{path}, line {bad.lineno}, column {bad.colno}: it is no JSON: {bad.msg}.") from None
    except UnicodeDecodeError:
        raise Refused(f"{path}: it is no text in UTF-8.") from None
    except RecursionError:
        raise Refused(f"{path}: it is nested too deeply.") from None
    if not isinstance(said, dict):
        raise Refused(f"{path}: it must be an object with a socket and a token.")
    for key in ("socket", "token"):
        if key not in said:
            raise Refused(f"{path}: {key}: is missing.")
        if not isinstance(said[key], str) or not said[key]:
            raise Refused(f"{path}: {key}: must be text.")
    return said["socket"], said["token"]


class Asked:
    """A line of the CLI for the daemon; a request until it is answered, anything else until it is sent."""

    __slots__ = ("at", "ends_at", "line", "message", "number", "repeatable", "tries")

    def __init__(self, line: bytes, message: object, at: float, repeatable: tuple[str, ...]) -> None:
        self.repeatable = repeatable
        self.line = line
        self.message: dict[str, Any] = message if isinstance(message, dict) else {}
        self.at = at
        self.tries = 0
        self.ends_at = 0
        """How many bytes the daemon must have got on this connection to know of it."""
        number = self.message.get("id")
        self.number = number if isinstance(number, str | int) and self.method else None

    @property
    def method(self) -> str:
        return str(self.message.get("method") or "")

    @property
    def params(self) -> dict[str, Any]:
        found = self.message.get("params")
        return found if isinstance(found, dict) else {}

    @property
    def may_repeat(self) -> bool:
        return self.method != "tools/call" or str(self.params.get("name")).startswith(self.repeatable)

    def failure(self, error: str, hint: str) -> bytes:
        """A tool's failure is told to the model in the shape of the daemon's own."""
        if self.method != "tools/call":
            return error_line(self.number, AWAY, f"{error} {hint}")
        body = {"success": False, "error": error, "hint": hint, "instruction": hint}
        result: dict[str, Any] = {
            "content": [{"type": "text", "text": json.dumps(body)}],
            "structuredContent": body,
            "isError": True,
        }
        meta = self.params.get("_meta")
        if isinstance(meta, dict) and MODERN in meta:
            result["resultType"] = "complete"
        return to_line({"jsonrpc": "2.0", "id": self.number, "result": result})


class Lines:
    """Bytes in, whole lines out. Of a line that is too long only its ends are kept."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._rest = bytearray()
        self._head: bytes | None = None
        """Not None: inside a line that is too long."""

    def take(self, data: bytes) -> list[tuple[bytes, bool]]:
        """The lines that became whole, each with whether it was too long."""
        searched = len(self._rest)
        self._rest += data
        lines = []
        while (end := self._rest.find(b"\n", searched)) >= 0:
            whole = bytes(self._rest[: end + 1])
            del self._rest[: end + 1]
            searched = 0
            if self._head is not None:
                lines.append((self._head + whole[-200:], True))
                self._head = None
            elif len(whole) > self._longest:
                lines.append((whole[:200] + whole[-200:], True))
            else:
                lines.append((whole, False))
        if len(self._rest) > self._longest:
            self._head = bytes(self._rest[:200]) if self._head is None else self._head
            del self._rest[:-200]
        return lines


class Bridge:
    repeatable: tuple[str, ...] = REPEATABLE

    def __init__(self, place: str, token: str, stdin: int = 0, stdout: int = 1, listed: str = "") -> None:
        self._place = place
        self._listed = listed
        """The file to make once the tools were listed; empty: nobody waits for it."""
        self._lists = False
        self._bind = to_line({"jsonrpc": "2.0", "method": BIND, "params": {"credential": token}})
        self._stdin: int | None = stdin
        self._stdout: int | None = stdout
        self._typed = Lines(LONGEST_LINE)
        self._out = bytearray()
        self._channel: socket.socket | None = None
        self._heard = Lines(LONGEST_ANSWER)
        self._unsent = bytearray()
        self._sent = 0
        self._queue: list[Asked] = []
        """Not yet given to the daemon."""
        self._open: dict[str | int, Asked] = {}
        """Given to the daemon, unanswered."""
        self._hello: Asked | None = None
        """The CLI's own `initialize`, once it was answered."""
        self._initialized = b""
        self._is_greeting = False
        self._away_since = 0.0
        self._next_try = 0.0
        self._pause = FIRST_PAUSE_S
        self._leave_by: float | None = None

    def run(self) -> None:
        """Until the CLI closes our stdin."""
        self._connect()
        while not self._is_over():
            poll = select.poll()
            if self._stdin is not None and len(self._unsent) < LONGEST_LINE and len(self._queue) < 1000:
                poll.register(self._stdin, select.POLLIN)
            if self._out and self._stdout is not None:
                poll.register(self._stdout, select.POLLOUT)
            if self._channel is not None:
                reads = select.POLLIN if len(self._out) < LONGEST_ANSWER else 0
                poll.register(self._channel, reads | (select.POLLOUT if self._unsent else 0))
            ready = dict(poll.poll(self._patience_ms()))
            if self._stdin in ready:
                self._read_stdin()
            if self._channel is not None and self._channel.fileno() in ready:
                self._read_channel()
            self._tend()

    def _tend(self) -> None:
        now = time.monotonic()
        if self._channel is None and self._queue and now >= self._next_try:
            self._connect()
        if self._channel is None:
            self._give_up(now)
        self._push()
        self._flush_channel()
        self._flush_stdout()

    def _is_over(self) -> bool:
        if self._leave_by is None:
            return False
        told = not self._unsent and not self._queue
        answered = self._stdout is None or not (self._open or self._out)
        return (told and answered) or time.monotonic() > self._leave_by

    def _patience_ms(self) -> float | None:
        """Until something is due; None: nothing is, and nothing is done meanwhile."""
        moments = [] if self._leave_by is None else [self._leave_by]
        if self._channel is None and self._queue:
            moments.append(self._next_try)
        return max(0.0, (min(moments) - time.monotonic()) * 1000) + 1 if moments else None

    # ── the CLI ──

    def _read_stdin(self) -> None:
        assert self._stdin is not None
        try:
            data = os.read(self._stdin, 65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._stdin = None
            self._leave_by = time.monotonic() + LEAVE_S
        for line, is_long in self._typed.take(data):
            if is_long:
                told = f"This line is longer than {LONGEST_LINE} bytes."
                self._out += error_line(_number_in(line), INVALID_REQUEST, told)
            elif not line.isspace():
                self._ask(line)

    def _ask(self, line: bytes) -> None:
        try:
            asked = Asked(line, json.loads(line), time.monotonic(), self.repeatable)
        except (ValueError, RecursionError):
            self._out += error_line(None, PARSE_ERROR, "This line is not JSON.")
            return
        if asked.method == "notifications/initialized":
            self._initialized = line
        elif asked.method == "notifications/cancelled":
            gone = asked.params.get("requestId")
            if isinstance(gone, str | int):
                self._open.pop(gone, None)  # a cancelled request gets no answer
                self._queue = [one for one in self._queue if one.number != gone]
        self._queue.append(asked)

    def _flush_stdout(self) -> None:
        if self._stdout is None:
            self._out.clear()
        while self._out and self._stdout is not None:
            try:
                del self._out[: os.write(self._stdout, self._out[:65536])]
            except BlockingIOError:
                return
            except OSError:  # the CLI is gone; what it said still goes to the daemon
                self._stdout = self._stdin = None
                self._leave_by = self._leave_by or time.monotonic() + LEAVE_S
        if self._lists and self._listed:
            _touch(self._listed)
            self._listed = ""

    # ── the daemon ──

    def _connect(self) -> None:
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            channel.setblocking(False)
            channel.connect(_address(self._place))
        except (OSError, ValueError):
            channel.close()
            self._stay_away()
            return
        self._channel = channel
        self._heard = Lines(LONGEST_ANSWER)
        self._unsent = bytearray(self._bind)
        self._sent = 0
        if self._hello is not None:  # a new connection knows nothing of the CLI's handshake
            self._is_greeting = True
            self._unsent += to_line({**self._hello.message, "id": GREETING})

    def _stay_away(self) -> None:
        now = time.monotonic()
        self._away_since = self._away_since or now
        self._next_try = now + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE_S)

    def _push(self) -> None:
        """Whatever waits, in its order, unless the daemon must be greeted first."""
        if self._channel is None or self._is_greeting:
            return
        for asked in self._queue:
            self._unsent += asked.line
            asked.ends_at = self._sent + len(self._unsent)
            asked.tries += 1
            if asked.number is not None:
                self._open[asked.number] = asked
        self._queue.clear()

    def _flush_channel(self) -> None:
        while self._channel is not None and self._unsent:
            try:
                count = self._channel.send(self._unsent[:65536])
            except BlockingIOError:
                return
            except OSError:
                self._lost()
                return
            del self._unsent[:count]
            self._sent += count

    def _read_channel(self) -> None:
        assert self._channel is not None
        try:
            data = self._channel.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._lost()
            return
        self._away_since, self._pause = 0.0, FIRST_PAUSE_S
        for line, is_long in self._heard.take(data):
            if is_long:
                self._shorten(line)
                continue
            try:
                answer = json.loads(line)
            except (ValueError, RecursionError):
                self._lost()  # whatever speaks there, it is not the daemon
                return
            self._hear(line, answer)

    def _hear(self, line: bytes, answer: object) -> None:
        said = answer if isinstance(answer, dict) else {}
        number = said.get("id")
        if not isinstance(number, str | int) or "method" in said:
            self._out += line
            return
        if number == GREETING and self._is_greeting:
            self._is_greeting = False
            self._unsent += self._initialized
            return
        asked = self._open.pop(number, None)
        if asked is not None and asked.method == "initialize" and "result" in said:
            self._hello = asked
        self._lists |= asked is not None and asked.method == "tools/list"
        self._out += line

    def _shorten(self, ends: bytes) -> None:
        """An answer that nobody wants in memory twice: whoever asked is told so."""
        number = _number_in(ends)
        asked = self._open.pop(number, None) if number is not None else None
        if asked is not None:
            error = f"The daemon's answer is longer than {LONGEST_ANSWER} bytes."
            self._out += asked.failure(error, "Ask for less.")

    def _lost(self) -> None:
        """The connection is gone: what may be asked again is, the rest is answered here."""
        if self._channel is not None:
            self._channel.close()
        self._channel = None
        self._is_greeting = False
        self._stay_away()
        again = []
        for asked in self._open.values():
            if asked.ends_at > self._sent or (asked.may_repeat and asked.tries < MOST_TRIES):
                again.append(asked)
                continue
            error = "The daemon went away during this call; it may have been done or not."
            self._out += asked.failure(error, "Look whether it was done; if not, call again.")
        self._open.clear()
        self._unsent.clear()
        self._queue = again + self._queue

    def _give_up(self, now: float) -> None:
        """Who has waited long enough for a daemon that is away is told so; the pipe stays open."""
        waiting = []
        for asked in self._queue:
            if now - max(asked.at, self._away_since) < PATIENCE_S:
                waiting.append(asked)
            elif asked.number is not None:
                self._out += asked.failure("The daemon of Toryo is not running.", HINT)
        self._queue = waiting


def _touch(path: str) -> None:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError:
        return  # who waits for it waits in vain, and not for ever


def to_line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def error_line(number: str | int | None, code: int, message: str) -> bytes:
    return to_line({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})


def _number_in(ends: bytes) -> str | int | None:
    """The id of a request of which only both ends are here: clients write it first or last."""
    for pattern in (rb'^\{"jsonrpc": ?"2.0", ?"id": ?(\d+|"[^"\\]*")', rb'"id": ?(\d+|"[^"\\]*")\}\s*$'):
        found = re.search(pattern, ends)
        if found:
            number: str | int = json.loads(found[1])
            return number
    return None


def _address(place: str) -> str:
    """A path that is too long for a socket names a short one, another one after each start of the daemon."""
    if len(os.fsencode(place)) <= LONGEST_ADDRESS:
        return place
    with open(f"{place}.path", encoding="utf-8") as pointer:
        return pointer.read().strip()


def main(argv: Sequence[str]) -> int:
    """The bridge itself; the exit code."""
    if len(argv) != 1 or argv[0].startswith("-"):
        print("Error: give one credential file.\nHint: toryo mcp-bridge FILE", file=sys.stderr)
        return 2
    try:
        os.fstat(0), os.fstat(1)
    except OSError:
        return 1  # started with one of them closed: a socket would take its number
    try:
        place, token = read_credential(argv[0])
    except Refused as refused:
        print(f"Error: {refused}\nHint: TORYO_RUN_FILE names the file of a connected run.", file=sys.stderr)
        return 1
    was_blocking = os.get_blocking(1)
    os.set_blocking(1, False)  # a CLI that does not read must not keep us from hearing it
    try:
        Bridge(place, token, listed=argv[0] + LISTED).run()
    except KeyboardInterrupt:
        return 130
    finally:
        os.set_blocking(1, was_blocking)  # a terminal's is its shell's, too
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
