"""A small CLI with a screen of its own, as agent CLIs have: raw mode, bracketed paste, a framed input at the
bottom, a slow start, and an Enter that is swallowed when it comes too soon after a paste. A program.

Its one argument is a JSON file with the settings below; each message it takes is a file in `received`.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import termios
import time
import tty
from pathlib import Path

DEFAULTS = {
    "received": "received",
    "start_s": 0.0,
    "swallow_s": 0.0,
    "work_s": 0.0,
    "until": "",
    "answer": "All done.",
    "done_file": "",
    "hidden_from": 2000,
    "echo": True,
    "stays": False,
    "survives_hangup": False,
    "brackets": True,
    "early": False,
}
BEGIN, END = b"\x1b[200~", b"\x1b[201~"


class Tui:
    def __init__(self, settings: dict) -> None:
        self.settings = settings
        self.input = ""
        self.drawn = 0
        self.number = 0
        self.pasted_at = 0.0
        self.working_until = 0.0
        self.queue: list[str] = []

    def out(self, text: str) -> None:
        os.write(1, text.replace("\n", "\r\n").encode())

    def draw(self) -> None:
        lines = self.input.split("\n")
        if len(self.input) > self.settings["hidden_from"]:
            lines = [f"[Pasted text #1 +{len(lines)} lines]"]
        shown = [line[i : i + 100] for line in lines for i in range(0, max(1, len(line)), 100)][-8:]
        rows = ["", "─" * 104, *(f"{'│ > ' if not n else '│   '}{row}" for n, row in enumerate(shown))]
        rows += ["─" * 104, "  ? for shortcuts"]
        if self.working_until:
            rows.insert(0, "✻ Working… (esc to interrupt)")
        self.clear()
        self.out("\n".join(rows))
        self.drawn = len(rows)

    def clear(self) -> None:
        if self.drawn > 1:
            self.out(f"\x1b[{self.drawn - 1}A")
        self.out("\r\x1b[J")
        self.drawn = 0

    def submit(self) -> None:
        text, self.input = self.input, ""
        if text.strip() == "/exit" and not self.settings["stays"]:
            self.clear()
            raise SystemExit(0)
        if not text.strip():
            return
        self.number += 1
        folder = Path(self.settings["received"])
        folder.mkdir(exist_ok=True)
        (folder / "new").write_text(text, newline="")
        (folder / "new").rename(folder / f"{self.number}.txt")
        if self.settings["echo"]:
            self.clear()
            self.out(f"> {text}\n\n")
        self.working_until = time.monotonic() + self.settings["work_s"]
        if self.settings["early"]:  # it says so, and goes on
            self.out(f"● {self.settings['answer']}\n")

    def is_through(self) -> bool:
        """With what it was told to do; `until` names a file that it waits for besides."""
        until = self.settings["until"]
        return time.monotonic() > self.working_until and (not until or Path(until).exists())

    def answer(self) -> None:
        self.working_until = 0.0
        self.clear()
        said = self.settings["answer"]
        self.out(f"● {said if isinstance(said, str) else said[min(self.number, len(said)) - 1]}\n")
        if self.settings["done_file"]:
            Path(self.settings["done_file"]).write_text("{}\n")

    def read(self, data: bytes) -> None:
        """Everything that was typed, pastes apart."""
        while data:
            begin = data.find(BEGIN)
            typed, rest = (data, b"") if begin < 0 else (data[:begin], data[begin + len(BEGIN) :])
            for sign in typed.decode("utf-8", "replace"):
                self.key(sign)
            if begin < 0:
                return
            while END not in rest:
                rest += os.read(0, 65536)
            pasted, data = rest.split(END, 1)
            self.input += pasted.decode("utf-8", "replace")
            self.pasted_at = time.monotonic()

    def key(self, sign: str) -> None:
        if sign == "\r":
            if time.monotonic() - self.pasted_at < self.settings["swallow_s"]:
                self.input += "\n"
            else:
                self.submit()
        elif sign == "\x03":
            raise SystemExit(130)
        elif sign == "\x15":
            self.input = ""
        else:
            self.input += sign

    def run(self) -> None:
        time.sleep(self.settings["start_s"])
        tty.setraw(0)
        if self.settings["brackets"]:
            self.out("\x1b[?2004h")
        self.out("Little TUI 1.0\n")
        self.draw()
        while True:
            wait = 0.2 if self.working_until else None
            if select.select([0], [], [], wait)[0]:
                data = os.read(0, 65536)
                while data and any(data.endswith(BEGIN[:n]) for n in range(1, len(BEGIN))):
                    data += os.read(0, 65536)
                if not data:
                    time.sleep(0.05)
                self.read(data)
            if self.working_until and self.is_through():
                self.answer()
            self.draw()


def main() -> None:
    settings = DEFAULTS | json.loads(Path(sys.argv[1]).read_text())
    if settings["survives_hangup"]:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    before = termios.tcgetattr(0)
    try:
        Tui(settings).run()
    except (OSError, termios.error):
        while settings["survives_hangup"]:
            time.sleep(0.1)
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(0, termios.TCSADRAIN, before)


if __name__ == "__main__":
    main()
