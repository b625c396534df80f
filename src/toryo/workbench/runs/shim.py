"""The shim: starts one program, outlives it, ends its whole tree, and only then leaves the exit record.

A compiled copy stands in the run's directory, executed as `python -I -S shim.pyc RUNDIR`: an upgrade never
changes a running one. Standard library only, nothing of toryo: shim_parts.py is compiled into it. `exit.json`
means: nothing of this run can write any more. Reading the records is left to records.py.

On Linux the shim is a subreaper: every orphan of the tree becomes its child, so "empty" is the kernel's word.
macOS has none: descendants are looked for with `ps` every TICK_S, before signalling and at the end, and a
process that left both its parent and its process group between two looks is missed: a weaker promise.
"""

import errno
import fcntl
import os
import select
import sys
import time

from toryo.workbench.runs.shim_parts import (
    LINUX,
    RECORD_BYTES,
    become_subreaper,
    boot_id,
    command_line,
    decode,
    encode,
    exists,
    half,
    is_full,
    make_whole,
    moment,
    open_half,
    preallocate,
    read,
    start_time,
    table_by_proc,
    table_by_ps,
    write_half,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    try:
        # signal, json and ctypes cost 9 of 18 ms of start-up (enum, re); their C halves cost one
        import _signal as signal
    except ImportError:
        import signal

VERSION = 1
TICK_S = 2.0
LOCK_WAIT_S = 10.0
REPORT_S = 0.01
PATH = "/usr/local/bin:/usr/bin:/bin"


class Tree:
    """The agent and everything that came from it."""

    def __init__(self, agent: int, agent_start: str, subreaper: bool, by_ps: bool) -> None:
        self.agent, self.agent_start, self.subreaper = agent, agent_start, subreaper
        self.table = table_by_ps if by_ps else table_by_proc
        self.status: int | None = None
        self.killed: dict[int, str] = {}
        self._seen: dict[int, str] = {}
        self._childless = False

    def reap(self) -> None:
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self.agent:
                    self.status = status
        except ChildProcessError:
            self._childless = True

    def is_empty(self) -> bool:
        return self._childless and (self.subreaper or not self.look())

    def look(self) -> list[int]:
        """The living descendants. Without a subreaper also those that were seen before or share the group."""
        rows = self.table()
        mine = {os.getpid()}
        if not self.subreaper:
            mine |= {pid for pid, start in self._seen.items() if pid in rows and rows[pid][2] == start}
            if self.agent not in rows or rows[self.agent][2] == self.agent_start:
                mine |= {pid for pid, row in rows.items() if row[1] == self.agent}
        grown = True
        while grown:
            more = {pid for pid, row in rows.items() if row[0] in mine} - mine
            mine |= more
            grown = bool(more)
        mine.discard(os.getpid())
        alive = [pid for pid in mine if pid in rows and not rows[pid][3]]
        self._seen = {pid: rows[pid][2] for pid in alive}
        return alive

    def send(self, number: int) -> None:
        # collected first: once a parent is dead, its children are harder to find; and the agent before its
        # children: it should end by our signal, not by their end
        for pid in sorted(self.look(), key=lambda pid: pid != self.agent):
            if number == signal.SIGKILL and pid != self.agent:
                self.killed.setdefault(pid, command_line(pid))
            try:
                os.kill(pid, number)
            except OSError:
                continue  # gone meanwhile, or not ours to signal: the record waits until it is gone


class Inbox:
    """Signals as bytes in a pipe: one place to wait, nothing lost between two looks."""

    def __init__(self) -> None:
        self.stop = self.terminal_lost = False
        self._out, into = os.pipe()
        os.set_blocking(self._out, False)
        os.set_blocking(into, False)
        signal.set_wakeup_fd(into)
        for name in ("SIGCHLD", "SIGTERM", "SIGUSR1", "SIGHUP", "SIGINT"):
            signal.signal(getattr(signal, name), lambda *_: None)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)

    def wait(self, seconds: float) -> None:
        if not self._poll.poll(max(0.0, seconds) * 1000):
            return
        told = os.read(self._out, 4096)
        self.stop |= signal.SIGTERM in told or signal.SIGUSR1 in told
        self.terminal_lost |= signal.SIGHUP in told


def signal_name(number: int) -> str:
    names = [n for n in dir(signal) if n.startswith("SIG") and n[3] != "_" and getattr(signal, n) == number]
    return min(names, key=len) if names else f"SIG{number}"


# ── the run ───────────────────────────────────────────────────────────────────────────────────────────


def take_lock(folder: int) -> int | None:
    """The run directory's flock, or None if another shim has this run. A prober may hold it for a moment."""
    fd = os.open("lock", os.O_CREAT | os.O_RDWR, 0o600, dir_fd=folder)
    end = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if exists("started.json", folder) or time.monotonic() > end:
                return None
            time.sleep(0.02)
        else:
            return None if exists("started.json", folder) or exists("exit.json", folder) else fd


class Forked:
    """The agent's process, waiting at the barrier: forked with its run, or ahead of any (spare.py)."""

    def __init__(self, tty: bool = False, subreaper: bool = True, lock: int | None = None) -> None:
        self.subreaper = subreaper and become_subreaper()
        self.inbox = Inbox()
        barrier, self.opener = os.pipe()
        self.complaint, complain = os.pipe()
        os.set_blocking(self.complaint, False)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.opener)
            if lock is not None:
                os.close(lock)
            become_agent(tty, barrier, complain)
        os.close(barrier)
        os.close(complain)
        self.start = start_time(self.pid)


def send(to: int, data: bytes) -> bool:
    try:
        os.write(to, data)
    except OSError:
        return False  # nobody: an agent that could not get ready has said why, others look at the files
    return True


def become_agent(tty: bool, barrier: int, complaint: int) -> None:
    """In the child: hear what to run, get ready, wait at the barrier, exec. A closed barrier means: never."""
    code, doing = 126, "begin"
    try:
        take_terminal() if tty else os.setsid()
        signal.set_wakeup_fd(-1)
        for name in ("SIGPIPE", "SIGXFSZ", "SIGCHLD", "SIGTERM", "SIGUSR1", "SIGHUP", "SIGINT"):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        spec = decode(read_exactly(barrier, int(read_exactly(barrier, 8))).decode())
        doing, log = "open the log", 0  # with a terminal: that is everything
        if not tty:
            log = os.open(spec["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            doing = "open the standard input"
            os.dup2(os.open(spec.get("stdin") or os.devnull, os.O_RDONLY), 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        doing = f"enter {spec['cwd']}"
        os.chdir(spec["cwd"])
        doing = f"start {spec['argv'][0]}"
        code = 127
        read_exactly(barrier, 1)
        execute(spec["argv"], spec["env"])
    except Exception as error:  # noqa: BLE001 — the child must not return into the shim's own code
        missing = isinstance(error, FileNotFoundError)
        os.write(complaint, f"cannot {doing}: {getattr(error, 'strerror', None) or error}".encode()[:1000])
        os._exit(code if missing else 126)
    finally:
        os._exit(126)


def read_exactly(barrier: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = os.read(barrier, size - len(data))
        if not part:
            os._exit(0)
        data += part
    return data


def take_terminal() -> None:
    """The agent in front of the shim's terminal, but in its session: the leader is told when it is lost."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # asking from the background would stop us
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)


def execute(argv: list[str], env: dict[str, str]) -> None:
    """As execvpe, which would import more than the whole shim."""
    program = argv[0]
    if "/" in program:
        os.execve(program, argv, env)
    problem: OSError = FileNotFoundError(errno.ENOENT, "No such program on PATH")
    for folder in env.get("PATH", PATH).split(":"):
        try:
            os.execve(os.path.join(folder or ".", program), argv, env)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as error:
            problem = error
    raise problem


class Run:
    def __init__(self, folder: int, listener: int | None = None) -> None:
        self.folder, self.listener = folder, listener
        self.raw = read("launch.json", folder)
        self.spec = decode(self.raw.decode())
        self.grace_s = float(self.spec.get("grace_s", 5))
        self.boot = self.spec.get("boot") or boot_id()
        self.timed_out = self.stopped = False

    def crash(self, name: str) -> None:
        """As toryo.steps, by what was armed when this run was launched."""
        where, _, how = (self.spec.get("crash") or "").partition(" ")
        if where == "shim." + name:
            os.kill(os.getpid(), signal.SIGSTOP if how == "stop" else signal.SIGKILL)

    def get_ready(self, forked: Forked | None = None, lock: int | None = None) -> None:
        """The agent's process, at its barrier, with everything that it needs to begin."""
        tty, subreaper = bool(self.spec.get("tty")), bool(self.spec.get("subreaper", True))
        self.forked = forked = forked or Forked(tty, subreaper, lock)
        send(forked.opener, b"%08d" % len(self.raw) + self.raw)
        self.crash("forked")
        self.inbox, self.complaint = forked.inbox, forked.complaint
        by_ps = bool(self.spec.get("by_ps", not LINUX))
        self.tree = Tree(forked.pid, forked.start, forked.subreaper, by_ps)
        if tty:  # a lost terminal tells its session's leader only
            signal.signal(signal.SIGHUP, lambda *_: self.tree.send(signal.SIGHUP))
        self.exit_record = preallocate("exit.json", self.folder)
        self.began_at, self.began = moment(), time.monotonic()
        record = {"version": VERSION, "shim_pid": os.getpid(), "shim_start": start_time(os.getpid())}
        record |= {"pid": forked.pid, "pid_start": forked.start, "boot": self.boot}
        record |= {"started_at": self.began_at, "generation": self.spec.get("generation", 0)}
        record |= {"began": self.began}  # by the clock that nobody sets, for whoever must keep our time limit
        fd = open_half("started.json", self.folder)
        write_half(fd, (encode(record) + "\n").encode())
        os.close(fd)

    def give_up(self) -> None:
        """It is not to begin: leave nothing."""
        for name in ("started.json", "exit.json"):
            try:
                os.unlink(half(name), dir_fd=self.folder)
            except FileNotFoundError:
                continue  # with the whole directory

    def begin(self) -> None:
        """Record, and only then open the barrier: a shim that dies before that never execs."""
        self.crash("locked")
        forked = self.forked
        self.began = time.monotonic()
        make_whole("started.json", self.folder)
        os.fsync(self.folder)  # after a power cut the name must still be there, or the run would start twice
        self.crash("recorded")
        # asked to stop before anybody could be signalled
        self.stopped = self.never_began = self.stop_is_asked()
        if not self.never_began:
            send(forked.opener, b"g")
        os.close(forked.opener)
        self.crash("released")

    def stop_is_asked(self) -> bool:
        if not exists("stop", self.folder):
            return self.inbox.stop
        text = read("stop", self.folder)
        if text.strip().replace(b".", b"", 1).isdigit():  # made by hand it may be empty
            self.grace_s = float(text)
        return True

    def supervise(self) -> None:
        """Until the tree is empty: after the agent's own end by KILL, asked or too late by TERM first."""
        tree, limit = self.tree, self.spec.get("limit_s")
        deadline = self.began + limit if limit else None
        kill_at = time.monotonic() + self.grace_s if self.stopped else None
        pause = 0.01
        while True:
            tree.reap()
            if tree.status is not None and tree.is_empty():
                return
            now = time.monotonic()
            wait_s = TICK_S
            if (kill_at is None and tree.status is not None) or (kill_at is not None and now >= kill_at):
                tree.send(signal.SIGKILL)
                wait_s = pause = min(pause * 2, 1.0)
            elif kill_at is None:
                self.stopped = self.stop_is_asked()
                self.timed_out = not self.stopped and deadline is not None and now >= deadline
                if self.stopped or self.timed_out:
                    kill_at = now + self.grace_s
                    tree.send(signal.SIGTERM)
                elif not tree.subreaper:
                    tree.look()
            for end in (deadline, kill_at):
                if end is not None and end > now:
                    wait_s = min(wait_s, end - now)
            if not tree.subreaper and tree.status is not None:
                wait_s = min(wait_s, 0.05)
            self.inbox.wait(wait_s)

    def finish(self) -> None:
        self.crash("agent_gone")
        self.inbox.wait(0)  # a terminal that took the agent along told us, too
        status = self.tree.status or 0
        code: int | None = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        try:
            could_not = os.read(self.complaint, 4096).decode("utf-8", "replace")
        except BlockingIOError:
            could_not = ""
        if self.never_began:
            could_not, code = "asked to stop before it began", None
        killed = [text for text in self.tree.killed.values() if text][:32]
        failed = code != 0 or self.timed_out
        record = {
            "version": VERSION,
            "exit_code": 124 if self.timed_out else code,
            "signal": signal_name(os.WTERMSIG(status)) if os.WIFSIGNALED(status) else "",
            "timed_out": self.timed_out,
            "stopped": self.stopped,
            "terminal_lost": self.inbox.terminal_lost,
            "could_not_start": could_not,
            "started_at": self.began_at,
            "ended_at": moment(),
            "duration_s": round(time.monotonic() - self.began, 4),
            "children_killed": killed,
            # looked at now: a moment later there may be room again, and nobody would know why it failed
            "disk_full": failed and (is_full(self.folder) or is_full(self.spec["cwd"])),
            "boot": self.boot,
            "generation": self.spec.get("generation", 0),
        }
        text = encode(record)
        while len(text) > RECORD_BYTES - 1 and killed:
            killed.pop()
            text = encode(record)
        data = (text + "\n").encode()
        # whoever started us need not wait until the disk and our own end are through, and both would only
        # stand in the way of its report
        if self.listener is not None and send(self.listener, data):
            time.sleep(REPORT_S)
        write_half(self.exit_record, data)
        make_whole("exit.json", self.folder)


def main(where: str) -> int:
    folder = os.open(where, os.O_RDONLY | os.O_DIRECTORY)
    lock = take_lock(folder)
    if lock is None:
        return 0
    run = Run(folder)
    run.get_ready(lock=lock)
    run.begin()
    run.supervise()
    run.finish()
    return 0


if __name__ == "__main__":
    # no interpreter shutdown: whoever watches this pid is told at once
    os._exit(main(sys.argv[1]))
