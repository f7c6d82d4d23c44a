"""The sentence that is stored with a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from probe.model import Facts, Reaction, StormBound, Symptom, Target, Trigger
from probe.model.counts import counted
from probe.protocol.names import error_name
from probe.verdict.findings import Findings

FAULTS: dict[Symptom, str] = {
    Symptom.ANSWER: "error answer",
    Symptom.CONNECTION: "cut connection",
    Symptom.SILENCE: "unanswered request",
    Symptom.CHANGE: "sign of the change",
    Symptom.ABSENCE: "absence",
    Symptom.MEMBERSHIP: "change of its group",
    Symptom.NONE: "fault",
}
MISSED_TEXTS: dict[Reaction, str] = {
    Reaction.DISCOVER: "not recovered",
    Reaction.RETRY: "not recovered",
    Reaction.SURFACE: "no error was reported to the application",
    Reaction.NOTHING: "it does not serve",
}
TRIGGER_TEXTS: dict[Trigger, str] = {
    Trigger.STARTUP: "while it started",
    Trigger.BOOTSTRAP: "at a bootstrap address, after it had lost every known broker",
    Trigger.CONNECT: "as it does on every new connection",
    Trigger.PERIODIC: "at its periodic refresh",
    Trigger.DISCONNECT: "because a connection was lost",
    Trigger.ERROR: "because of an error answer",
    Trigger.UNKNOWN: "for an unknown reason",
}
NOTEWORTHY_MS = 500
"""The sentence contains the brokers' own time from this value on."""
STORMS: dict[StormBound, str] = {
    StormBound.IDLE: "continues to ask although nothing happens",
    StormBound.ASKED: "asks too often",
    StormBound.CONNECTED: "connects too often",
    StormBound.FUTILE: "more futile requests than operations",
}


def storm_text(letters: str) -> str:
    """Return what a storm exceeds, as words."""
    return ", ".join(text for bound, text in STORMS.items() if bound in letters)


def reason_text(found: Findings) -> Mapping[str, str]:
    """Return the values for the templates of the table."""
    facts = found.facts
    return {
        "broken": found.broken,
        "impossible": found.impossible,
        "fatal": found.fatal,
        "unserved": found.unserved,
        "promises": ", ".join(found.promises),
        "fault": _fault(found),
        "met": _met(found),
        "missed": _missed(found),
        "watched": _time(facts.watched_ms),
        "served": _closed(found) if found.closing else f"served for {_time(facts.watched_ms)}",
        "unexpected": _unexpected(found),
        "asked": _asked(facts),
        "taken": _taken(found),
        "errors": _errors(facts),
        "details": "".join(f"; {detail}" for detail in _details(found)),
        "storm": storm_text(facts.storm),
        "recovery": _recovery(found),
        "reroute": _time(facts.reroute_ms),
        "soft": counted(facts.soft_hits, "answer"),
        "rescuer": found.rescuer,
    }


def reader_text(found: Findings) -> str:
    """Return the end of any sentence about a reader whose follower failed, once it is served again."""
    return f"; {found.reads_at} serves it" if found.reads_at else ""


def bystander_text(found: Findings) -> str:
    """Return the end of any sentence where the bystander was affected: then the client does not conform."""
    facts = found.facts
    if facts.bystander_errors:
        return f"; {counted(facts.bystander_errors, 'error')} about the bystander"
    own_ms, whole_ms = facts.bystander_own_gap_ms or 0, facts.bystander_gap_ms or 0
    if own_ms > found.play.prompt_ms > 0:
        kept = ", without what brokers kept it waiting" if whole_ms - own_ms >= NOTEWORTHY_MS else ""
        return f"; nothing for the bystander in {_time(own_ms)}{kept}"
    return ""


def _recovery(found: Findings) -> str:
    """Return how long the recovery took and, where that is longer than prompt, how much of it brokers took."""
    took = f"{_time(found.facts.recovery_ms)}{_counted_from(found)}"
    kept_ms = found.facts.kept_ms or 0
    if (found.facts.recovery_ms or 0) <= found.play.prompt_ms or kept_ms < NOTEWORTHY_MS:
        return took
    return f"{took} (brokers kept it waiting for {_time(kept_ms)} of them)"


def _counted_from(found: Findings) -> str:
    """Return from when a recovery is counted, where it took less time than the first hit lies before the question."""
    asked_ms, took_ms = found.facts.refresh_ms, found.facts.recovery_ms
    is_later = asked_ms is not None and took_ms is not None and asked_ms > took_ms
    return " (since brokers could serve it again)" if is_later else ""


def _closed(found: Findings) -> str:
    return f"closed in {_time(found.facts.close_ms)} after {_met(found)}"


def _unexpected(found: Findings) -> str:
    if found.closing:
        return f"; {_closed(found)}"
    absent = found.play.kind in {Symptom.ABSENCE, Symptom.MEMBERSHIP}
    return f" after {_met(found)}, and it went on" if absent else " although nothing was expected of the client"


def _taken(found: Findings) -> str:
    if found.taken is None:
        return ""
    taken, due = found.taken, _time(found.taken.due_ms)
    return f"nobody read partition {taken.partition} for {_time(taken.longest_ms)}, which was due within {due}"


def _missed(found: Findings) -> str:
    if found.closing:
        return "close() did not return"
    if found.play.expects is Reaction.SURFACE and found.facts.errors_surfaced:
        return "the bystander did not serve after the error"
    if found.taken and found.taken.unread:
        return f"no member of the group reads partition {' and '.join(map(str, found.taken.unread))}"
    return MISSED_TEXTS[found.play.expects]


def _details(found: Findings) -> Iterator[str]:
    """Yield further details. Discoveries are mentioned only where the target moved."""
    facts = found.facts
    if found.owed:
        yield f"served again, but {found.owed}"
    if found.play.expects is Reaction.RETRY and not found.by_cause:
        yield "after REBOOTSTRAP_REQUIRED it asked again on the same connection"
    if found.play.expects is Reaction.DISCOVER:
        yield _asked(facts)
    if facts.futile_requests_per_s:
        yield f"{facts.futile_requests_per_s:.1f} futile requests/s"
    if facts.errors_surfaced:
        yield _errors(facts)


def _fault(found: Findings) -> str:
    codes = found.play.codes
    fault = " or ".join(map(_code, codes)) if codes else found.play.fails or FAULTS[found.play.kind]
    return f"{fault} of a follower that served it" if found.play.target is Target.FOLLOWER else fault


def _met(found: Findings) -> str:
    facts = found.facts
    if found.play.kind in {Symptom.ABSENCE, Symptom.MEMBERSHIP}:
        return "the change of its group" if found.taken else "its absence"
    if not facts.fault_hits:
        return "its start" if found.unserved else "the start of the observation"
    if facts.fault_codes:
        return f"{', '.join(map(_code, facts.fault_codes))} ({counted(facts.fault_hits, 'hit')})"
    if found.play.fails:  # hits are cuts, too
        return f"{found.play.fails}s ({counted(facts.fault_hits, 'hit')})"
    return counted(facts.fault_hits, FAULTS[found.play.kind])


def _code(code: int) -> str:
    return f"{error_name(code)} {code}"


def _asked(facts: Facts) -> str:
    if facts.refresh_trigger is None or facts.refresh_trigger is Trigger.NONE:
        return "it never asked who serves now"
    return f"it asked after {_time(facts.refresh_ms)}, {TRIGGER_TEXTS[facts.refresh_trigger]}"


def _errors(facts: Facts) -> str:
    first = f", first {facts.first_error}" if facts.first_error else ""
    return f"{counted(facts.errors_surfaced, 'error')} reached the application{first}"


def _time(ms: float | None) -> str:
    if ms is None:
        return "0 ms"
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"
