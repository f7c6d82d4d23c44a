"""Keep what a client sends first on a connection. Only the first request of an API is read for it.

Of ApiVersions the first one that names the client's software counts: the Java client asks before its log-in without a
name, and after it with one.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from probe.model.handshake import FirstFetch, FirstMetadata, FirstProduce, Handshake, Purpose, TopicList
from probe.protocol.api_table import AnsweredBy, keys
from probe.protocol.apis import (
    API_VERSIONS,
    DISCOVERY_APIS,
    FETCH,
    HANDSHAKE_APIS,
    INIT_PRODUCER_ID,
    LOG_APIS,
    METADATA,
    PRODUCE,
    SASL_AUTHENTICATE,
    SASL_HANDSHAKE,
)
from probe.protocol.compiler import MALFORMED, skip_tags
from probe.protocol.frames import Frame
from probe.protocol.leaders import asks_for_all
from probe.protocol.rows import NO_ID, Asked, Body
from probe.protocol.schemas import Schemas

FIRST = 10
"""Number of requests whose order is kept."""
LONGEST_TEXT = 100
"""Characters that are kept of a name or version that the client reports."""
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
"""Compression codecs by number (`org.apache.kafka.common.record.CompressionType`)."""
_MAGIC_AT, _CODEC_BITS = 16, 7
_ATTRIBUTES_AT: Mapping[int, int] = {0: 17, 1: 17, 2: 22}
"""Position of the byte with the codec, by the batch's magic (`LegacyRecord`, `DefaultRecordBatch`)."""

_READ = frozenset((API_VERSIONS, SASL_HANDSHAKE, METADATA, FETCH, PRODUCE, INIT_PRODUCER_ID))
"""APIs whose first request is read."""
_NEUTRAL = frozenset((*HANDSHAKE_APIS, *DISCOVERY_APIS, *LOG_APIS, INIT_PRODUCER_ID))
"""APIs that do not tell what a connection is for, or that have a purpose of their own."""
_FETCHING = frozenset(keys(lambda api: api.reads))
_COORDINATING = frozenset(keys(lambda api: api.own and api.by is AnsweredBy.COORDINATOR)) - {INIT_PRODUCER_ID}


class FirstRequests:
    """The first requests of one connection."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._order: list[tuple[int, int]] = []
        self._versions: dict[int, int] = {}
        self._transactional = False
        self._offered: dict[int, int] = {}
        self._software: tuple[str | None, str | None] = (None, None)
        self._metadata: FirstMetadata | None = None
        self._fetch: FirstFetch | None = None
        self._produce: FirstProduce | None = None
        self.mechanism = ""
        """Mechanism of the first log-in (SASL); empty = none was seen."""
        self.session_ms = 0
        """Time after which the broker wants another log-in, by its latest answer (KIP-368); 0 = it named none."""

    def take(self, asked: Asked, frame: Frame, p: int) -> None:
        """Take a request whose header, without its tagged fields, ends at `p`. It never raises."""
        if self._is_read(asked):
            self._read(asked, frame, p)

    def take_body(self, asked: Asked, body: Body | None) -> None:
        """Take a request whose body was read already, with the sizes of its records. It never raises."""
        if self._is_read(asked) and body is not None:
            with suppress(*MALFORMED):
                self._keep(asked.api, asked.version, body)

    def handshake(self, conn: int, broker: int) -> Handshake | None:
        """Return what was sent so far, None if there was no request."""
        if not self._order:
            return None
        name, version = self._software
        return Handshake(
            conn=conn,
            broker=broker,
            purposes=self._purposes(),
            requests=tuple(self._order),
            versions=tuple(sorted(self._versions.items())),
            offered=tuple((api, self._offered[api]) for api in sorted(self._versions) if api in self._offered),
            software_name=name,
            software_version=version,
            metadata=self._metadata,
            fetch=self._fetch,
            produce=self._produce,
        )

    def _is_read(self, asked: Asked) -> bool:
        """Note a request. Return whether it is the first of its API, and is read for the handshake."""
        api = asked.api
        if len(self._order) < FIRST:
            self._order.append((api, asked.version))
        if api in self._versions:
            return api == API_VERSIONS and self._software[0] is None  # Java asks twice where it logs in
        self._versions[api] = asked.version
        return api in _READ

    def _read(self, asked: Asked, frame: Frame, p: int) -> None:
        find = self._schemas.with_heads if asked.api == PRODUCE else self._schemas.request
        try:
            if (spec := find(asked.api, asked.version)) is not None:
                body, _ = spec.body(frame, skip_tags(frame.data, p) if spec.header > 1 else p)
                self._keep(asked.api, asked.version, body)
        except MALFORMED:
            return  # the request's own event says that it could not be read

    def _keep(self, api: int, version: int, body: Body) -> None:
        if api == API_VERSIONS:
            self._software = _software(body)
        elif api == METADATA:
            self._metadata = _metadata(body, version)
        elif api == FETCH:
            self._fetch = _fetch(body)
        elif api == PRODUCE:
            self._produce = _produce(body)
        elif api == SASL_HANDSHAKE:
            self.mechanism = body["Mechanism"][:LONGEST_TEXT]
        else:
            self._transactional = body["TransactionalId"] is not None

    def answered(self, api: int, body: Body) -> None:
        """Take a broker's answer: the first one to ApiVersions that lists APIs is kept, and the latest to a log-in."""
        if api == API_VERSIONS and not self._offered:
            self._offered = {item["ApiKey"]: item["MaxVersion"] for item in body["ApiKeys"]}
        elif api == SASL_AUTHENTICATE and not body["ErrorCode"]:
            self.session_ms = body.get("SessionLifetimeMs", 0)

    def _purposes(self) -> tuple[Purpose, ...]:
        apis = self._versions.keys()
        found = {
            Purpose.PRODUCE: PRODUCE in apis,
            Purpose.FETCH: bool(apis & _FETCHING),
            Purpose.COORDINATOR: self._transactional or bool(apis & _COORDINATING),
            Purpose.ADMIN: bool(apis - _NEUTRAL - _FETCHING - _COORDINATING),
        }
        return tuple(purpose for purpose in Purpose if found.get(purpose)) or (Purpose.DISCOVERY,)


def _software(body: Body) -> tuple[str | None, str | None]:
    """Return name and version of the client's software, None each where the request has no such field."""
    name, version = body.get("ClientSoftwareName"), body.get("ClientSoftwareVersion")
    return name and name[:LONGEST_TEXT], version and version[:LONGEST_TEXT]


def _metadata(body: Body, version: int) -> FirstMetadata:
    topics = body["Topics"]
    if asks_for_all(topics, version):
        form = TopicList.ALL
    elif not topics:
        form = TopicList.NONE
    else:
        by_id = any(item.get("TopicId", NO_ID) != NO_ID and not item["Name"] for item in topics)
        form = TopicList.IDS if by_id else TopicList.NAMES
    return FirstMetadata(topics=form, allow_auto_topic_creation=body.get("AllowAutoTopicCreation"))


def _fetch(body: Body) -> FirstFetch:
    first = next((part for item in body["Topics"] for part in item["Partitions"]), None)
    return FirstFetch(
        max_wait_ms=body["MaxWaitMs"],
        min_bytes=body["MinBytes"],
        max_bytes=body.get("MaxBytes"),
        partition_max_bytes=None if first is None else first["PartitionMaxBytes"],
        isolation_level=body.get("IsolationLevel"),
        session_id=body.get("SessionId"),
        session_epoch=body.get("SessionEpoch"),
    )


def _produce(body: Body) -> FirstProduce:
    heads = (part["Records"] for item in body["TopicData"] for part in item["PartitionData"])
    head = next(filter(None, heads), b"")
    compression = codec_of(head) if isinstance(head, bytes) else None
    return FirstProduce(acks=body["Acks"], timeout_ms=body["TimeoutMs"], compression=compression)


def codec_of(head: bytes) -> str | None:
    """Return the compression codec of a record batch by its first bytes, None if they hold none."""
    at = _ATTRIBUTES_AT.get(head[_MAGIC_AT]) if len(head) > _MAGIC_AT else None
    if at is None or at >= len(head):
        return None
    number = head[at] & _CODEC_BITS
    return CODECS[number] if number < len(CODECS) else f"codec {number}"
