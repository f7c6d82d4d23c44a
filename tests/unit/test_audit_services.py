"""The last line of an audit counts services, and its exit code tells a client that stops from one error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.cells.aggregate import SettledCell
from probe.cells.audit import Report, examine
from probe.cells.audit_gate import Gates
from probe.cells.gate_words import GATES, Gate
from probe.inventory.entries import Place
from probe.model import Facts, Outcome, Verdict
from probe.reports.audit.services import by_service, distinct, named
from tests.support.synthetic_rows import CELL, fill, verdict
from tests.unit.test_audit import audit

MANIFEST = Place(file="web/requirements.txt", line=3)


def report(client: str, place: Place | None = MANIFEST, *verdicts: Verdict) -> Report:
    settled = SettledCell(cell=CELL, run_id="r", trial=0, verdicts=verdicts) if verdicts else None
    return Report("web", client, client, 1, examine([CELL], {CELL: settled} if settled else {}), None, place=place)


def test_a_manifest_with_two_clients_is_one_service() -> None:
    services = by_service([report("kafka-python@2.0.2"), report("aiokafka@0.8.1", replace(MANIFEST, line=9))])
    assert len(services) == 1
    assert named(services) == "web (kafka-python@2.0.2, aiokafka@0.8.1)"


def test_rows_of_one_service_have_their_clients() -> None:
    two = [report("kafka-python@2.0.2"), report("aiokafka@0.8.1", replace(MANIFEST, line=9))]
    alone = replace(report("sarama@1.43.2"), name="shop")
    assert distinct([*two, alone]) == ["web (kafka-python@2.0.2)", "web (aiokafka@0.8.1)", "shop"]


def test_services_of_one_name_have_their_files() -> None:
    services = by_service([report("sarama@1.43.2", Place(file="shop/go.mod")), report("sarama@1.27.0")])
    assert named(services) == "web in shop/go.mod (sarama@1.43.2), web in web/requirements.txt (sarama@1.27.0)"


def test_many_services_are_counted() -> None:
    services = by_service(replace(report("c"), name=f"s{number}") for number in range(7))
    assert named(services) == "s0 (c), s1 (c), s2 (c), s3 (c), s4 (c), 2 more"


GOOD = {Outcome.REFRESHES: True}
STALLED = Facts(recovery_ms=16_000.0)
LOST = Facts(lost=1)
HEARD = Facts(errors_surfaced=1)
WHOLE = {"fails", "errors", "burdens", "stalls", "stops"}


@pytest.mark.parametrize(
    ("trials", "gates"),
    [
        ([(Outcome.SURFACES, HEARD)], {"fails", "errors"}),
        ([(Outcome.LATE, Facts())], {"fails"}),
        ([(Outcome.LATE, STALLED)], {"fails", "errors", "burdens", "stalls"}),
        ([(Outcome.STORMS, Facts(storm="b"))], {"fails", "errors", "burdens"}),
        ([(Outcome.STUCK, Facts())], WHOLE),
        ([(Outcome.VIOLATES, Facts(duplicated=1))], WHOLE),
        ([(Outcome.REFRESHES, Facts()), (Outcome.SURFACES, HEARD), (Outcome.STUCK, Facts())], WHOLE),
        ([(Outcome.REFRESHES, LOST)], (WHOLE - {"fails"}) | {"loses"}),
        ([(Outcome.REFRESHES, Facts())], set()),
        ([], {"unknown"}),
    ],
)
def test_gates_are_graded_by_harm(trials: list[tuple[Outcome, Facts]], gates: set[str]) -> None:
    found = report(
        "sarama@1.43.2",
        None,
        *(
            Verdict(outcome=outcome, reason="", conforms=GOOD.get(outcome, False), facts=facts)
            for outcome, facts in trials
        ),
    )
    assert {str(gate) for gate in GATES if Gates(of=frozenset({gate})).is_at_risk(found)} == gates


def test_a_harm_outside_the_baseline_ends_only_an_audit_that_asked_for_it() -> None:
    stuck = report("sarama@1.43.2", None, verdict(Outcome.STUCK))
    (fault,) = stuck.faults
    other = replace(fault, cell=replace(fault.cell, scenario="topic/absent"))
    gates = Gates(of=frozenset({Gate.STOPS}), scored_only=True)
    assert gates.ends(fault)
    assert not gates.ends(other)
    assert replace(gates, scored_only=False).ends(other)
    assert not gates.ends(replace(fault, ignored="until 2027"))


def test_a_client_that_cannot_work_at_all_stops() -> None:
    broken = replace(report("sarama@1.43.2"), is_broken=True)
    assert Gates(of=frozenset({Gate.STOPS})).is_at_risk(broken)
    assert not Gates(of=frozenset({Gate.LOSES})).is_at_risk(broken)


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
