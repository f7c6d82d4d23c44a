"""Readers for every API version, from the definitions of several kafka-clients jars. They are created on first use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from probe.protocol.apis import (
    API_VERSIONS,
    CONTROLLED_SHUTDOWN,
    FETCH,
    FIND_COORDINATOR,
    LIST_OFFSETS,
    METADATA,
    PRODUCE,
)
from probe.protocol.compiler import Body, MalformedError, Reader, compile_reader
from probe.protocol.definitions import KINDS, REQUEST, RESPONSE, Jar, Message
from probe.protocol.frames import Frame
from probe.protocol.layout import Layout, layout
from probe.protocol.names import API_NAMES

HEAD = 23
"""First bytes of `records` that a reader with heads returns: up to the attributes of a record batch."""
REPEATED = frozenset({API_VERSIONS, METADATA})
"""APIs whose answers are long, and the same for every connection until something changes."""
KEPT_BYTES = 256 << 10
"""Bytes of bodies that a reader of such answers keeps; read, they take some 15 times as much."""
EVERYDAY = frozenset({PRODUCE, FETCH, LIST_OFFSETS, METADATA, FIND_COORDINATOR, API_VERSIONS})


class Spec(NamedTuple):
    """The reader of one (API, version, kind)."""

    header: int
    """Version of the header before the body."""
    read: Reader
    tail: int = 0
    """Bytes at the end of a body that are zero where it ends without tagged fields."""

    def body(self, frame: Frame, p: int) -> tuple[Body, int]:
        """Return the body of a frame, which begins at `p`, and the position after it.

        Raises MALFORMED where it does not fit the definition, or depends on bytes that were lost.
        """
        found = self.read(frame.data, p, frame.end)
        if frame.holes and (found[1] != frame.end or self.read(frame.otherwise(self.tail), p, frame.end) != found):
            raise MalformedError("bytes of the body were lost")
        return found


def keeping(read: Reader) -> Reader:
    """Return a reader that reads equal bodies once and returns the same dict for them, which nobody may change."""
    kept: dict[bytes, tuple[Body, int]] = {}
    size = 0

    def read_once(b: bytes, p: int, end: int) -> tuple[Body, int]:
        nonlocal size
        key = b[p:end]
        if (found := kept.get(key)) is not None:
            return found[0], p + found[1]
        body, stop = read(b, p, end)
        if size + len(key) > KEPT_BYTES:
            kept.clear()
            size = 0
        if len(key) <= KEPT_BYTES:
            kept[key] = (body, stop - p)
            size += len(key)
        return body, stop

    return read_once


class Schemas:
    """The union of the definitions of several jars.

    Old jars contain versions that Kafka 4.0 dropped, a new one the newest. Where several contain a version, the last
    jar in which that version is final is used, else the last one.
    """

    def __init__(self, jars: Sequence[Path]) -> None:
        self.jars = tuple(Jar(path) for path in jars)
        self._specs: dict[tuple[int, int, str], Spec | None] = {}
        self._heads: dict[tuple[int, int], Spec] = {}
        self._messages: dict[tuple[int, str], tuple[Message, ...]] = {}

    def warm(self) -> None:
        """Read the jars and create the readers of common requests, so that a trial need not wait.

        Raises DefinitionsError.
        """
        for api, version, kind in self.pairs():
            if api in EVERYDAY:
                self._spec((api, version, kind))

    def request(self, api: int, version: int) -> Spec | None:
        """Return the reader of a request, None if no jar contains this version. Raises DefinitionsError."""
        return self._spec((api, version, REQUEST))

    def response(self, api: int, version: int) -> Spec | None:
        """Return the reader of a response, None if no jar contains this version. Raises DefinitionsError."""
        return self._spec((api, version, RESPONSE))

    def with_heads(self, api: int, version: int) -> Spec | None:
        """Return the reader of a request that returns the first `HEAD` bytes of `records` instead of their size.

        None if no jar contains this version. Raises DefinitionsError.
        """
        key = (api, version)
        if key not in self._heads and (plan := self.layout(api, version, REQUEST)) is not None:
            header = _header(api, version, REQUEST, flexible=plan.flexible)
            self._heads[key] = Spec(header, compile_reader(plan, heads=HEAD), plan.tail)
        return self._heads.get(key)

    def layout(self, api: int, version: int, kind: str) -> Layout | None:
        """Return the fields of one version, None if no jar contains it. Raises DefinitionsError."""
        known = [message for message in self._known(api, kind) if version in message.valid]
        final = [message for message in known if version in message.final]
        return layout((final or known)[-1], version) if known else None

    def pairs(self) -> Iterator[tuple[int, int, str]]:
        """Yield every (API, version, kind) that a jar contains, ordered by API. Raises DefinitionsError."""
        for api in API_NAMES:
            for kind in KINDS:
                ranges = [message.valid for message in self._known(api, kind)]
                for version in sorted({v for valid in ranges for v in range(valid.low, valid.high + 1)}):
                    yield api, version, kind

    def _known(self, api: int, kind: str) -> tuple[Message, ...]:
        key = (api, kind)
        if key not in self._messages:
            found = (jar.message(api, kind) for jar in self.jars)
            self._messages[key] = tuple(message for message in found if message is not None)
        return self._messages[key]

    def _spec(self, key: tuple[int, int, str]) -> Spec | None:
        try:
            return self._specs[key]
        except KeyError:
            if len(self._specs) > 4096:  # peers can send any number of unknown versions
                self._specs.clear()
            plan = self.layout(*key)
            spec = Spec(_header(*key, flexible=plan.flexible), _reader(key, plan), plan.tail) if plan else None
            self._specs[key] = spec
            return spec


def _reader(key: tuple[int, int, str], plan: Layout) -> Reader:
    api, _, kind = key
    read = compile_reader(plan)
    return keeping(read) if kind == RESPONSE and api in REPEATED else read


def _header(api: int, version: int, kind: str, *, flexible: bool) -> int:
    """Return the header version (KIP-482). ApiVersions answers keep the oldest, which every client can read."""
    if kind == RESPONSE:
        return int(flexible and api != API_VERSIONS)
    if api == CONTROLLED_SHUTDOWN and version == 0:
        return 0
    return 2 if flexible else 1
