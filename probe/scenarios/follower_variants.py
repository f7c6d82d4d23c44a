"""Role variants of scenarios about a follower that serves readers (KIP-392)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probe.model import Expectation, Reaction, Role, Symptom, Target
from probe.protocol import apis
from probe.scenarios.scenario import RoleVariant, expect
from probe.scenarios.steps.partitions import AnswerError

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


def variants_of_a_refusing_follower(code: int, times: int) -> tuple[RoleVariant, ...]:
    """Return the variant in which that broker answers Fetch with an error code, so often, and then serves again."""
    play = expect(
        Symptom.ANSWER,
        Reaction.RETRY,
        target=Target.FOLLOWER,
        codes=(code,),
        apis=(apis.FETCH,),
        prompt_ms=3000,
        watch_ms=30000,
    )
    return variants_of_a_follower(play, AnswerError(api=apis.FETCH, code=code, times=times))
