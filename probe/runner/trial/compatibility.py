"""Incompatibility of a client with real brokers of a release line. Pure.

It cannot be known beforehand: the client is tried with real brokers and with what its library reports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from probe.model import App, Closed, Event, Request, Response
from probe.protocol.names import api_name
from probe.verdict.apis import METADATA

MIN_CLOSED = 3
MAX_TEXT = 200


def incompatibility_reason(line: str, events: Sequence[Event], main: Collection[int], *, served: bool) -> str:
    """Return the reason, or an empty text if there is none.

    `served` is True if some operation succeeded: then only a request that brokers never answer is a reason. `main` are
    the API keys by which the client's role works at leaders.
    """
    reason = _refused_request(events)
    if not reason and not served:
        reason = _reported_error(events) or _closed(events) or _not_answered(events) or _never_sent(events, main)
    return f"it cannot work with Kafka {line}: {reason}"[:MAX_TEXT] if reason else ""


def _refused_request(events: Sequence[Event]) -> str:
    """Return a request at which brokers always closed the connection, as they do for unknown request versions."""
    closed = {event.conn for event in events if isinstance(event, Closed) and event.by == "broker"}
    answered = {(event.api, event.version) for event in events if isinstance(event, Response)}
    asked: dict[tuple[int, int], list[int]] = defaultdict(list)
    for event in events:
        if isinstance(event, Request) and (event.api, event.version) not in answered:
            asked[event.api, event.version].append(event.conn)
    for (api, version), conns in asked.items():
        if (times := sum(conn in closed for conn in conns)) >= MIN_CLOSED:
            name = f"{api_name(api)} v{version}"
            return f"brokers closed the connection at each {name} ({times} times), and answered none"
    return ""


def _reported_error(events: Sequence[Event]) -> str:
    error = next((event.error for event in events if isinstance(event, App) and event.error is not None), None)
    return f"{error.label()} {error.text}".strip() if error else ""


def _closed(events: Sequence[Event]) -> str:
    closed = sum(isinstance(event, Closed) and event.by == "broker" for event in events)
    if closed < MIN_CLOSED:
        return ""
    return f"brokers closed {closed} of its connections, as they do for unknown requests"


def _not_answered(events: Sequence[Event]) -> str:
    asked = sum(isinstance(event, Request) for event in events)
    answered = any(isinstance(event, Response) for event in events)
    return f"none of its {asked} requests was answered" if asked and not answered else ""


def _never_sent(events: Sequence[Event], main: Collection[int]) -> str:
    """Return a request that the client never sent although it knows the leader: no version of it is common to both.

    Java 4.4.0 reports no error to its application: its consumer builds Fetch v4 for 0.10.2 and discards it, repeatedly.
    """
    informed = any(isinstance(event, Response) and event.api == METADATA and event.rows for event in events)
    if not informed or any(isinstance(event, Request) and event.api in main for event in events):
        return ""
    return f"it knows the leader, but never sent {' or '.join(api_name(key) for key in sorted(main))}"
