"""clients/franz-go, kafka-go, confluent-go and watermill: client.toml agrees with the releases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from probe.catalogue.families import Family, Version, read_family
from probe.drivers.sources.compiled_driver import tags_of
from probe.drivers.sources.module import HEADING
from probe.model import Workload
from probe.protocol.names import api_name
from probe.toolchain.golang import SHIM

CLIENTS = Path(__file__).resolve().parents[2] / "clients"


def read(name: str) -> Family:
    return read_family(CLIENTS / name / "client.toml")


@pytest.fixture(params=["franz-go", "kafka-go", "confluent-go", "watermill"])
def family(request: pytest.FixtureRequest) -> Family:
    return read(request.param)


def test_known_versions_are_pinned() -> None:
    franz = read("franz-go")
    assert franz.find("1.18.1")  # twmb/franz-go 937
    assert [item.version for item in franz.versions][:2] == ["1.0.0", "1.1.4"]
    lines = [".".join(item.version.split(".")[:2]) for item in franz.versions]
    assert lines == [f"1.{minor}" for minor in range(23)]  # one of each minor line


@pytest.mark.parametrize(
    ("version", "back_off", "age"),
    [("1.1.4", 100, 10000), ("1.3.5", 250, 5000), ("1.13.6", 250, 2500), ("1.18.1", 250, 5000), ("1.22.3", 250, 5000)],
)
def test_franz_go_asks_again_after_its_minimum_age(version: str, back_off: int, age: int) -> None:
    franz = read("franz-go")
    assert franz.limit(franz.behaviour.back_off_ms, version) == back_off
    assert franz.limit(franz.behaviour.min_discovery_age_ms, version) == age


@pytest.mark.parametrize(
    ("version", "tags"),
    [
        ("1.3.5", []),
        ("1.4.2", ["knobs"]),
        ("1.18.1", ["fetch_errors", "knobs"]),
        ("1.20.7", ["fetch_errors", "knobs", "rebootstrap"]),
        ("1.21.7+local.ab12cd34", ["fetch_errors", "knobs", "rebootstrap", "resolves_names", "shares"]),
    ],
)
def test_build_tags_follow_the_version(version: str, tags: list[str]) -> None:
    assert tags_of(read("franz-go"), Version(version=version)) == tags


def test_every_build_tag_is_in_client_toml(family: Family) -> None:
    sources = (SHIM / "cmd" / family.driver).glob("*.go")
    used = {tag for path in sources for tag in re.findall(r"^//go:build (\w+)$", path.read_text(), re.MULTILINE)}
    assert used == set(family.source.tags)


def test_the_wrapper_is_an_upgrade_across_the_mended_sarama() -> None:
    wrapper = read("watermill")
    inside = {item.version: item.library for item in wrapper.versions}
    assert [str(inside[version]) for version in ("3.0.3", "3.0.4")] == ["sarama@1.42.1", "sarama@1.43.3"]
    assert all(one and one.family == "sarama" for one in inside.values())


def test_the_wrapper_has_sarama_s_profiles_but_no_workload_in_bursts() -> None:
    wrapper, sarama = read("watermill"), read("sarama")
    assert set(wrapper.profiles) == set(sarama.profiles)
    assert set(wrapper.missing_workloads) == {Workload.PIPELINED}


@pytest.mark.parametrize("text", ["# Changelog\n\n## Version 1.2.3 (2025)\n", "v1.2.3\n===\n\nv1.2.2\n===\n"])
def test_a_change_log_gives_the_version_of_a_checkout(text: str) -> None:
    found = re.search(HEADING, text, re.MULTILINE)
    assert found
    assert found[1] == "1.2.3"


def test_franz_go_admin_questions_match_its_build() -> None:
    franz = read("franz-go")
    (unasked,) = franz.behaviour.unasked
    assert (unasked.role, api_name(unasked.api)) == ("admin", "OffsetFetch")
    assert unasked.since == franz.source.tags["resolves_names"]
