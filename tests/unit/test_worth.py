"""The worth of cells in a file of evidence: it is what their trials say, and these are read where one is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harm_in, harms_of
from probe.cells.chance import is_of_chance
from probe.cells.stored_trials import StoredTrials
from probe.evidence import places
from probe.evidence.access import opened
from probe.evidence.cell_choice import EVERYTHING, Wanted
from probe.evidence.checkout_build import built
from probe.evidence.reader import EvidenceFile
from probe.evidence.schema import EvidenceError
from probe.evidence.worth import RatedFile, harms_in, text_of
from probe.evidence.writer import extended, reduced, whole
from probe.files.shipped_evidence import NAMED, TEXT
from probe.model import Cell
from probe.model.harm import Harm, TrialHarm
from probe.model.words import AfterHeal
from tests.unit.test_evidence_file import contents, random_settled


def no_origin(*_: object) -> None:
    return None


def worth(item: SettledCell) -> tuple[object, ...]:
    return (
        *(item.outcome, item.conforms, item.rules, item.worst, item.reason, item.grade, item.judged, item.disagrees),
        *(item.loses, item.loss, item.passes, len(item.verdicts), is_of_chance(item), harms_of(item), harm_in(item)),
        *(item.run_id, item.trial, item.conditions),
    )


def rated(file: EvidenceFile, wanted: Wanted = EVERYTHING) -> dict[Cell, SettledCell]:
    assert isinstance(file, RatedFile)
    return file.rated(wanted, no_origin)


def test_every_shipped_cell_is_worth_what_its_trials_say() -> None:
    held = places.of_file(built(TEXT))
    with opened(held.source, held.name, held.digest, is_ours=True) as file:
        stored, computed = rated(file), file.cells()
        assert [*stored] == [*computed]
        wrong = [cell for cell, item in computed.items() if worth(item) != worth(stored[cell])]
    assert wrong == []


def test_trials_are_read_when_one_is_asked_for() -> None:
    made = contents(random_settled(5, 60))
    with opened(whole(made, rated=True), "x", is_ours=True) as file:
        found = rated(file, Wanted(role=["producer", "consumer"]))
        assert found == file.cells(Wanted(role=["producer", "consumer"]))
        late = next(iter(rated(file).values())).verdicts
        assert isinstance(late, StoredTrials)
        assert (late[0], late[:1], hash(late)) == (next(iter(late)), tuple(late)[:1], hash(tuple(late)))
        unread = next(iter(rated(file).values()))
    assert unread.outcome
    with pytest.raises(EvidenceError, match="cannot be read"):
        unread.verdicts[0]


def test_only_a_file_that_this_program_built_is_believed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = contents(random_settled(5, 20))
    data = whole(made, rated=True)
    with opened(data, "x", is_ours=True) as own, opened(data, "x") as other:
        assert isinstance(own, RatedFile)
        assert not isinstance(other, RatedFile)
        copies = [reduced(own, ()), extended(own, contents(random_settled(6, 5)))]
    for copy in (whole(made), *copies):
        with opened(copy, "x", is_ours=True) as file:
            assert not isinstance(file, RatedFile)
    named = tmp_path / "evidence.sqlite"
    named.write_bytes(data)
    named.with_name("evidence.sqlite.sha256").write_text(f"{'0' * 64}  evidence.sqlite\n")
    monkeypatch.setenv(NAMED, str(named))
    held = places.shipped()
    assert held is not None
    assert not held.is_ours


HARMS = st.builds(
    TrialHarm,
    rank=st.sampled_from(Harm),
    silently=st.booleans(),
    stalls_ms=st.floats(min_value=0, allow_infinity=False),
    everything=st.booleans(),
    after_heal=st.sampled_from(AfterHeal),
)


@given(st.lists(HARMS).map(tuple))
def test_harms_are_read_as_they_were_written(harms: tuple[TrialHarm, ...]) -> None:
    assert harms_in(text_of(harms)) == harms
