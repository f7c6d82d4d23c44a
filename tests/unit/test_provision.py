"""Provisioning: from the name of a client to the command that starts its driver, or to a clear error."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from probe.catalogue.families import CatalogueError, Family
from probe.drivers.launch import Launch
from probe.drivers.provision import provision, provision_all, resolve
from probe.drivers.sources import wheel
from probe.errors import ProvisionError
from tests.support.wheel_registry import Registry, toy_family


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    folder = tmp_path / "registry"
    folder.mkdir()
    stand_in = Registry(folder)
    monkeypatch.setattr(wheel, "pip", stand_in)
    monkeypatch.setenv("PROBE_CLIENTS", str(tmp_path / "clients"))
    return stand_in


@pytest.fixture
def family(registry: Registry, tmp_path: Path) -> Family:
    registry.add("1.0")
    registry.add("1.2", reports="1.1")
    return toy_family(tmp_path / "clients", [{"version": "1.0"}, {"version": "1.1", "artifact": "1.2"}])


@pytest.mark.parametrize(("text", "expected"), [("1.0", "1.0"), ("1.1", "1.1"), ("1.2", "1.1"), ("latest", "1.1")])
def test_pinned_versions_are_found_by_version_or_artifact(
    family: Family, tmp_path: Path, text: str, expected: str
) -> None:
    assert resolve(family, text, tmp_path / "cache") == family.find(expected)


def test_a_pinned_version_needs_no_registry(family: Family, registry: Registry, tmp_path: Path) -> None:
    registry.down = True
    assert resolve(family, "1.0", tmp_path / "cache").version == "1.0"


def test_an_unlisted_version_is_fetched_and_reports_itself(family: Family, registry: Registry, tmp_path: Path) -> None:
    digest = registry.add("2.0.1", reports="2.0")
    found = resolve(family, "2.0.1", tmp_path / "cache")
    assert (found.version, found.artifact, found.digest) == ("2.0", "2.0.1", digest)
    assert resolve(family, "latest", tmp_path / "cache") == found
    assert len(registry.downloads) == 1


def test_a_missing_version_is_reported_with_the_pinned_ones(family: Family, tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"^toy@7\.7: the registry has no toy 7\.7; pinned are 1\.0, 1\.1"):
        resolve(family, "7.7", tmp_path / "cache")


def test_an_unreachable_registry_is_not_a_missing_version(family: Family, registry: Registry, tmp_path: Path) -> None:
    registry.down = True
    with pytest.raises(ProvisionError, match="cannot be reached"):
        resolve(family, "7.7", tmp_path / "cache")


def test_latest_without_a_registry_is_the_newest_pinned(family: Family, registry: Registry, tmp_path: Path) -> None:
    registry.down = True
    notes: list[str] = []
    assert resolve(family, "latest", tmp_path / "cache", note=notes.append).version == "1.1"
    assert len(notes) == 1
    assert "toy@latest is taken as 1.1" in notes[0]


def test_a_checkout_of_an_unsupported_family_is_rejected(
    family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(wheel, "local")
    with pytest.raises(CatalogueError, match=r"toy@path:\.\./toy: this family has no way to run a checkout"):
        resolve(family, "path:../toy", tmp_path / "cache")


def test_an_unknown_kind_of_source_is_reported_in_one_line(family: Family, tmp_path: Path) -> None:
    odd = family.model_copy(update={"source": family.source.model_copy(update={"kind": "gem"})})
    with pytest.raises(ProvisionError, match="sources of kind gem are not built in"):
        provision(odd, odd.versions[0], tmp_path / "cache")


def test_several_versions_are_provisioned_and_reported(family: Family, registry: Registry, tmp_path: Path) -> None:
    next(registry.folder.glob("toy-1.0-*")).unlink()
    reports: list[tuple[str, str]] = []
    here = threading.current_thread()

    def report(_: Family, version: object, outcome: object) -> None:
        assert threading.current_thread() is here
        reports.append((version.version, type(outcome).__name__))  # type: ignore[attr-defined]  # a Version

    outcomes = provision_all([(family, item) for item in family.versions], 2, tmp_path / "cache", report=report)
    assert sorted(reports) == [("1.0", "ProvisionError"), ("1.1", "Launch")]
    assert isinstance(outcomes["toy", "1.1"], Launch)
    assert isinstance(outcomes["toy", "1.0"], ProvisionError)


def test_concurrent_requests_fetch_a_version_once(family: Family, registry: Registry, tmp_path: Path) -> None:
    wanted = [(family, family.versions[0])] * 4
    provision_all(wanted, 4, tmp_path / "cache")
    assert len(registry.downloads) == 1
