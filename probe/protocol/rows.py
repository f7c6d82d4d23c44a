"""Rows, and functions shared by the digests of all APIs.

Topic ids become names through a mapping that Metadata answers fill.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from functools import lru_cache
from typing import Any, NamedTuple

from probe.model import Row
from probe.model.endpoint import Endpoint

Names = MutableMapping[bytes, str]
"""Topic id (16 bytes) to name."""
Body = dict[str, Any]
NO_ID = bytes(16)
UNKNOWN_ID = "?"
"""Begin of the name of a topic whose id is unknown."""


class Digest(NamedTuple):
    """The facts of one body."""

    rows: tuple[Row, ...] = ()
    code: int = 0
    everything: bool = False
    acks: int | None = None
    session_epoch: int | None = None
    controller: int | None = None
    nodes: tuple[tuple[str, int], ...] = ()
    """Advertised addresses of brokers (`host:port`) with their ids, as answers that name brokers have them."""


class Asked(NamedTuple):
    """The properties of a request that its answer needs."""

    corr: int
    api: int
    version: int
    at: int
    key: str = ""
    key_type: int = -1
    fetched: Fetched | None = None


class Fetched(NamedTuple):
    """The partitions of a fetch that may open a session."""

    session: int
    rows: tuple[Row, ...]


Question = Callable[[Body, int, Names], Digest]
"""Reads a request's body. The number is its version."""
Answer = Callable[[Body, Asked, Names], Digest]
"""Reads a response's body."""


@lru_cache(maxsize=8192)
def row(
    topic: str,
    partition: int = -1,
    code: int = 0,
    leader: int | None = None,
    epoch: int | None = None,
    offset: int | None = None,
    size: int | None = None,
    key: str = "",
    key_type: int = -1,
    records: int | None = None,
    deliveries: int | None = None,
) -> Row:
    """Return a row. Equal rows are one object, which is faster than to create another."""
    return Row(
        topic=topic,
        partition=partition,
        code=code,
        leader=leader,
        epoch=epoch,
        offset=offset,
        size=size,
        key=key,
        key_type=key_type,
        records=records,
        deliveries=deliveries,
    )


def id_text(topic_id: bytes) -> str:
    """Return `?<id>` in Kafka's own notation of ids."""
    return UNKNOWN_ID + urlsafe_b64encode(topic_id).decode().rstrip("=")


def id_of(text: str) -> bytes:
    """Return the id in `?<id>`. ValueError if it is none."""
    return urlsafe_b64decode(f"{text.removeprefix(UNKNOWN_ID)}==")


def topic_of(item: Body, names: Names, field: str = "Name") -> str:
    """Return the topic's name, found by its id where the version has ids only."""
    name = item.get(field)
    if name:
        return str(name)
    topic_id = item.get("TopicId", NO_ID)
    return "" if topic_id == NO_ID else names.get(topic_id) or id_text(topic_id)


def learn(items: Iterable[Body], names: Names) -> None:
    """Store names and ids of topics."""
    for item in items:
        topic_id = item.get("TopicId", NO_ID)
        if topic_id != NO_ID and item["Name"]:
            names[topic_id] = item["Name"]


def nodes_of(items: Iterable[Body], field: str) -> tuple[tuple[str, int], ...]:
    """Return the advertised addresses of brokers with their ids, which a field has. Nobody has an id below 0."""
    return tuple(
        (str(Endpoint(host=item["Host"], port=item["Port"])), item[field]) for item in items if item[field] >= 0
    )


def partitions_of(
    body: Body, topics: str, partitions: str, names: Names, name: str = "Name"
) -> Iterator[tuple[str, Any]]:
    """Yield topic names with their partitions."""
    for item in body.get(topics) or ():
        topic = topic_of(item, names, name)
        for part in item[partitions]:
            yield topic, part
