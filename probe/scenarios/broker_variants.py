"""Role variants of scenarios in which a whole broker is gone for a long time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from probe.model import Expectation, Role, Target
from probe.scenarios.scenario import RoleVariant
from probe.scenarios.steps.real_brokers import KeepReplicas

if TYPE_CHECKING:  # the modules of all steps; a scenario loads those of its own steps
    from probe.scenarios.steps.step import Step

LED = (Role.PRODUCER, Role.CONSUMER)
COORDINATED = (Role.GROUP, Role.TRANSACTIONAL)


def variants_of_a_broker(
    play: Expectation, *steps: Step, by_session: bool = False, silent: bool = False
) -> tuple[RoleVariant, ...]:
    """Return the variants: producers and consumers lose their leader, groups and transactions their coordinator.

    Both partitions of a group are on other brokers, which shows what the group does without its coordinator.
    `by_session`: the election takes the session timeout of the release line. `silent`: no client can notice the fault
    before its own timeout, so prompt is that timeout plus 5 s.
    """
    led = RoleVariant(
        roles=LED,
        expectation=play,
        steps=steps,
        whole_broker=True,
        by_session=by_session,
        prompt_beyond_own_ms=5000 if silent else None,
    )
    return led, replace(led, roles=COORDINATED, expectation=replace(play, target=Target.COORDINATOR))


def real_variant_led_alone(
    play: Expectation, step: Step, *, watch_ms: int, bystander: tuple[int, ...], silent: bool = False
) -> tuple[RoleVariant, ...]:
    """Return the variant on real brokers, where nobody takes over: the failing broker has the only replica.

    `bystander` has the places of the other partition's replicas among the brokers, the failing one first.
    `silent` as in `variants_of_a_broker`.
    """
    (led, _) = variants_of_a_broker(
        replace(play, watch_ms=watch_ms), KeepReplicas(affected=(0,), bystander=bystander), step, silent=silent
    )
    return (led,)
