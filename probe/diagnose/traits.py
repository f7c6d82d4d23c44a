"""Traits of a client's requests that tell libraries and their versions apart. Pure.

Request versions, whether a connection asks for the broker's versions, and the use of Fetch sessions are the library's
own (`HARD`). The other values are settings that an application may change, or depend on what it does and when (`SOFT`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from probe.model.handshake import FirstFetch, Handshake, Purpose
from probe.protocol.apis import API_VERSIONS, INIT_PRODUCER_ID, SASL_APIS

Value = int | str
ASKS, SESSIONS = "asks for versions", "fetch sessions"
HARD = (ASKS, SESSIONS)
"""Values that an application does not set. Request versions are hard, too."""
SOFT: Mapping[str, float] = MappingProxyType(
    {
        "purposes": 0.5,
        "first request": 0.5,
        "order": 0.5,
        "opening": 1.0,
        "metadata topics": 0.5,
        "metadata auto topic": 0.5,
        "metadata": 1.0,
        "fetch wait ms": 1.0,
        "fetch min bytes": 0.5,
        "fetch max bytes": 1.0,
        "fetch partition bytes": 1.0,
        "fetch isolation": 0.5,
        "produce acks": 0.5,
        "produce timeout ms": 1.0,
    }
)
"""Values that are defaults, with what a difference weighs; a request version that does not fit weighs `HEAVY`."""
HEAVY = 4.0
DIGITS = 2
"""Digits of limits and waits that count."""
ORDERED = 3
"""Number of different APIs whose order at the beginning of a connection counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """Traits of one client, or of all trials of one version under one condition."""

    versions: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """API key to the request versions, ascending."""
    values: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """Name in `HARD` or `SOFT` to the values, ascending as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Observations of one client by a passive observer."""

    handshakes: tuple[Handshake, ...]
    """First requests of its connections, as far as they were seen."""
    began: frozenset[int] = frozenset()
    """Numbers (`conn`) of the connections whose first request was seen."""
    reported: tuple[str, str] | None = None
    """Name and version that it reports (KIP-511), where something else than a handshake shows them: a request log."""

    offers: Mapping[int, int] = field(default_factory=dict)
    """API key to the highest version that its brokers offer, as far as the connections of other clients show it."""

    @property
    def software(self) -> tuple[str, str]:
        """Return name and version that the client reports; empty texts if it reports none."""
        sent = ((one.software_name or "", one.software_version or "") for one in self.handshakes)
        return next((one for one in (*sent, self.reported or ("", "")) if one[0]), ("", ""))

    @property
    def offered(self) -> Mapping[int, int]:
        """Return the highest version of an API that all brokers of the client offer, as far as it was seen."""
        highest = dict(self.offers)
        for one in self.handshakes:
            for api, top in one.offered:
                highest[api] = min(top, highest.get(api, top))
        return highest

    @property
    def traits(self) -> Traits:
        """Return what tells its library apart."""
        return traits_of(self.handshakes, self.began)


def traits_of(handshakes: Iterable[Handshake], began: Container[int]) -> Traits:
    """Return what tells a library apart in what connections sent; `began` has those whose first request was seen."""
    versions: dict[int, set[int]] = defaultdict(set)
    values: dict[str, set[Value]] = defaultdict(set)
    for one in map(without_log_in, handshakes):
        for api, version in (*one.versions, *one.requests):
            versions[api].add(version)
        for name, value in _values(one, began=one.conn in began):
            values[name].add(value)
    return _sorted(versions, values)


def without_log_in(sent: Handshake) -> Handshake:
    """Return what a connection would have sent without a log-in (SASL), so that it says the same of the library.

    The Java client asks for versions in version 0 before it logs in, and again, with its own version and name, after it
    (`SaslClientAuthenticator`): only the latter counts.
    """
    apis = [api for api, _ in sent.requests]
    if not {*apis, *(api for api, _ in sent.versions)}.intersection(SASL_APIS):
        return sent
    done = next((place for place, api in enumerate(apis) if api in SASL_APIS), len(apis))
    again = API_VERSIONS in apis[done:]
    kept = tuple(
        (api, version)
        for place, (api, version) in enumerate(sent.requests)
        if api not in SASL_APIS and not (again and place < done and api == API_VERSIONS)
    )
    asked = dict(reversed(kept)).get(API_VERSIONS)
    versions = tuple(
        (api, asked if api == API_VERSIONS and asked is not None else version)
        for api, version in sent.versions
        if api not in SASL_APIS
    )
    return replace(sent, requests=kept, versions=versions)


def united(several: Iterable[Traits]) -> Traits:
    """Return what was seen in any of these."""
    versions: dict[int, set[int]] = defaultdict(set)
    values: dict[str, set[Value]] = defaultdict(set)
    for one in several:
        for api, some in one.versions.items():
            versions[api].update(some)
        for name, found in one.values.items():
            values[name].update(found)
    return _sorted(versions, values)


def hard_part(traits: Traits) -> Traits:
    """Return only what an application does not set."""
    return replace(traits, values={name: traits.values[name] for name in HARD if name in traits.values})


def _sorted(versions: Mapping[int, set[int]], values: Mapping[str, set[Value]]) -> Traits:
    return Traits(
        versions={api: tuple(sorted(versions[api])) for api in sorted(versions)},
        values={name: tuple(sorted(values[name], key=str)) for name in sorted(values)},
    )


def _values(sent: Handshake, *, began: bool) -> Iterator[tuple[str, Value]]:
    purposes = " ".join(sent.purposes)
    yield "purposes", purposes
    apis = tuple(dict.fromkeys(api for api, _ in sent.requests if api not in _whenever(sent)))
    if began and apis:
        order = " ".join(map(str, apis[:ORDERED]))
        yield ASKS, int(API_VERSIONS in apis)
        yield "first request", apis[0]
        yield "order", order
        yield "opening", f"{purposes}: {order}"
    if sent.metadata is not None:
        topics, auto = str(sent.metadata.topics), sent.metadata.allow_auto_topic_creation
        yield "metadata topics", topics
        yield "metadata", f"{purposes}: {topics} {auto}"
        if auto is not None:
            yield "metadata auto topic", int(auto)
    if sent.fetch is not None:
        yield from _fetch(sent.fetch)
    if sent.produce is not None:
        yield "produce acks", sent.produce.acks
        yield "produce timeout ms", rounded(sent.produce.timeout_ms) or 0


def _whenever(sent: Handshake) -> Container[int]:
    """Return the APIs whose place in the order is no library's own.

    An idempotent producer asks for its id as soon as it is created, so before or after it knows a topic, by when the
    application sends its first record. A transactional one asks its coordinator, in an order of its own.
    """
    return () if Purpose.COORDINATOR in sent.purposes else (INIT_PRODUCER_ID,)


def _fetch(fetch: FirstFetch) -> Iterator[tuple[str, Value]]:
    found = {
        "fetch wait ms": rounded(fetch.max_wait_ms),
        "fetch min bytes": rounded(fetch.min_bytes),
        "fetch max bytes": rounded(fetch.max_bytes),
        "fetch partition bytes": rounded(fetch.partition_max_bytes),
        "fetch isolation": fetch.isolation_level,
        SESSIONS: None if fetch.session_epoch is None else int(fetch.session_epoch >= 0),
    }
    yield from ((name, value) for name, value in found.items() if value is not None)


def rounded(number: int | None) -> int | None:
    """Return a number with two digits: kafka-go sends what is left of a deadline, and limits less a few bytes.

    >>> rounded(8997), rounded(1_000_085), rounded(500), rounded(7), rounded(-1)
    (9000, 1000000, 500, 7, -1)
    """
    return None if number is None else round(number, DIGITS - len(str(abs(number))))
