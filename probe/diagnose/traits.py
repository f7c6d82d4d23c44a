"""What tells libraries and their versions apart in what a client sends. Pure.

Request versions, the first request of a connection and the use of Fetch sessions are the library's own (`HARD`);
the other values are settings that an application may change (`SOFT`), or depend on what it does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from probe.model.handshake import FirstFetch, Handshake

Value = int | str
FIRST, SESSIONS = "first request", "fetch sessions"
HARD = (FIRST, SESSIONS)
"""Values that an application does not set. Request versions are hard, too."""
SOFT: Mapping[str, float] = MappingProxyType(
    {
        "order": 1.0,
        "metadata topics": 1.0,
        "metadata auto topic": 1.0,
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
ORDERED = 3
"""Number of different APIs whose order at the beginning of a connection counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What was seen of one client, or of all trials of one version under one condition."""

    versions: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """API key to the request versions, ascending."""
    values: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """Name in `HARD` or `SOFT` to the values, ascending as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """One connection of a client, as far as it was seen."""

    sent: Handshake
    """What it sent first. Of a request log: the first requests that the log has of it."""
    began: bool = True
    """Whether its first request was seen."""
    offered: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """API key to the lowest and highest version that the broker offers (ApiVersions). Empty = not seen; any
    connection of any client to the same broker shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What a passive observer saw of one client."""

    connections: tuple[Connection, ...]

    @property
    def software(self) -> tuple[str, str]:
        """Return name and version that the client reports (KIP-511); empty texts if it reports none."""
        sent = (one.sent for one in self.connections)
        found = ((one.software_name, one.software_version or "") for one in sent)
        return next(((name, version) for name, version in found if name), ("", ""))

    @property
    def offered(self) -> Mapping[int, int]:
        """Return the highest version of every API that all brokers of the client offer, as far as it was seen."""
        highest: dict[int, int] = {}
        for one in self.connections:
            for api, (_, top) in one.offered.items():
                highest[api] = min(top, highest.get(api, top))
        return highest


def traits_of(connections: Iterable[Connection]) -> Traits:
    """Return what tells a library apart in these connections."""
    versions: dict[int, set[int]] = defaultdict(set)
    values: dict[str, set[Value]] = defaultdict(set)
    for one in connections:
        for api, version in (*one.sent.versions, *one.sent.requests):
            versions[api].add(version)
        for name, value in _values(one):
            values[name].add(value)
    return _sorted(versions, values)


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


def _values(one: Connection) -> Iterator[tuple[str, Value]]:
    sent = one.sent
    if one.began and sent.requests:
        apis = tuple(dict.fromkeys(api for api, _ in sent.requests))
        yield FIRST, apis[0]
        yield "order", " ".join(map(str, apis[:ORDERED]))
    if sent.metadata is not None:
        yield "metadata topics", str(sent.metadata.topics)
        if sent.metadata.allow_auto_topic_creation is not None:
            yield "metadata auto topic", int(sent.metadata.allow_auto_topic_creation)
    if sent.fetch is not None:
        yield from _fetch(sent.fetch)
    if sent.produce is not None:
        yield "produce acks", sent.produce.acks
        yield "produce timeout ms", sent.produce.timeout_ms


def _fetch(fetch: FirstFetch) -> Iterator[tuple[str, Value]]:
    found = {
        "fetch wait ms": fetch.max_wait_ms,
        "fetch min bytes": fetch.min_bytes,
        "fetch max bytes": fetch.max_bytes,
        "fetch partition bytes": fetch.partition_max_bytes,
        "fetch isolation": fetch.isolation_level,
        SESSIONS: None if fetch.session_epoch is None else int(fetch.session_epoch >= 0),
    }
    yield from ((name, value) for name, value in found.items() if value is not None)
