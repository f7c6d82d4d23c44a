"""Equal errors of a reader at a high rate become a count; no other event is left out."""

from __future__ import annotations

from probe.drivers.error_folding import FIRST, SPACING_US, SPAN_US, ErrorFolding
from probe.model import App, AppKind, ClientError


def failed(at: int, code: int = 35, text: str = "", kind: AppKind = AppKind.RECEIVE_ERROR) -> App:
    """Return an error of a client."""
    return App(at=at, kind=kind, instance="one", error=ClientError(code, "", "_UNSUPPORTED_FEATURE", text))


def kept(events: list[App]) -> list[App]:
    """Return what remains of events."""
    folding = ErrorFolding()
    return [found for event in events if (found := folding.take(event))]


def test_a_storm_of_equal_errors_becomes_a_count_and_its_last_time_stays_known() -> None:
    events = [failed(number * 33, text=f"attempt {number}") for number in range(90_000)]
    found = kept(events)
    assert len(found) + sum(event.left_out for event in found) <= len(events)
    assert len(events) - len(found) - sum(event.left_out for event in found) < SPACING_US / 33
    assert len(found) < 3 * (FIRST + SPAN_US / SPACING_US) + FIRST
    assert events[-1].at - found[-1].at < SPACING_US


def test_a_moderate_rate_stays_as_it_is() -> None:
    events = [failed(number * 9_000) for number in range(1000)]
    assert kept(events[:100]) == events[:100]
    assert kept([failed(number * SPACING_US) for number in range(1000)]) == [
        failed(number * SPACING_US) for number in range(1000)
    ]


def test_different_errors_and_operations_are_not_folded_together() -> None:
    storm = [failed(number) for number in range(FIRST + 5)]
    other = failed(200, code=3)
    ended = [failed(300 + number, kind=AppKind.SEND_ERROR) for number in range(FIRST + 5)]
    assert kept([*storm, other, *ended]) == [*storm[:FIRST], other, *ended]
