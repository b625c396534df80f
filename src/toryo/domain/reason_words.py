"""Reason words: why a task stands as it does, as a person reads it; programs read the code. Pure."""

from __future__ import annotations

from toryo.domain.reasons import Reason, meaning, parse

_BRIEF = {
    Reason.WAITING_FOR_CHECKOUT: "waiting for your checkout",
    Reason.WAITING_FOR_INPUT: "its agent asks",
    Reason.HELD: "it is held",
    Reason.PROBLEM: "git could not merge it",
}
"""Where the detail goes on, and the table's sentence would say it twice."""
_SAY_ALL = (Reason.ASKED, Reason.EXIT, Reason.SIGNAL, Reason.LOST, Reason.DISK_FULL, Reason.RELEASED)
"""Their details are sentences of their own."""
SAY_NO_MORE = (Reason.STOPPED, Reason.TIMED_OUT, Reason.CLAIMED_FAILED, Reason.CLAIMED_BLOCKED)
"""Their details say what the table's sentence says."""


def told(text: str, detail: str = "") -> str:
    code, argument = parse(text)
    if detail and code in _SAY_ALL:
        return detail
    if code is Reason.EXIT and argument:
        return f"the agent exited {argument}"
    sentence = _BRIEF.get(code) or meaning(text).sentence
    if not detail or detail == sentence or code in SAY_NO_MORE:
        return sentence
    return detail if detail.startswith(sentence) else f"{sentence}: {detail}"
