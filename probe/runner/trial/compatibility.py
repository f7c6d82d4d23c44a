"""The reason for which a client does not work with a release line, read from a warm-up that did not end. Pure.

It cannot be known beforehand: the client is tried, and this is read from what its library reports and from the wire.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from probe.model import App, AppKind, Closed, Engine, Event, Folded, Request, Response
from probe.model.engines import DEFAULT_ENGINE, ENGINES
from probe.model.refusals import closed_at, never_sent, refusal
from probe.model.release_lines import Since, has
from probe.protocol.apis import FETCH, HANDSHAKE_APIS, PRODUCE, SASL_APIS
from probe.protocol.names import api_name, error_name
from probe.verdict.apis import METADATA

MIN_CLOSED = 3
CLOSED_OF_FATAL = 2
"""The same of a library that gives itself up: sarama 1.27.0 asks for an offset twice, and fails."""
MAX_TEXT = 200
NAMED_ANSWERS = 2
"""Most kinds of error answers that a reason names."""
OLDEST_SERVED: Mapping[int, int] = {PRODUCE: 3, FETCH: 4}
"""Oldest versions that fake brokers of every line serve, and Kafka from 4.0 on (KIP-896)."""
FAKE_REFUSES = "the fake brokers refuse"
"""Beginning of a reason that says nothing about Kafka, nor about the client's driver."""
REFUSED = re.compile(r"unsupported|not[ _]support|incompatible", re.IGNORECASE)
"""Words of libraries for brokers that lack a request or its version: UNSUPPORTED_VERSION (Java, sarama, franz-go),
_UNSUPPORTED_FEATURE (librdkafka), IncompatibleBrokerVersion (kafka-python, aiokafka), "does not support" (KafkaJS)."""


def incompatibility_reason(
    line: str, events: Sequence[Event], main: Collection[int], *, served: bool, engine: Engine = DEFAULT_ENGINE
) -> str:
    """Return which request keeps client and brokers apart, or an empty text if none does.

    `served` is True if some operation succeeded: then only a request that brokers never answer is a reason. `main` are
    the API keys by which the client's role works at leaders. A request that only the fake brokers refuse says nothing
    about Kafka of the line.
    """
    gave_up = any(isinstance(event, App) and event.kind is AppKind.FATAL for event in events)
    refused = _refused_request(events, CLOSED_OF_FATAL if gave_up and not served else MIN_CLOSED)
    if refused and (text := _refused_by_fake(line, engine, *refused[:2])):
        return text
    reason = closed_at(_named(*refused[:2]), refused[2]) if refused else ""
    if not reason and not served:
        reason = _refused_log_in(events) or _refused_by_version(events) or _closed(events)
        reason = reason or ("" if gave_up else _never_sent(events, main))  # a library that gives up says why
    return refusal(line, reason)[:MAX_TEXT] if reason else ""


def connected(events: Sequence[Event]) -> bool:
    """Return whether brokers answered the client anything."""
    return any(isinstance(event, Response) for event in events)


def answers_met(events: Sequence[Event]) -> str:
    """Return what a client that never served was answered: the commonest errors, and the first that it reported."""
    errors = Counter(_answered_errors(events)).most_common(NAMED_ANSWERS)
    said = [f"{name} ({times} times)" for name, times in errors]
    reported = _reported_error(events)
    texts = [f"it was answered {', '.join(said)}" if said else "no answer was an error"]
    return "; ".join([*texts, *([f"it reported {reported}"] if reported else [])])[:MAX_TEXT]


def _answered_errors(events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        if isinstance(event, Response | Folded):
            codes = {row.code for row in event.rows} | ({event.code} if isinstance(event, Response) else set())
            yield from (f"{error_name(code)} {code} to {api_name(event.api)}" for code in codes - {0})


def _refused_by_fake(line: str, engine: Engine, api: int, version: int) -> str:
    """Return that fake brokers refuse an old request that brokers of the line serve, and how to play it on those."""
    is_old = version < OLDEST_SERVED.get(api, 0) and not has(line, Since.OLD_REQUESTS_REFUSED)
    if not is_old or not ENGINES[engine].refuses_old_requests:
        return ""
    since = Since.OLD_REQUESTS_REFUSED.line
    return (
        f"{FAKE_REFUSES} {_named(api, version)}, as Kafka does from {since} on; real brokers of line {line} "
        f"serve it: --engine kafka --broker {line}"
    )


def _named(api: int, version: int) -> str:
    return f"{api_name(api)} v{version}"


def _refused_request(events: Sequence[Event], least: int) -> tuple[int, int, int] | None:
    """Return a request at which brokers always closed the connection, as they do for unknown request versions.

    It is the API key, the version and the number of times, at least `least`; None = there is none.
    """
    closed = {event.conn for event in events if isinstance(event, Closed) and event.by == "broker"}
    answered = {(event.api, event.version) for event in events if isinstance(event, Response)}
    asked: dict[tuple[int, int], list[int]] = defaultdict(list)
    for event in events:
        if isinstance(event, Request) and (event.api, event.version) not in answered:
            asked[event.api, event.version].append(event.conn)
    for (api, version), conns in asked.items():
        if (times := sum(conn in closed for conn in conns)) >= least:
            return api, version, times
    return None


def _refused_log_in(events: Sequence[Event]) -> str:
    """Return the error with which brokers refuse each log-in of the client (KIP-43, KIP-152)."""
    answers = [event for event in events if isinstance(event, Response)]
    refused = Counter((event.api, event.code) for event in answers if event.api in SASL_APIS and event.code)
    if not refused or any(event.api not in HANDSHAKE_APIS for event in answers):
        return ""
    (api, code), times = refused.most_common(1)[0]
    return f"brokers refused its log-in: {error_name(code)} {code} to {api_name(api)} ({times} times)"


def _refused_by_version(events: Sequence[Event]) -> str:
    """Return the first error with which the library reports that brokers lack a request or its version."""
    return _reported_error([event for event in events if isinstance(event, App) and REFUSED.search(_words(event))])


def _reported_error(events: Sequence[Event]) -> str:
    return next((_words(event) for event in events if isinstance(event, App) and event.error is not None), "")


def _words(event: App) -> str:
    error = event.error
    return f"{error.label()} {error.text}".strip() if error else ""


def _closed(events: Sequence[Event]) -> str:
    closed = sum(isinstance(event, Closed) and event.by == "broker" for event in events)
    if closed < MIN_CLOSED:
        return ""
    return f"brokers closed {closed} of its connections, as they do for unknown requests"


def _never_sent(events: Sequence[Event], main: Collection[int]) -> str:
    """Return a request that the client never sent although it knows the leader: no version of it is common to both.

    Java 4.4.0 reports no error to its application: its consumer builds Fetch v4 for 0.10.2 and discards it, repeatedly.
    """
    informed = any(isinstance(event, Response) and event.api == METADATA and event.rows for event in events)
    if not informed or any(isinstance(event, Request) and event.api in main for event in events):
        return ""
    return never_sent(api_name(min(main)))  # the oldest one: only share groups send another
