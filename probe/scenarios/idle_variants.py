"""Role variants of scenarios in which the application rests, and connections are idle meanwhile."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Expectation, Reaction, Role
from probe.scenarios.scenario import CONFORMS, RoleVariant
from probe.scenarios.steps.step import Step

REST_MS = 10_000
IDLE_MS = 4000
"""Longer than the heartbeat interval and the long poll of every library, and much shorter than the rest."""
READERS_WATCH_MS = 20_000

WRITERS = (Role.PRODUCER, Role.TRANSACTIONAL, Role.ADMIN)
READERS = (Role.CONSUMER, Role.GROUP)


def variants_at_rest(play: Expectation, step: Step, *, silent: bool = False) -> tuple[RoleVariant, ...]:
    """Return the variants. Readers keep their connections busy by long polls and heartbeats, and must notice nothing.

    `silent`: no client can notice the fault before its own timeout, so prompt is that timeout plus 5 s.
    """
    writers = RoleVariant(
        roles=WRITERS,
        expectation=play,
        steps=(step,),
        heal_after_ms=REST_MS,
        idle_ms=REST_MS,
        prompt_beyond_own_ms=5000 if silent else None,
    )
    nothing = replace(
        play, expects=Reaction.NOTHING, conforms=CONFORMS[Reaction.NOTHING], prompt_ms=3000, watch_ms=READERS_WATCH_MS
    )
    return writers, replace(writers, roles=READERS, expectation=nothing, prompt_beyond_own_ms=None)
