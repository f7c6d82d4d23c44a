"""Role variants of scenarios in which the client's application does not work for a while, and the brokers serve."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from probe.model import Expectation, Profile, Reaction, Role, Symptom, Target
from probe.model.profile import SHORT, SHORT_LIMITS
from probe.model.roles import ROLES
from probe.scenarios.scenario import CONFORMS, Absence, Member, RoleVariant, expect

if TYPE_CHECKING:  # the modules of all steps; a scenario loads those of its own steps
    from probe.scenarios.steps.step import Step

AFTERWARDS_MS = 20_000
"""Time for which the client is watched after the absence."""
JOINING_MS = 15_000
"""Time in which a second member starts (a JVM on a busy machine takes seconds), joins, and the group is balanced."""
CONFORMING = (*CONFORMS[Reaction.NOTHING], *CONFORMS[Reaction.SURFACE])
"""A client that says what it has lost, or has lost nothing, and goes on."""


def variants_of_absence(absence: Absence, *roles: Role) -> tuple[RoleVariant, ...]:
    """Return the variants; only a group has a second member that takes over."""
    alone = tuple(role for role in roles if not ROLES[role].member)
    found = (_variant(replace(absence, successor=False), alone), _variant(absence, (Role.GROUP,)))
    return tuple(variant for variant in found if variant.roles)


def busy_while(length_ms: int, role: Role, *steps: Step) -> tuple[RoleVariant, ...]:
    """Return the variant in which the steps happen while the application handles one record for that time."""
    absence = Absence(short_ms=length_ms, long_ms=length_ms, busy=True)
    return (replace(_variant(absence, (role,)), steps=steps, watch_least_ms=length_ms),)


def variant_of_two(member: Member, absence: Absence) -> RoleVariant:
    """Return the variant in which one of two members of a group is absent, for good if it is killed."""
    variant = _variant(absence, (Role.GROUP,))
    play = replace(variant.expectation, kind=Symptom.MEMBERSHIP)
    return with_length(replace(variant, expectation=play, member=member), Profile(SHORT_LIMITS))


def variant_of_joining(*steps: Step, target: Target, member: Member = Member.JOINS) -> RoleVariant:
    """Return the variant in which a second member joins while metadata is as the steps make it.

    Target leader: the bystander partition is as before.
    """
    play = expect(
        Symptom.MEMBERSHIP,
        Reaction.NOTHING,
        target=target,
        prompt_ms=3000,
        watch_ms=JOINING_MS + AFTERWARDS_MS,
    )
    return RoleVariant(
        roles=(Role.GROUP,),
        expectation=replace(play, conforms=CONFORMING),
        steps=steps,
        heal_after_ms=JOINING_MS,
        member=member,
    )


def with_length(variant: RoleVariant, profile: Profile) -> RoleVariant:
    """Return the variant with the length that the absence has in a profile."""
    if variant.absence is None:
        return variant
    length_ms = variant.absence.short_ms if profile.name in SHORT else variant.absence.long_ms
    play = replace(variant.expectation, watch_ms=length_ms + AFTERWARDS_MS)
    comes_back = variant.member is not Member.KILLED
    return replace(variant, expectation=play, heal_after_ms=length_ms if comes_back else None)


def _variant(absence: Absence, roles: tuple[Role, ...]) -> RoleVariant:
    return RoleVariant(
        roles=roles,
        expectation=_expectation(absence.short_ms),
        absence=absence,
        heal_after_ms=absence.short_ms,
    )


def _expectation(length_ms: int) -> Expectation:
    play = expect(
        Symptom.ABSENCE, Reaction.NOTHING, target=Target.CLUSTER, prompt_ms=3000, watch_ms=length_ms + AFTERWARDS_MS
    )
    return replace(play, conforms=CONFORMING)
