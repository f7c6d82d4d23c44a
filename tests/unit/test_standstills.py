"""The benchmark that plays drawn cells of `defaults` again, and compares what ended their standstills."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.standstills import CHANCE, DIFFERS, NOT_PLAYED, SAME, compared, stood_still
from probe.model import Engine, Outcome, Verdict
from probe.model.profile import OWN_DEFAULTS
from probe.model.words import Ender
from tests.support.synthetic_rows import CELL, settled_cell, verdict


def ended(by: Ender, seconds: float) -> Verdict:
    return verdict(Outcome.LATE, ended_by=by, recovery_ms=seconds * 1000, still_ms=seconds * 1000)


def lasted(seconds: float) -> Verdict:
    return verdict(Outcome.STUCK, ended_by=Ender.NOTHING, still_ms=seconds * 1000)


ERRORS = [ended(Ender.ERROR, seconds) for seconds in (1.0, 1.2, 1.4)]
MINUTE = [ended(Ender.DISCONNECT, 60)]


@pytest.mark.parametrize(
    ("shipped", "fresh", "answer"),
    [
        (ERRORS, [ended(Ender.ERROR, 2.2)], SAME),
        (ERRORS, [ended(Ender.ERROR, 2.3)], DIFFERS),
        (ERRORS, [ended(Ender.PERIODIC, 1.2)], DIFFERS),
        (ERRORS, [ended(Ender.ERROR, 1.2), ended(Ender.DISCONNECT, 1.2)], DIFFERS),
        (MINUTE, [ended(Ender.DISCONNECT, 45)], SAME),
        (MINUTE, [ended(Ender.DISCONNECT, 76)], DIFFERS),
        ([lasted(60)], [lasted(62)], SAME),
        ([lasted(60)], [ended(Ender.HEALED, 60)], DIFFERS),
        ([*ERRORS, ended(Ender.HINT, 1.2)], [ended(Ender.PERIODIC, 1.2)], CHANCE),
        ([*ERRORS, ended(Ender.ERROR, 9.0)], [ended(Ender.ERROR, 9.1)], CHANCE),
        (ERRORS, [], NOT_PLAYED),
    ],
)
def test_a_cell_played_again_is_compared_with_the_shipped_trials(
    shipped: list[Verdict], fresh: list[Verdict], answer: str
) -> None:
    assert compared(shipped, fresh, max(1, len(fresh))) == answer


def test_a_cell_that_lacks_a_trial_is_not_played() -> None:
    assert compared(ERRORS, ERRORS[:1], 2) == NOT_PLAYED


def test_drawn_are_cells_of_defaults_on_the_embedded_engine_in_which_work_stood_still() -> None:
    still, alone = replace(CELL, profile=OWN_DEFAULTS), (ended(Ender.ERROR, 1.0), verdict(Outcome.CLEAN))
    cells = [still, CELL, replace(still, engine=Engine.KAFKA), replace(still, version="9.9")]
    settled = [replace(settled_cell(one, Outcome.LATE), verdicts=alone) for one in cells[:3]]
    assert dict(stood_still([*settled, settled_cell(cells[3], Outcome.CLEAN)])) == {still: alone}
