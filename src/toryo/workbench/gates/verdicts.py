"""From how a command ended to what that says about the tree. Pure but for the types it reads."""

from __future__ import annotations

from toryo.domain.words import CheckResult
from toryo.protocol.kinds.gate import Checked
from toryo.workbench.gates.commands import Ended
from toryo.workbench.runs.records import ExitRecord

TIME_LIMIT_EXIT = 124
_NOT_EXECUTABLE, _NOT_FOUND, _KILLED = 126, 127, 128 + 9
_FULL = ("No space left on device", "Disk quota exceeded")
_TAIL_BYTES = 4096
_LAST_WORDS = 16 * 1024


def of_check(ended: Ended, output: str) -> tuple[Checked, str]:
    record = ended.record
    if record is None:
        return _without_record(ended, ""), output
    if record.children_killed:
        left = "".join(f"  {line}\n" for line in record.children_killed)
        output += f"\n[toryo: ended what outlived the check:\n{left}]\n"
    result, reason = _judge(ended, record, output)
    return _checked(record, result, reason, record.stopped and not ended.flooded), output


def of_setup(command: str, ended: Ended, output: str) -> tuple[Checked, str]:
    """A set-up that fails says nothing about the tree, whatever its exit code."""
    record = ended.record
    if record is None:
        return _without_record(ended, "setup: "), output
    if record.timed_out:
        why = "time limit"
    else:
        why = record.could_not_start or (
            f"ended by {record.signal}" if record.signal else f"exit {record.exit_code}"
        )
    stopped = record.stopped and not ended.flooded
    reason = (
        "interrupted" if stopped else f"setup: `{command[:200]}`: {'output limit' if ended.flooded else why}"
    )
    return _checked(record, CheckResult.COULD_NOT_RUN, reason, stopped), output


def could_not_run(reason: str) -> Checked:
    return Checked(result=CheckResult.COULD_NOT_RUN, reason=reason[:2000])


def interrupted(reason: str) -> Checked:
    return Checked(result=CheckResult.COULD_NOT_RUN, reason=reason, interrupted=True)


def tail(text: str) -> str:
    return text.encode()[-_TAIL_BYTES:].decode("utf-8", "ignore")


def _judge(ended: Ended, record: ExitRecord, output: str) -> tuple[CheckResult, str]:
    failed, could_not = CheckResult.FAILED, CheckResult.COULD_NOT_RUN
    code = record.exit_code
    if ended.flooded:
        return failed, "output limit"
    if record.stopped:
        return could_not, "interrupted"
    if record.timed_out:
        return failed, "time limit"
    if record.could_not_start:
        return could_not, record.could_not_start
    if code == 0:
        return CheckResult.PASSED, ""
    if code in (_NOT_EXECUTABLE, _NOT_FOUND):
        return (
            could_not,
            "a command was not found" if code == _NOT_FOUND else "a command could not be executed",
        )
    if record.signal == "SIGKILL" or code == _KILLED:
        return could_not, "killed from outside, for memory or by hand"
    if any(words in output[-_LAST_WORDS:] for words in _FULL):
        return could_not, "disk full"
    return failed, f"ended by {record.signal}" if record.signal else f"exit {code}"


def _checked(record: ExitRecord, result: CheckResult, reason: str, stopped: bool) -> Checked:
    return Checked(
        result=result,
        exit_code=TIME_LIMIT_EXIT if record.timed_out else record.exit_code,
        signal=record.signal,
        duration_s=record.duration_s,
        started_at=record.started_at,
        ended_at=record.ended_at,
        reason=reason,
        interrupted=stopped,
    )


def _without_record(ended: Ended, where: str) -> Checked:
    """The shim was killed, or could not even begin; only what it complained of is worth a person's look."""
    if ended.state.started is None and ended.state.reason:
        return could_not_run(f"{where}shim: {ended.state.reason}")
    return interrupted(f"{where}lost: {ended.state.reason or 'the shim was killed before it began'}")
