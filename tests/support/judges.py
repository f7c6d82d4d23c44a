"""Rules to judge again with, loaded by name on Spark's workers."""

from __future__ import annotations

from probe.model import EngineEvent, Facts, History, Outcome, Verdict


def by_trial(history: History) -> Verdict:
    """Odd trials are late, even ones refuse to be judged; events are counted; `steady` is told in the reason."""
    if history.header.trial % 2 == 0:
        raise ValueError("even")
    if history.header.cell.scenario == "steady":
        return Verdict(outcome=Outcome.SURFACES, reason="steady", rules=2)
    faults = sum(isinstance(event, EngineEvent) for event in history.events)
    said = Facts(fault_hits=len(history.events), connects=faults)
    return Verdict(outcome=Outcome.LATE, reason=f"steady {history.header.steady}", facts=said, rules=2)
