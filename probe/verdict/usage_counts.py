"""Plain counts of a trial, without a rule of the protocol."""

from __future__ import annotations

from probe.model import MarkKind, Symptom
from probe.model.roles import ROLES
from probe.protocol.names import api_name
from probe.verdict import apis
from probe.verdict.wire_evidence import WireEvidence


def versions_used(evidence: WireEvidence) -> tuple[tuple[str, int], ...]:
    """Return the highest version of each API that this client sent, by API key.

    The handshake is left out, and so is a request that could not be decoded, which has no API.
    """
    highest: dict[int, int] = {}
    sent = [(item.api, item.version) for item in evidence.events.requests if item.api >= 0]
    sent += [(item.api, item.version) for item in evidence.events.folded]
    for api, version in sent:
        if api not in apis.HANDSHAKE:
            highest[api] = max(highest.get(api, -1), version)
    return tuple((api_name(api), highest[api]) for api in sorted(highest))


def connects(evidence: WireEvidence) -> int:
    """Count connections opened inside the window."""
    return sum(1 for event in evidence.events.opened if evidence.timeline.begin <= event.at <= evidence.timeline.until)


def joins(evidence: WireEvidence, since: int | None) -> int | None:
    """Count requests to join the group from a time on, which is None without a hit. None for roles without members."""
    if not ROLES[evidence.role].member:
        return None
    return sum(
        1
        for item in evidence.events.requests
        if since is not None and since <= item.at <= evidence.timeline.until and item.api == apis.JOIN_GROUP
    )


def close_ms(evidence: WireEvidence) -> float | None:
    """Return how long closing took, in ms, if the instance was closed while the fault was in force."""
    timeline, stopped = evidence.timeline, evidence.events.marked(MarkKind.STOPPED)
    if evidence.play.kind is Symptom.NONE or timeline.fault is None or timeline.stopping is None or stopped is None:
        return None
    reverted = timeline.healed is not None and timeline.healed <= timeline.stopping
    return None if reverted else (stopped - timeline.stopping) / 1000
