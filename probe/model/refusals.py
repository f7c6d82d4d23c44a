"""The sentence with which a control cell says that a client cannot work with brokers of its line. Pure.

A warm-up that does not end writes it (`probe.runner.trial.compatibility`). It becomes the reason of the verdict, and
stored results keep reasons, so look-ups and pages read it from there.
"""

from __future__ import annotations

import re

from probe.model.cell import CONTROL, Cell, Outcome
from probe.model.grades import Grade
from probe.model.outcomes import STOPS
from probe.model.profile import CONSUMER_PROTOCOL, Profile
from probe.model.release_lines import Since, has

START = "it cannot work with Kafka "
"""Beginning of the sentence; the release line, `: ` and the cause follow."""
_CLOSED = re.compile(r"brokers closed the connection at each (?P<request>\S+ v\d+) ")
_UNSENT = re.compile(r"it knows the leader, but never sent (?P<request>.+)")


def refusal(line: str, why: str) -> str:
    """Return the sentence: the release line, and what keeps client and brokers apart."""
    return f"{START}{line}: {why}"


def closed_at(request: str, times: int) -> str:
    """Return that brokers refuse a request, named with its version, by closing the connection."""
    return f"brokers closed the connection at each {request} ({times} times), and answered none"


def never_sent(requests: str) -> str:
    """Return that a client is silent: it has no version of its main request that brokers accept."""
    return f"it knows the leader, but never sent {requests}"


def refused_by(cell: Cell, reason: str) -> str:
    """Return from the reason of a verdict what keeps client and brokers apart; empty for any other cell or reason."""
    if cell.scenario != CONTROL or not reason.startswith(START):
        return ""
    return reason.removeprefix(START).partition(": ")[2]


def unsent(why: str) -> str:
    """Return the main request that a client never sends; empty where brokers refuse one.

    Nobody is to blame by that: they may have no version in common, or the client may never come to send it.
    """
    found = _UNSENT.match(why)
    return found["request"] if found else ""


def asks_absent_protocol(cell: Cell) -> bool:
    """Return whether a control cell is set to the new group protocol (KIP-848), which brokers of its line lack."""
    is_set = Profile.parse(cell.profile).name == CONSUMER_PROTOCOL
    return cell.scenario == CONTROL and is_set and not has(cell.broker, Since.NEW_GROUPS)


def in_short(why: str) -> str:
    """Return what keeps client and brokers apart in two or three words, without counts, where it is a request.

    >>> in_short(closed_at("Produce v2", 12)), in_short(never_sent("Fetch"))
    ('Produce v2 is refused', 'Fetch is never sent')
    """
    if closed := _CLOSED.match(why):
        return f"{closed['request']} is refused"
    if request := unsent(why):
        return f"{request} is never sent"
    return why


def regraded(grade: Grade, refused: str) -> Grade:
    """Return the grade of a cell by what `refused_by` says: a refused client does no work, as one that is stuck."""
    return Grade(Outcome.STUCK, STOPS) if refused else grade
