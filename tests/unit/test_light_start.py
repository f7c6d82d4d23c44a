"""Commands that start quickly: each loads only the packages that it uses."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.cli import lazy_group
from probe.cli.app import app
from probe.model import Outcome
from tests.support.forked_command import Forks, forks
from tests.support.synthetic_rows import CELL, fill

HEAVY = ("pyspark", "pandas", "grpc", "numpy", "pyarrow", "jinja2", "confluent_kafka", "kazoo", "uvloop")
"""Packages that take long to load."""
OF_RUNS = ("probe.planning.plan", "probe.runner.capacity", "probe.scenarios.steps.step")
"""Modules with many values that a look-up has no use for: plans, limits of runs, the steps of all scenarios."""
BARE = (*HEAVY, "pydantic", "rich", "asyncio", "probe.model")
"""Modules that the list of commands does not need either."""
TRACED = """
import atexit, json, sys
atexit.register(lambda: print("LOADED", json.dumps(sorted(sys.modules)), file=sys.stderr))
from probe.cli import main
main()
"""


@pytest.fixture(scope="module")
def process() -> Iterator[Forks]:
    with forks() as found:
        yield found


def loaded(process: Forks, *arguments: str, code: int = 0) -> frozenset[str]:
    """Run a command and return the names of the modules that it loaded."""
    done = process.run(*arguments)
    assert done.returncode == code, done.stderr
    return done.modules


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_the_list_of_commands_needs_no_command(option: str) -> None:
    argv = [sys.executable, "-c", TRACED, option]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    modules = {*json.loads(done.stderr.split("LOADED", 1)[1])}
    assert modules & {*BARE} == set()
    assert [name for name in modules if name.startswith("probe.cli.commands")] == []


@pytest.mark.parametrize("name", lazy_group.COMMANDS)
def test_the_help_of_a_command_needs_no_heavy_package_unless_it_works_with_results(name: str, process: Forks) -> None:
    modules = loaded(process, name, "--help")
    assert modules & {"pyspark", "pandas", "jinja2"} == set()
    if name in {"plan", "show", "clients", "scenarios", "matrix", "judge", "doctor"}:
        assert modules & {*HEAVY} == set()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["clients"], 0),
        (["clients", "--json"], 0),
        (["scenarios"], 0),
        (["scenarios", "--json"], 0),
        (["plan", "--client", "sarama@1.43.2", "--scenario", "*", "--results", "{}"], 0),
        (["plan", "--client", "sarama@1.43.2", "--scenario", "*", "--engine", "kafka", "--results", "{}"], 0),
        (["plan", "--results", "{}"], 0),
        (["show", "--results", "{}"], 3),
        (["show", "--client", "sarama", "--results", "{}"], 3),
        (["audit", "{}/fleet.txt", "--results", "{}/results"], 3),
        (["advise", "sarama", "1.43.2", "1.43.3", "--results", "{}/results"], 2),
        (["diagnose", "{}/missing.pcap", "--results", "{}/results"], 2),
    ],
    ids=str,
)
def test_a_command_loads_no_package_that_it_does_not_use(
    arguments: list[str], code: int, tmp_path: Path, process: Forks
) -> None:
    (tmp_path / "fleet.txt").write_text("sarama@1.43.2\n")
    arguments = [item.replace("{}", str(tmp_path)) for item in arguments]
    assert loaded(process, *arguments, code=code) & {*HEAVY} == set()


@pytest.mark.parametrize("arguments", [["clients"], ["scenarios"]], ids=str)
def test_what_draws_no_table_is_printed_without_rich(arguments: list[str], process: Forks) -> None:
    assert "rich" not in loaded(process, *arguments, code=0)


LOOK_UPS = [(["lookup", "sarama@1.43.3"], 1), (["audit", "fleet.txt"], 1)]


@pytest.mark.parametrize(("arguments", "code"), LOOK_UPS, ids=str)
def test_a_look_up_loads_only_what_reads_evidence(
    arguments: list[str], code: int, tmp_path: Path, process: Forks
) -> None:
    (tmp_path / "fleet.txt").write_text("sarama@1.43.3\n")
    fill(tmp_path / "results", (CELL, 0, Outcome.STUCK), (replace(CELL, version="1.43.2"), 0, Outcome.STUCK))
    where = ["--results", str(tmp_path / "results")]
    named = [str(tmp_path / item) if item == "fleet.txt" else item for item in arguments]
    assert loaded(process, *named, *where, code=code) & {*HEAVY, *OF_RUNS, "rich", "asyncio"} == set()


def test_a_plan_reads_stored_trials_only_if_a_scenario_depends_on_them(tmp_path: Path, process: Forks) -> None:
    fill(tmp_path / "results", (CELL, 0, Outcome.STUCK))
    plan = ("plan", "--client", str(CELL.client), "--results", str(tmp_path / "results"), "--scenario")
    assert loaded(process, *plan, "disk/storage-error") & {*HEAVY} == set()
    assert "pyarrow" in loaded(process, *plan, "answer/fetch/FENCED_LEADER_EPOCH")


def test_a_stored_trial_is_shown_without_the_packages_of_runs_and_the_site(tmp_path: Path, process: Forks) -> None:
    fill(tmp_path / "results", (CELL, 0, Outcome.STUCK))
    modules = loaded(process, "show", "--results", str(tmp_path / "results"))
    assert modules & {*HEAVY} - {"pandas"} == {"pyarrow", "numpy"}  # pyarrow loads pandas if it is installed


def test_every_command_is_listed_with_the_first_paragraph_of_its_help() -> None:
    listed = CliRunner().invoke(app, ["--help"]).output
    for name, command in lazy_group.COMMANDS.items():
        function = lazy_group.load(name).callback
        first = (inspect.getdoc(function) or "").split("\n\n")[0]
        assert command.summary == " ".join(first.split())
        assert any(line.split()[:2] == [name, command.summary.split()[0]] for line in listed.splitlines()), name


def test_every_module_of_the_commands_is_in_the_list() -> None:
    folder = Path(lazy_group.__file__).with_name("commands")
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert {command.module for command in lazy_group.COMMANDS.values()} == modules


def test_an_unknown_command_is_answered_with_the_nearest_one() -> None:
    done = CliRunner().invoke(app, ["scenarois"])
    assert done.exit_code == 2
    assert "No such command 'scenarois'. Did you mean 'scenarios'?" in done.output


@pytest.mark.parametrize(
    "arguments", [["clients"], ["plan", "--client", "sarama@1.43.2"], ["matrix", "--help"], ["judge", "--help"]]
)
def test_what_needs_no_spark_works_without_it(arguments: list[str], process: Forks) -> None:
    done = process.run(*arguments, without=["pyspark"])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("arguments", [["matrix"], ["judge"], ["run", "--publish"]], ids=" ".join)
def test_a_missing_pyspark_is_one_line_and_nothing_is_run(arguments: list[str], tmp_path: Path, process: Forks) -> None:
    done = process.run(*arguments, "--results", str(tmp_path), without=["pyspark"])
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("probe: the Python package pyspark is not installed; ")
    assert list(tmp_path.iterdir()) == []
