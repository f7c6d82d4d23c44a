"""`publish-evidence`, the evidence in the package, and the commands that answer from it without any run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from probe.catalogue.files import data_file
from probe.catalogue.known_results import contrasted, expected, read_known
from probe.cells.audit import examine
from probe.cells.cell_order import in_order
from probe.cli.app import app
from probe.cli.wiring.evidence import open_evidence
from probe.evidence import places
from probe.evidence.access import opened
from probe.evidence.checkout_build import built
from probe.evidence.publication import contradicted
from probe.files.shipped_evidence import TEXT
from probe.model import Cell, Engine, Outcome
from probe.model.conditions import FIRST, current
from probe.verdict import RULES_VERSION
from tests.support.synthetic_rows import CELL, create, fill, history, verdict
from tests.unit.test_lookup import code, publish, settled, shipped

__all__ = ["shipped"]  # the fixture

OLD = replace(CELL, version="1.43.2")
KNOWN = next(one for one in read_known(data_file("known_results.toml")) if not one.known_wrong and one.trials == 1)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments])


def play(results: Path, *items: tuple[Cell, Outcome], rules: int = RULES_VERSION, number: int | None = None) -> None:
    """Store a run by some rules, under some conditions."""
    with create(results) as store:
        for cell, outcome in items:
            at = current(cell.engine) if number is None else number
            store.add(history(cell, 0, conditions=at), verdict(outcome, rules=rules))


def test_stored_runs_become_the_evidence_of_the_package(tmp_path: Path, shipped: Path) -> None:
    old, new = (replace(cell, scenario="of/no-known-result") for cell in (OLD, CELL))
    play(tmp_path, (old, Outcome.STUCK), (new, Outcome.REFRESHES), (replace(new, broker="2.6"), Outcome.REFRESHES))
    done = invoke("publish-evidence", "--results", str(tmp_path))
    assert done.exit_code == 0, done.output
    held = places.shipped()
    assert held is not None
    with opened(held.source, held.name, held.digest) as file:
        assert len(file.cells()) == 3
        assert f"sha256:{held.digest}" in done.stdout
        assert (file.about["rules"], file.about["conditions embedded"]) == (
            str(RULES_VERSION),
            str(current(Engine.EMBEDDED)),
        )
    assert "2 clients; 1 run" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["  embedded 2.6: 1 cell", "  embedded 3.9: 2 cells"]


def test_what_is_outdated_or_settles_nothing_is_left_out_and_counted(tmp_path: Path, shipped: Path) -> None:
    play(tmp_path, (CELL, Outcome.REFRESHES), (replace(CELL, scenario="net/slow"), Outcome.BROKEN))
    play(tmp_path, (replace(CELL, scenario="net/reset"), Outcome.STUCK), rules=RULES_VERSION - 1)
    play(tmp_path, (replace(CELL, scenario="broker/kill"), Outcome.STUCK), number=FIRST)
    done = invoke("publish-evidence", "--results", str(tmp_path))
    assert [line for line in done.stderr.splitlines() if line.startswith("left out")] == [
        "left out  1 cell measured under other conditions; `probe run` measures them again",
        f"left out  1 cell not judged by rules {RULES_VERSION}; `probe judge` judges them again",
        "left out  1 cell not settled: the trial waited, broke or did not run",
    ]
    with open_evidence(["shipped"], str(tmp_path), 180) as evidence:
        assert set(evidence.answer([CELL])) == {CELL}


def test_without_anything_to_publish_the_old_file_stays(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(CELL, Outcome.STUCK))
    before = shipped.read_bytes()
    play(tmp_path, (CELL, Outcome.REFRESHES), number=FIRST)
    assert code(invoke("publish-evidence", "--results", str(tmp_path))) == 3
    assert shipped.read_bytes() == before


@pytest.mark.parametrize("agrees", [True, False])
def test_a_known_result_that_is_contradicted_is_named_with_exit_code_1(
    tmp_path: Path, shipped: Path, agrees: bool
) -> None:
    claim = expected(KNOWN)
    wrong = next(one for one in (Outcome.CLEAN, Outcome.STUCK) if one not in claim.claim.allowed)
    play(tmp_path, (claim.cell, sorted(claim.claim.needed)[0] if agrees else wrong))
    done = invoke("publish-evidence", "--results", str(tmp_path))
    named = [line for line in done.stdout.splitlines() if line.startswith(f"contradicts {claim.name}: ")]
    facts_differ = agrees and claim.claim.facts  # synthetic trials have no facts
    assert bool(named) is (not agrees or bool(facts_differ))
    assert code(done) == int(bool(named))


def test_a_known_result_of_newer_conditions_is_not_contradicted_by_older_trials() -> None:
    claim = replace(expected(KNOWN), conditions=6)
    wrong = next(one for one in (Outcome.CLEAN, Outcome.STUCK) if one not in claim.claim.allowed)
    older, now = (replace(settled(claim.cell, wrong), conditions=number) for number in (5, 6))
    assert contradicted({claim.cell: older}, [claim]) == []
    assert [found.expectation for found in contradicted({claim.cell: now}, [claim])] == [claim]


def test_an_audit_of_published_evidence_agrees_with_the_results_it_came_from(tmp_path: Path, shipped: Path) -> None:
    outcomes = [Outcome.STUCK, Outcome.REFRESHES, Outcome.STORMS, Outcome.NOT_PROVOKED, Outcome.LATE]
    cells = [replace(CELL, version=f"1.43.{nth}", scenario=name) for nth in range(5) for name in ("a", "b", "c")]
    play(tmp_path, *((cell, outcomes[nth % 5]) for nth, cell in enumerate(cells)))
    assert invoke("publish-evidence", "--results", str(tmp_path)).exit_code == 0
    seen = []
    for name in ("own", "shipped"):
        with open_evidence([name], str(tmp_path), 180) as evidence:
            found = examine(in_order(cells), evidence.answer(cells))
        seen.append([(one.cell, one.finding, one.evidence and one.evidence.verdicts) for one in found])
    assert seen[0] == seen[1]


def audit(tmp_path: Path, *arguments: str) -> Result:
    (tmp_path / "fleet.txt").write_text("sarama@1.43.2\n")
    where = ("--results", str(tmp_path / "results"), "--scenario", "disk/storage-error")
    return invoke("audit", str(tmp_path / "fleet.txt"), *where, *arguments)


def test_an_audit_needs_no_run(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK), settled(CELL, Outcome.REFRESHES), days=3)
    done = audit(tmp_path)
    assert code(done) == 1
    assert "producer disk/storage-error: stops silently; stuck in 1 trial: it stuck; shipped evidence of" in done.stdout
    assert "smallest upgrade: sarama 1.43.3" in done.stdout
    faults = json.loads(audit(tmp_path, "--json").stdout)["services"][0]["faults"]
    (fails,) = [one for one in faults if one["finding"] == "fails"]
    assert (fails["evidence"], fails["days"], fails["rules"]) == ("shipped", 3, RULES_VERSION)
    assert fails["command"].startswith("probe run --client sarama@1.43.2")
    assert code(audit(tmp_path, "--evidence", "own")) == 3


def test_an_audit_counts_the_worse_of_two_answers(tmp_path: Path, shipped: Path) -> None:
    fill(tmp_path / "results", (OLD, 0, Outcome.REFRESHES))
    publish(shipped, settled(OLD, Outcome.STUCK))
    done = audit(tmp_path)
    assert (code(done), "evidence disagrees on 1 cell" in done.stderr) == (1, True)
    assert "but own results of" in done.stdout


def test_an_audit_on_a_line_between_two_measured_ones(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, *(settled(replace(OLD, broker=line), Outcome.STUCK) for line in ("2.6", "3.9")))
    done = audit(tmp_path, "--broker", "3.4")
    assert code(done) == 1
    assert "never measured on line 3.4: stuck in 1 trial on 2.6 and stuck in 1 trial on 3.9" in done.stdout


def test_advise_compares_shipped_evidence(tmp_path: Path, shipped: Path) -> None:
    both = (settled(OLD, Outcome.STUCK), settled(CELL, Outcome.REFRESHES))
    publish(shipped, *(replace(one, verdicts=one.verdicts * 4) for one in both))
    done = invoke("advise", "sarama", "1.43.2", "1.43.3", "--results", str(tmp_path), "--all")
    assert done.exit_code == 0, done.output
    turned = invoke("advise", "sarama", "1.43.3", "1.43.2", "--results", str(tmp_path))
    assert (
        code(turned),
        "worse      producer disk/storage-error: none -> stops silently; refreshes -> stuck" in turned.stdout,
    ) == (1, True)
    assert "better     producer disk/storage-error: stops silently -> none; stuck -> refreshes" in done.stdout
    assert "before: it stuck; shipped evidence of" in done.stdout
    assert "only own trials have the effective settings" in done.stdout


@pytest.mark.parametrize(("on_2_6", "found"), [(Outcome.STUCK, True), (Outcome.REFRESHES, False)])
def test_advise_answers_for_a_line_where_its_neighbours_agree(
    tmp_path: Path, shipped: Path, on_2_6: Outcome, found: bool
) -> None:
    old, new = ([replace(cell, broker=line) for line in ("2.6", "3.9")] for cell in (OLD, CELL))
    there = [settled(old[0], on_2_6), settled(old[1], Outcome.STUCK), *(settled(one, Outcome.REFRESHES) for one in new)]
    publish(shipped, *there)
    done = invoke("advise", "sarama", "1.43.2", "1.43.3", "--results", str(tmp_path), "--broker", "3.4", "--all")
    assert ("never measured on line 3.4: stuck in 1 trial on 2.6 and stuck in 1 trial on 3.9" in done.stdout) is found
    assert (done.exit_code == 0) is found


def test_bisect_answers_from_shipped_evidence_without_a_run(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK), settled(CELL, Outcome.REFRESHES))
    done = invoke("bisect", "sarama", "disk/storage-error", "--no-run", "--results", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert "sarama 1.43.3 is the first version that refreshes (producer, isolated, 3.9); 1.43.2 is stuck" in done.stdout
    assert "shipped evidence of" in done.stdout
    assert "0 versions run, 0 trials" in done.stdout
    nothing = invoke("bisect", "sarama", "net/reset", "--no-run", "--results", str(tmp_path))
    assert code(nothing) == 3


def test_bisect_runs_nothing_where_the_laboratory_is_not_installed(
    tmp_path: Path, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK), settled(CELL, Outcome.REFRESHES))
    monkeypatch.setattr("probe.cli.commands.bisect.absent_packages", lambda: ["grpc"])
    done = invoke("bisect", "sarama", "disk/storage-error", "--results", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert "the laboratory is not installed here, so nothing is run (--no-run)" in done.stderr
    assert "0 versions run, 0 trials" in done.stdout


def test_show_tells_what_shipped_evidence_says_where_there_is_no_own_trial(tmp_path: Path, shipped: Path) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK), settled(CELL, Outcome.REFRESHES))
    both = invoke("show", "--client", "sarama", "--results", str(tmp_path))
    assert [line.split("  ")[1].split()[0] for line in both.stdout.splitlines()] == ["sarama@1.43.2", "sarama@1.43.3"]
    one = invoke("show", "--client", "sarama@1.43.2", "--results", str(tmp_path))
    assert one.stdout.splitlines()[:2] == [str(OLD), "stuck in 1 trial. it stuck"]
    fill(tmp_path, (OLD, 0, Outcome.LATE))
    assert "trial 0: late" in invoke("show", "--client", "sarama@1.43.2", "--results", str(tmp_path)).stdout
    named = invoke("show", "--client", "sarama@1.43.2", "--results", str(tmp_path), "--evidence", "shipped")
    assert named.stdout.splitlines()[1] == "stuck in 1 trial. it stuck"
    wrong = invoke("show", "--results", str(tmp_path), "--evidence", "shipped", "--json")
    assert "leave --evidence out" in str(wrong.exception)


def test_the_evidence_in_this_package_is_sound() -> None:
    held = places.of_file(built(TEXT))
    with opened(held.source, held.name, held.digest) as file:
        cells = file.cells(facts=True)
        assert cells
        assert file.runs
        assert all(run.started for run in file.runs)
        assert int(file.about["rules"]) <= RULES_VERSION
        assert all(item.conditions <= current(cell.engine) for cell, item in cells.items())
        wanted = [
            one for item in read_known(data_file("known_results.toml")) for one in (expected(item), contrasted(item))
        ]
        assert contradicted(cells, wanted) == []
