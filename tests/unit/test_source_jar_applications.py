"""Applications of the Java client (`probe.drivers.sources.jar`): their own jars, and a driver per version."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.catalogue.brokers import broker_digests
from probe.catalogue.families import Version, read_families, read_family
from probe.drivers.sources import jar
from probe.toolchain import maven_dependencies
from probe.toolchain.pinned_jars import read_pins
from tests.support.jar_registry import without_registry

CLIENTS = Path(__file__).parents[2] / "clients"


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return without_registry(monkeypatch)


def test_an_application_is_compiled_against_its_own_jars_and_adds_to_its_librarys_driver(
    fetched: list[str], tmp_path: Path
) -> None:
    spring = read_family(CLIENTS / "spring" / "client.toml")
    old, new = spring.versions[0], spring.versions[-1]
    launches = [jar.obtain(spring, version, tmp_path) for version in (old, new, new)]
    assert sum(item.startswith("compiled") for item in fetched) == 2 + 2  # Java's driver once, Spring's per version
    path = launches[-1].argv[launches[-1].argv.index("-cp") + 1].split(":")
    assert path[0].endswith("/spring-kafka.jar")
    assert sum(name.endswith("/kafka-clients.jar") for name in path) == 1
    assert path.count(str(tmp_path / "slf4j-api.jar")) == 1  # its own, not that of Java's driver
    drivers = [name for name in path if name.endswith("/driver.jar")]
    assert [Path(name).parent.parent.name for name in drivers] == ["spring", "java"]
    assert launches[-1].argv[-1] == "probe.driver.SpringDriver"


def test_jars_of_an_unlisted_version_are_resolved_once(
    fetched: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def resolve(roots: list[str]) -> list[str]:
        asked.append(roots)
        return [*roots, "org.apache.kafka:kafka-clients:4.2.0"]

    monkeypatch.setattr(maven_dependencies, "resolve", resolve)
    connect = read_family(CLIENTS / "connect" / "client.toml")
    for _ in range(2):
        jar.obtain(connect, Version(version="4.2.0"), tmp_path)
    assert asked == [["org.apache.kafka:connect-runtime:4.2.0", "org.apache.kafka:connect-file:4.2.0"]]
    assert {"org.apache.kafka:connect-file:4.2.0", "org.apache.kafka:kafka-clients:4.2.0"} <= set(fetched)


def test_every_jar_of_an_application_is_pinned() -> None:
    pins = read_pins()
    digests = {**broker_digests(), **pins.digests}
    applications = [item for item in read_families(CLIENTS).values() if item.source.builds_on]
    assert applications
    for version in (version for family in applications for version in family.versions):
        assert [name for name in version.extra if name not in digests] == []
