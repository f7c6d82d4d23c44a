"""Java drivers (`probe.drivers.sources.jar`): one driver for every version of kafka-clients."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from probe.catalogue.families import Family, Version, read_family
from probe.catalogue.files import driver_contract
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.launch import Launch
from probe.drivers.sources import jar
from probe.engines.embedded.rpc import cluster_pb2
from probe.errors import ProvisionError
from probe.toolchain import java, maven_jars
from probe.toolchain.pinned_jars import read_pins
from probe.toolchain.tools import ToolError, cache_root, find_tool
from tests.support.driver_host import ENDINGS, driving
from tests.support.fake_brokers import brokers
from tests.support.jar_registry import without_registry

CLIENTS = Path(__file__).parents[2] / "clients"
OLD, NEW = "0.11.0.3", "4.4.0"
HELLO = 'package one; final class Hello { static String word() { return "hello"; } }'
RAW = "package one; final class Raw { static java.util.List list; }"


@pytest.fixture(scope="module")
def family() -> Family:
    return read_family(CLIENTS / "java" / "client.toml")


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return without_registry(monkeypatch)


def test_the_client_jar_comes_first_on_the_class_path(family: Family, fetched: list[str], tmp_path: Path) -> None:
    launch = jar.obtain(family, Version(version=NEW), tmp_path)
    assert launch.artifact == f"jar org.apache.kafka:kafka-clients:{NEW} sha256:seen"
    assert launch.argv[0] == "/somewhere/java"
    assert launch.argv[-1] == "probe.driver.Driver"
    path = launch.argv[launch.argv.index("-cp") + 1].split(":")
    assert path[0].endswith("/kafka-clients.jar")
    assert path[1].endswith("/driver.jar")
    assert len(path) == 2 + len(family.source.extra)
    assert fetched[0] == f"org.apache.kafka:kafka-clients:{NEW}"


def test_one_driver_is_compiled_for_all_versions(
    family: Family, fetched: list[str], tmp_path: Path, monkeypatch: Any
) -> None:
    for version in (OLD, NEW, NEW):
        jar.obtain(family, Version(version=version), tmp_path)
    assert sum(item.startswith("compiled") for item in fetched) == 2  # the messages and the driver
    copied = tmp_path / "clients"
    shutil.copytree(CLIENTS, copied)
    monkeypatch.setenv("PROBE_CLIENTS", str(copied))
    (copied / "java" / "driver" / "src" / "More.java").write_text("class More {}")
    jar.obtain(family, Version(version=NEW), tmp_path)
    assert sum(item.startswith("compiled") for item in fetched) == 4


def test_a_failed_compilation_leaves_no_files(
    family: Family, fetched: list[str], tmp_path: Path, monkeypatch: Any
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ToolError("Java sources did not compile: error: ';' expected")

    monkeypatch.setattr(jar, "compile_java", fail)
    with pytest.raises(ProvisionError, match=rf"^java {NEW}: Java sources did not compile: error: ';' expected$"):
        jar.obtain(family, Version(version=NEW), tmp_path)
    assert not list((tmp_path / "drivers").rglob("driver.jar"))


def test_missing_java_is_an_error_of_one_line(family: Family, tmp_path: Path, monkeypatch: Any) -> None:
    def missing() -> Path:
        raise ToolError("java is not on this machine; install a JDK")

    monkeypatch.setattr(jar, "java", missing)
    with pytest.raises(ProvisionError, match=rf"^java {NEW}: java is not on this machine; install a JDK$"):
        jar.obtain(family, Version(version=NEW), tmp_path)


def test_an_unknown_platform_is_an_error_of_one_line(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("platform.machine", lambda: "abacus")
    with pytest.raises(ToolError, match=r"no protoc artifact is pinned for .* on abacus"):
        jar._generate(driver_contract(), read_pins(), tmp_path, tmp_path)


def _built(place: Path, version: str = "9.1.0-SNAPSHOT") -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr(jar.STATED, f"commitId=ab\nversion={version}\n")
    return place


def test_a_local_jar_is_named_by_its_content(family: Family, fetched: list[str], tmp_path: Path) -> None:
    with pytest.raises(ProvisionError, match="no client jar there"):
        jar.local(family, tmp_path)
    libs = tmp_path / "kafka" / "clients" / "build" / "libs"
    _built(libs / "kafka-clients-9.1.0-SNAPSHOT-test.jar", "0.0.0")
    own = _built(libs / "kafka-clients-9.1.0-SNAPSHOT.jar")
    version = jar.local(family, tmp_path / "kafka")
    assert version == jar.local(family, own)
    reported, _, mark = version.version.partition("+local.")
    assert (reported, len(mark)) == ("9.1.0-SNAPSHOT", 8)
    launch = jar.obtain(family, version, tmp_path / "cache")
    assert f"-Dprobe.local={mark}" in launch.argv
    assert launch.argv[launch.argv.index("-cp") + 1].startswith(f"{own}:")
    assert "kafka-clients" not in "".join(fetched).replace(read_pins().api, "")
    _built(own, "9.1.1-SNAPSHOT")
    assert jar.local(family, own).version.partition("+local.")[2] != mark


def _source(folder: Path, text: str) -> list[Path]:
    file = folder / "One.java"
    file.write_text(text)
    return [file]


def _no_ecj() -> Path:
    raise AssertionError("javac is here")


def test_javac_compiles_and_reports_errors(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    java.compile_java(_source(tmp_path, HELLO), out, classpath=[], ecj=_no_ecj)
    assert (out / "one" / "Hello.class").is_file()
    java.compile_java(_source(tmp_path, RAW), out, classpath=[], ecj=_no_ecj, strict=False)
    for text, complaint in ((RAW, "warnings found and -Werror"), ("class", "reached end of file")):
        with pytest.raises(ToolError, match=f"^Java sources did not compile: .*{complaint}"):
            java.compile_java(_source(tmp_path, text), out, classpath=[], ecj=_no_ecj)


def _without_javac(monkeypatch: pytest.MonkeyPatch) -> None:
    real = find_tool

    def find(name: str) -> Path:
        if name == "javac":
            raise ToolError("javac is not on this machine")
        return real(name)

    monkeypatch.setattr(java, "find_tool", find)


@pytest.mark.real
def test_eclipse_compiles_the_driver_without_javac(
    family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _without_javac(monkeypatch)
    pins = read_pins()
    found = maven_jars.fetch(family.source.extra, cache_root(), digests=pins.digests)
    for name in ("jars", "programs"):
        if (cache_root() / name).exists():
            (tmp_path / name).symlink_to(cache_root() / name)
    made_at = jar._driver(family, pins, list(found.values()), tmp_path)
    with zipfile.ZipFile(made_at) as made:
        names = set(made.namelist())
    assert {"probe/driver/Driver.class", "probe/driver/v1/Event.class"} <= names
    ecj = maven_jars.fetch([pins.ecj], cache_root(), digests=pins.digests)[pins.ecj]
    with pytest.raises(ToolError, match=r"^Java sources did not compile: .*ERROR"):
        java.compile_java(_source(tmp_path, "class"), tmp_path, classpath=[], ecj=lambda: ecj)


def test_an_outdated_java_is_an_error_of_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "java"
    program.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_402\"' >&2\n")
    program.chmod(0o755)
    monkeypatch.setattr(java, "find_tool", lambda _: program)
    java.java.cache_clear()
    try:
        with pytest.raises(ToolError, match=r"is Java 8; 17 or newer is needed"):
            java.java()
    finally:
        java.java.cache_clear()


EXPECTED_MISSING = {
    # Role admin is refused before 2.5, and a library never calls callbacks that it does not know.
    # So is role transactional before 0.11, and role share before 4.1.
    "0.9.0.1": {"AdminRole", "GroupRole", "ShareRole", "TransactionalRole"},
    "0.10.2.2": {"AdminRole", "GroupRole", "ShareRole", "TransactionalRole"},
    "0.11.0.3": {"AdminRole", "GroupRole", "ShareRole"},
    "2.4.1": {"AdminRole", "ShareRole"},
    "2.6.3": {"ShareRole"},
    "4.4.0": set(),
}


@pytest.mark.real
@pytest.mark.parametrize("version", EXPECTED_MISSING)
def test_the_driver_uses_only_members_of_each_version(family: Family, version: str, tmp_path: Path) -> None:
    """The driver is compiled against one version; a missing constant would kill the thread of another version."""
    pinned = family.find(version)
    assert pinned
    launch = jar.obtain(family, pinned, cache_root())
    path = launch.argv[launch.argv.index("-cp") + 1]
    sources = [str(item) for item in (CLIENTS / "java" / family.driver).rglob("*.java")]
    done = subprocess.run(
        ["javac", "-proc:none", "-nowarn", "-Xmaxerrs", "1000", "-d", str(tmp_path), "-cp", path, *sources],
        capture_output=True,
        text=True,
        check=False,
    )
    complaints = [line for line in done.stderr.splitlines() if ": error: " in line]
    assert {Path(line.split(":")[0]).stem for line in complaints} == EXPECTED_MISSING[version], complaints
    in_group = [line for line in done.stderr.splitlines() if "GroupRole.java" in line]
    assert all("does not override" in line for line in in_group)


async def _refused(launch: Launch) -> dict[str, list[pb.Event]]:
    """Let a broker refuse partition 0 of a producer; return errors and final events."""
    async with brokers() as cluster, driving(launch) as driver:
        await cluster.topic("t")
        driver.start(**(GIVEN | {"bootstrap": cluster.bootstrap, "partitions": [0, 1]}))
        await driver.until(lambda: len(driver.of("i", pb.ACKED)) > 4)
        rule = cluster_pb2.Rule(id="no", apis=[0], topic="t", partitions=[0], code=10)
        await cluster.stub.Inject(cluster_pb2.Fault(rules=[rule]))
        await driver.until(lambda: driver.of("i", pb.SEND_ERROR))
        seen = len(driver.of("i", pb.ACKED))
        await driver.until(lambda: len(driver.of("i", pb.ACKED)) > seen + 4)
        await driver.stop("i", 5000)
        return {"errors": driver.of("i", pb.SEND_ERROR), "ends": driver.of("i", *ENDINGS)}


@pytest.mark.real
def test_a_broker_error_keeps_its_name_and_partition(built: tuple[str, Launch]) -> None:
    events = asyncio.run(_refused(built[1]))
    first = events["errors"][0]
    assert (first.partition, first.error.code, first.error.name) == (0, 10, "MESSAGE_TOO_LARGE")
    assert (first.error.type, first.error.retriable) == ("RecordTooLargeException", False)
    assert {event.partition for event in events["errors"]} == {0}
    assert [event.kind for event in events["ends"]] == [pb.CLOSED]


@pytest.fixture(scope="module", params=[OLD, NEW])
def built(request: pytest.FixtureRequest, family: Family) -> tuple[str, Launch]:
    pinned = family.find(request.param)
    assert pinned
    return request.param, jar.obtain(family, pinned, cache_root())


GIVEN: dict[str, Any] = {"instance": "i", "client_id": "c", "role": "producer", "profile": "isolated", "topic": "t"}
GIVEN |= {"bootstrap": ["127.0.0.1:1"], "partitions": [0], "interval_ms": 100, "max_in_flight": 32, "broker": "3.9"}


def _ready(launch: Launch, starts: dict[str, dict[str, Any]]) -> dict[str, pb.Event]:
    """Start instances; return the first event of each."""

    async def play() -> dict[str, pb.Event]:
        async with driving(launch) as driver:
            for name, fields in starts.items():
                driver.start(**(GIVEN | {"instance": name, "client_id": name} | fields))
            await driver.until(lambda: all(driver.of(name, pb.READY, *ENDINGS) for name in starts))
            return {name: driver.of(name)[0] for name in starts}

    return asyncio.run(play())


@pytest.mark.real
def test_profiles_take_effect(built: tuple[str, Launch]) -> None:
    """Compare settings that the library itself reports, so that a profile without effect would show."""
    profiles = ("isolated", "defaults", "refresh-1s", "idempotent", "acks-1", "no-retries", "quick-timeouts")
    ready = _ready(built[1], {name: {"profile": name} for name in profiles})
    got = {name: event.settings for name, event in ready.items()}
    assert got["isolated"]["refresh_ms"] == "3600000"
    assert got["defaults"]["refresh_ms"] == "300000"
    assert got["refresh-1s"]["refresh_ms"] == "1000"
    assert (got["idempotent"]["acks"], got["idempotent"]["idempotence"]) == ("all", "true")
    assert int(got["idempotent"]["retries"]) > 1000
    assert (got["acks-1"]["acks"], got["acks-1"]["idempotence"]) == ("1", "false")
    assert got["no-retries"]["retries"] == "0"
    assert got["quick-timeouts"]["request_timeout_ms"] == "5000"
    before_3 = built[0] == OLD
    assert got["defaults"]["acks"] == ("1" if before_3 else "all")
    assert got["defaults"]["idempotence"] == ("false" if before_3 else "true")


@pytest.mark.real
def test_a_configuration_the_library_rejects_is_unsupported(built: tuple[str, Launch]) -> None:
    ready = _ready(
        built[1],
        {
            "acks": {"properties": {"acks": "seven"}},
            "empty": {"properties": {"retries": "many"}},
            "oldest": {"profile": "oldest-protocol"},
            "consumer": {"role": "consumer", "profile": "acks-1"},
            "admin-key": {"role": "consumer", "properties": {"linger.ms": "1"}},
        },
    )
    assert {event.kind for event in ready.values()} == {pb.UNSUPPORTED}
    assert "the library rejects this configuration" in ready["acks"].text
    assert "no setting that caps it" in ready["oldest"].text
    assert "has no meaning for the role consumer" in ready["consumer"].text
    assert "has no property linger.ms for the role consumer" in ready["admin-key"].text
