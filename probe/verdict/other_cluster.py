"""Operations in another cluster that serves at the brokers' addresses (docs/verdicts.md#promise)."""

from __future__ import annotations

from probe.model import EngineKind
from probe.verdict.recovery import successes_of
from probe.verdict.wire_evidence import WireEvidence


def served_elsewhere(evidence: WireEvidence) -> list[int]:
    """Return when operations ended well that began after brokers of another cluster had taken the addresses over."""
    since = evidence.events.engine_at(EngineKind.REPLACED)
    if since is None:
        return []
    done = successes_of(evidence)
    return [ended for began, ended, _ in done if began - evidence.clock_us > since]
