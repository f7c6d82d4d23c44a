"""The last line of an audit counts services, and its exit code tells a client that stops from one error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.cells.aggregate import SettledCell
from probe.cells.audit import Report, examine
from probe.cells.audit_gate import GATES, Gate, is_at_risk
from probe.inventory.entries import Place
from probe.model import Outcome
from probe.reports.audit.services import by_service, named
from tests.support.synthetic_rows import CELL, fill, verdict
from tests.unit.test_audit import audit

MANIFEST = Place(file="web/requirements.txt", line=3)


def report(client: str, place: Place | None = MANIFEST, *outcomes: Outcome) -> Report:
    settled = SettledCell(cell=CELL, run_id="r", trial=0, verdicts=tuple(map(verdict, outcomes))) if outcomes else None
    return Report("web", client, client, 1, examine([CELL], {CELL: settled} if settled else {}), None, place=place)


def test_a_manifest_with_two_clients_is_one_service() -> None:
    services = by_service([report("kafka-python@2.0.2"), report("aiokafka@0.8.1", replace(MANIFEST, line=9))])
    assert len(services) == 1
    assert named(services) == "web (kafka-python@2.0.2, aiokafka@0.8.1)"


def test_services_of_one_name_have_their_files() -> None:
    services = by_service([report("sarama@1.43.2", Place(file="shop/go.mod")), report("sarama@1.27.0")])
    assert named(services) == "web in shop/go.mod (sarama@1.43.2), web in web/requirements.txt (sarama@1.27.0)"


def test_many_services_are_counted() -> None:
    services = by_service(replace(report("c"), name=f"s{number}") for number in range(7))
    assert named(services) == "s0 (c), s1 (c), s2 (c), s3 (c), s4 (c), 2 more"


@pytest.mark.parametrize(
    ("outcomes", "gates"),
    [
        ([Outcome.SURFACES], {"fails"}),
        ([Outcome.LATE], {"fails", "stalls"}),
        ([Outcome.STORMS], {"fails", "stalls"}),
        ([Outcome.STUCK], {"fails", "stalls", "stops"}),
        ([Outcome.VIOLATES], {"fails", "stalls", "stops"}),
        ([Outcome.REFRESHES, Outcome.SURFACES, Outcome.STUCK], {"fails", "stalls", "stops"}),
        ([Outcome.REFRESHES], set()),
        ([], {"unknown"}),
    ],
)
def test_gates_are_graded_by_harm(outcomes: list[Outcome], gates: set[str]) -> None:
    assert {str(gate) for gate in GATES if is_at_risk(report("sarama@1.43.2", None, *outcomes), [gate])} == gates


def test_a_client_that_cannot_work_at_all_stops() -> None:
    assert is_at_risk(replace(report("sarama@1.43.2"), is_broken=True), [Gate.STOPS])


@pytest.mark.parametrize(("outcome", "fail_on", "code"), [
    (Outcome.SURFACES, "fails", 1),
    (Outcome.SURFACES, "stops", 0),
    (Outcome.STUCK, "stops", 1),
])  # fmt: skip
def test_one_error_does_not_fail_a_command_that_asks_for_stops(
    tmp_path: Path, outcome: Outcome, fail_on: str, code: int
) -> None:
    (tmp_path / "fleet.csv").write_text("service,client,role\nweb,sarama@1.43.2,producer\n")
    fill(tmp_path / "results", (replace(CELL, version="1.43.2"), 0, outcome))
    said = audit(tmp_path / "fleet.csv", tmp_path / "results", "--fail-on", fail_on)
    assert said[2] == code
