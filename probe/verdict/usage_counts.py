"""Plain counts of a trial that no rule of Kafka's stands behind."""

from __future__ import annotations

from probe.model import Kind, MarkKind
from probe.protocol.names import api_name
from probe.verdict import apis
from probe.verdict.wire_evidence import Reading


def versions_used(reading: Reading) -> tuple[tuple[str, int], ...]:
    """Return the highest version of each API that this client sent, the handshake left out, by API key."""
    highest: dict[int, int] = {}
    sent = [(item.api, item.version) for item in reading.strands.requests]
    sent += [(item.api, item.version) for item in reading.strands.folded]
    for api, version in sent:
        if api not in apis.HANDSHAKE:
            highest[api] = max(highest.get(api, -1), version)
    return tuple((api_name(api), highest[api]) for api in sorted(highest))


def connects(reading: Reading) -> int:
    """Count connections opened inside the window."""
    return sum(1 for event in reading.strands.opened if reading.moments.begin <= event.at <= reading.moments.until)


def close_ms(reading: Reading) -> float | None:
    """Return how long closing took, if the instance was closed while the fault stood."""
    moments, stopped = reading.moments, reading.strands.marked(MarkKind.STOPPED)
    if reading.play.kind is Kind.NONE or moments.fault is None or moments.stopping is None or stopped is None:
        return None
    mended = moments.healed is not None and moments.healed <= moments.stopping
    return None if mended else (stopped - moments.stopping) / 1000
