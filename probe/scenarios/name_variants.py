"""Role variants of scenarios in which clients find brokers by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from probe.model import Expectation
from probe.scenarios.broker_variants import variants_of_a_broker
from probe.scenarios.scenario import RoleVariant

if TYPE_CHECKING:  # the modules of all steps; a scenario loads those of its own steps
    from probe.scenarios.steps.step import Step


def named_variants(play: Expectation, *steps: Step, silent: bool = False) -> tuple[RoleVariant, ...]:
    """Return the variants in which one broker is gone, with brokers that advertise names.

    `silent`: attempts at its address get no answer, so prompt is the client's own time-out plus 5 s.
    """
    return tuple(replace(variant, by_name=True) for variant in variants_of_a_broker(play, *steps, silent=silent))
