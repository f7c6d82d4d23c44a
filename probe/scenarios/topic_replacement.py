"""The role variant of scenarios in which a topic is deleted and comes back as another one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from probe.model import Reaction, Role, Symptom, Target, Trigger
from probe.scenarios.scenario import CONFORMS, RoleVariant, expect
from probe.scenarios.steps.topics import ReplaceTopic

if TYPE_CHECKING:  # the modules of all steps; a scenario loads those of its own steps
    from probe.scenarios.steps.step import Step

BACK_MS = 500
"""Time from the return of a topic with the same leader until the fault counts as reverted."""


def variant_replaced(step: ReplaceTopic, *, unelected: bool = False) -> RoleVariant:
    """Return the variant. Promises are about the new topic; `unelected`: the old one had no leader elections."""
    return RoleVariant(
        roles=(Role.PRODUCER, Role.CONSUMER, Role.GROUP),
        expectation=expect(
            Symptom.CHANGE,
            Reaction.DISCOVER,
            target=Target.CLUSTER,
            codes=(1, 3, 6, 74, 75, 100, 103),
            causes=(Trigger.ERROR, Trigger.PERIODIC),
            prompt_ms=3000,
            watch_ms=20000,
            new_log=True,
        ),
        long_read=True,
        unelected=unelected,
        steps=(step,),
    )


def with_same_leader(variant: RoleVariant, step: Step, *, gone_ms: int) -> RoleVariant:
    """Return the variant in which the former leader leads the new topic: a client may go on there without a question.

    The fault is over once the topic has been back for a moment.
    """
    retried = replace(variant.expectation, expects=Reaction.RETRY, conforms=CONFORMS[Reaction.RETRY])
    return replace(variant, expectation=retried, steps=(step,), heal_after_ms=gone_ms + BACK_MS)
