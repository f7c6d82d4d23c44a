"""Handshakes of two made-up libraries: `northern` asks for versions and keeps sessions, `southern` does neither."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from probe.diagnose.fingerprints import Fingerprints, learned
from probe.diagnose.traits import Observed
from probe.model import CONTROL, Cell
from probe.model.handshake import FirstFetch, FirstMetadata, Handshake, Purpose, TopicList
from probe.protocol.apis import API_VERSIONS, FETCH, METADATA
from tests.support.synthetic_rows import CELL

LINES = {"2.6": 11, "3.9": 16}
"""Highest Fetch that brokers of a line offer."""
NORTHERN = {"1.0": 7, "1.1": 7, "1.2": 7, "1.3": 10, "1.4": 13, "1.5": 13, "1.6": 16}
"""Highest Fetch of every listed version."""
SOUTHERN = {"0.1": 4, "0.2": 4, "0.3": 5}


def northern(fetch: int, *, conn: int = 1, metadata: int = 9) -> Handshake:
    """Return a connection with this Fetch version."""
    return Handshake(
        conn=conn,
        broker=1,
        purposes=(Purpose.FETCH,),
        requests=((API_VERSIONS, 3), (METADATA, metadata), (FETCH, fetch)),
        versions=((FETCH, fetch), (METADATA, metadata), (API_VERSIONS, 3)),
        metadata=FirstMetadata(topics=TopicList.NAMES, allow_auto_topic_creation=True),
        fetch=FirstFetch(max_wait_ms=500, min_bytes=1, max_bytes=1000, session_epoch=0, session_id=0),
    )


def southern(fetch: int, *, conn: int = 1) -> Handshake:
    """Return a connection with this Fetch version, which asks for no versions and keeps no session."""
    return Handshake(
        conn=conn,
        broker=1,
        purposes=(Purpose.FETCH,),
        requests=((METADATA, 1), (FETCH, fetch)),
        versions=((FETCH, fetch), (METADATA, 1)),
        metadata=FirstMetadata(topics=TopicList.ALL),
        fetch=FirstFetch(max_wait_ms=250, min_bytes=1, max_bytes=9000, session_epoch=-1, session_id=0),
    )


def cell(family: str, version: str, broker: str, profile: str = "isolated") -> Cell:
    return replace(CELL, family=family, version=version, broker=broker, profile=profile, scenario=CONTROL)


def trials() -> dict[Cell, tuple[Handshake, ...]]:
    """Return the handshakes of a trial per version and line."""
    found: dict[Cell, tuple[Handshake, ...]] = {
        cell("northern", version, line): (northern(min(own, top)),)
        for version, own in NORTHERN.items()
        for line, top in LINES.items()
    }
    return found | {
        cell("southern", version, line): (southern(own),) for version, own in SOUTHERN.items() for line in LINES
    }


def fingerprints() -> Fingerprints:
    return learned(trials())


def seen(handshakes: Iterable[Handshake], *, line: str = "", began: bool = True) -> Observed:
    """Return what was seen of a client of brokers of this line; empty = what they offer was not seen."""
    offered = ((FETCH, LINES[line]), (METADATA, 9)) if line else ()
    shown = tuple(replace(one, offered=offered) for one in handshakes)
    return Observed(handshakes=shown, began=frozenset(one.conn for one in shown) if began else frozenset())
