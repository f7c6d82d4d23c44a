"""A scenario's part as a broker line and a profile make it."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Outcome, Play, Profile
from probe.scenarios.elections import session_ms
from probe.scenarios.scenario import Part
from probe.scenarios.steps import LagMetadata


def with_late_views(part: Part, profile: Profile) -> Part:
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
    if profile.name == "no-retries" and play.conforms and Outcome.SURFACES not in play.conforms:
        play = replace(play, conforms=(*play.conforms, Outcome.SURFACES))
    return play
