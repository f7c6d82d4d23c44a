"""Role variants of scenarios about the answers of a role's daily work, which the failing broker serves alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from probe.model import Expectation, Role, Target
from probe.protocol.apis import END_TXN, FETCH, LIST_OFFSETS, OFFSET_COMMIT, PRODUCE
from probe.scenarios.scenario import RoleVariant

if TYPE_CHECKING:  # the modules of all steps; a scenario loads those of its own steps
    from probe.scenarios.steps.step import Step

WORK = (
    (Role.PRODUCER, PRODUCE, Target.LEADER),
    (Role.CONSUMER, FETCH, Target.LEADER),
    (Role.GROUP, OFFSET_COMMIT, Target.COORDINATOR),
    (Role.TRANSACTIONAL, END_TXN, Target.COORDINATOR),
    (Role.ADMIN, LIST_OFFSETS, Target.LEADER),
)
"""The API in which each role works, and the broker that serves it."""


def variants_of_work(
    play: Expectation, step: Callable[[tuple[int, ...]], Step], *, silent: bool = False
) -> tuple[RoleVariant, ...]:
    """Return a variant per role; `step` gets the API keys of the role's work.

    `silent`: no client can notice the fault before its own timeout, so prompt is that timeout plus 5 s.
    """
    return tuple(
        RoleVariant(
            roles=(role,),
            expectation=replace(play, target=target),
            steps=(step((api,)),),
            whole_broker=True,
            prompt_beyond_own_ms=5000 if silent else None,
        )
        for role, api, target in WORK
    )
