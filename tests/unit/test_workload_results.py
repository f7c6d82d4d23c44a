"""Results with several workloads, and those of an older program, which are continuous: store, evidence, look-ups."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from probe.catalogue.known_results import contrasted, expected, read_known
from probe.cells.cli_hints import run_command, show_command
from probe.cells.finding_ids import finding_id
from probe.cli.app import app
from probe.cli.wiring.settled_cells import write_settled
from probe.evidence.access import opened
from probe.evidence.cell_choice import Wanted
from probe.evidence.checkout_build import built
from probe.evidence.schema import SCHEMA
from probe.evidence.writer import extended, whole
from probe.files.shipped_evidence import TEXT
from probe.model import Cell, Outcome, Role, Workload
from probe.model.results import SCHEMA_KEY
from probe.site.data.page_names import slug
from probe.store import histories, history, trials
from probe.store.captures import capture_name
from probe.verdict import RULES_VERSION
from tests.support.known_results import PLAIN
from tests.support.synthetic_rows import CELL, create, fill, settled_cell, verdict
from tests.support.synthetic_rows import history as history_of
from tests.unit.test_evidence_file import contents

STORED = Path(__file__).parents[1] / "data" / "stored_schema_1"
RUN = "20261101T120000Z-0001"
PIPELINED = replace(CELL, workload=Workload.PIPELINED)
KEYED = replace(CELL, workload=Workload.KEYED)


# ---- stored trials


def test_trials_that_differ_in_the_workload_alone_are_different_trials(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        store.add(history_of(CELL, 1), verdict(Outcome.REFRESHES))
        store.add(history_of(PIPELINED, 1), verdict(Outcome.STUCK))
    found = {row.cell: row.verdict.outcome for row in trials(str(tmp_path))}
    assert found == {CELL: Outcome.REFRESHES, PIPELINED: Outcome.STUCK}
    for cell in found:
        assert history(str(tmp_path), store.run_id, cell, 1).header.cell == cell
    (path,) = tmp_path.glob("run_id=*/trials/*.parquet")
    assert pq.read_schema(path).metadata[SCHEMA_KEY] == b"2"


def test_results_of_schema_1_are_continuous() -> None:
    cells = {row.cell for row in trials(str(STORED))}
    assert {cell.workload for cell in cells} == {Workload.CONTINUOUS}
    assert {(one.header.cell, len(one.events) > 0) for one in histories(str(STORED), RUN)} == {
        (cell, True) for cell in cells
    }
    (cell, *_) = cells
    (number,) = {row.trial for row in trials(str(STORED)) if row.cell == cell}
    assert history(str(STORED), RUN, cell, number).header.cell == cell
    keyed = replace(cell, workload=Workload.KEYED)
    assert list(histories(str(STORED), RUN, {(keyed, number)})) == []


def test_captures_and_pages_of_continuous_cells_keep_their_names() -> None:
    identity = ("sarama", "1.43.3", "producer", "isolated", "disk/storage-error", "embedded", "3.9")
    digest = hashlib.sha256("\0".join(identity).encode()).hexdigest()[:10]
    assert capture_name(CELL, 1) == f"sarama-1.43.3-producer-isolated-disk-storage-error-embedded-3.9-{digest}-1.pcapng"
    assert slug(CELL) == f"sarama-1.43.3-producer-isolated-disk-storage-error-embedded-3.9-{digest}"
    assert "-3.9-pipelined-" in capture_name(PIPELINED, 1)
    assert "-3.9-pipelined-" in slug(PIPELINED)


# ---- evidence


def as_schema_1(data: bytes) -> bytes:
    """Return evidence as a program wrote it before cells had a workload."""
    database = sqlite3.connect(":memory:")
    database.deserialize(data)
    for statement in (
        "DROP VIEW settled",
        "DROP VIEW judged",
        "ALTER TABLE cells DROP COLUMN workload",
        "DELETE FROM words WHERE word = 'continuous'",
        "UPDATE about SET value = '1' WHERE name = 'schema'",
    ):
        database.execute(statement)
    database.commit()
    return database.serialize()


def test_evidence_of_schema_1_is_continuous() -> None:
    older = as_schema_1(whole(contents([settled_cell(CELL, Outcome.STUCK)])))
    with opened(older, "x") as file:
        assert set(file.cells()) == {CELL}
        assert set(file.cells(Wanted(workload=["continuous"]))) == {CELL}
        assert file.cells(Wanted(workload=["pipelined"])) == {}
        assert file.cells(among=[PIPELINED]) == {}
        assert file.judged()[0][-1] == "continuous"


def test_runs_with_workloads_are_added_to_evidence_of_schema_1() -> None:
    older = as_schema_1(whole(contents([settled_cell(CELL, Outcome.STUCK)])))
    later = contents([settled_cell(PIPELINED, Outcome.LATE), settled_cell(KEYED, Outcome.CLEAN)])
    with opened(older, "x") as file:
        data = extended(file, later)
    with opened(data, "x") as file:
        assert {cell: item.outcome for cell, item in file.cells().items()} == {
            CELL: Outcome.STUCK,
            PIPELINED: Outcome.LATE,
            KEYED: Outcome.CLEAN,
        }
        assert file.about["schema"] == str(SCHEMA)
        assert {row[-1] for row in file.judged()} == set(map(str, Workload))


def test_the_shipped_evidence_is_readable() -> None:
    data = built(TEXT).read_bytes()
    with opened(data, "shipped") as file:
        found = file.cells(Wanted(family=["sarama"], version=["1.43.3"]))
    assert Workload.CONTINUOUS in {cell.workload for cell in found}


# ---- names


def test_names_of_continuous_cells_are_as_before() -> None:
    assert finding_id(CELL) == "PROBE-sarama-producer-disk-storage-error"
    assert finding_id(KEYED) == "PROBE-sarama-producer-disk-storage-error-keyed"
    one = settled_cell(CELL, Outcome.STUCK)
    assert "--workload" not in show_command(one, "r") + run_command([CELL], "r")
    other = settled_cell(PIPELINED, Outcome.STUCK)
    assert show_command(other, "r").endswith(" --broker 3.9 --workload pipelined")
    assert "--workload continuous --workload keyed" in run_command([CELL, KEYED], "r")


# ---- known results


def test_a_known_result_may_name_a_workload(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(PLAIN.replace('role = "producer"', 'role = "producer"\nworkload = "pipelined"'))
    (known,) = read_known(path)
    assert expected(known).cell.workload is contrasted(known).cell.workload is Workload.PIPELINED
    path.write_text(PLAIN + 'workload = "keyed"\n')
    (known,) = read_known(path)
    assert (expected(known).cell.workload, contrasted(known).cell.workload) == (Workload.CONTINUOUS, Workload.KEYED)


# ---- look-ups


def ask(results: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--results", str(results), "--evidence", "own"])


@pytest.fixture
def results(tmp_path: Path) -> Path:
    fill(tmp_path, (CELL, 1, Outcome.REFRESHES), (PIPELINED, 1, Outcome.STUCK))
    return tmp_path


def test_lookup_says_what_each_workload_does(results: Path) -> None:
    both = ask(results, "lookup", "sarama@1.43.3", "--all")
    assert "producer isolated disk/storage-error pipelined: stops silently; stuck" in both.stdout
    assert "1 fails, 1 passes" in both.stdout
    one = ask(results, "lookup", "sarama@1.43.3", "--workload", "continuous", "--json")
    assert {item["workload"] for item in json.loads(one.stdout)["answers"]} == {"continuous"}


def test_show_takes_the_continuous_trial_unless_a_workload_is_named(results: Path) -> None:
    plain = CliRunner().invoke(app, ["show", "--results", str(results), "--json"])
    assert json.loads(plain.stdout)["cell"]["workload"] == "continuous"
    named = CliRunner().invoke(app, ["show", "--results", str(results), "--json", "--workload", "pipelined"])
    assert json.loads(named.stdout)["cell"]["workload"] == "pipelined"
    listed = CliRunner().invoke(app, ["show", "--results", str(results), "--workload", "all"])
    assert [line.split("  ")[1] for line in listed.stdout.splitlines()] == [str(CELL), str(PIPELINED)]


def fleet(folder: Path) -> str:
    path = folder / "fleet.csv"
    path.write_text("service,client,version,role\nshop,sarama,1.43.3,producer\n")
    return str(path)


def audit_faults(results: Path, *more: str) -> list[tuple[str, str, str]]:
    done = ask(results, "audit", fleet(results), "--scenario", "disk/storage-error", "--json", *more)
    (service,) = json.loads(done.stdout)["services"]
    return [(one["scenario"], one["workload"], one["finding"]) for one in service["faults"]]


def test_an_audit_counts_what_is_known_of_the_workloads_of_the_catalogue(results: Path) -> None:
    fault = "disk/storage-error"
    assert audit_faults(results) == [(fault, "continuous", "passes"), (fault, "pipelined", "fails")]
    assert audit_faults(results, "--workload", "continuous") == [(fault, "continuous", "passes")]
    assert (fault, "keyed", "unknown") in audit_faults(results, "--workload", "all")


def test_an_upgrade_is_compared_per_workload(tmp_path: Path) -> None:
    old, older = (replace(cell, version="1.43.2") for cell in (CELL, PIPELINED))
    said = {old: Outcome.STUCK, CELL: Outcome.REFRESHES, older: Outcome.REFRESHES, PIPELINED: Outcome.STUCK}
    fill(tmp_path, *((cell, number, outcome) for number in range(4) for cell, outcome in said.items()))
    both = ask(tmp_path, "advise", "sarama", "1.43.2", "1.43.3")
    assert "worse      producer disk/storage-error pipelined: none -> stops silently; refreshes -> stuck" in both.stdout
    assert "better     producer disk/storage-error: stops silently -> none; stuck -> refreshes" in both.stdout
    assert str(both.exception).startswith("1 of 2 cells gets worse")
    one = ask(tmp_path, "advise", "sarama", "1.43.2", "1.43.3", "--workload", "continuous")
    assert one.exit_code == 0
    assert "pipelined" not in one.stdout


def test_a_bisection_is_of_one_workload(tmp_path: Path) -> None:
    versions = {"1.43.2": Outcome.REFRESHES, "1.43.3": Outcome.STUCK}
    with create(tmp_path) as store:
        for name, outcome in versions.items():
            judged = verdict(outcome, rules=RULES_VERSION)
            store.add(history_of(replace(PIPELINED, version=name), 1), judged)
    write_settled(str(tmp_path))
    bounds = ("--from", "1.43.2", "--to", "1.43.3", "--no-run", "--listed-only")
    done = ask(tmp_path, "bisect", "sarama", "disk/storage-error", *bounds, "--workload", "pipelined")
    assert "sarama 1.43.3 is the first version that is stuck (producer, isolated, 3.9 pipelined)" in done.output
    other = ask(tmp_path, "bisect", "sarama", "disk/storage-error", *bounds)
    assert other.exit_code != 0


def test_a_workload_that_a_role_lacks_is_one_line(tmp_path: Path) -> None:
    done = ask(tmp_path, "bisect", "sarama", "disk/storage-error", "--role", "group", "--workload", "keyed", "--no-run")
    assert "workload keyed does not apply to role group" in str(done.exception)


def test_the_cells_of_a_plan_name_their_workloads(tmp_path: Path) -> None:
    arguments = ["plan", "--client", "sarama@1.43.3", "--scenario", "net/reset", "--role", "producer"]
    made = CliRunner().invoke(app, [*arguments, "--workload", "all", "--json", "--results", str(tmp_path)])
    cells = [Cell.of(cell) for cell in json.loads(made.stdout)["cells"]]
    assert {(cell.scenario, cell.workload) for cell in cells} == {
        (scenario, workload) for scenario in ("steady", "net/reset") for workload in Workload
    }
    assert {cell.role for cell in cells} == {Role.PRODUCER}
