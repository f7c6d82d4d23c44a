"""Role variants of scenarios in which the application rests, and connections are idle meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from probe.model import Expectation, Reaction, Role
from probe.scenarios.scenario import CONFORMS, RoleVariant

if TYPE_CHECKING:  # the modules of all steps; a scenario loads those of its own steps
    from probe.scenarios.steps.step import Step

REST_MS = 10_000
IDLE_MS = 4000
"""Time without traffic after which a writer's connection is idle, in milliseconds; much shorter than the rest."""
READERS_REST_MS, READERS_IDLE_MS, READERS_WATCH_MS = 17_000, 12_000, 27_000
"""The same for readers: longer than the heartbeat interval and the long poll of every library, as the idle time-outs of
brokers and balancers are. The longest are MaxWait = 10 s of kafka-go, and 5 s of KafkaJS (maxWaitTimeInMs) and franz-go
(FetchMaxWait)."""

WRITERS = (Role.PRODUCER, Role.TRANSACTIONAL, Role.ADMIN)
READERS = (Role.CONSUMER, Role.GROUP)


def variants_at_rest(
    play: Expectation, step: Callable[[int], Step], *, silent: bool = False
) -> tuple[RoleVariant, ...]:
    """Return the variants. Readers keep their connections busy by long polls and heartbeats, and must notice nothing.

    `step` gets the idle time in milliseconds. `silent`: no client can notice the fault before its own timeout, so
    prompt is that timeout plus 5 s.
    """
    writers = RoleVariant(
        roles=WRITERS,
        expectation=play,
        steps=(step(IDLE_MS),),
        heal_after_ms=REST_MS,
        idle_ms=REST_MS,
        prompt_beyond_own_ms=5000 if silent else None,
    )
    nothing = replace(
        play, expects=Reaction.NOTHING, conforms=CONFORMS[Reaction.NOTHING], prompt_ms=3000, watch_ms=READERS_WATCH_MS
    )
    readers = replace(
        writers,
        roles=READERS,
        expectation=nothing,
        steps=(step(READERS_IDLE_MS),),
        heal_after_ms=READERS_REST_MS,
        idle_ms=READERS_REST_MS,
        prompt_beyond_own_ms=None,
    )
    return writers, readers
