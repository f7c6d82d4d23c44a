"""The benchmark that plays cells whose answer is certain, and counts trials that say something else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import certain_trials
from benchmarks.certain_trials import certain, counted, report, shares
from probe.catalogue.known_results import read_known
from probe.model import Outcome, Workload
from probe.store import trials
from tests.support.known_results import PLAIN, STUCK
from tests.support.synthetic_rows import CELL, create, history, verdict

KEYED = replace(STUCK, workload=Workload.KEYED)
ANSWERS = {STUCK: Outcome.STUCK, CELL: Outcome.REFRESHES, KEYED: Outcome.STUCK}


def entries(*workloads: Workload, race: Workload | None = None) -> str:
    """Return known results that claim the same of each workload."""
    texts = []
    for one in workloads:
        text = PLAIN.replace('"demo"', f'"demo-{one}"').replace(
            'role = "producer"', f'role = "producer"\nworkload = "{one}"'
        )
        texts.append(
            text.replace('outcome = ["stuck"]', 'bad_in_some = ["stuck"]\ntrials = 20') if one is race else text
        )
    return "\n".join(texts)


def known(tmp_path: Path, text: str) -> dict[object, Outcome]:
    path = tmp_path / "known.toml"
    path.write_text(text)
    return dict(certain(read_known(path), "disk/storage-error"))


def test_cells_are_certain_that_have_one_claimed_outcome_with_every_workload(tmp_path: Path) -> None:
    found = known(tmp_path, entries(*Workload))
    assert found[KEYED] is Outcome.STUCK
    assert found[replace(CELL, workload=Workload.PIPELINED)] is Outcome.REFRESHES
    assert len(found) == 2 * len(Workload)


def test_a_client_that_lacks_one_workload_is_left_out(tmp_path: Path) -> None:
    assert known(tmp_path, entries(Workload.CONTINUOUS, Workload.KEYED)) == {}


def test_a_race_is_not_certain(tmp_path: Path) -> None:
    assert {cell.version for cell in known(tmp_path, entries(*Workload, race=Workload.KEYED))} == {CELL.version}


@pytest.mark.parametrize("total", [6, 20, 1000])
def test_trials_are_spread_evenly_over_the_workloads(tmp_path: Path, total: int) -> None:
    cells = known(tmp_path, entries(*Workload))
    found = shares(list(cells), total)
    sums = [sum(count for cell, count in found.items() if cell.workload is one) for one in Workload]
    assert sum(sums) == total
    assert max(sums) - min(sums) <= 1


def test_a_false_stuck_a_false_recovery_and_any_other_difference_are_counted_apart(tmp_path: Path) -> None:
    said = [
        (STUCK, Outcome.STUCK, False),
        (STUCK, Outcome.LATE, True),
        (STUCK, Outcome.FATAL, False),
        (CELL, Outcome.REFRESHES, True),
        (CELL, Outcome.STUCK, False),
        (KEYED, Outcome.STUCK, False),
        (KEYED, Outcome.BROKEN, False),
        (replace(CELL, version="1.61.1"), Outcome.STUCK, False),
    ]
    with create(tmp_path) as run:
        for number, (cell, outcome, recovered) in enumerate(said):
            run.add(history(cell, number), verdict(outcome, recovered=recovered))
    found = counted(ANSWERS, trials(str(tmp_path)))
    assert [row.verdict.outcome for row in found.false_recovery] == [Outcome.LATE]
    assert [row.cell for row in found.false_stuck] == [CELL]
    assert [row.verdict.outcome for row in found.others] == [Outcome.FATAL]
    assert [row.cell for row in found.unjudged] == [KEYED]
    lines = list(report(ANSWERS, found))
    assert "1 without a verdict, 1 false stuck, 1 false recovery, 1 other difference" in lines
    assert f"{STUCK}: certain stuck; 1 stuck, 1 late, 1 fatal" in lines
    assert "keyed: 2 trials" in lines


def test_a_scenario_without_certain_cells_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no client has a certain answer to steady with every workload"):
        certain_trials.main([str(tmp_path), "--scenario", "steady"])
