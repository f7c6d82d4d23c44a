"""The role variant of scenarios in which a topic is deleted and comes back as another one."""

from __future__ import annotations

from probe.model import Reaction, Role, Symptom, Target, Trigger
from probe.scenarios.scenario import RoleVariant, expect
from probe.scenarios.steps.topics import ReplaceTopic


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
