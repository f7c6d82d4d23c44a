"""The generated family `close-during/<scenario>`: the application closes its client under the fault of a scenario."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Reaction, Symptom, Target
from probe.scenarios.derivation import derived
from probe.scenarios.scenario import CONFORMS, RoleVariant, Scenario

PREFIX = "close-during/"
STORY = """The application closes its client under the fault of {name}: {summary}

What the brokers do: as in {name}, and the fault stands until the client is closed.
The error a client meets: as in {name}, or none. Records are under way, and a group's member has records to commit.
What a good client does: ends within its own limit, reports the outcome of each record that it was given, as success or
as an error, and leaves its group where the coordinator can be reached.
Source: otel-contrib #30789, IBM/sarama #2717: a service that cannot end is killed by its supervisor, often while
brokers fail.
Not covered: a close() that hangs without a fault, too; then the cell says so and does not blame the fault.
"""
LONG_CLOSE_MS = 60_000
"""A close that waits for a silent broker or for a coordinator may take minutes, which is a long watch."""
CONFORMING = (*CONFORMS[Reaction.NOTHING], *CONFORMS[Reaction.SURFACE])
"""An error that reaches the application is a record's outcome like any other."""


def closed_during(base: Scenario) -> Scenario | None:
    """Return the scenario in which the client is closed, or None where that is not applicable."""
    return derived(base, PREFIX, STORY, _stands, _closed)


def _stands(variant: RoleVariant) -> bool:
    """Return whether a client that works meets the fault, and the fault does not end after some answers."""
    return (
        bool(variant.steps)
        and not variant.at_start
        and not variant.second_instance
        and variant.member is None
        and not any(getattr(step, "times", 0) for step in variant.steps)
    )


def _closed(variant: RoleVariant) -> RoleVariant:
    play = variant.expectation
    conforms = CONFORMING if play.conforms else ()
    waits = play.kind is Symptom.SILENCE or play.target is Target.COORDINATOR
    expectation = replace(
        play,
        expects=Reaction.NOTHING,
        conforms=conforms,
        closes=True,
        new_log=False,
        watch_ms=max(play.watch_ms, LONG_CLOSE_MS) if waits else play.watch_ms,
    )
    return replace(variant, expectation=expectation, heal_after_ms=None)
