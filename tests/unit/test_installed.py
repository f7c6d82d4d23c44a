"""The wheel and the source archive, each installed into an empty environment without a network."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from probe.catalogue.families import read_families
from probe.toolchain.lookup_wheels import fill
from probe.toolchain.tools import cache_root
from tests.support.packets import ordinary, pcap

pytestmark = pytest.mark.whole
ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SUFFIXES = (".whl", ".tar.gz")
CONFIGURED = re.compile(r"(UV|PIP|PYTHON|VIRTUAL_ENV|PROBE)")
"""Settings of this machine that could bring in a registry or a package, or show where the checkout is."""


def run(*argv: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a separate network without interfaces, where the system allows one."""
    settings = {key: value for key, value in os.environ.items() if not CONFIGURED.match(key)}
    alone = [*_no_network(), *map(str, argv)]
    env = {**settings, "PROBE_CACHE": str(cwd / "cache"), "UV_CACHE_DIR": str(cwd / "uv"), "UV_OFFLINE": "1"}
    return subprocess.run(alone, capture_output=True, text=True, check=False, cwd=cwd, env=env)


def _no_network() -> list[str]:
    command = ["unshare", "--map-root-user", "--net"]
    works = shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True, check=False)
    return command if works and works.returncode == 0 else []


def uv() -> str:
    return shutil.which("uv") or str(cache_root() / "tools" / "bin" / "uv")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return wheel and source archive, as the task `wheel` makes them, by suffix."""
    folder = tmp_path_factory.mktemp("dist")
    argv = [sys.executable, str(ROOT / "run.py"), "wheel", str(folder)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    paths = [Path(line) for line in done.stdout.splitlines()]
    return {suffix: next(path for path in paths if path.name.endswith(suffix)) for suffix in SUFFIXES}


@pytest.fixture(scope="module", params=SUFFIXES)
def folder(request: pytest.FixtureRequest, built: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an environment `env` that holds nothing but the probe and what it asks for."""
    made = tmp_path_factory.mktemp("installed")
    local = ("--offline", "--no-index", "--find-links", fill(ROOT, uv(), sys.executable))
    for argv in (
        ("venv", "--python", sys.executable, "env"),
        ("pip", "install", "--python", "env/bin/python", *local, built[request.param]),
    ):
        done = run(uv(), *argv, cwd=made)
        assert done.returncode == 0, done.stderr
    return made


def probe(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(folder / "env" / "bin" / "probe", *arguments, cwd=folder)


def test_no_package_of_the_laboratory_is_installed(folder: Path) -> None:
    done = run(uv(), "pip", "list", "--python", "env/bin/python", "--format", "json", cwd=folder)
    installed = {item["name"] for item in json.loads(done.stdout)}
    groups = PROJECT["dependency-groups"]
    unwanted = {re.split(r"[<>=; ]", line)[0] for line in (*groups["laboratory"], "numpy", "py4j", *groups["build"])}
    assert {"kafka-metadata-probe", "typer"} <= installed
    assert installed & unwanted == set()


def test_the_installed_catalogue_is_the_checkouts(folder: Path) -> None:
    data = json.loads(probe(folder, "clients", "--json").stdout)
    listed = {item["family"]: {one["version"] for one in item["versions"]} for item in data["clients"]}
    families = read_families(ROOT / "clients")
    assert listed == {name: {one.version for one in family.versions} for name, family in families.items()}
    assert "disk/storage-error" in probe(folder, "scenarios").stdout
    assert probe(folder, "plan", "--client", "sarama@1.43.2").returncode == 0


def test_a_fleet_is_audited(folder: Path) -> None:
    (folder / "fleet.txt").write_text("sarama@1.43.2\n")
    done = probe(folder, "audit", "fleet.txt", "--json")
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    (service,) = json.loads(done.stdout)["services"]
    assert service["client"] == "sarama@1.43.2"
    assert {fault["role"] for fault in service["faults"]} >= {"producer", "consumer"}


def test_a_go_mod_is_audited_with_evidence_its_age_and_the_way_out(folder: Path) -> None:
    (folder / "go.mod").write_text(
        "module shop.example/orders\n\ngo 1.22\n\nrequire github.com/IBM/sarama v1.43.2 // indirect\n"
    )
    done = probe(folder, "audit", "go.mod", "--max-age", "3650")
    assert done.returncode == 1, done.stderr
    cause = "stops: disk/storage-error (producer): it never asks who serves now; mended in 1.43.3"
    assert f"shop.example/orders: {cause}" in done.stdout
    assert " cells of shipped evidence of 20" in done.stdout
    assert " old), rules " in done.stdout
    assert re.search(r"to do: upgrade to \S+, .*mends disk/storage-error \(producer", done.stdout)


def test_a_run_asks_for_a_checkout_in_one_line(folder: Path) -> None:
    done = probe(folder, "run")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "in a checkout of the project, `python3 run.py probe`" in line


def test_a_capture_and_a_request_log_are_read(folder: Path) -> None:
    capture, log = folder / "a.pcap", ROOT / "tests" / "data" / "inventory" / "request-4.3.1.log"
    capture.write_bytes(pcap(ordinary().packets))
    code = (
        "import sys\nfrom probe.diagnose.input.file_set import open_inputs\n"
        "with open_inputs(sys.argv[1:]) as found:\n    events = list(found.events())\n"
        "print(len(events), {one.source.value for one in found.connections.values()} == {'capture', 'request log'})"
    )
    done = run(folder / "env" / "bin" / "python", "-c", code, capture, log, cwd=folder)
    assert done.returncode == 0, done.stderr
    count, both = done.stdout.split()
    assert int(count) > 40
    assert both == "True"
