"""The time for which calls of the application blocked (docs/verdicts.md#call-limit). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from probe.model import App, AppKind, Symptom
from probe.model.roles import ROLES
from probe.verdict.service import Errors
from probe.verdict.wire_evidence import WireEvidence

LIMIT = "call_limit_ms"
"""Name of the setting by which a library promises that no call blocks for longer (proto/driver.proto)."""
SLACK, LEAST_SLACK_US = 1.2, 2_000_000
"""A call may take this multiple of its limit, and at least this time more: two calls may lie between two reports."""
EARLY = 0.9
"""A call that ends with an error after this share of its limit ended at its limit."""
BEGINS = frozenset({AppKind.TXN_BEGUN, AppKind.SENT})
ENDS = frozenset({AppKind.TXN_COMMITTED, AppKind.TXN_ABORTED, AppKind.TXN_ERROR})


@dataclass(frozen=True, slots=True)
class Call:
    """A call by which the application ends a transaction."""

    since: int
    """When the call before it had returned: the last record was handed over, or the last error was thrown."""
    until: int
    """When it returned or threw; the end of the window, if it did neither."""
    error: App | None = None
    """The exception."""

    @property
    def took_us(self) -> int:
        """Return how long it blocked."""
        return self.until - self.since


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of a trial's window."""

    blocked_ms: float | None = None
    """Longest time that one of them blocked. None where no call is seen."""
    broken: tuple[str, ...] = ()
    """The promise that was given and not kept, with its numbers."""


def find_calls(evidence: WireEvidence) -> Calls:
    """Return the longest call, judged where the library promises a limit.

    An application that keeps a transaction open by itself shows no call.
    """
    if not ROLES[evidence.role].transactional or evidence.play.kind is Symptom.ABSENCE:
        return Calls()
    longest_us = max((call.took_us for call in _calls(evidence)), default=None)
    if longest_us is None:
        return Calls()
    limit_us = evidence.setting_us(LIMIT)
    allowed_us = None if not limit_us else max(int(limit_us * SLACK), limit_us + LEAST_SLACK_US) + evidence.clock_us
    broken = limit_us and allowed_us is not None and longest_us > allowed_us
    text = f"a call blocked for {longest_us / 1_000_000:.1f} s, its limit is {(limit_us or 0) / 1_000_000:g} s"
    return Calls(longest_us / 1000, (text,) if broken else ())


def ended_at_limit(evidence: WireEvidence, errors: Errors) -> bool:
    """Return whether errors reached the application, and all of them are calls that ended at their promised limit."""
    limit_us = evidence.setting_us(LIMIT)
    if not limit_us or not errors.affected:
        return False
    at_limit = {id(call.error) for call in _calls(evidence) if call.took_us >= EARLY * limit_us}
    return all(id(error) in at_limit for error in errors.affected)


def _calls(evidence: WireEvidence) -> Iterator[Call]:
    begin, until = evidence.timeline.begin, evidence.timeline.until
    for call in _every(evidence.events.apps, until):
        if begin <= call.until <= until:
            yield call


def _every(apps: Sequence[App], until: int) -> Iterator[Call]:
    since: int | None = None
    for item in apps:
        if item.at > until:
            break
        if item.kind in BEGINS:
            since = item.at
        elif item.kind in ENDS and since is not None:
            yield Call(since, item.at, item if item.kind is AppKind.TXN_ERROR else None)
            since = item.at if item.kind is AppKind.TXN_ERROR else None
    if since is not None:
        yield Call(since, until)
