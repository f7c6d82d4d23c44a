"""Applications as families: those judged by the wire alone, and those of the JVM that report more."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from probe.catalogue.families import Family, Version, read_families, read_family
from probe.catalogue.selectors import select_clients
from probe.cli.options import RunSelection
from probe.drivers.sources.compiled import tags_of
from probe.drivers.sources.module import _replacements
from probe.model import Reaction
from probe.toolchain.golang import SHIM

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
SILENT = ["telegraf", "kcat", "beats", "otel-collector", "benthos-kafka", "benthos-kafka-franz", "connect"]
APPLICATIONS = [*SILENT, "spring", "streams"]
ROLES = {
    "telegraf": {"producer", "group"},
    "kcat": {"producer", "consumer"},
    "beats": {"producer"},
    "otel-collector": {"producer", "group"},
    "connect": {"producer", "group"},
    "spring": {"producer", "group"},
    "streams": {"group"},
    "benthos-kafka": {"producer", "group"},
    "benthos-kafka-franz": {"producer", "group"},
}
BUILT = {
    "telegraf": "influxdata",
    "beats": "elastic/beats",
    "otel-collector": "open-telemetry",
    "benthos-kafka": "benthosdev",
    "benthos-kafka-franz": "benthosdev",
}
"""Applications that are built from source: a part of their module's name."""


def read(name: str) -> Family:
    return read_family(CLIENTS / name / "client.toml")


@pytest.fixture(params=APPLICATIONS)
def family(request: pytest.FixtureRequest) -> Family:
    return read(request.param)


def test_only_applications_are_judged_by_the_wire_alone() -> None:
    silent = [item.family for item in read_families(CLIENTS).values() if item.judged_by == "wire"]
    assert sorted(silent) == sorted(SILENT)


def test_roles(family: Family) -> None:
    assert set(family.roles) == ROLES[family.family]


@pytest.mark.parametrize("name", ["kcat", "confluent-kafka-aio"])
def test_what_runs_librdkafkas_wheels_names_the_librdkafka_inside(name: str) -> None:
    wheels = {item.pinned_artifact: (item.digest, item.version) for item in read("librdkafka").versions}
    for item in read(name).versions:
        assert item.library is not None
        assert (item.digest, item.library.version) == wheels[item.pinned_artifact]


@pytest.mark.parametrize(("version", "tags"), [("1.28.5", ["telegraf"]), ("1.29.5", ["ibm", "telegraf"])])
def test_telegraf_is_built_with_its_own_library(version: str, tags: list[str]) -> None:
    assert tags_of(read("telegraf"), Version(version=version)) == tags


@pytest.mark.parametrize("name", BUILT)
def test_every_build_tag_is_in_client_toml(name: str) -> None:
    driver = read(name).driver
    lines = [path.read_text().splitlines()[0] for path in (SHIM / "cmd" / driver).glob("*.go")]
    used = {tag for line in lines if line.startswith("//go:build ") for tag in re.findall(r"\w+", line[11:])}
    assert used == {tag for one in map(read, BUILT) if one.driver == driver for tag in one.source.tags}


@pytest.mark.parametrize("module", BUILT.values())
def test_applications_stay_out_of_the_shared_go_module(module: str) -> None:
    """Their many requirements are fetched only when they are built."""
    assert module not in (SHIM / "go.mod").read_text()


def test_replacements_of_the_application_itself_hold(tmp_path: Path) -> None:
    modfile = tmp_path / "go.mod"
    replaced = "replace example.org/a => example.org/fork v1.2.3"
    modfile.write_text(f"module example.org/m\n\n{replaced}\n\nreplace example.org/b v1.0.0 => ../b\n")
    assert _replacements(modfile) == [replaced]


def _cells() -> Iterator[tuple[str, str]]:
    plan, _ = RunSelection(clients=["telegraf@1.32.3"], scenarios=["*"], roles=["producer"], seed=1).whole()
    assert all(item.expectation.expects is not Reaction.SURFACE for item in plan.cells)
    yield from ((skip.cell.scenario, skip.reason) for skip in plan.skips)


def test_surfacing_is_not_asked_of_silent_applications() -> None:
    skipped = dict(_cells())
    assert "reports no single error" in skipped["blip/produce/MESSAGE_TOO_LARGE"]
    assert "disk/storage-error" not in skipped


def test_applications_run_only_when_named(family: Family) -> None:
    families = read_families(CLIENTS)
    listed = {name: item for name, item in families.items() if name in {*APPLICATIONS, "sarama"}}
    pinned = lambda of, version: Version(version=version) if version == "latest" else pytest.fail(str(of))  # noqa: E731
    core = select_clients(listed, [], pinned)
    assert {item.family.family for item in core} == {"sarama"}
    assert [item.version for item in select_clients(listed, [family.family], pinned)] == [family.newest]


def test_kcat_keys_keep_their_partition_in_a_grown_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("python", "kcat"):
        monkeypatch.syspath_prepend(str(CLIENTS / folder))
    from kcat_driver.producer import key_of  # noqa: PLC0415  # only now is it on the path

    for partition in range(4):
        sums = [zlib.crc32(key_of(partition).encode()) % count for count in (4, 5, 6, 10)]
        assert sums == [partition] * 4
