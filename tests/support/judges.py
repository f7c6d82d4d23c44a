"""Rules for re-judging that Spark workers load by name."""

from __future__ import annotations

from probe.model import EngineEvent, Facts, History, Outcome, Verdict


def by_trial(history: History) -> Verdict:
    """Judge odd trials as late, with the number of events as facts. Raises ValueError for even trials."""
    if history.header.trial % 2 == 0:
        raise ValueError("even")
    if history.header.cell.scenario == "steady":
        return Verdict(outcome=Outcome.SURFACES, reason="steady", rules=2)
    faults = sum(isinstance(event, EngineEvent) for event in history.events)
    facts = Facts(fault_hits=len(history.events), connects=faults)
    return Verdict(outcome=Outcome.LATE, reason=f"steady {history.header.steady}", facts=facts, rules=2)
