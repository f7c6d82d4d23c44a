"""Evidence as text: what is written is read, cells that say the same keep their lines, and the file is built once."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from probe.cells.aggregate import SettledCell
from probe.evidence.access import opened
from probe.evidence.checkout_build import IN_USE_S, KEPT, built
from probe.evidence.fact_tokens import LETTERS
from probe.evidence.publication import for_package, joined, numbers_of
from probe.evidence.text_files import RUNS, read_folder, write_folder
from probe.evidence.writer import Contents
from probe.files.shipped_evidence import TEXT
from probe.model import Cell, Facts, Outcome, Workload
from probe.model.columns import FACTS
from probe.model.conditions import current
from probe.model.schema import Type
from tests.support.synthetic_rows import CELL, random_facts, verdict
from tests.unit.test_evidence_file import cell_of, contents, random_settled

LATER = "20261201T000000Z-bbbb"
STEADY = replace(CELL, scenario="steady")


def lines(folder: Path) -> dict[str, list[str]]:
    return {str(path.relative_to(folder)): path.read_text().splitlines() for path in sorted(folder.rglob("*.tsv"))}


def changed(before: dict[str, list[str]], after: dict[str, list[str]]) -> list[str]:
    """Return the lines of cells that are new or different."""
    names = [name for name in after if "/" in name]
    return [line for name in names for line in after[name] if line not in before.get(name, [])]


def whole_ms(facts: Facts) -> Facts:
    """Return facts as they are after they were text: whole milliseconds, rates with a few digits."""
    values = {name: getattr(facts, name) for name, kind in FACTS.items() if kind is Type.DOUBLE}
    times = {name: float(round(value)) for name, value in values.items() if value is not None and name.endswith("_ms")}
    rates = {
        name: round(value, 3 if abs(value) < 10 else 1)
        for name, value in values.items()
        if value is not None and not name.endswith("_ms")
    }
    return replace(facts, **times, **rates)  # type: ignore[arg-type]  # names of facts that are floats


def read(folder: Path, item: SettledCell) -> SettledCell:
    return read_folder(folder).cells[item.cell]


def test_every_fact_has_a_letter_of_its_own() -> None:
    assert set(LETTERS) == set(FACTS)
    assert len(set(LETTERS.values())) == len(LETTERS)
    assert all(len(letter) == 1 and letter.isalpha() for letter in LETTERS.values())


@pytest.mark.parametrize("seed", range(5))
def test_cells_are_read_as_they_were_written(tmp_path: Path, seed: int) -> None:
    written = contents(random_settled(seed, 60))
    assert write_folder(tmp_path / "text", written) == len(written.cells)
    found = read_folder(tmp_path / "text").cells
    for cell, item in written.cells.items():
        verdicts = tuple(replace(one, facts=whole_ms(one.facts)) for one in item.verdicts)
        assert found[cell].verdicts == verdicts
        assert (found[cell].run_id, found[cell].trial, found[cell].since) == (item.run_id, item.trial, item.since)


def test_spaces_tabs_and_backslashes_survive(tmp_path: Path) -> None:
    facts = Facts(first_error="client:a b\\s\tc")
    item = cell_of(replace(CELL, profile="isolated+key=a b"), Outcome.STUCK)
    odd = replace(item, verdicts=(replace(item.verdicts[0], reason="one | two\tthree\\n", facts=facts),))
    write_folder(tmp_path, contents([odd]))
    (found,) = read(tmp_path, odd).verdicts
    assert (found.reason, found.facts.first_error) == ("one | two\tthree\\n", "client:a b\\s\tc")


def test_a_sentence_that_follows_from_the_facts_is_not_stored(tmp_path: Path) -> None:
    item = cell_of(STEADY, Outcome.CLEAN)
    served = replace(item.verdicts[0], reason="served for 5.2 s without an error", facts=Facts(watched_ms=5204))
    write_folder(tmp_path, contents([replace(item, verdicts=(served,))]))
    assert "served" not in "\n".join(lines(tmp_path)["embedded/sarama.tsv"])
    assert read(tmp_path, item).reason == "served for 5.2 s without an error"


def again(item: SettledCell, outcome: Outcome, seed: int) -> SettledCell:
    """Return a cell as a later run shows it: other times and counts, the same codes and versions."""
    old = item.verdicts[0].facts
    kept = ("fault_codes", "api_versions", "lost", "unresolved", "phantom")
    same = {name: getattr(old, name) for name in kept}
    facts = replace(random_facts(random.Random(seed)), **same)
    return replace(item, run_id=LATER, verdicts=(replace(verdict(outcome, rules=16), facts=facts),))


def later(items: Iterable[SettledCell]) -> Contents:
    return contents(items)


def test_only_the_cells_that_changed_change_their_lines(tmp_path: Path) -> None:
    items = [cell_of(replace(CELL, version=f"1.43.{nth}"), Outcome.RIDES) for nth in range(20)]
    write_folder(tmp_path, contents(items))
    before = lines(tmp_path)
    fresh = [again(item, Outcome.STUCK if nth == 7 else Outcome.RIDES, nth) for nth, item in enumerate(items)]
    assert write_folder(tmp_path, later(fresh)) == 1
    (line,) = changed(before, lines(tmp_path))
    assert line.startswith("1.43.7\tproducer\tdisk/storage-error\tisolated\t3.9\t")
    assert "stuck" in line


@pytest.mark.parametrize(
    "what", [Facts(fault_codes=(56, 6)), Facts(api_versions=(("Produce", 9),)), Facts(lost=3), Facts(unresolved=3)]
)
def test_another_code_api_version_or_loss_changes_the_line(tmp_path: Path, what: Facts) -> None:
    item = cell_of(CELL, Outcome.RIDES)
    write_folder(tmp_path, contents([item]))
    new = again(item, Outcome.RIDES, 1)
    new = replace(new, verdicts=(replace(new.verdicts[0], facts=what),))
    assert write_folder(tmp_path, later([new])) == 1


def test_a_kept_line_has_the_rules_that_confirmed_it_and_both_dates(tmp_path: Path) -> None:
    item = cell_of(CELL, Outcome.RIDES, conditions=current(CELL.engine))
    write_folder(tmp_path, contents([item]))
    fresh = contents([again(item, Outcome.RIDES, 1)])
    fresh = replace(fresh, runs=[replace(fresh.runs[0], started="2026-12-01T00:00:00Z")])
    assert write_folder(tmp_path, fresh) == 0
    found = read_folder(tmp_path)
    assert (found.cells[CELL].run_id, found.cells[CELL].rules, found.cells[CELL].is_current) == (item.run_id, 16, True)
    assert found.confirmed == {("embedded", "sarama"): "2026-12-01T00:00:00Z"}
    assert [run.started for run in found.runs] == ["2026-11-01T00:00:00Z"]


def test_a_line_has_the_conditions_of_its_own_trials(tmp_path: Path) -> None:
    """Trials of other conditions that say the same confirm none: they take the line."""
    item = cell_of(CELL, Outcome.RIDES, conditions=current(CELL.engine) - 1)
    write_folder(tmp_path, contents([item]))
    new = replace(again(item, Outcome.RIDES, 1), conditions=current(CELL.engine))
    assert write_folder(tmp_path, contents([new])) == 1
    assert (read(tmp_path, item).run_id, read(tmp_path, item).is_current) == (LATER, True)


def test_cells_that_are_not_published_any_more_go(tmp_path: Path) -> None:
    write_folder(tmp_path, contents([cell_of(CELL, Outcome.RIDES), cell_of(STEADY, Outcome.CLEAN)]))
    write_folder(tmp_path, contents([cell_of(CELL, Outcome.RIDES)]))
    assert set(read_folder(tmp_path).cells) == {CELL}


@pytest.mark.parametrize(("before", "now", "kept"), [(1, 1, True), (1, 12, False), (12, 12, False), (12, 1, True)])
def test_trials_that_decide_a_comparison_are_all_of_the_newest_run(
    tmp_path: Path, before: int, now: int, kept: bool
) -> None:
    item = cell_of(CELL, Outcome.RIDES)
    held = replace(item, verdicts=item.verdicts * before)
    write_folder(tmp_path, contents([held]))
    new = again(item, Outcome.RIDES, 1)
    write_folder(tmp_path, later([replace(new, verdicts=new.verdicts * now)]))
    assert (read(tmp_path, item).run_id == item.run_id) is kept
    assert len(read(tmp_path, item).verdicts) == (before if kept else now)


def test_runs_are_added_to_what_is_published(tmp_path: Path) -> None:
    held = contents([cell_of(CELL, Outcome.RIDES), cell_of(STEADY, Outcome.CLEAN)])
    new = later([again(cell_of(CELL, Outcome.RIDES), Outcome.STUCK, 1)])
    write_folder(tmp_path, joined(held, new))
    found = read_folder(tmp_path)
    assert {cell: item.outcome for cell, item in found.cells.items()} == {CELL: Outcome.STUCK, STEADY: Outcome.CLEAN}
    assert len(found.runs) == 2


def test_the_file_is_built_once_per_state_of_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path / "cache"))
    text = tmp_path / "text"
    write_folder(text, contents([cell_of(CELL, Outcome.RIDES)]))
    first = built(text)
    stamp = first.stat().st_mtime_ns
    assert built(text) == first
    os.utime(text / RUNS, (1, 1))  # another state of the same text
    assert (built(text), first.stat().st_mtime_ns) == (first, stamp)
    write_folder(text, contents([cell_of(CELL, Outcome.STUCK)]))
    second = built(text)
    assert second != first
    with opened(second, "x") as file:
        assert file.cells()[CELL].outcome is Outcome.STUCK


def test_built_files_that_nobody_uses_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, text = tmp_path / "cache", tmp_path / "text"
    monkeypatch.setenv("PROBE_CACHE", str(cache))

    def build(nth: int, *, age_s: int) -> Path:
        write_folder(text, contents([cell_of(replace(CELL, version=f"1.0.{nth}"), Outcome.RIDES)]))
        path = built(text)
        for state in (cache / "evidence").glob("state-*"):
            if state.read_text() in path.name:
                os.utime(state, (time.time() - age_s,) * 2)
        return path

    def left() -> set[str]:
        return {one.name for one in (cache / "evidence").iterdir() if not one.name.startswith("state-")}

    def with_digests(paths: Iterable[Path]) -> set[str]:
        return {name for one in paths for name in (one.name, f"{one.name}.sha256")}

    fresh = [build(nth, age_s=5) for nth in range(KEPT + 2)]
    assert left() == with_digests(fresh), "a file that is about to be opened stays"
    for state in (cache / "evidence").glob("state-*"):
        os.utime(state, (time.time() - 2 * IN_USE_S,) * 2)
    old = [build(nth + 50, age_s=2 * IN_USE_S - 60 * nth) for nth in range(1, KEPT)]
    with opened(old[-1], "x") as reader:
        last = build(99, age_s=0)
        assert len(left()) == 2 * KEPT
        assert left() == with_digests([*old, last])
        assert reader.cells(), "an open file is read to its end"
    assert len(list((cache / "evidence").glob("state-*"))) == KEPT


@pytest.mark.whole
def test_the_evidence_of_this_checkout_is_small_and_as_it_would_be_written(tmp_path: Path) -> None:
    found = read_folder(TEXT)
    assert sum(path.stat().st_size for path in TEXT.rglob("*.tsv")) <= 255 * len(found.cells)  # many with 20 trials
    write_folder(tmp_path / "again", found)
    assert lines(tmp_path / "again") == lines(TEXT)
    with opened(built(TEXT), "x") as file:
        assert file.cells(facts=True) == found.cells
        assert file.handshakes() == found.handshakes


OLDER = current(CELL.engine) - 1
"""Conditions that are not comparable with today's for most roles."""


def test_cells_of_todays_and_of_held_conditions_are_added_each_with_its_own(tmp_path: Path) -> None:
    numbers = {f"1.43.{number}": number for number in (OLDER - 1, OLDER, OLDER + 1)}
    cell = replace(CELL, workload=Workload.PIPELINED)  # concerned by the last two changes
    held = contents([cell_of(cell, Outcome.RIDES, conditions=OLDER)])
    fresh = contents(
        cell_of(replace(cell, version=version), Outcome.RIDES, conditions=number) for version, number in numbers.items()
    )
    choice = for_package(fresh, 15, numbers_of(held))
    assert dict(choice.left_out) == {"measured under other conditions; `probe run` measures them again": 1}
    write_folder(tmp_path, joined(held, choice.contents))
    found = {one.version: item.since for one, item in read_folder(tmp_path).cells.items()}
    assert found == {cell.version: OLDER, f"1.43.{OLDER}": OLDER, f"1.43.{OLDER + 1}": OLDER + 1}


@pytest.mark.parametrize(
    ("cell", "outcome", "is_new"),
    [
        (CELL, Outcome.RIDES, False),  # the same: the older one can be compared with other versions
        (CELL, Outcome.STUCK, True),
        (replace(CELL, scenario="metadata/rebootstrap-required"), Outcome.RIDES, True),  # doubted
        (replace(CELL, version="1.61.1"), Outcome.RIDES, True),  # not there yet
    ],
)
def test_newer_conditions_replace_what_says_otherwise_or_is_doubted(
    tmp_path: Path, cell: Cell, outcome: Outcome, is_new: bool
) -> None:
    held = cell_of(replace(cell, version=CELL.version), Outcome.RIDES, conditions=OLDER)
    fresh = replace(again(replace(held, cell=cell), outcome, 1), conditions=OLDER + 1)
    write_folder(tmp_path, joined(contents([held]), contents([fresh])))
    assert read(tmp_path, fresh).is_current is is_new


@pytest.mark.parametrize(("trials", "is_new"), [(3, False), (4, True)])
def test_few_trials_that_pass_take_back_no_failure_of_older_conditions(
    tmp_path: Path, trials: int, is_new: bool
) -> None:
    held = cell_of(CELL, Outcome.STUCK, conditions=OLDER)
    one = replace(again(held, Outcome.REFRESHES, 1), conditions=OLDER + 1)
    fresh = replace(one, verdicts=one.verdicts * trials)
    write_folder(tmp_path, joined(contents([held]), contents([fresh])))
    assert read(tmp_path, held).is_current is is_new


def test_a_run_that_says_the_same_changes_no_line(tmp_path: Path) -> None:
    held = cell_of(CELL, Outcome.RIDES)
    write_folder(tmp_path, contents([held]))
    before = lines(tmp_path)
    assert write_folder(tmp_path, joined(contents([held]), contents([again(held, Outcome.RIDES, 1)]))) == 0
    assert lines(tmp_path) == before


@pytest.mark.parametrize(("trials", "is_new"), [(19, False), (20, True)])
def test_trials_enough_where_chance_decides_replace_one_of_older_conditions(
    tmp_path: Path, trials: int, is_new: bool
) -> None:
    held = cell_of(CELL, Outcome.RIDES, conditions=OLDER)
    one = replace(again(held, Outcome.RIDES, 1), conditions=OLDER + 1)
    fresh = replace(one, verdicts=one.verdicts * trials)
    write_folder(tmp_path, joined(contents([held]), contents([fresh])))
    assert read(tmp_path, held).is_current is is_new


def test_trials_without_a_verdict_are_not_published_beside_others() -> None:
    cells = [cell_of(CELL, Outcome.LATE, Outcome.NOT_PROVOKED), cell_of(STEADY, Outcome.NOT_PROVOKED)]
    fresh = contents(replace(one, conditions=current(CELL.engine)) for one in cells)
    found = for_package(fresh, 15).contents.cells
    assert [[str(one.outcome) for one in found[item.cell].verdicts] for item in cells] == [["late"], ["not_provoked"]]


@pytest.mark.parametrize(
    ("before", "now", "kept"),
    [
        ([Outcome.RIDES, Outcome.STUCK, Outcome.RIDES], [Outcome.RIDES], True),
        ([Outcome.RIDES, Outcome.STUCK, Outcome.RIDES], [Outcome.RIDES] * 3, False),
        ([Outcome.STUCK] * 12, [Outcome.RIDES], True),
        ([Outcome.STUCK], [Outcome.RIDES], False),
    ],
)
def test_fewer_trials_replace_no_share_and_no_decision(
    tmp_path: Path, before: list[Outcome], now: list[Outcome], kept: bool
) -> None:
    held, one = cell_of(CELL, *before), again(cell_of(CELL, Outcome.RIDES), Outcome.RIDES, 1)
    fresh = replace(one, verdicts=tuple(replace(one.verdicts[0], outcome=outcome) for outcome in now))
    write_folder(tmp_path, joined(contents([held]), contents([fresh])))
    assert (read(tmp_path, held).run_id == held.run_id) is kept


def test_one_newer_cell_leaves_the_lines_of_all_others_as_they_are(tmp_path: Path) -> None:
    items = [cell_of(replace(CELL, version=f"1.43.{nth}"), Outcome.RIDES) for nth in range(5)]
    write_folder(tmp_path, contents(items))
    before = lines(tmp_path)
    newer = again(items[3], Outcome.STUCK, 3)
    assert write_folder(tmp_path, contents([*items[:3], newer, items[4]])) == 1
    (line,) = changed(before, lines(tmp_path))
    assert " R16\t" in line
    assert read(tmp_path, newer).rules == 16
