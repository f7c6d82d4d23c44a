"""Role variants adapted to a release line and a profile."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Cell, Engine, Expectation, Profile
from probe.model.engines import ENGINES
from probe.scenarios.absences import with_length
from probe.scenarios.scenario import RoleVariant, Scenario
from probe.scenarios.session_timeouts import lingers_ms, session_ms
from probe.scenarios.steps.brokers import ReturnBroker, StopBroker
from probe.scenarios.steps.partitions import LagMetadata
from probe.scenarios.steps.step import Step


def variant_of(variant: RoleVariant, profile: Profile, engine: Engine, broker: str) -> RoleVariant:
    """Adapt a role variant to release line and profile on the embedded engine; real brokers need no change."""
    return variant if ENGINES[engine].real else _with_late_views(_by_line(variant, broker), profile)


def _by_line(variant: RoleVariant, broker: str) -> RoleVariant:
    """Let a broker that shuts down serve for as long as one of this release line does."""
    return replace(variant, steps=tuple(_lingering(step, lingers_ms(broker)) for step in variant.steps))


def _lingering(step: Step, ms: int) -> Step:
    if not isinstance(step, StopBroker | ReturnBroker) or not step.when.lingers:
        return step
    return replace(step, when=replace(step.when, after_ms=step.when.after_ms + ms, lingers=False))


def _with_late_views(variant: RoleVariant, profile: Profile) -> RoleVariant:
    """Delay a new leader's name on all brokers but the new leader by the time that the profile sets."""
    shown_ms = profile.election.shown_ms if profile.election else 0
    if not shown_ms or not variant.steps or any(isinstance(step, LagMetadata) for step in variant.steps):
        return variant
    return replace(variant, steps=(LagMetadata(lag_ms=shown_ms, but_successor=True), *variant.steps))


def expectation_of(variant: RoleVariant, profile: Profile, broker: str) -> Expectation:
    """Adapt an expectation to release line and profile: duration of elections, and what `no-retries` may do."""
    play = replace(variant.expectation, election_ms=session_ms(broker)) if variant.by_session else variant.expectation
    if profile.election is not None and play.election_ms is not None:
        play = replace(play, election_ms=profile.election.ms)
    return replace(play, conforms=profile.conforming(play.conforms))


def expectation_in(cell: Cell, scenario: Scenario) -> Expectation | None:
    """Return the expectation of a cell of a scenario; None if the scenario has no such role any more."""
    part, profile = scenario.variant(cell.role, cell.engine), Profile.parse(cell.profile)
    if part is None:
        return None
    part = variant_of(with_length(part, profile), profile, cell.engine, cell.broker)
    return expectation_of(part, profile, cell.broker)
