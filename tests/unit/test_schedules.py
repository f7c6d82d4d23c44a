"""Examples in docker/ and docs/operations.md: their files parse and their command lines are valid."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from probe.cli import lazy_group
from tests.support.fetched_tools import debian_program

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
SCHEDULES = DOCKER / "schedules"
COMMAND = re.compile(r"(?:^|[\s/`])probe ((?:run|matrix|prune|advise|judge|doctor|plan|show)\b[^\n`]*)", re.MULTILINE)
FILES = [
    DOCKER / "compose.yml",
    DOCKER / "Dockerfile",
    *(SCHEDULES / name for name in ("crontab", "probe.service", "kubernetes.yml", "gate.yml")),
    ROOT / "docs" / "operations.md",
]
VALUES = {"$BUDGET_S": "3300", "$((JOB_COMPLETION_INDEX + 1))": "2", "RUN_ID": "20261121T084315Z-3f9a"}
ENDS = {"&&", "||", ">>", ";", "|", "#"}


def load(path: Path) -> list[dict[str, Any]]:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    return list(yaml.safe_load_all(path.read_text()))


def commands(path: Path) -> Iterator[list[str]]:
    text = path.read_text().replace("$$", "$")
    for name, value in VALUES.items():
        text = text.replace(name, value)
    lines = (line for line in text.splitlines() if path.name != "Dockerfile" or not line.startswith("#"))
    for found in COMMAND.finditer("\n".join(lines)):
        words = shlex.split(found[1].split(" #")[0], comments=False)
        argv = [word.rstrip(";,") for word in takewhile(lambda word: word not in ENDS, words)]
        if argv[1:] or path.suffix != ".md":  # prose may name a command without options
            yield argv
    for found in re.finditer(r"^CMD \[(.*)\]$", text, re.MULTILINE):
        yield shlex.split(found[1].replace(",", ""))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_documented_command_line_is_valid(path: Path) -> None:
    lines = list(commands(path))
    assert lines, f"{path.name} names no command"
    for name, *words in lines:
        command = lazy_group.load(name)
        command.make_context(name, list(words), resilient_parsing=False).close()


def test_an_unknown_option_is_detected() -> None:
    command = lazy_group.load("run")
    with pytest.raises(Exception, match="no-such-option"):
        command.make_context("run", ["--no-such-option"])


def test_compose_stores_results_in_the_volume_it_serves() -> None:
    (compose,) = load(DOCKER / "compose.yml")
    volumes = set(compose["volumes"])
    for service in compose["services"].values():
        mounted = {mount.split(":")[0] for mount in service["volumes"]}
        assert mounted <= volumes
        assert service["cap_drop"] == ["ALL"]
    build = compose["services"]["probe"]["build"]
    assert (DOCKER / build["context"] / build["dockerfile"]).is_file()
    assert compose["services"]["site"]["volumes"] == ["results:/usr/share/nginx/html:ro"]
    assert compose["services"]["site"]["ports"] == ["127.0.0.1:8080:8080"]


def test_kubernetes_shards_cover_the_whole_plan() -> None:
    claim, shards, publish = load(SCHEDULES / "kubernetes.yml")
    job = shards["spec"]["jobTemplate"]["spec"]
    assert job["completionMode"] == "Indexed"
    args = job["template"]["spec"]["containers"][0]["args"][0]
    assert f'JOB_COMPLETION_INDEX + 1))/{job["completions"]}"' in args
    assert int(re.search(r"--time-budget (\d+)", args)[1]) < job["activeDeadlineSeconds"]  # type: ignore[index]
    for one in (shards, publish):
        assert one["spec"]["concurrencyPolicy"] == "Forbid"
        spec = one["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["volumes"][0]["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]


def test_the_workflow_runs_advise_once() -> None:
    (gate,) = load(SCHEDULES / "gate.yml")
    steps = gate["jobs"]["gate"]["steps"]
    assert all("uses" in step or "run" in step for step in steps)
    (line,) = [step["run"] for step in steps if "advise" in step.get("run", "")]
    assert {"--run", "--evidence"} <= set(line.split()), "one trial a side decides nothing"


def test_the_image_runs_without_root() -> None:
    lines = (DOCKER / "Dockerfile").read_text().splitlines()
    stages = [line.split() for line in lines if line.startswith("FROM ")]
    assert [words[2] for words in stages if len(words) == 4] == ["AS"] * len(stages)
    assert all(":" in words[1] or words[1] in {other[3] for other in stages} for words in stages)
    assert not any(":latest" in words[1] for words in stages)
    users = [line.split()[1] for line in lines if line.startswith("USER ")]
    assert users == ["10001:10001"], "Kubernetes checks for root by number only"
    assert (DOCKER / "Dockerfile.dockerignore").is_file()


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    tool = debian_program("systemd", "systemd-analyze")
    units = tool.parents[1] / "lib" / "systemd" / "system"
    for name in ("probe.service", "probe.timer"):
        # only the path of the program differs on this machine
        text = (SCHEDULES / name).read_text().replace("/opt/probe/.venv/bin/probe", "/bin/true")
        (tmp_path / name).write_text(text)
    argv = [str(tool), "verify", str(tmp_path / "probe.service"), str(tmp_path / "probe.timer")]
    env = {**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:{units}"}
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=env)
    ours = [line for line in done.stderr.splitlines() if "probe." in line]
    assert (done.returncode, ours) == (0, [])


def test_the_crontab_has_six_fields_and_no_bare_percent() -> None:
    lines = [line for line in (SCHEDULES / "crontab").read_text().splitlines() if line and not line.startswith("#")]
    jobs = [line for line in lines if not re.match(r"[A-Z]+=", line)]
    assert len(jobs) == 2
    for job in jobs:
        assert all(re.fullmatch(r"[\d*/,-]+", word) for word in job.split()[:5])
        assert "%" not in job
