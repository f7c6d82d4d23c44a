"""The SBOM of the wheel and its licences; and that nothing which is published names a place of this machine."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from probe.toolchain.bill_of_materials import UNSTATED, licences
from probe.toolchain.tools import cache_root

ROOT = Path(__file__).parents[2]
LONGEST_NAME_OF_NO_MACHINE = 9
"""`localhost`: shorter host names are words as well."""


def component(name: str, *stated: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "version": "1.0", "licenses": list(stated)}


def test_a_licence_is_named_by_its_spdx_id_else_as_the_package_does() -> None:
    found = licences(
        [
            component("named", {"license": {"name": "The Ours License"}}),
            component("exact", {"license": {"name": "MIT License"}}, {"license": {"id": "MIT"}}),
            component("expressed", {"expression": "Apache-2.0 OR BSD-2-Clause"}),
            component("silent"),
        ]
    )

    assert found == [
        "exact\t1.0\tMIT",
        "expressed\t1.0\tApache-2.0 OR BSD-2-Clause",
        "named\t1.0\tThe Ours License",
        f"silent\t1.0\t{UNSTATED}",
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what `run.py sbom` writes: wheel, source archive, SBOM, licences."""
    folder = tmp_path_factory.mktemp("sbom")
    argv = [sys.executable, str(ROOT / "run.py"), "sbom", str(folder)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.real
def test_the_sbom_has_what_the_wheel_asks_for_in_the_versions_of_the_lock(folder: Path) -> None:
    (bill,) = folder.glob("*.cdx.json")
    (listed,) = folder.glob("*.licences.txt")
    said = json.loads(bill.read_text())
    found = {one["name"].lower().replace("_", "-"): one["version"] for one in said["components"]}
    locked = {one["name"]: one["version"] for one in tomllib.loads((ROOT / "uv.lock").read_text())["package"]}
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]

    assert (said["bomFormat"], said["metadata"]["component"]["name"]) == ("CycloneDX", "kafka-metadata-probe")
    assert found == {name: locked[name] for name in found}
    assert {one.split("==")[0].split(">=")[0].lower() for one in wanted} <= found.keys()
    assert len(listed.read_text().splitlines()) == len(found)
    assert UNSTATED not in listed.read_text()


@pytest.mark.real
def test_nothing_that_is_published_names_a_place_of_this_machine(folder: Path) -> None:
    places = {f"{Path.home()}/", str(cache_root()), str(ROOT), str(folder.parent)}
    host = socket.gethostname()
    if len(host) > LONGEST_NAME_OF_NO_MACHINE:
        places.add(host)

    assert [(name, place) for name, data in published(folder) for place in places if place.encode() in data] == []


def published(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the members of the wheel, and the files beside it."""
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            yield name, archive.read(name)
    for file in (*folder.glob("*.json"), *folder.glob("*.txt")):
        yield file.name, file.read_bytes()
