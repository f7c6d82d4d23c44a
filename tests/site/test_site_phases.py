"""Cells whose trials have phases: the rule that says whether the phase decides, and the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import pytest

from probe.cells.phases import ByPhase, by_phase
from probe.model import Engine, Outcome, PhaseClock, Verdict
from probe.planning.phases import GOLDEN
from probe.site.data.cell_index import CellIndex
from probe.site.data.matrix_rows import MatrixRow
from probe.site.pages.all_pages import Pages
from probe.site.pages.phase_picture import says, shown_phases
from probe.site.timeline.trial_view import TrialView
from tests.support.site_data import CHANGED, judged_trials, matrix_row
from tests.support.synthetic_rows import verdict

GOOD, BAD = Outcome.SURFACES, Outcome.STUCK


def trial(outcome: Outcome, phase: float | None, clock: PhaseClock = PhaseClock.HEARTBEAT) -> Verdict:
    return verdict(outcome, phase=phase, phase_clock=clock)


def found(*outcomes: Outcome) -> ByPhase:
    """Return trials at equal distances, in the order of their phases."""
    made = by_phase((n, trial(one, n / len(outcomes))) for n, one in enumerate(outcomes))
    assert made is not None
    return made


def edge(count: int, share: float) -> list[Verdict]:
    """Return the trials of a client that is stuck from a phase on, as the plan spreads them."""
    phases = [(0.3 + n * GOLDEN) % 1 for n in range(count)]
    return [trial(BAD if phase >= share else GOOD, phase) for phase in phases]


@pytest.mark.parametrize("outcomes", [(BAD, BAD, GOOD, GOOD, GOOD), (BAD, GOOD, BAD, GOOD, GOOD), (BAD,) + (GOOD,) * 4])
def test_the_chance_is_the_share_of_orders_that_separate_as_well(outcomes: Sequence[Outcome]) -> None:
    def parts(order: Sequence[Outcome]) -> int:
        return sum(one is BAD and order[place - 1] is not BAD for place, one in enumerate(order))

    orders = list(permutations(outcomes))
    as_well = sum(parts(order) <= parts(outcomes) for order in orders)
    assert found(*outcomes).chance == pytest.approx(as_well / len(orders))


def test_twenty_trials_show_an_edge_and_two_do_not() -> None:
    assert not found(BAD, GOOD).decides
    many = by_phase(enumerate(edge(20, 0.4)))
    assert many is not None
    assert many.decides
    assert [(one.outcome, one.trials) for one in many.stretches] == [(GOOD, 9), (BAD, 11)]


def test_trials_that_agree_do_not_depend_on_the_phase() -> None:
    same = found(BAD, BAD, BAD)
    assert (same.chance, same.decides) == (1.0, False)
    assert says(same) == "All 3 trials have the same outcome."


def test_a_stretch_may_go_over_the_end_of_the_interval() -> None:
    (first, second) = found(BAD, GOOD, GOOD, BAD).stretches
    assert (first.outcome, first.trials) == (GOOD, 2)
    assert (second.outcome, second.first, second.last, second.trials) == (BAD, 0.75, 0.0, 2)


def test_only_trials_about_the_client_and_of_one_clock_are_compared() -> None:
    both = [
        trial(GOOD, 0.1),
        trial(BAD, 0.2),
        trial(Outcome.BROKEN, 0.3),
        trial(GOOD, None),
        trial(GOOD, 0.4, PhaseClock.OPERATION),
    ]
    made = by_phase(enumerate(both))
    assert made is not None
    assert [one.number for one in made.trials] == [0, 1]
    assert by_phase(enumerate(both[1:])) is None
    assert by_phase([]) is None


def page(*trials: Verdict, shortened: bool = False) -> str:
    cell = replace(CHANGED, engine=Engine.EMBEDDED)
    row = MatrixRow(cell, Outcome.FLAKY, False, matrix_row(cell, judged_trials(cell)))
    views = [TrialView(number, one, shortened) for number, one in enumerate(trials)]
    return Pages(CellIndex([row])).cell(row, views)


def test_the_page_of_a_cell_shows_its_outcomes_by_phase() -> None:
    text = page(*edge(20, 0.4))
    assert "Outcome by phase" in text
    assert "between one heartbeat and the next" in text
    assert "The outcome depends on the phase: chance alone" in text
    part = text.split('id="phases-part"')[1].split("</section>")[0]
    assert part.count("<path ") == 20
    assert part.count('<th scope="row">') == 20
    phases = [float(row.split("<")[0]) for row in part.split('<th scope="row">')[1:]]
    assert phases == sorted(phases)


def test_a_page_without_phases_has_no_such_part() -> None:
    assert "Outcome by phase" not in page(trial(GOOD, None), trial(BAD, None))
    assert "Outcome by phase" not in page(*edge(4, 0.4), shortened=True)


def test_the_sentence_names_the_phases_of_an_edge() -> None:
    shown = shown_phases(TrialView(number, one) for number, one in enumerate(edge(20, 0.4)))
    assert shown is not None
    assert math.isclose(shown.found.chance, 20 / math.comb(20, 9))
    assert shown.says.endswith("(11 trials).")
    assert "less than 0.1 % of cells" in shown.says
