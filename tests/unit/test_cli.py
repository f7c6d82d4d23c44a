"""The command line: invalid input ends with one clear line and the documented exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from probe.catalogue.families import read_families
from tests.support.command import command

ROOT = Path(__file__).parents[2]
PROBE = str(Path(sys.executable).with_name("probe"))
SCHEMAS = ROOT / "docs" / "schema"


def probe(*arguments: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROBE, *arguments], capture_output=True, text=True, check=False, env={**os.environ, **(env or {})}
    )


@pytest.mark.parametrize(
    ("arguments", "code", "names"),
    [
        (["run", "--client", "sarma"], 2, ["sarma", "sarama"]),
        (["run", "--client", "librdkafka@99.0.0"], 2, ["99.0.0", "pinned"]),
        (
            ["run", "--client", "librdkafka@2.4.0", "--scenario", "answer/produce/KAFKA_STORAG_ERROR"],
            2,
            ["KAFKA_STORAG"],
        ),
        (["run", "--client", "librdkafka@2.4.0", "--scenario", "disk/*error*x"], 2, ["disk/*error*x"]),
        (["run", "--client", "librdkafka@2.4.0", "--profile", "isolted"], 2, ["isolted", "isolated"]),
        (["run", "--client", "librdkafka@2.4.0", "--broker", "3.14"], 2, ["3.14"]),
        (["run", "--client", "librdkafka@2.4.0", "--fail-on", "stick"], 2, ["stick", "stuck"]),
        (["run", "--client", "librdkafka@2.4.0", "--shard", "3/2"], 2, ["3/2"]),
        (["plan", "--client", "librdkafka@2.4.0", "--role", "boss"], 2, ["boss"]),
        (["show", "--results", "/nowhere/at/all"], 3, ["/nowhere/at/all"]),
        (["matrix", "--results", "/nowhere/at/all"], 3, ["/nowhere/at/all"]),
    ],
)
def test_invalid_input_is_reported_in_one_line(arguments: list[str], code: int, names: list[str]) -> None:
    done = command(*arguments)
    assert done.returncode == code, done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert all(name in done.stderr for name in names), done.stderr
    assert "Traceback" not in done.stderr
    assert len(last) < 600


def test_the_program_ends_as_the_command_in_this_process() -> None:
    done, here = probe("run", "--client", "sarma"), command("run", "--client", "sarma")
    assert (done.returncode, done.stdout, done.stderr) == (here.returncode, "", here.stderr)


def test_results_without_trials_are_named_before_spark_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr("probe.cli.wiring.publication.start_session", lambda *given, **_: started.append(given))
    done = command("matrix", "--results", str(tmp_path))
    assert (done.returncode, started) == (3, [])
    assert f"{tmp_path} has no trials" in done.stderr


def test_an_invalid_client_toml_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "client.toml").write_text("family = \n")
    done = probe("plan", env={"PROBE_CLIENTS": str(tmp_path)})
    assert done.returncode == 2
    assert str(folder / "client.toml") in done.stderr
    assert "Traceback" not in done.stderr


def test_the_json_of_plan_matches_its_schema(tmp_path: Path) -> None:
    done = probe("plan", "--client", "librdkafka@2.4.0", "--scenario", "leader/*", "--json")
    data = json.loads(done.stdout)
    jsonschema.validate(data, json.loads((SCHEMAS / "plan.json").read_text()))
    assert {cell["scenario"] for cell in data["cells"]} >= {"steady", "leader/elected"}
    assert data["estimate_s"] > 0


def test_clients_lists_every_pinned_version() -> None:
    data = json.loads(probe("clients", "--json").stdout)
    jsonschema.validate(data, json.loads((SCHEMAS / "clients.json").read_text()))
    listed = {item["family"]: {one["version"] for one in item["versions"]} for item in data["clients"]}
    for name, family in read_families(ROOT / "clients").items():
        assert listed[name] == {item.version for item in family.versions}


def test_clients_lists_the_workloads_of_every_role() -> None:
    data = {item["family"]: item["workloads"] for item in json.loads(probe("clients", "--json").stdout)["clients"]}
    writers = {"keyed": ["producer", "transactional"], "pipelined": ["producer", "group", "transactional"]}
    assert data["kafkajs"] == {"continuous": ["producer", "group", "transactional", "admin"], **writers}
    text = probe("clients").stdout
    assert "workloads: continuous, pipelined (producer, group, transactional), keyed (producer, transactional)" in text


def test_scenarios_describes_every_scenario() -> None:
    data = json.loads(probe("scenarios", "--json").stdout)
    names = {item["scenario"] for item in data["scenarios"]}
    assert {"steady", "disk/storage-error", "answer/produce/NOT_LEADER_OR_FOLLOWER"} <= names
    assert "KIP-112" in next(item["story"] for item in data["scenarios"] if item["scenario"] == "disk/storage-error")


def test_doctor_lists_the_engines_that_can_run() -> None:
    done = probe("doctor")
    assert done.returncode == 0, done.stderr
    assert "embedded engine can run" in done.stdout
