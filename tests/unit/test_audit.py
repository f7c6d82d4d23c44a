"""Command `audit`: a fleet is read, compared with stored cells and reported with the worst service first."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from probe.catalogue.families import Version
from probe.catalogue.selectors import select_clients
from probe.cells.aggregate import SettledCell
from probe.cells.audit import Finding, Report, examine, worst_first
from probe.cells.audit_upgrades import upgrade
from probe.cells.origin import Origin
from probe.cells.upgrades import advise_upgrade, next_conforming
from probe.cli.app import app
from probe.cli.wiring.catalogue import apps, families
from probe.model import Cell, Outcome, Profile, Role
from tests.support.synthetic_rows import CELL, fill, verdict

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "audit.json"
OWN = replace(CELL, profile="isolated+Producer.Retry.Max=9")


def one(outcome: Outcome, cell: Cell = CELL) -> SettledCell:
    return SettledCell(cell=cell, run_id="r1", trial=0, verdicts=(verdict(outcome),))


def stored(*items: SettledCell) -> dict[Cell, SettledCell]:
    return {item.cell: item for item in items}


@pytest.mark.parametrize(
    ("there", "finding"),
    [
        ([one(Outcome.STUCK, OWN)], Finding.FAILS),
        ([one(Outcome.REFRESHES, OWN)], Finding.PASSES),
        ([one(Outcome.REFRESHES, OWN), one(Outcome.STUCK)], Finding.PASSES),
        ([one(Outcome.STUCK)], Finding.SUSPECTED),
        ([one(Outcome.REFRESHES)], Finding.UNKNOWN),
        ([one(Outcome.BROKEN, OWN)], Finding.UNKNOWN),
        ([one(Outcome.NOT_PROVOKED, OWN)], Finding.UNKNOWN),
        ([], Finding.UNKNOWN),
    ],
)
def test_only_the_configuration_of_the_service_is_proof(there: list[SettledCell], finding: Finding) -> None:
    (fault,) = examine([OWN], stored(*there))
    assert fault.finding is finding


def test_disagreeing_trials_are_a_failure() -> None:
    flaky = replace(one(Outcome.STUCK), verdicts=(verdict(Outcome.REFRESHES), verdict(Outcome.STUCK)))
    assert examine([CELL], stored(flaky))[0].finding is Finding.FAILS


def versions(scenario: str, **outcomes: Outcome) -> list[SettledCell]:
    return [
        one(outcome, replace(CELL, version=name[1:].replace("_", "."), scenario=scenario))
        for name, outcome in outcomes.items()
    ]


def test_the_smallest_upgrade_conforms_in_all_scenarios() -> None:
    there = stored(
        *versions("a", v1_43_3=Outcome.STUCK, v1_43_4=Outcome.REFRESHES, v1_9=Outcome.REFRESHES, v1_44=Outcome.CLEAN),
        *versions("b", v1_43_3=Outcome.STUCK, v1_43_4=Outcome.STUCK, v1_44=Outcome.CLEAN, v1_45=Outcome.CLEAN),
        *versions("c", v1_43_3=Outcome.CLEAN, v1_44=Outcome.STUCK, v1_45=Outcome.CLEAN),
        *versions("a", v1_45=Outcome.REFRESHES),
    )
    both = examine([replace(CELL, scenario=name) for name in "ab"], there)
    found = upgrade(both, there)
    assert found is not None
    assert (found.version, found.last_bad, found.exact) == ("1.44", "1.43.4", True)
    all_three = examine([replace(CELL, scenario=name) for name in "abc"], there)
    found = upgrade(all_three, there)
    assert found is not None
    assert (found.version, found.last_bad) == ("1.45", "1.44")


def test_a_local_build_is_no_upgrade() -> None:
    own = replace(CELL, version="1.43.9+local.0a1b2c3d")
    there = stored(one(Outcome.STUCK), one(Outcome.REFRESHES, own))
    assert upgrade(examine([CELL], there), there) is None
    assert advise_upgrade(one(Outcome.STUCK), "2.0", there.values()).upgrade is None


def test_an_upgrade_needs_a_result_in_every_scenario() -> None:
    there = stored(*versions("a", v1_43_3=Outcome.STUCK, v1_44=Outcome.CLEAN), *versions("b", v1_43_3=Outcome.STUCK))
    assert upgrade(examine([replace(CELL, scenario=name) for name in "ab"], there), there) is None


def test_evidence_that_is_too_old_proves_no_upgrade() -> None:
    origin = Origin(evidence="shipped", measured="2020-01-01", days=999, is_old=True)
    newer = one(Outcome.REFRESHES, replace(CELL, version="1.50.0"))
    there = stored(one(Outcome.STUCK), replace(newer, origin=origin))
    assert upgrade(examine([CELL], there), there) is None
    assert advise_upgrade(one(Outcome.STUCK), "2.0", there.values()).upgrade is None
    assert next_conforming([one(Outcome.STUCK)], there.values()) == {}


def test_an_upgrade_measured_with_defaults_is_not_exact() -> None:
    newer = replace(CELL, version="1.50.0")
    there = stored(one(Outcome.STUCK, OWN), one(Outcome.REFRESHES, newer))
    found = upgrade(examine([OWN], there), there)
    assert found is not None
    assert (found.version, found.exact) == ("1.50.0", False)


def test_reports_are_sorted_by_severity_and_count() -> None:
    def report(name: str, outcome: Outcome | None, count: int = 1) -> Report:
        there = stored(one(outcome)) if outcome else {}
        return Report(name, "c", "c", count, examine([CELL], there), None)

    reports = [
        report("fine", Outcome.REFRESHES),
        report("unknown", None),
        report("few late", Outcome.LATE),
        report("many late", Outcome.LATE, count=9),
        report("stuck", Outcome.STUCK),
    ]
    assert [item.name for item in worst_first(reports)] == ["stuck", "many late", "few late", "unknown", "fine"]


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    file = tmp_path / "fleet.csv"
    file.write_text(
        "service,client,role,properties\n"
        "good,sarama@1.61.1,producer,\nbad,sarama@1.43.2,producer,\nown,sarama@1.43.2,producer,Producer.Retry.Max=9\n"
        "shipper,filebeat@8.16.1,,\nlost,nobody@1.0,,\n"
    )
    return file


def audit(fleet: Path, results: Path, *more: str) -> tuple[str, object, int]:
    arguments = ["audit", str(fleet), "--results", str(results), "--scenario", "disk/storage-error", *more]
    done = CliRunner().invoke(app, arguments)
    text = done.stdout if {"--json", "--csv"} & {*more} else done.output
    return text, done.exception, getattr(done.exception, "exit_code", 0)


def filled(results: Path) -> Path:
    fill(
        results,
        (replace(CELL, version="1.43.2"), 0, Outcome.STUCK),
        (replace(CELL, version="1.43.3"), 0, Outcome.REFRESHES),
        (replace(CELL, version="1.61.1"), 0, Outcome.REFRESHES),
        (replace(CELL, version="1.29.1"), 0, Outcome.STUCK),
    )
    return results


def test_a_fleet_is_reported_with_evidence_and_exit_code(fleet: Path, tmp_path: Path) -> None:
    text, error, code = audit(fleet, filled(tmp_path / "results"))
    assert code == 1
    assert "1 of 5 services are at risk (stops): bad" in str(error)
    places = [text.index(f"\n{name} ") for name in ("bad", "own", "lost", "good")]
    assert places == sorted(places)
    assert "sarama 1.43.3 (1.43.2 is not enough)" in text
    assert "probe show --results" in text
    assert "probe run --client sarama@1.29.1 --scenario disk/storage-error --role producer" not in text  # suspected
    assert "filebeat 9.0.0 has 1.43.3" in text
    assert "there is no client family or application nobody" in text


def test_json_and_csv_have_the_same_findings(fleet: Path, tmp_path: Path) -> None:
    results = filled(tmp_path / "results")
    data = json.loads(audit(fleet, results, "--json")[0])
    jsonschema.validate(data, json.loads(SCHEMA.read_text()))
    findings = {item["service"]: item["finding"] for item in data["services"]}
    assert findings == {"bad": "fails", "own": "suspected", "shipper": "suspected", "lost": "unknown", "good": "passes"}
    rows = list(csv.DictReader(io.StringIO(audit(fleet, results, "--csv")[0])))
    assert {row["service"]: row["finding"] for row in rows} == findings
    assert {row["service"]: row["upgrade"] for row in rows}["bad"] == "1.43.3"


def test_a_fault_that_is_not_survived_sometimes_is_a_failure_with_its_share(fleet: Path, tmp_path: Path) -> None:
    cell = replace(CELL, version="1.43.2")
    some = [(cell, number, Outcome.STUCK if number == 4 else Outcome.REFRESHES) for number in range(7)]
    fill(tmp_path / "results", *some, (replace(CELL, version="1.61.1"), 0, Outcome.REFRESHES))
    text, error, code = audit(fleet, tmp_path / "results")
    assert (code, "1 of 5 services are at risk (stops): bad" in str(error)) == (1, True)
    shown = "stops silently in 1 of 7; flaky: stuck in 1 of 7 trials, refreshes in 6: it stuck; own res"
    assert f"producer disk/storage-error: {shown}" in text
    rows = list(csv.DictReader(io.StringIO(audit(fleet, tmp_path / "results", "--csv")[0])))
    (bad,) = (row for row in rows if row["service"] == "bad")
    assert (bad["outcome"], bad["worst"], bad["outcomes"]) == ("flaky", "stuck", "refreshes:6;stuck:1")


@pytest.mark.parametrize(
    ("fail_on", "code", "says"),
    [
        ("fails,suspected", 1, "3 of 5 services"),
        ("unknown", 1, "1 of 5 services"),
        ("late", 2, "not findings"),
        ("", 0, ""),
    ],
)
def test_fail_on_selects_the_findings_that_fail(
    fleet: Path, tmp_path: Path, fail_on: str, code: int, says: str
) -> None:
    _, error, ended = audit(fleet, filled(tmp_path / "results"), "--fail-on", fail_on)
    assert (ended, says in str(error)) == (code, True)


def test_an_empty_store_fails_the_audit(fleet: Path, tmp_path: Path) -> None:
    text, error, code = audit(fleet, tmp_path / "empty")
    assert code == 3
    assert "nothing is stored" in str(error)
    assert "bad: not known (never measured); probe run" in text
    assert "probe run --client sarama@1.43.2 --scenario steady --scenario disk/storage-error --role producer" in text


def test_without_a_stored_upgrade_bisect_is_suggested(tmp_path: Path) -> None:
    fill(tmp_path / "results", (CELL, 0, Outcome.STUCK))
    file = tmp_path / "fleet.txt"
    file.write_text("sarama@1.43.3\n")
    text, _, _ = audit(file, tmp_path / "results")
    assert "no released version is known to mend disk/storage-error (producer)" in text
    assert "probe bisect sarama disk/storage-error --role producer" in text


def test_an_application_gets_its_own_smallest_upgrade(tmp_path: Path) -> None:
    names = {}
    for release in ("8.16.1", "9.0.0"):
        (found,) = select_clients(families(), [f"filebeat@{release}"], lambda _, text: Version(version=text), apps())
        assert found.application is not None
        names[release] = str(found.application.profile(Profile("isolated"), Role.PRODUCER))
    results = tmp_path / "results"
    fill(
        results,
        (replace(CELL, version="1.29.1", profile=names["8.16.1"]), 0, Outcome.STUCK),
        (replace(CELL, version="1.43.3", profile=names["9.0.0"]), 0, Outcome.REFRESHES),
    )
    file = tmp_path / "fleet.txt"
    file.write_text("metricbeat@8.16.1\n")
    text, _, code = audit(file, results)
    assert (code, "stops silently; stuck in 1 trial (sarama@1.29.1 inside it)" in text) == (0, True)
    assert "smallest upgrade: filebeat 9.0.0, which has sarama 1.43.3 (1.29.1 is not enough)" in text


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    _, error, code = audit(tmp_path / "none.csv", tmp_path)
    assert code == 2
    assert "none.csv" in str(error)


def test_a_finding_counts_more_than_a_file_that_cannot_be_read(fleet: Path, tmp_path: Path) -> None:
    results = filled(tmp_path / "results")
    assert audit(fleet, results, str(tmp_path / "none.csv"))[2] == 1
    good = tmp_path / "good.csv"
    good.write_text("client,role\nsarama@1.61.1,producer\n")
    assert audit(good, results)[2] == 0
    text, error, code = audit(good, results, str(tmp_path / "none.csv"))
    assert (code, "none.csv" in str(error)) == (2, True)
    assert "sarama@1.61.1" in text


def test_what_a_walk_cannot_read_is_named_and_changes_no_exit_code(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "fleet.csv").write_text("client,role\nsarama@1.61.1,producer\n")
    (folder / "package-lock.json").write_text('{"lockfileVersion": 3, "packages": {"node_modules/kafkajs"')
    text, error, code = audit(folder, filled(tmp_path / "results"))
    assert "package-lock.json: package-lock.json, not read:" in text
    assert (code, error) == (0, None)


def test_a_folder_without_a_client_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module example.org/a\n\ngo 1.24\n")
    _, error, code = audit(tmp_path, tmp_path / "results")
    assert (code, "no Kafka client" in str(error)) == (3, True)


def test_a_folder_whose_manifests_are_not_read_is_not_said_to_name_no_client(tmp_path: Path) -> None:
    (tmp_path / "build.sbt").write_text('libraryDependencies += "org.apache.kafka" % "kafka-clients" % "3.9.1"\n')
    text, error, code = audit(tmp_path, tmp_path / "results")
    assert code == 3
    assert "1 file that looks like a manifest: not read: build.sbt" in text
    assert "no Kafka client is named in what was read; 1 file that may name one was not read" in str(error)
    assert "is named there" not in str(error)


def test_formulas_are_no_formulas_in_csv(tmp_path: Path) -> None:
    file = tmp_path / "fleet.csv"
    file.write_text('service,client\n"=1+1",sarama@1.43.2\n')
    rows = csv.DictReader(io.StringIO(audit(file, filled(tmp_path / "results"), "--csv")[0]))
    assert {row["service"] for row in rows} == {"'=1+1"}


def test_a_go_mod_is_audited_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "go.mod"
    file.write_text("module example.org/shop/orders\n\ngo 1.24\n\nrequire github.com/IBM/sarama v1.43.2 // indirect\n")
    text, error, code = audit(file, filled(tmp_path / "results"))
    assert (code, "1 of 1 services are at risk (stops): example.org/shop/orders" in str(error)) == (1, True)
    assert f"{file}: go.mod, 1 client" in text
    assert "example.org/shop/orders: stops silently: disk/storage-error (producer)" in text
    assert "smallest upgrade: sarama 1.43.3" in text


def test_packages_that_break_each_other_are_a_finding(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("kafka-python==3.0.12\nkafka-python-ng==2.2.3\n")
    text, _, code = audit(file, tmp_path / "results", "--json")
    assert code == 1
    assert {(item["finding"], "same folder" in item["problem"]) for item in json.loads(text)["services"]} == {
        ("fails", True)
    }


def test_a_version_that_is_not_known_is_no_finding(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("kafka-python>=2\n")
    text, error, code = audit(file, filled(tmp_path / "results"))
    assert (code, ">=2 is a range" in text, ">=2 is a range" in str(error)) == (3, True, True)


def test_an_upgrade_that_passes_some_of_what_fails_is_named_in_part(tmp_path: Path) -> None:
    bad, good = replace(CELL, version="1.43.2"), replace(CELL, version="1.43.3")
    consumer = [replace(cell, role=Role.CONSUMER) for cell in (bad, good)]
    fill(
        tmp_path / "results",
        (bad, 0, Outcome.STUCK),
        (good, 0, Outcome.REFRESHES),
        *((cell, 0, Outcome.STUCK) for cell in consumer),
    )
    (tmp_path / "fleet.csv").write_text("service,client\norders,sarama@1.43.2\n")
    text, _, code = audit(tmp_path / "fleet.csv", tmp_path / "results")
    assert code == 1
    assert "orders: to do: upgrade to 1.43.3, the next release that mends disk/storage-error (producer)" in text
    assert "orders: no released version is known to mend disk/storage-error (consumer)" in text
    assert "1.43.3 in part" in text
    said = json.loads(audit(tmp_path / "fleet.csv", tmp_path / "results", "--json")[0])
    passing = {fault["role"]: fault["passes_in"] for fault in said["services"][0]["faults"]}
    assert (passing["producer"], passing["consumer"]) == ("1.43.3", "")


@pytest.mark.parametrize("form", ["sarif", "cyclonedx-vex", "openvex", "junit", "markdown"])
def test_every_format_names_the_evidence_and_its_age(form: str, tmp_path: Path) -> None:
    fill(tmp_path / "results", (replace(CELL, version="1.43.2"), 0, Outcome.STUCK))
    (tmp_path / "fleet.csv").write_text("service,client,role\norders,sarama@1.43.2,producer\n")
    assert (
        "(0 days old), rules 1, conditions " in audit(tmp_path / "fleet.csv", tmp_path / "results", "--format", form)[0]
    )
