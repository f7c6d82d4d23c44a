"""Drivers, Go sources and contracts are found in a checkout and in an installed package."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from probe.catalogue.families import read_families
from probe.catalogue.files import clients_folder, data_file, driver_contract
from probe.files.sources import INSTALLED, ROOT, source_folder

NAMES = ("clients", "go_shim", "proto")


@pytest.mark.parametrize("name", NAMES)
def test_a_checkout_has_its_own_folders(name: str) -> None:
    assert source_folder(name) == ROOT / name


@pytest.mark.parametrize("name", NAMES)
def test_an_installed_package_has_them_beside_it(name: str, tmp_path: Path) -> None:
    assert source_folder(name, tmp_path) == tmp_path / INSTALLED / name


def test_a_wheel_holds_every_folder() -> None:
    """What `source_folder` looks for is what the build puts into the wheel."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert build["force-include"] == {name: f"{INSTALLED}/{name}" for name in NAMES}
    assert {"probe", "spark"} == set(build["packages"])


def test_the_catalogue_is_part_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROBE_CLIENTS", raising=False)
    assert "sarama" in read_families(clients_folder())
    assert driver_contract().is_file()
    for name in ("apps.toml", "jars.toml", "kafka.toml", "known_results.toml"):
        assert data_file(name).is_file()
