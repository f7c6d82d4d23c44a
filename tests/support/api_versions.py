"""A broker's ApiVersions: API versions, and the features that are final."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from probe.engines.kafka.admin.wire import Reader, Writer, line_to
from probe.model.endpoint import Endpoint
from probe.protocol.apis import API_VERSIONS

ASK_S = 10.0
FEATURES_SINCE = 3
FINAL = 2
"""Tag of the final features in a response."""


@dataclass(frozen=True)
class Advertised:
    """One broker's answer."""

    ranges: Mapping[int, tuple[int, int]]
    """Lowest and highest version by API key."""
    features: Mapping[str, int]
    """Level by name."""


async def advertised(address: Endpoint) -> Advertised:
    """Ask a broker of 2.4 or newer."""
    body = Writer().varint(0)  # no tags in the header, and the answer's header never has any
    body.compact("probe-test")
    body.compact("1")
    async with line_to(address, ASK_S) as line:
        answer = await line.ask(API_VERSIONS, FEATURES_SINCE, body.varint(0))
    assert answer.number("h") == 0
    ranges = {}
    for _ in range(answer.varint() - 1):
        api = answer.number("h")
        ranges[api] = answer.number("h"), answer.number("h")
        answer.tags()
    answer.number("i")
    features: dict[str, int] = {}
    for _ in range(answer.varint()):
        tag, size = answer.varint(), answer.varint()
        if tag == FINAL:
            features |= _levels(Reader(answer.data[answer.at : answer.at + size]))
        answer.at += size
    return Advertised(ranges, features)


def _levels(reader: Reader) -> dict[str, int]:
    found = {}
    for _ in range(reader.varint() - 1):
        name = reader.compact()
        found[name] = reader.number("h")
        reader.number("h")
        reader.tags()
    return found
