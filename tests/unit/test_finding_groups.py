"""`probe lookup --all`: findings that share a cause are one entry, and a client that ends as it must is said to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from probe.cells.aggregate import SettledCell
from probe.cells.audit import Fault, examine
from probe.cells.comparison import Answer, Compared
from probe.cells.trends import Step
from probe.cli.answers.advice_summary import conclusion
from probe.cli.answers.finding_groups import ended, first_line, grouped
from probe.model import CONTROL, Outcome, Role
from tests.support.synthetic_rows import CELL, settled_cell
from tests.unit.test_lookup import look, publish, settled, shipped

__all__ = ["shipped"]  # the fixture

HANG, BLACKHOLE = (replace(CELL, scenario=name) for name in ("broker/hang", "net/blackhole"))


def faults(*items: SettledCell) -> tuple[Fault, ...]:
    stored = {item.cell: item for item in items}
    return examine(stored, stored)


def fenced() -> SettledCell:
    one = settled_cell(replace(CELL, role=Role.TRANSACTIONAL, scenario="txn/fenced"), Outcome.FATAL, run_id="r1")
    return replace(one, verdicts=(replace(one.verdicts[0], conforms=True),))


def test_what_fails_is_grouped_by_harm_and_cause() -> None:
    stuck = [settled_cell(one, Outcome.STUCK) for one in (HANG, replace(BLACKHOLE, role=Role.GROUP), BLACKHOLE)]
    late = settled_cell(CELL, Outcome.LATE)
    found = grouped(faults(*stuck, late))
    assert [len(one) for one in found] == [3, 1]
    assert first_line(found[0]) == (
        "broker/hang (producer), net/blackhole (producer, group): stops silently; stuck; it stuck"
    )


def test_what_passes_is_grouped_by_role_and_outcome_and_a_control_cell_that_fails_stands_alone() -> None:
    rides = [settled_cell(one, Outcome.REFRESHES) for one in (HANG, BLACKHOLE)]
    control = [settled_cell(replace(CELL, scenario=CONTROL, role=role), Outcome.STUCK) for role in list(Role)[:2]]
    found = grouped(faults(*rides, *control))
    assert sorted(len(one) for one in found) == [1, 1, 2]
    (good,) = (one for one in found if len(one) == 2)
    assert first_line(good) == "broker/hang, net/blackhole (producer): refreshes; 1 trial each"


def test_a_client_that_ends_as_it_has_to_passes_in_words_that_say_so(tmp_path: Path, shipped: Path) -> None:
    (fault,) = faults(fenced())
    assert ended(fault) == (
        "fatal in 1 trial: it ends its work and says so, as it has to here; the service makes a new instance"
    )
    assert not ended(*faults(settled_cell(CELL, Outcome.FATAL)))
    publish(shipped, fenced())
    every = look(tmp_path / "results", "sarama@1.43.3", "--all").stdout
    assert "passes         transactional isolated txn/fenced: fatal in 1 trial: it ends its work and says so" in every
    assert "txn/fenced [ends, as it must]" in look(tmp_path / "results", "sarama@1.43.3").stdout


def test_all_has_one_entry_for_a_cause_and_scenario_each_finding(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(HANG, Outcome.STUCK), settled(BLACKHOLE, Outcome.STUCK))
    folded = look(tmp_path / "results", "sarama@1.43.3", "--all").stdout
    assert "  fails          broker/hang, net/blackhole (producer): stops silently; stuck; it stuck" in folded
    assert "for example producer isolated broker/hang: it stuck" in folded
    assert folded.count("probe run --client") == 1
    each = look(tmp_path / "results", "sarama@1.43.3", "--all", "--scenario", "*").stdout
    assert each.count("  fails          producer isolated") == 2


def test_an_upgrade_that_nothing_decides_is_concluded_in_words() -> None:
    step = Step(settled_cell(HANG, Outcome.STUCK), settled_cell(HANG, Outcome.REFRESHES))
    open_one = Compared(step, Answer.UNDECIDED, towards=Answer.BETTER)
    assert conclusion([open_one, replace(open_one, towards=Answer.WORSE)]) == (
        "not decided: no cell is shown worse or better, and 2 cells may be (1 may be worse, 1 may be better); "
        "until trials decide, nothing here speaks for the change, or against it"
    )
    same = Compared(step, Answer.SAME)
    assert conclusion([same]).startswith("no difference in harm is shown")
    assert not conclusion([same, replace(same, answer=Answer.BETTER)])
    assert not conclusion([])
