"""Remedies where a client does harm: restarts, and profiles of the same version."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from probe.model import Cell
from probe.model.harm import Harm
from probe.model.ways_out import mending_profiles, restarts
from tests.support.synthetic_rows import CELL

START = replace(CELL, scenario=f"start-during/{CELL.scenario}")


@dataclass(frozen=True)
class Measured:
    cell: Cell
    passes: bool = True
    conditions: int = 6

    def is_comparable(self, other: Any, /) -> bool:
        return self.conditions == int(other.conditions)


def mended(*others: Measured) -> str | None:
    bad = Measured(CELL, passes=False)
    return mending_profiles([bad], [bad, *others]).get(CELL)


def in_profile(name: str, **more: Any) -> Measured:
    return Measured(replace(CELL, profile=name), **more)


def test_a_second_instance_that_works_under_the_fault_says_that_a_restart_helps() -> None:
    assert restarts([CELL], {START: Harm.STALLS}) == {CELL: True}
    assert restarts([CELL], {START: Harm.STOPS}) == {CELL: False}
    assert restarts([CELL], {CELL: Harm.STOPS}) == {}


def test_the_usual_profile_tells_of_restarts_in_others() -> None:
    own = replace(CELL, profile="defaults")
    assert restarts([own], {START: Harm.NONE}) == {own: True}
    assert restarts([own], {START: Harm.NONE, replace(START, profile="defaults"): Harm.STOPS}) == {own: False}


def test_the_first_profile_that_passes_mends() -> None:
    assert mended(in_profile("refresh-1s"), in_profile("idempotent")) == "idempotent"
    assert mended(in_profile("refresh-1s", passes=False)) is None
    assert mended(in_profile("isolated+linger.ms=5")) is None, "it has no name of its own"
    assert mended(in_profile("no-retries")) is None, "it passes by showing the error"
    assert mended(in_profile("refresh-1s", conditions=1)) is None, "it is not comparable"


def test_no_other_profile_mends_an_idempotent_producer() -> None:
    bad = in_profile("idempotent", passes=False)
    assert mending_profiles([bad], [bad, in_profile("defaults"), in_profile("isolated")]) == {}
