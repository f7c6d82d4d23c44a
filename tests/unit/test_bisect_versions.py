"""The versions among which `probe bisect` searches: listed, released, and within the bounds."""

from __future__ import annotations

import subprocess

import pytest

from probe.catalogue.families import Version
from probe.cli.commands.bisect import survey
from probe.cli.wiring import bisect_run
from probe.cli.wiring.bisect_run import BisectState
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.run_selection import RunSelection
from probe.drivers.provision import releases
from probe.drivers.sources import module, wheel
from probe.errors import ProvisionError
from probe.model import Role
from probe.model.versions import version_key
from tests.unit.test_bisect import REFRESHES, SARAMA, STUCK, settled


def ground(family: str = "librdkafka", **bounds: str | None) -> BisectState:
    asked = RunSelection(scenarios=["disk/storage-error"], roles=[Role.PRODUCER], profiles=["isolated"])
    return survey(family, "disk/storage-error", asked, bounds.get("oldest"), bounds.get("newest"))


def test_only_versions_with_the_role_are_searched() -> None:
    asked = RunSelection(scenarios=["coordinator/moved"], roles=[Role.TRANSACTIONAL], profiles=["isolated"])
    versions = survey("sarama", "coordinator/moved", asked, None, None).versions
    assert versions[0] == next(name for name in SARAMA if version_key(name) >= version_key("1.37.0"))


def test_bounds_are_inclusive() -> None:
    assert ground("sarama", oldest="1.43.1", newest="1.44.0").versions == ["1.43.1", "1.43.2", "1.43.3", "1.44.0"]


def test_unlisted_releases_are_added_between_two_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    released = ["1.4.0", "1.5.0", "1.6.0", "1.6.0rc1", "1.6.1", "1.9.0"]
    monkeypatch.setattr(bisect_run, "releases", lambda *_: released)
    here = ground()
    assert here.widen("1.5.0", "1.6.1")
    place = here.versions.index("1.5.0")
    assert here.versions[place : place + 3] == ["1.5.0", "1.6.0", "1.6.1"]
    assert not here.widen("1.5.0", "1.6.1")


def test_a_stored_unlisted_release_is_searched() -> None:
    here = ground(newest="1.9.2")
    here.learn([settled("1.6.0", REFRESHES), settled("2.6.0", REFRESHES), settled("1.6.1+local.00ff00ff", STUCK)])
    place = here.versions.index("1.5.0")
    assert here.versions[place : place + 3] == ["1.5.0", "1.6.0", "1.6.1"]
    assert set(here.known) == {"1.6.0"}


def test_unlisted_releases_are_in_version_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bisect_run, "releases", lambda *_: ["1.6.0", "2.7.0", "2.11.0"])
    here = ground()
    listed = list(here.versions)
    assert here.widen("1.5.0", "2.13.2")
    assert here.versions == sorted([*listed, "1.6.0", "2.7.0", "2.11.0"], key=version_key)


def test_without_a_registry_listed_versions_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_: object) -> list[str]:
        raise ProvisionError("the registry cannot be reached")

    monkeypatch.setattr(bisect_run, "releases", silent)
    assert not ground().widen("1.5.0", "1.6.1")


def test_a_release_has_the_version_that_its_library_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    family = families()["librdkafka"]
    carried = {
        "1.6.0": Version(version="1.6.0-9", artifact="1.6.0"),
        "1.5.2": Version(version="1.5.0", artifact="1.5.2"),
    }
    monkeypatch.setattr(bisect_run, "releases", lambda *_: ["1.5.2", "1.6.0"])
    monkeypatch.setattr(
        bisect_run, "choose_clients", lambda names: [bisect_run.Chosen(family, carried[names[0].partition("@")[2]])]
    )
    here = ground()
    here.widen("1.5.0", "1.6.1")
    assert here.bring("1.6.0") == "1.6.0-9"
    assert "1.6.0-9" in here.versions
    assert "1.6.0" not in here.versions
    assert here.bring("1.5.2") is None
    assert here.absent == {"1.5.2": "it carries 1.5.0"}


def test_a_moved_module_is_listed_under_both_names(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {"Shopify": "v1.19.0 v1.38.1 v1.39.0 v1.39.0-rc.1", "IBM": "v1.38.1 v1.40.0 v1.41.0-rc.2"}

    def go(*arguments: str) -> subprocess.CompletedProcess[str]:
        path = arguments[-1]
        output = "" if "-e" in arguments else f"{path} {listed[path.split('/')[1]]}\n"
        return subprocess.CompletedProcess(arguments, 0, output, "")

    monkeypatch.setattr(module, "go", go)
    assert releases(families()["sarama"], "1.38.1", "1.40.0") == ["1.19.0", "1.38.1", "1.40.0"]


def test_unlisted_module_versions_are_queried_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def go(*arguments: str) -> subprocess.CompletedProcess[str]:
        asked.extend(item for item in arguments if "@" in item)
        return subprocess.CompletedProcess(arguments, 0, "\nv1.25.0\n\nv1.26.1\n", "")

    monkeypatch.setattr(module, "go", go)
    assert module.unlisted(families()["sarama"], "1.24.1", "1.26.2") == ["1.25.0", "1.26.1"]
    assert {"github.com/Shopify/sarama@v1.24.2", "github.com/Shopify/sarama@v1.25.0"} <= set(asked)
    assert "github.com/Shopify/sarama@v1.26.2" not in asked
    assert "github.com/Shopify/sarama@v1.24.1" not in asked


def test_guessed_versions_are_few_and_between_the_bounds() -> None:
    assert module.between("0.4.8", "0.4.11") == ["0.4.9", "0.4.10"]
    assert module.between("1.43.2", "1.43.3") == []
    assert module.between("1.0.0", "2.0.0") == []
    assert module.between("1.0.0-rc1", "1.0.2") == []


def test_wheels_are_listed_for_every_python_version(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {"": ["2.4.0", "1.9.2"], "310": ["2.4.0", "1.9.2", "1.9.0"], "39": ["1.9.0", "1.8.2"]}
    monkeypatch.setattr(wheel.pip, "versions", lambda _, python="": listed.get(python, []))
    assert sorted(releases(families()["librdkafka"], "", "")) == ["1.8.2", "1.9.0", "1.9.2", "2.4.0"]
