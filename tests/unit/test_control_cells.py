"""Clients that do not work with brokers of a line: control cells in `audit`, `lookup` and `advise --broker`."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from probe.cells.aggregate import SettledCell
from probe.cells.audit import Finding, examine
from probe.cells.audit_upgrades import upgrade
from probe.cells.causes import cause_of
from probe.cells.control_cells import barred, without_implied
from probe.cells.evidence_choice import choose
from probe.cells.lines import from_neighbours
from probe.cli.app import app
from probe.evidence.schema import Run
from probe.evidence.writer import Contents, put, whole
from probe.model import CONTROL, Cell, Engine, Outcome, Role
from probe.model.conditions import current
from probe.model.grades import Trend, trend
from probe.model.refusals import closed_at, in_short, never_sent, refusal, refused_by
from probe.reports.audit.lines import fault_line
from probe.reports.gates import Result as GateResult
from probe.reports.gates import result
from probe.verdict import RULES_VERSION
from tests.support.synthetic_rows import verdict

OLD = Cell("java", "0.10.2.2", Role.PRODUCER, "isolated", CONTROL, Engine.EMBEDDED, "4.4")
NEW = replace(OLD, version="0.11.0.3")
REFUSED = refusal("4.4", closed_at("Produce v2", 12))


def settled(cell: Cell, outcome: Outcome, reason: str = "") -> SettledCell:
    one = verdict(outcome, rules=RULES_VERSION)
    return SettledCell(
        cell=cell,
        run_id="r1",
        trial=0,
        verdicts=(replace(one, reason=reason or one.reason),),
        conditions=current(cell.engine),
    )


def refused(cell: Cell = OLD) -> SettledCell:
    return settled(cell, Outcome.UNSUPPORTED, REFUSED)


def stored(*items: SettledCell) -> dict[Cell, SettledCell]:
    return {item.cell: item for item in items}


def test_a_refusal_is_read_from_the_reason_of_a_control_cell_only() -> None:
    assert refused_by(OLD, REFUSED) == closed_at("Produce v2", 12)
    assert refused_by(replace(OLD, scenario="net/reset"), REFUSED) == ""
    assert refused_by(OLD, "zstd came with 2.1 (KIP-110)") == ""


@pytest.mark.parametrize(
    ("why", "short"),
    [
        (closed_at("Produce v2", 12), "Produce v2 is refused"),
        (never_sent("Fetch"), "Fetch is never sent"),
        ("UNSUPPORTED_VERSION", "UNSUPPORTED_VERSION"),
    ],
)
def test_a_refusal_is_short_without_counts(why: str, short: str) -> None:
    assert in_short(why) == short


@pytest.mark.parametrize(
    ("there", "finding"),
    [
        (refused(), Finding.FAILS),
        (settled(OLD, Outcome.STUCK), Finding.FAILS),
        (settled(OLD, Outcome.CLEAN), Finding.PASSES),
        (settled(OLD, Outcome.UNSUPPORTED, "the driver says so"), Finding.UNKNOWN),
        (settled(OLD, Outcome.BROKEN), Finding.UNKNOWN),
    ],
)
def test_a_client_that_is_refused_or_never_serves_fails(there: SettledCell, finding: Finding) -> None:
    assert examine([OLD], stored(there))[0].finding is finding


def test_brokers_are_not_blamed_for_a_request_that_never_came() -> None:
    (silent,) = examine([OLD], stored(settled(OLD, Outcome.UNSUPPORTED, refusal("4.4", never_sent("Produce")))))
    (closed,) = examine([OLD], stored(refused()))
    assert [cause_of(silent), cause_of(closed)] == ["it never sends Produce", "brokers refuse it"]
    assert "Produce is never sent to Kafka 4.4" in fault_line(silent)
    assert "refused by Kafka 4.4" in fault_line(closed)


def test_a_refusal_on_both_sides_of_a_line_answers_for_it() -> None:
    sides = [refused(replace(OLD, broker=line)) for line in ("4.1", "4.4")]
    asked = replace(OLD, broker="4.2")
    assert examine([asked], from_neighbours([asked], sides))[0].finding is Finding.FAILS


def test_an_upgrade_that_works_is_found_for_a_refused_client() -> None:
    later = replace(OLD, version="0.11.0.0")
    there = stored(refused(), refused(later), settled(NEW, Outcome.CLEAN))
    found = upgrade(examine([OLD], there), there)
    assert found is not None
    assert (found.version, found.last_bad, found.exact) == ("0.11.0.3", "0.11.0.0", True)
    (one, other) = barred([OLD, later, NEW], there)
    assert (one.why, one.way_out) == (closed_at("Produce v2", 12), "0.11.0.3 is the first that works")
    assert other.control.cell == later


def test_the_trend_from_working_to_refused_is_worse() -> None:
    before, after = settled(replace(OLD, broker="3.9"), Outcome.CLEAN), refused()
    assert trend(before.grade, after.grade) is Trend.WORSE


def test_of_evidence_that_disagrees_the_refusal_counts() -> None:
    found = choose([stored(settled(OLD, Outcome.CLEAN)), stored(refused())])
    assert found[OLD].refusal
    assert len(found[OLD].beside) == 1


def test_a_refused_client_is_no_passed_test_of_a_pipeline() -> None:
    assert result(refused()) is GateResult.SKIPPED


def test_an_unknown_control_cell_is_implied_by_a_fault_of_the_same_line_only() -> None:
    fault = replace(OLD, scenario="net/reset")
    there = stored(settled(fault, Outcome.REFRESHES))
    assert [item.cell for item in without_implied(examine([OLD, fault], there))] == [fault]
    other_line = stored(settled(replace(fault, broker="3.9"), Outcome.STUCK))
    near = from_neighbours([fault], other_line.values())
    assert [item.cell for item in without_implied(examine([OLD, fault], near))] == [OLD, fault]


def test_a_refused_client_has_no_faults_that_were_not_measured_there() -> None:
    fault, others = replace(OLD, scenario="net/reset"), replace(OLD, role=Role.CONSUMER, scenario="net/reset")
    found = without_implied(examine([OLD, fault, others], stored(refused())))
    assert [item.cell for item in found] == [OLD, others]
    elsewhere = from_neighbours([fault], [settled(replace(fault, broker="3.9"), Outcome.STUCK)])
    found = without_implied(examine([OLD, fault], {**stored(refused()), **elsewhere}))
    assert [(item.cell, item.finding) for item in found] == [(OLD, Finding.FAILS)]


# ---- commands


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty results folder beside evidence of two Java versions on 3.9 and 4.4."""
    on_3_9 = [settled(replace(cell, broker="3.9"), Outcome.CLEAN) for cell in (OLD, NEW)]
    fault = settled(replace(NEW, scenario="disk/storage-error"), Outcome.STUCK)
    return evidence(tmp_path, monkeypatch, *on_3_9, refused(), settled(NEW, Outcome.CLEAN), fault)


def evidence(folder: Path, monkeypatch: pytest.MonkeyPatch, *items: SettledCell) -> Path:
    path = folder / "package" / "evidence.sqlite"
    path.parent.mkdir()
    contents = Contents(cells=stored(*items), runs=[Run(run_id="r1", started=datetime.now(UTC).isoformat())])
    put(path, whole(contents), digest=True)
    monkeypatch.setenv("PROBE_EVIDENCE", str(path))
    return folder / "results"


def command(results: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--results", str(results)])


def code(done: Result) -> int:
    return getattr(done.exception, "exit_code", done.exit_code)


def fleet(folder: Path, *clients: str) -> str:
    file = folder / "fleet.csv"
    file.write_text("\n".join(["service,client,role", *(f"s{i},{item},producer" for i, item in enumerate(clients))]))
    return str(file)


def test_an_audit_begins_with_the_control_cell(tmp_path: Path, known: Path) -> None:
    done = command(known, "audit", fleet(tmp_path, "java@0.10.2.2"), "--broker", "4.4")
    assert code(done) == 1
    assert "producer steady: stops; refused by Kafka 4.4" in done.stdout
    assert "brokers closed the connection at each Produce v2 (12 times)" in done.stdout
    assert "smallest upgrade: java 0.11.0.3 (0.10.2.2 is not enough)" in done.stdout
    assert "1 of 1 services are at risk" in str(done.exception)


def test_an_audit_names_the_first_version_that_works_in_json(tmp_path: Path, known: Path) -> None:
    done = command(known, "audit", fleet(tmp_path, "java@0.10.2.2"), "--broker", "4.4", "--json")
    (service,) = json.loads(done.stdout)["services"]
    (fault,) = service["faults"]
    assert (fault["scenario"], fault["finding"], fault["passes_in"]) == ("steady", "fails", "0.11.0.3")


def test_a_line_without_evidence_is_not_known_to_work(tmp_path: Path, known: Path) -> None:
    done = command(known, "audit", fleet(tmp_path, "java@0.10.1.1"), "--broker", "4.4")
    assert code(done) == 3
    assert "producer steady: stops; refused by Kafka 4.4 (not measured; by 0.10.2.2" in done.stdout
    assert "disk/storage-error (producer)" not in done.stdout


def test_a_look_up_begins_with_the_control_cell(known: Path) -> None:
    done = command(known, "lookup", "java@0.10.2.2", "--broker", "4.4", "--scenario", "disk/*")
    assert code(done) == 1
    first = done.stdout.splitlines()[1]
    assert first == "  fails          producer isolated steady: stops; unsupported in 1 trial"
    assert done.stdout.splitlines()[2].startswith("                 it cannot work with Kafka 4.4:")
    assert "0.11.0.3 is the first that works" in done.stdout


def test_a_look_up_does_not_list_a_control_cell_that_passes_unasked(known: Path) -> None:
    done = command(known, "lookup", "java@0.11.0.3", "--broker", "4.4", "--scenario", "disk/*")
    assert "1 fails" in done.stdout
    assert "steady" not in done.stdout


def test_an_upgrade_of_brokers_begins_with_who_does_not_work(known: Path) -> None:
    done = command(known, "advise", "--broker", "3.9", "4.4", "java@0.10.2.2")
    assert code(done) == 1
    head = done.stdout.splitlines()[1]
    assert head.startswith("fails      java@0.10.2.2 producer does not work with Kafka 4.4: brokers closed")
    assert "0.11.0.3 is the first that works" in done.stdout
    assert "works      0 of 1 roles of clients work with Kafka 4.4" in done.stdout
    assert "java@0.10.2.2 producer" in str(done.exception)


def test_an_upgrade_of_brokers_that_all_clients_survive_has_no_failure(known: Path) -> None:
    done = command(known, "advise", "--broker", "3.9", "4.4", "java@0.11.0.3", "--scenario", "steady")
    assert code(done) == 0
    assert "works      1 of 1 roles of clients work with Kafka 4.4" in done.stdout
