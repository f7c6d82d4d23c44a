"""Releases that were not measured, predicted by the measured ones on both sides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from benchmarks import neighbours
from probe.catalogue.releases import change_between, has_one_line, releases_of, taken_back
from probe.cells.aggregate import SettledCell
from probe.cells.audit import Finding
from probe.cells.between import Between, filled
from probe.cells.harm import chance_key
from probe.cli.wiring.between import Differences, around
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.evidence import open_evidence
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.model import Cell, Engine, Facts, Outcome, Role, Verdict
from probe.model.harm import Harm
from probe.model.profile import OWN_DEFAULTS

CELL = Cell("sarama", "1.45.1", Role.PRODUCER, "isolated", "disk/storage-error", Engine.EMBEDDED, "3.9")
FINE, BAD, LATE = (Outcome.REFRESHES, True), (Outcome.STUCK, False), (Outcome.LATE, False)


def measured(version: str, what: tuple[Outcome, bool], trials: int = 1, profile: str = CELL.profile) -> SettledCell:
    outcome, conforms = what
    verdict = Verdict(
        outcome=outcome,
        reason="",
        conforms=conforms,
        facts=Facts(recovery_ms=20_000.0 if outcome is Outcome.LATE else None),
        rules=21,
    )
    return SettledCell(
        cell=replace(CELL, version=version, profile=profile),
        run_id="r",
        trial=0,
        verdicts=(verdict,) * trials,
        conditions=5,
    )


def predicted(*cells: SettledCell, differs: str = "", chance: bool = False, version: str = "1.45.1") -> tuple[str, str]:
    """Return what is said of a version: the finding, and the words."""
    keys = {chance_key(one) for one in cells} if chance else set()
    found = Between(cells, keys, lambda *_: differs).answer(replace(CELL, version=version))
    return (str(found.finding), found.stand_in) if found is not None else ("unknown", "")


def test_a_release_with_another_library_inside_tells_nothing() -> None:
    older, newer = measured("1.44.0", BAD), measured("1.45.2", FINE)
    ask = replace(CELL, version="1.45.1")
    alone = Between([older], (), lambda *_: "", lambda _, other: other == "1.44.0")
    assert alone.answer(ask) is None
    found = Between([older, newer], (), lambda *_: "", lambda _, other: other == "1.44.0").answer(ask)
    assert found is not None
    assert found.finding is Finding.SUSPECTED_FINE


@pytest.mark.parametrize(
    ("version", "other", "differs"),
    [("9.0.1", "7.17.29", True), ("8.13.0", "7.17.29", False), ("9.0.1", "9.2.0", False), ("99.0.0", "7.17.29", False)],
)
def test_the_library_inside_a_release_is_known_by_its_application(version: str, other: str, differs: bool) -> None:
    with open_evidence(["shipped"], "", 36500) as evidence:
        assert Differences(evidence, families()["beats"], "3.9").has_another_library(version, other) is differs


@pytest.mark.parametrize(
    ("older", "newer", "finding"),
    [
        (FINE, FINE, Finding.LIKELY_FINE),
        (BAD, BAD, Finding.LIKELY_STOPS),
        (LATE, LATE, Finding.LIKELY_FAILS),
        (FINE, BAD, Finding.SUSPECTED),
        (BAD, FINE, Finding.SUSPECTED),
        (LATE, BAD, Finding.SUSPECTED),
    ],
)
def test_both_sides_tell_together(older: tuple[Outcome, bool], newer: tuple[Outcome, bool], finding: Finding) -> None:
    said, words = predicted(measured("1.45.0", older), measured("1.46.3", newer))
    assert said == finding
    assert "1.45.0" in words
    assert "1.46.3" in words


@pytest.mark.parametrize(
    ("own", "finding"), [(None, Finding.SUSPECTED), (BAD, Finding.SUSPECTED), (FINE, Finding.UNKNOWN)]
)
def test_a_neighbour_tells_nothing_of_defaults_where_another_profile_shows_that_they_differ(
    own: tuple[Outcome, bool] | None, finding: Finding
) -> None:
    asked = replace(CELL, profile=OWN_DEFAULTS)
    stored = [measured("1.46.3", LATE, profile=OWN_DEFAULTS), measured("1.46.3", BAD)]
    stored += [measured(CELL.version, own)] if own is not None else []
    found = Between(stored, (), lambda *_: "").answer(asked)
    assert (Finding.UNKNOWN if found is None else found.finding) == finding


def test_what_real_brokers_lost_makes_nothing_suspected_fine() -> None:
    lost = replace(measured("1.46.3", FINE), real=measured("1.46.3", BAD))
    assert predicted(lost)[0] == Finding.SUSPECTED


@pytest.mark.parametrize(("both", "finding"), [(FINE, Finding.SUSPECTED_FINE), (BAD, Finding.SUSPECTED)])
def test_what_changed_in_between_makes_it_suspected_and_is_said(both: tuple[Outcome, bool], finding: Finding) -> None:
    said, words = predicted(measured("1.45.0", both), measured("1.46.3", both), differs="another major version")
    assert (said, words.endswith(": another major version")) == (finding, True)


def test_nothing_is_likely_where_chance_decides() -> None:
    assert predicted(measured("1.45.0", FINE), measured("1.46.3", FINE), chance=True)[0] == Finding.SUSPECTED_FINE


def test_a_stop_that_a_neighbour_denies_needs_five_trials_on_both_sides() -> None:
    """kafka-go 0.4.0 stops between two releases that do not: no neighbour tells such a fault."""
    sides = (measured("1.45.0", FINE), measured("1.46.3", FINE))
    assert predicted(measured("1.44.0", BAD), *sides)[0] == Finding.SUSPECTED_FINE
    proven = (measured("1.44.0", BAD, 5), measured("1.45.0", FINE, 5), sides[1])
    assert predicted(*proven)[0] == Finding.LIKELY_FINE


def test_one_side_alone_is_suspected() -> None:
    assert predicted(measured("1.44.0", BAD))[0] == Finding.SUSPECTED
    assert predicted(measured("1.44.0", FINE))[0] == Finding.SUSPECTED_FINE
    assert predicted(measured("1.44.0", FINE), differs="newer than the list")[0] == Finding.UNKNOWN
    assert predicted(measured("1.44.0", FINE), version="2.0.0")[0] == Finding.UNKNOWN


def test_different_conditions_prove_nothing() -> None:
    older = replace(measured("1.45.0", FINE), conditions=1)
    assert predicted(older, measured("1.46.3", FINE))[0] == Finding.SUSPECTED_FINE


def test_only_what_has_no_evidence_is_filled() -> None:
    from probe.cells.audit import Fault  # noqa: PLC0415

    own = Fault(CELL, Finding.UNKNOWN, measured("1.45.1", FINE))
    open_one = Fault(CELL, Finding.UNKNOWN, None)
    between = Between([measured("1.45.0", BAD), measured("1.46.3", BAD)], set(), lambda *_: "")
    assert [one.finding for one in filled([own, open_one], between.answer)] == [
        Finding.UNKNOWN,
        Finding.LIKELY_STOPS,
    ]


def test_releases_that_were_taken_back_are_said() -> None:
    assert taken_back("sarama", "1.32.0").startswith("sarama 1.32.0 was retracted")
    assert taken_back("sarama", "1.43.2") == ""
    assert "1.32.0" in releases_of("sarama").withdrawn


def test_changes_lie_between_releases() -> None:
    assert change_between("java", "3.0.0", "3.0.2") is not None
    assert change_between("java", "3.6.1", "3.6.2") is None
    assert change_between("sarama", "1.60.0", "1.60.2") is not None
    assert (has_one_line("sarama"), has_one_line("java")) == (True, False)


def test_the_nearest_releases_with_many_cells_are_read_and_those_before_them() -> None:
    counts = {"1.0.0": 100, "1.1.0": 100, "1.2.0": 2, "1.3.0": 100, "1.5.0": 3, "1.6.0": 100, "1.7.0": 100, "1.8.0": 9}
    assert around(counts, "1.4.0") == ["1.3.0", "1.2.0", "1.1.0", "1.5.0", "1.6.0", "1.7.0"]


@pytest.mark.parametrize(
    ("family", "version", "older", "newer", "why"),
    [
        ("java", "3.6.1", "3.4.1", "3.6.2", "of other lines"),
        ("kafkajs", "2.0.0", "1.16.0", "2.0.2", "another major version"),
        ("sarama", "1.32.0", "1.30.1", "1.34.1", "was retracted"),
        ("sarama", "9.9.9", "1.61.1", "1.61.1", "newer than what"),
        ("sarama", "1.43.1", "1.43.0", "1.43.2", ""),
    ],
)
def test_the_differences_of_two_releases(family: str, version: str, older: str, newer: str, why: str) -> None:
    with open_evidence([str(built(TEXT))], "results", 36_500) as evidence:
        known = Differences(evidence, families()[family], "3.9")
        cell = replace(CELL, family=family, version=version)
        said = known(cell, older, newer)
    assert why in said
    assert bool(said) == bool(why)


def stops(clients: Iterable[neighbours.Prediction]) -> list[neighbours.Prediction]:
    return [one for one in clients if one.does is Harm.STOPS]


@pytest.mark.whole
def test_left_out_releases_of_one_family_are_predicted_right() -> None:
    """The whole benchmark is `benchmarks/neighbours.py`; this is the family of the incident."""
    with open_evidence([str(built(TEXT))], "results", 36_500) as evidence:
        cells = neighbours.by_client(neighbours.scored(evidence))
        mine = [one for one in cells if one.family == "sarama"]
        every = [one for client in mine for one in neighbours.predicted(client, cells, evidence)]
    assert not [one.cell for one in stops(every) if one.finding is Finding.LIKELY_FINE]
    called = [one for one in every if one.finding is Finding.LIKELY_STOPS]
    assert len(stops(called)) >= 0.95 * len(called)
    assert len([one for one in every if one.finding is not Finding.UNKNOWN]) > 0.9 * len(every)
