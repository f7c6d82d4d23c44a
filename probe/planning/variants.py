"""A scenario's part as a broker line and a profile make it."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Engine, Play, Profile
from probe.scenarios.scenario import Part
from probe.scenarios.session_timeouts import lingers_ms, session_ms
from probe.scenarios.steps.brokers import ReturnBroker, StopBroker
from probe.scenarios.steps.partitions import LagMetadata, Step


def part_of(part: Part, profile: Profile, engine: Engine, broker: str) -> Part:
    """Fit a scenario's part to broker line and profile, where real brokers need not be told."""
    return part if engine is Engine.KAFKA else _with_late_views(_by_line(part, broker), profile)


def _by_line(part: Part, broker: str) -> Part:
    """Let a broker that shuts down go on serving for as long as one of this line does."""
    return replace(part, steps=tuple(_lingering(step, lingers_ms(broker)) for step in part.steps))


def _lingering(step: Step, ms: int) -> Step:
    if not isinstance(step, StopBroker | ReturnBroker) or not step.when.lingers:
        return step
    return replace(step, when=replace(step.when, after_ms=step.when.after_ms + ms, lingers=False))


def _with_late_views(part: Part, profile: Profile) -> Part:
    """Let the last broker name a new leader so long after the first, itself, as the profile says."""
    shown_ms = profile.election.shown_ms if profile.election else 0
    if not shown_ms or not part.steps or any(isinstance(step, LagMetadata) for step in part.steps):
        return part
    return replace(part, steps=(LagMetadata(lag_ms=shown_ms, but_successor=True), *part.steps))


def play_of(part: Part, profile: Profile, broker: str) -> Play:
    """Fit a scenario's play to broker line and profile: how long an election takes, and what `no-retries` may do."""
    play = replace(part.play, election_ms=session_ms(broker)) if part.by_session else part.play
    if profile.election is not None and play.election_ms is not None:
        play = replace(play, election_ms=profile.election.ms)
    return replace(play, conforms=profile.conforming(play.conforms))
