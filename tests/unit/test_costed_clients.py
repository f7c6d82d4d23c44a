"""`probe estimate` by what an operator calls a client."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.errors import ProbeError
from probe.model.cost import CostRun
from probe.model.results import ResultsError
from probe.store.costs import read_costs, write_cost


def estimated(tmp_path: Path, *more: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["estimate", "--results", str(tmp_path), *more])
    code = done.exception.exit_code if isinstance(done.exception, ProbeError) else done.exit_code
    return code, done.output + str(done.exception or "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["sarma:60"], "did you mean sarama?"),
        (["sarama@1.43.99:60"], "had no such release on"),
        (["sarama@newest:60"], "newest is no release"),
        (["filebeat@8.18.0:60"], "the nearest known are"),
        (["sarama:60", "--scenario", "disk/storage-eror"], "did you mean disk/storage-error?"),
        (["sarama:60", "--scenario", "broker/hang"], "costs are measured in leader/elected, "),
    ],
)
def test_a_name_that_is_none_is_no_missing_measurement(tmp_path: Path, arguments: list[str], said: str) -> None:
    code, text = estimated(tmp_path, "--client", *arguments)
    assert (code, said in text) == (2, True)


@pytest.mark.parametrize(
    ("client", "row"),
    [
        ("sarama@latest", "sarama"),
        ("sarama@1.45", "sarama@1.45.2"),
        ("filebeat@9.0.0", "sarama@1.43.3"),
        ("kafka-clients:3.9.2", "java@3.9.2"),
        ("confluent-kafka@2.16.1", "librdkafka@2.16.0"),
    ],
)
def test_the_client_is_what_an_operator_calls_it(tmp_path: Path, client: str, row: str) -> None:
    """By the text alone 1.45 lies before 1.45.0, which was measured."""
    code, text = estimated(tmp_path, "--client", f"{client}:10")
    assert (code, f"\n{row} " in text) == (0, True)


def test_what_is_not_measured_has_the_command_that_measures_it(tmp_path: Path) -> None:
    command = "probe sweep --client sarama@1.29.1 --scenario broker/kill --over partitions=1,10,100 --over clients=1,10"
    assert command in estimated(tmp_path, "--client", "filebeat@8.16.1:5", "--scenario", "broker/kill")[1]


def test_a_damaged_sweep_is_named_and_the_others_answer(tmp_path: Path) -> None:
    folder = tmp_path / "costs"
    folder.mkdir()
    (folder / "20261129T000000Z-0001.json").write_text("")
    write_cost(str(tmp_path), CostRun(run_id="20261129T000000Z-0002", seed=1))
    code, text = estimated(tmp_path, "--client", "sarama:10")
    assert (code, "left out: " in text, "\nsarama " in text) == (0, True, True)
    assert [run.run_id[-4:] for run in read_costs(str(tmp_path), lambda _: None)] == ["0002"]
    with pytest.raises(ResultsError):
        read_costs(str(tmp_path))
