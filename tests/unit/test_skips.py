"""A run names skipped cells and cells without a verdict, with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.cells.cli_hints import resume_command, way_on
from probe.cli.console import outcome_table
from probe.cli.console.skips import MORE, NAMED, REASONS, by_reason, skipped
from probe.cli.wiring.run_selection import RunSelection
from probe.model import Cell, Client, Engine, Outcome, Role
from probe.store import RunStore
from tests.support.command import command
from tests.support.synthetic_rows import CELL, create, history, verdict
from tests.unit.test_cli import probe

SARAMA = "sarama@1.43.3"
TIMED_OUT = "answer/produce/REQUEST_TIMED_OUT"


def lines(**asked: object) -> list[str]:
    return skipped(*RunSelection(seed=1, **asked).whole())  # type: ignore[arg-type]  # tests name the selectors they set


def test_a_skipped_cell_is_named_with_its_reason() -> None:
    (line,) = lines(clients=[SARAMA], roles=[Role.PRODUCER], scenarios=[TIMED_OUT])
    assert line.startswith(f"skipped  {SARAMA} producer isolated {TIMED_OUT} embedded 3.9: sarama writes with acks=1")


@pytest.mark.parametrize("shard", ["1/1", "1/2", "2/2"])
def test_a_client_without_any_cell_is_always_named(shard: str) -> None:
    found = lines(
        clients=["java@0.10.2.2", "kafkajs@1.16.0"],
        scenarios=["steady"],
        engine=Engine.KAFKA,
        brokers=["4.3.1"],
        roles=[Role.TRANSACTIONAL, Role.ADMIN],
        shard=shard,
    )
    (line,) = (line for line in found if line.startswith("not run"))
    assert line.startswith("not run  java@0.10.2.2: java has role transactional since 0.11.0.0: transactions came with")


def test_many_skips_are_grouped_and_counted() -> None:
    found = lines(clients=["sarama", "java", "kafkajs", "kafka-go", "librdkafka"], scenarios=["*"])
    assert len([line for line in found if line.startswith("skipped")]) == REASONS + 1
    assert all(len(line) < 800 for line in found)
    assert any("more: " in line for line in found)
    assert found[-1] == MORE


def test_a_run_without_skips_prints_nothing_about_them() -> None:
    assert lines(clients=[SARAMA], roles=[Role.PRODUCER], scenarios=["net/reset"]) == []


def test_a_scenario_without_the_selected_role_is_named() -> None:
    (line,) = lines(clients=[SARAMA], roles=[Role.ADMIN], scenarios=["topic/grown"])
    assert line == "skipped  topic/grown: no role admin there; its roles are producer, group"


def test_roles_that_a_scenario_has_on_the_other_engine_alone_are_not_named() -> None:
    (line,) = lines(
        clients=[SARAMA], roles=[Role.GROUP], engine=Engine.KAFKA, scenarios=["broker/address-reused", "steady"]
    )
    assert line == "skipped  broker/address-reused: no role group there; its roles are producer, consumer"


def test_names_beyond_the_first_are_counted() -> None:
    named = [("z", "other"), *((str(number), "same") for number in range(NAMED + 2))]
    assert list(by_reason(named)) == [("0, 1, 2 and 2 more", "same"), ("z", "other")]


def test_cells_without_a_verdict_show_their_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    reasons = {(CELL, Outcome.BROKEN): "a stall of 300 ms", (other(1), Outcome.UNSUPPORTED): "no [such] API"}
    reasons |= {(other(2), Outcome.UNSUPPORTED): "no [such] API", (other(3), Outcome.STUCK): "stuck"}
    seen = {cell: {outcome} for cell, outcome in reasons}
    outcome_table.show_outcomes(seen, {Client("java", "9.9"): "no jar"}, "r1", reasons)
    shown = capsys.readouterr().out
    assert f"broken  {CELL}: a stall of 300 ms\n" in shown
    assert f"unsupported  {other(1)}, {other(2)}: no [such] API\n" in shown
    assert "not_run  java@9.9: no jar\n" in shown
    assert "stuck: stuck" not in shown


def test_many_reasons_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    reasons = {(other(number), Outcome.BROKEN): f"a stall of {number} ms" for number in range(REASONS + 5)}
    outcome_table.show_outcomes({cell: {outcome} for cell, outcome in reasons}, {}, "r1", reasons)
    assert "broken  for 5 more reasons: probe show --run r1\n" in capsys.readouterr().out


def test_hints_name_the_folder_of_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    seen = {CELL: {Outcome.BROKEN}}
    outcome_table.show_outcomes(seen, {}, "r1", {(CELL, Outcome.BROKEN): "a stall"}, results="/srv/my runs")
    said = " ".join(capsys.readouterr().err.split())
    assert "probe show --run r1 --results '/srv/my runs'" in said
    assert said.endswith("; `probe run --resume r1 --results '/srv/my runs'` plays broken ones again")
    assert resume_command("r1", "/srv/my runs") == "probe run --resume r1 --results '/srv/my runs'"
    assert resume_command("r1", "results") == "probe run --resume r1"


@pytest.mark.parametrize(
    ("selectors", "hint"),
    [({"clients": ["sarama"]}, "continue with `probe run --resume r1`"), (None, "give the same command again")],
)
def test_a_run_that_cannot_be_resumed_is_not_said_to_be(
    tmp_path: Path, selectors: dict[str, list[str]] | None, hint: str
) -> None:
    """`verify` and `advise --run` store no selectors, and `probe run --resume` refuses their runs."""
    with RunStore.create(str(tmp_path), command=[], seed=1, selectors=selectors) as store:
        assert way_on("r1", "results", resumable=store.resumable) == hint


def other(number: int) -> Cell:
    return Cell("sarama", "1.43.3", Role.PRODUCER, "isolated", f"blip/produce/{number}", Engine.EMBEDDED, "3.9")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--scenario", "hold/txn-offset-commit/*"],
            "no scenario matches this pattern; any error runs by its full name",
        ),
        (["--scenario", "disk/x*"], "no scenario matches this pattern; `probe scenarios` lists them"),
        (["--scenario", "blip/nothing/?"], "no scenario matches this pattern"),
    ],
)
def test_a_pattern_without_a_match_is_reported(arguments: list[str], message: str) -> None:
    done = command("run", "--client", SARAMA, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_plan_lists_every_skip() -> None:
    done = command("plan", "--client", SARAMA, "--role", "producer", "--scenario", TIMED_OUT)
    assert f"skip  {SARAMA} producer isolated {TIMED_OUT} embedded 3.9: sarama writes with acks=1" in done.stdout
    assert "1 cell, 1 trial, 1 skipped" in done.stdout


def test_an_empty_run_names_the_reasons(tmp_path: Path) -> None:
    selectors = ["--engine", "kafka", "--broker", "4.3.1", "--client", "java@0.10.2.2", "--role", "transactional"]
    done = command("run", *selectors, "--scenario", "steady", "--results", str(tmp_path))
    assert done.returncode == 2
    assert "nothing to run: java has role transactional since 0.11.0.0" in done.stderr


def test_show_names_the_selector_without_a_match(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        store.add(history(), verdict())
    done = command("show", "--results", str(tmp_path), "--client", "sarma", "--role", "producer")
    assert done.returncode == 2
    assert "no stored trial matches --client;" in done.stderr


@pytest.mark.real
def test_an_unreachable_error_is_unsupported_then_skipped(tmp_path: Path) -> None:
    """aiokafka 0.12.0 sends Fetch 4 and InitProducerId 0: one is known after warm-up, the other after `steady`."""
    scenarios = ["answer/fetch/FENCED_LEADER_EPOCH", "blip/init-producer-id/PRODUCER_FENCED"]
    selectors = ["--client", "aiokafka@0.12.0", "--role", "consumer", "--role", "transactional"]
    selectors += [item for name in scenarios for item in ("--scenario", name)]
    results = ["--results", str(tmp_path)]
    done = probe("run", *selectors, *results)
    assert done.returncode == 0, done.stderr
    for name, needed in zip(scenarios, (9, 4), strict=True):
        (line,) = (line for line in done.stdout.splitlines() if line.startswith("unsupported") and name in line)
        assert f"only from version {needed} on; this client sends version" in line
    stored = probe("show", *results, "--scenario", "*/*").stdout
    assert stored.count("unsupported: ") == len(scenarios)
    again = probe("run", *selectors, *results)
    assert all(any(name in line for line in again.stderr.splitlines() if "skipped  " in line) for name in scenarios)
    assert "unsupported" not in again.stdout
