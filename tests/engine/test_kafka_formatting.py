"""The features of real clusters are those of a fresh install: Kafka's own StorageTool makes them final."""

from __future__ import annotations

import asyncio
import re
import shlex
import struct
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from probe.catalogue.brokers import real_brokers
from probe.cli.wiring.composition import embedded_engine
from probe.cli.wiring.kafka_engine import description, kafka_engine
from probe.engines.kafka.cluster import formatting, nodes, properties
from probe.engines.kafka.cluster.release import Release
from probe.engines.kafka.engine import Kafka
from probe.errors import EngineError, ProvisionError
from probe.model.endpoint import Endpoint
from probe.ports import discard
from probe.toolchain.tools import ToolError
from tests.support.api_versions import Advertised, advertised

KRAFT = [item.line for item in real_brokers().values() if item.mode == "kraft"]
NEWEST = KRAFT[0]
LEVEL = re.compile(r"^([a-z.]+)=(\d+)", re.MULTILINE)
OF_THE_QUORUM = "kraft.version"
"""Level of the way in which voters are listed; clusters here list them in their properties, which is level 0."""


def record(value: bytes) -> bytes:
    body = b"\0\0\0\1" + bytes([len(value) * 2]) + value + b"\0"
    return bytes([len(body) * 2]) + body


def batch(values: list[bytes], attributes: int = 0) -> bytes:
    records = b"".join(map(record, values))
    head = struct.pack(">iBIhiqqqhii", 0, 2, 0, attributes, len(values) - 1, 0, 0, -1, -1, -1, len(values))
    return struct.pack(">qi", 0, len(head) + len(records)) + head + records


def level(name: str, number: int, key: int = formatting.FEATURE_LEVEL) -> bytes:
    return bytes([1, key, 0, len(name) + 1]) + name.encode() + struct.pack(">h", number) + b"\0"


def checkpoint() -> bytes:
    """Return a snapshot with a header, two features between which another record lies, and a footer."""
    features = [level("metadata.version", 30), level("elsewhere", 9, key=11), level("group.version", 1)]
    return batch([b"\0\0"], formatting.CONTROL) + batch(features) + batch([b"\0\0"], formatting.CONTROL)


def test_features_are_read_from_a_snapshot_of_any_name(tmp_path: Path) -> None:
    log = tmp_path / "__cluster_metadata-0"
    log.mkdir()
    (log / "00000000000000000000-0000000000.checkpoint").write_bytes(checkpoint())
    assert formatting.features(tmp_path) == {"group.version": 1, "metadata.version": 30}


def release(folder: Path, script: str) -> Release:
    """Return a release whose Java is a shell script; $meta is the folder that is formatted."""
    java = folder / "java"
    find = 'for last; do :; done; meta=$(sed -n \'s/^log.dirs=//p\' "$last"); mkdir -p "$meta"\n'
    java.write_text(f"#!/bin/sh\necho run >> {shlex.quote(str(folder))}/runs\n{find}{script}\n")
    java.chmod(0o755)
    formatted = folder / "cache" / "formatted" / "it"
    return Release(version="4.3.1", line="4.3", kraft=True, jars=(), java=java, formatted=formatted)


def test_a_version_is_formatted_once_without_the_nodes_own_file(tmp_path: Path) -> None:
    (tmp_path / "made").write_bytes(checkpoint())
    made = release(tmp_path, f'cp {tmp_path}/made "$meta/bootstrap.checkpoint"; touch "$meta/meta.properties"')
    formatting.ensure(made)
    formatting.ensure(made)
    assert made.formatted is not None
    assert [file.name for file in made.formatted.iterdir()] == ["bootstrap.checkpoint"]
    assert (tmp_path / "runs").read_text() == "run\n"


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("echo starts; echo no such class >&2; exit 3", "exit code 3: starts"),
        ('touch "$meta/meta.properties"', "wrote no feature level"),
    ],
)
def test_a_format_that_fails_leaves_nothing(script: str, says: str, tmp_path: Path) -> None:
    failing = release(tmp_path, script)
    with pytest.raises(ProvisionError, match=says) as caught:
        formatting.ensure(failing)
    assert "\n" not in str(caught.value)
    assert failing.formatted is not None
    assert not failing.formatted.exists()


def test_a_controller_starts_with_the_formatted_files(tmp_path: Path) -> None:
    formatted = tmp_path / "formatted"
    formatted.mkdir()
    (formatted / "bootstrap.checkpoint").write_bytes(checkpoint())
    made = replace(release(tmp_path, ""), formatted=formatted)
    where = properties.Addresses(external={}, advertised={}, internal={}, quorum=(Endpoint(host="h", port=1),))
    nodes.quorum(made, where, tmp_path, "id-of-the-cluster", lambda _, __: None)
    meta = tmp_path / "controller" / "meta"
    assert formatting.features(meta) == {"group.version": 1, "metadata.version": 30}
    assert "cluster.id=id-of-the-cluster\nnode.id=4\n" in (meta / "meta.properties").read_text()
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(EngineError, match="was not formatted"):
        nodes.quorum(replace(made, formatted=None), where, tmp_path / "elsewhere", "id", lambda _, __: None)


@pytest.fixture(scope="module")
def engine() -> Kafka:
    try:
        return kafka_engine({line: real_brokers()[line].version for line in KRAFT}, lambda _: None)
    except ToolError as error:
        pytest.skip(str(error))


@pytest.mark.real
@pytest.mark.parametrize("line", KRAFT)
def test_a_version_has_the_features_of_its_release(line: str, engine: Kafka) -> None:
    wanted = {"metadata.version": 21} if line == "3.9" else of_the_tool(engine.releases[line])
    formatted = engine.releases[line].formatted
    assert formatted is not None
    assert formatting.features(formatted) == wanted


def of_the_tool(made: Release) -> Mapping[str, int]:
    """Return the levels of a fresh install as the StorageTool of 4.0 and newer lists them, but for those that are off.

    Level 0 is a feature that is off (KIP-584); the tool of 4.0 and 4.1 lists it and writes none.
    """
    argv = [str(made.java), "-cp", ":".join(map(str, made.jars)), formatting.TOOL, "version-mapping"]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return {name: int(number) for name, number in LEVEL.findall(said) if name != OF_THE_QUORUM and int(number)}


@pytest.fixture(scope="module")
def real(engine: Kafka) -> Advertised:
    """API versions of a broker of a real cluster of the newest line."""

    async def ask() -> Advertised:
        async with engine, engine.cluster(NEWEST, discard) as (_, tap):
            return await advertised(tap.address(nodes.NODES.at(0)))

    return asyncio.run(ask())


@pytest.mark.real
def test_a_real_cluster_has_the_features_of_a_formatted_install(engine: Kafka, real: Advertised) -> None:
    assert real.features == of_the_tool(engine.releases[NEWEST])
    said = ", ".join(f"{name}={number}" for name, number in sorted(real.features.items()))
    assert description(engine)[f"kafka {NEWEST} features"] == said


NOT_FAKED = {
    2: "ListOffsets 11 asks about tiered storage",
    **dict.fromkeys((38, 39, 40, 41), "delegation tokens"),
    **dict.fromkeys((55, 64, 80, 81, 94), "requests about the quorum"),
    **dict.fromkeys((83, 84, 85, 86, 87), "state of share groups, asked by brokers"),
    **dict.fromkeys((88, 89, 93), "streams groups"),
}
"""APIs in which the fake differs from real brokers of the newest line; no driver sends them in these versions."""


@pytest.mark.real
def test_the_fake_advertises_what_real_brokers_do(real: Advertised) -> None:
    async def ask() -> Advertised:
        async with embedded_engine().cluster(NEWEST, discard) as (_, tap):
            return await advertised(tap.address(nodes.NODES.at(0)))

    fake = asyncio.run(ask())
    both = {api: (fake.ranges.get(api), real.ranges.get(api)) for api in {*fake.ranges, *real.ranges}}
    assert {api for api, (own, theirs) in both.items() if own != theirs} == set(NOT_FAKED), both
    assert {name: number for name, number in fake.features.items() if name != OF_THE_QUORUM} == real.features
