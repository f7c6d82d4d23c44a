"""First requests of a client on a connection: they tell libraries and their versions apart."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Purpose(StrEnum):
    """The purpose of a connection."""

    DISCOVERY = "discovery"
    """It asked for versions, brokers, leaders, coordinators or offsets, and for nothing else."""
    PRODUCE = "produce"
    FETCH = "fetch"
    COORDINATOR = "coordinator"
    """It asked the coordinator of a group or of a transactional id."""
    ADMIN = "admin"
    """It asked for anything else, such as a new topic."""


class TopicList(StrEnum):
    """The form in which a Metadata request lists topics."""

    ALL = "all"
    """No list: all topics."""
    NONE = "none"
    """An empty list: brokers only."""
    NAMES = "names"
    IDS = "ids"
    """At least one topic by its id alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstMetadata:
    """Fields of a connection's first Metadata request."""

    topics: TopicList
    allow_auto_topic_creation: bool | None = None
    """None = the request version has no such field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstFetch:
    """Fields of a connection's first Fetch request. None = the request version has no such field."""

    max_wait_ms: int
    min_bytes: int
    max_bytes: int | None = None
    partition_max_bytes: int | None = None
    """Limit of the first partition. None = the request names no partition."""
    isolation_level: int | None = None
    """0 = read_uncommitted, 1 = read_committed."""
    session_id: int | None = None
    session_epoch: int | None = None
    """0 asks for a session, -1 asks for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstProduce:
    """Fields of a connection's first Produce request."""

    acks: int
    timeout_ms: int
    compression: str | None = None
    """Codec of the first record batch: none, gzip, snappy, lz4, zstd, or `codec N`. None = it has no batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handshake:
    """First requests of the client on one connection. They hold no client id, topic, group, key or record."""

    conn: int
    """Number of the connection, as in events."""
    broker: int
    purposes: tuple[Purpose, ...]
    """All purposes of the connection, in the order of the enum. A client may do everything on one connection."""
    requests: tuple[tuple[int, int], ...]
    """(API key, version) of the first ten requests, in order."""
    versions: tuple[tuple[int, int], ...]
    """(API key, version) of the first request of every API, by API key."""
    software_name: str | None = None
    """From the first ApiVersions request (KIP-511). None = it had no such field, or there was none."""
    software_version: str | None = None
    offered: tuple[tuple[int, int], ...] = ()
    """(API key, highest version) that the broker offers, by its first answer to ApiVersions, of the APIs in `versions`.
    Empty also without such an answer, and in older files."""
    metadata: FirstMetadata | None = None
    """None = the client sent no Metadata request on this connection, or it could not be read."""
    fetch: FirstFetch | None = None
    produce: FirstProduce | None = None
