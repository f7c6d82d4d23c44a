"""Role variants of scenarios about a follower that serves readers (KIP-392)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probe.model import Expectation, Role
from probe.scenarios.scenario import RoleVariant

if TYPE_CHECKING:  # the modules of all steps; a scenario loads those of its own steps
    from probe.scenarios.steps.step import Step

READERS = (Role.CONSUMER, Role.GROUP)


def variants_of_a_follower(
    play: Expectation, *steps: Step, by_session: bool = False, silent: bool = False
) -> tuple[RoleVariant, ...]:
    """Return the variant in which the failing broker follows the affected partition, and serves the reader.

    `by_session`: leaders send readers to it until its session of the release line is over. `silent`: no client can
    notice the fault before its own timeout, so prompt is that timeout plus 5 s.
    """
    variant = RoleVariant(
        roles=READERS,
        expectation=play,
        steps=steps,
        follows=True,
        by_session=by_session,
        prompt_beyond_own_ms=5000 if silent else None,
    )
    return (variant,)
