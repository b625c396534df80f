"""Messages by which a service asks us to wait, and the moment they name; others decide what to do."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from toryo.domain.times import iso
from toryo.protocol.kinds.run import Limited

USAGE = re.compile(
    r"usage limit|hit your .{0,40}limit|limit reached|rate.?limit|too many requests|quota|resource.?exhausted"
    r"|exhausted your|\b429\b|out of credits|credit balance is too low|billing_hard_limit",
    re.IGNORECASE,
)
OUTAGE = re.compile(
    r"overloaded|internal server error|bad gateway|service unavailable|gateway time-?out|\b5(?:0[0234]|29)\b"
    r"|econnrefused|econnreset|enotfound|etimedout|eai_again|connection (?:refused|reset|error|failed|closed)"
    r"|unable to connect|could not connect|cannot connect|fetch failed|socket hang up|network error"
    r"|error sending request|stream disconnected|waiting for network|experiencing high demand",
    re.IGNORECASE,
)
LOGIN = re.compile(
    r"\b401\b|\b403\b|unauthori[sz]ed|invalid (?:x-)?api.?key|api key not valid|not logged in"
    r"|please run /login|authentication_error|oauth token|must specify the .*API_KEY|no auth type"
    r"|set an auth method",
    re.IGNORECASE,
)


def limited(
    message: str, *, status: int | None = None, resets: float | None = None, now: datetime | None = None
) -> Limited | None:
    """`status` (HTTP) decides where it is known; else the words do. None: nothing that waiting would mend."""
    if status is not None and status != 429 and status < 500:
        return None
    if status == 429 or (status is None and USAGE.search(message)):
        moment = iso(resets) or reset_time(message, now or datetime.now(UTC))
        return Limited(why="usage_limit", message=message.strip()[:400], resets_at=moment)
    if status is not None or OUTAGE.search(message):
        return Limited(why="outage", message=message.strip()[:400])
    return None


def error_code(message: str, status: int | None = None) -> str:
    """Of an error that the service gave."""
    if status in (401, 403) or (status is None and LOGIN.search(message)):
        return "login"
    return "api_error"


_UNIT_S = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_PIECE = re.compile(
    r"(\d+(?:\.\d+)?)\s*(days?|d|hours?|hrs?|h|minutes?|mins?|ms|m|seconds?|secs?|s)(?![a-z])", re.I
)
_SPAN = re.compile(
    r"(?:try again|retry|resets?|available)(?: again)? (?:in|after):?\s+"
    r"((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*(?:and\s+)?)+)",
    re.I,
)
_EPOCH = re.compile(r"(?:\||resets?_?at\W{1,4})(1\d{9})\b", re.I)
_ISO = re.compile(r"\b(20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?)\s?(Z|[+-]\d\d:?\d\d)?")
_CLOCK = re.compile(
    r"(?:resets?|try again)(?: at| on)?\s+"
    r"(?:(?P<month>[A-Z][a-z]{2})[a-z]* (?P<day>\d{1,2})(?:st|nd|rd|th)?,?(?: (?P<year>20\d\d),?)?(?: at)? )?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s?(?P<half>[ap])\.?m\b\.?(?: \((?P<zone>[A-Za-z_/+\-0-9]+)\))?",
    re.I,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def reset_time(text: str, now: datetime) -> str:
    """The moment a message names, as ISO-8601 UTC; empty: it names none. `now` says which day is meant."""
    moment = _epoch(text) or _span(text, now) or _clock(text, now) or _written(text)
    return (iso(moment.timestamp()) or "") if moment is not None else ""


def _epoch(text: str) -> datetime | None:
    found = _EPOCH.search(text)
    return datetime.fromtimestamp(int(found[1]), UTC) if found else None


def _span(text: str, now: datetime) -> datetime | None:
    found = _SPAN.search(text)
    pieces = _PIECE.findall(found[1]) if found else []
    if not pieces:
        return None
    seconds = sum(
        float(count) / 1000 if unit.lower() == "ms" else float(count) * _UNIT_S[unit[0].lower()]
        for count, unit in pieces
    )
    return now + timedelta(seconds=seconds)


def _clock(text: str, now: datetime) -> datetime | None:
    """A time of day, in the zone it names or ours; the next one, unless a day is named.

    Seconds are not said: a minute that is not over yet is meant, not the same one of tomorrow."""
    found = _CLOCK.search(text)
    if found is None:
        return None
    here = now.astimezone(_zone(found["zone"]))
    hour = int(found["hour"]) % 12 + (12 if found["half"].lower() == "p" else 0)
    try:
        moment = here.replace(hour=hour, minute=int(found["minute"] or 0), second=0, microsecond=0)
        if found["month"]:
            month = _MONTHS.index(found["month"].lower()) + 1
            moment = moment.replace(year=int(found["year"] or here.year), month=month, day=int(found["day"]))
            if not found["year"] and moment < here - timedelta(days=30):
                moment = moment.replace(year=here.year + 1)
            return moment
    except ValueError:  # no such hour, day or month
        return None
    if moment > here:
        return moment
    is_now = here - moment < timedelta(minutes=1)
    return moment + (timedelta(minutes=1) if is_now else timedelta(days=1))


def _zone(name: str | None) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        return None


def _written(text: str) -> datetime | None:
    found = _ISO.search(text)
    if found is None:
        return None
    zone = (found[2] or "Z").replace("Z", "+00:00")
    return datetime.fromisoformat(found[1].replace(" ", "T") + zone)
