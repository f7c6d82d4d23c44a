"""`probe sweep`: an option that a sweep would not look at is refused before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.errors import ProbeError
from probe.model.cost import CostRun
from probe.store.costs import write_cost

RUN = "20261129T000000Z-0001"
RECOVERY = ["--client", "sarama@1.43.3", "--scenario", "disk/storage-error", "--over", "election=0,100"]
COSTS = ["--client", "sarama@1.43.3", "--scenario", "disk/storage-error", "--over", "partitions=1,10"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*RECOVERY, "--partitions", "10"], "--partitions: a sweep of recovery has no use for it"),
        ([*RECOVERY, "--clients", "10"], "--clients: a sweep of recovery"),
        ([*RECOVERY, "--interval", "1000"], "--interval: a sweep of recovery"),
        ([*RECOVERY, "--json"], "--json: a sweep of recovery"),
        ([*COSTS, "--trials", "5"], "--trials: a sweep of costs has no use for it"),
        ([*COSTS, "--jobs", "2"], "--jobs: a sweep of costs"),
        ([*COSTS, "--partitions", "7"], "--partitions: --over partitions=... has its values"),
        ([*COSTS, "--csv", "no/folder/t.csv"], "no/folder/t.csv: it cannot be written there"),
        (["--run", RUN, "--client", "sarama"], "nothing is run, so --client says nothing"),
        (["--run", RUN, "--property", "a=b"], "nothing is run, so --property says nothing"),
    ],
)
def test_an_option_without_a_use_is_one_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["sweep", *arguments, "--results", str(tmp_path / "results")])
    assert isinstance(done.exception, ProbeError), done.output
    assert (said in str(done.exception), done.exception.exit_code) == (True, 2)
    assert not (tmp_path / "results").exists()


def test_the_command_that_shows_a_sweep_again_names_its_folder(tmp_path: Path) -> None:
    write_cost(str(tmp_path), CostRun(run_id=RUN, seed=1))
    done = CliRunner().invoke(app, ["sweep", "--run", RUN, "--results", str(tmp_path)])
    assert f"probe sweep --run {RUN} --results {tmp_path}" in done.output
