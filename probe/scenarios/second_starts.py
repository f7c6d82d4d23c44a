"""The generated family `start-during/<scenario>`: a second instance starts under the fault of a scenario."""

from __future__ import annotations

from dataclasses import replace

from probe.model import Reaction
from probe.scenarios.derivation import derived
from probe.scenarios.scenario import CONFORMS, RoleVariant, Scenario

PREFIX = "start-during/"
LASTING_MS = 20_000
"""Shortest time of a fault that is reverted by itself under which a second instance can start and be seen to wait."""
STORY = """A client is restarted while the fault of {name} is injected: {summary}

What the brokers do: as in {name}. A first instance warms up and meets the fault, so that leaders or coordinators have
moved or are about to. Then it is stopped, and a second one starts with the same group or transactional id. Only the
second is judged.
The error a client meets: as in {name}, or none: a client that starts asks who leads before it works.
What a good client does: serves, without an error, as soon as the cluster can.
Source: restarting the client is often an operator's first reaction; does it help?
Not covered: a fault that is reverted by itself within seconds.
"""


def started_during(base: Scenario) -> Scenario | None:
    """Return the scenario in which a second instance starts, or None where that is not applicable."""
    return derived(base, PREFIX, STORY, _stands, _second)


def _stands(variant: RoleVariant) -> bool:
    """Return whether the fault is still injected when a second instance starts, and that instance can serve."""
    return (
        bool(variant.steps)
        and (variant.heal_after_ms is None or variant.heal_after_ms >= LASTING_MS)
        and not variant.at_start
        and not any(getattr(step, "times", 0) for step in variant.steps)
        and variant.expectation.expects in {Reaction.DISCOVER, Reaction.RETRY}
    )


def _second(variant: RoleVariant) -> RoleVariant:
    conforms = CONFORMS[Reaction.NOTHING] if variant.expectation.conforms else ()
    return replace(
        variant,
        expectation=replace(variant.expectation, expects=Reaction.NOTHING, conforms=conforms),
        second_instance=True,
    )
