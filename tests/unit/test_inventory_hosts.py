"""Clients on a host: jars, Python and npm packages, programs and librdkafka itself."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from importlib.metadata import version as installed
from pathlib import Path

import confluent_kafka
import pytest

from probe.inventory.entries import FileContent, Found
from probe.inventory.inventory_reader import read_inventories
from probe.inventory.programs import go_modules, librdkafka_versions
from tests.support.host_files import (
    FLINK_NOTICE,
    SHADED,
    VERSION_FILE,
    go_program,
    jar,
    kafka_clients,
    version_function,
)
from tests.support.inventories import SAMPLES, only, read

PACKAGES = Path(confluent_kafka.__file__).parents[1]


def walked(root: Path) -> dict[str, Found]:
    """Return the clients below a folder by their place."""
    return {str(item.place): item for one in read_inventories([str(root)]) for item in one.found}


def clients(reading: FileContent) -> list[str]:
    return [item.shown for item in reading.found]


@pytest.mark.parametrize("version", ["0.10.2.2", "2.0.0", "3.9.1", "4.3.1"])
def test_kafka_clients_names_itself_in_its_properties(version: str) -> None:
    found = only(read(kafka_clients(version), "libs/kafka-clients.jar"))
    assert (found.selector, found.service, found.package) == (
        f"java@{version}",
        "kafka-clients.jar",
        "org.apache.kafka:kafka-clients",
    )


def test_other_jars_of_kafka_with_the_same_file_are_no_clients() -> None:
    assert read(jar({VERSION_FILE: "version=4.3.1", "kafka/Kafka.class": b""}), "kafka-server.jar").found == ()


def test_a_build_of_others_is_no_release() -> None:
    found = only(read(kafka_clients("7.6.0-ccs"), "kafka-clients.jar"))
    assert (found.version, "build of others" in found.unknown) == ("", True)


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("folder", ["BOOT-INF/lib", "WEB-INF/lib", "lib"])
def test_a_jar_inside_a_jar_is_read(how: int, folder: str) -> None:
    name = f"{folder}/kafka-clients-3.9.1.jar"
    found = only(read(jar({f"{folder}/other.jar": jar({"a": "b"}), name: kafka_clients()}, how), "orders.jar"))
    assert (found.selector, found.service, str(found.place)) == ("java@3.9.1", "orders.jar", f"orders.jar, {name}")


def test_only_one_level_is_read() -> None:
    inner = jar({"lib/kafka-clients.jar": kafka_clients()})
    assert read(jar({"lib/inner.jar": inner}), "outer.jar").found == ()


def test_a_copy_that_kept_its_properties_is_read() -> None:
    assert clients(read(jar({SHADED: b"", VERSION_FILE: "version=3.4.0"}), "shaded.jar")) == ["java@3.4.0"]


def test_a_copy_without_properties_is_named_by_its_notices() -> None:
    found = only(read(jar({SHADED: b"", "META-INF/NOTICE": FLINK_NOTICE}), "flink-sql-connector-kafka.jar"))
    assert (found.selector, found.note) == ("java@4.2.0", "shaded; its version is that of the notices")
    dependencies = "  - Apache Kafka (https://kafka.apache.org) org.apache.kafka:kafka-clients:jar:4.2.0\n"
    assert clients(read(jar({SHADED: b"", "META-INF/DEPENDENCIES": dependencies}), "a.jar")) == ["java@4.2.0"]


def test_a_copy_that_nothing_names_is_unknown() -> None:
    found = only(read(jar({SHADED: b""}), "a.jar"))
    assert (found.version, found.unknown) == ("", "a shaded copy, and nothing in the jar names its version")
    two = FLINK_NOTICE + "- org.apache.kafka:kafka-clients:3.9.1\n"
    found = only(read(jar({SHADED: b"", "META-INF/NOTICE": two}), "a.jar"))
    assert found.unknown == "a shaded copy, and its notices name 3.9.1 and 4.2.0"


def test_a_notice_without_the_classes_is_no_client() -> None:
    assert read(jar({"META-INF/NOTICE": FLINK_NOTICE}), "a.jar").found == ()


def test_other_clients_are_named_by_maven() -> None:
    name = "META-INF/maven/io.projectreactor.kafka/reactor-kafka/pom.properties"
    text = "artifactId=reactor-kafka\ngroupId=io.projectreactor.kafka\nversion=1.3.23\n"
    assert clients(read(jar({name: text}), "a.jar")) == ["reactor-kafka@1.3.23"]


def test_jars_without_a_client_are_counted_in_a_walk(tmp_path: Path) -> None:
    for name in ("a.jar", "b.war", "c.jar"):
        (tmp_path / name).write_bytes(jar({"a": "b"}))
    (tmp_path / "kafka-clients.jar").write_bytes(kafka_clients())
    readings = list(read_inventories([str(tmp_path)]))
    assert [clients(one) for one in readings] == [["java@3.9.1"], []]
    assert "jar, 3 files: no Kafka client in them" in map(str, readings[-1].skipped)


def test_a_program_of_go_names_its_modules() -> None:
    listed = (SAMPLES / "go-version-m.txt").read_text().split("\n", 1)[1].replace("\n\t", "\n").removeprefix("\t")
    found = only(read(go_program(listed), "orders"))
    assert (found.selector, found.service, str(found.place)) == ("sarama@1.61.1", "orders", "orders")


@pytest.mark.parametrize("before", [4 * 2**20 - 20, 4 * 2**20 - 5, 4 * 2**20 + 3])
def test_a_list_of_modules_that_begins_at_the_end_of_a_piece_is_found(before: int) -> None:
    data = go_program("dep\tgithub.com/IBM/sarama\tv1.43.2\th1:x=\n", before)
    assert clients(read(data, "orders")) == ["sarama@1.43.2"]


def test_a_replaced_module_of_a_program_is_its_replacement() -> None:
    text = "dep\tgithub.com/Shopify/sarama\tv1.29.1\n=>\tgithub.com/elastic/sarama\tv1.19.1\th1:x=\n"
    found = only(read(go_program(text), "beat"))
    assert found.selector == ""
    assert "it replaces github.com/Shopify/sarama" in found.unknown


def test_the_list_of_modules_is_that_of_the_go_command() -> None:
    go = shutil.which("go")
    if go is None:
        pytest.skip("no go command here")
    with Path(go).open("rb") as stream:
        modules = go_modules(stream)
    done = subprocess.run([go, "version", "-m", go], capture_output=True, text=True, check=True)
    assert modules.split() == done.stdout.split("\n", 1)[1].split()


def test_a_program_without_modules_is_no_client() -> None:
    assert read(b"\x7fELF" + b"\0" * 5000, "ls").found == ()
    assert read(b"\x7fELF" + go_program("dep\ta\tv1")[1004:-1100], "cut").found == ()


@pytest.mark.parametrize(
    ("number", "version"),
    [(0x021000FF, "2.16.0"), (0x020601FF, "2.6.1"), (0x000B04FF, "0.11.4"), (0x010902FF, "1.9.2")],
)
def test_librdkafka_is_read_from_its_version_function(number: int, version: str) -> None:
    found = only(read(version_function(number), "librdkafka-0cb94173.so.1"))
    assert (found.selector, found.note) == (f"librdkafka@{version}", "by the version function in its bytes")


def test_librdkafka_on_arm_is_read_from_its_version_function() -> None:
    code = (0x52800000 | 0x00FF << 5, 0x72A00000 | 0x020B << 5, 0xD65F03C0)
    data = b"\x7fELF" + b"\0" * 400 + b"".join(word.to_bytes(4, "little") for word in code) + b"\0" * 40
    assert only(read(data, "librdkafka.so.1")).selector == "librdkafka@2.11.0"


def test_a_librdkafka_of_which_the_bytes_say_nothing_or_too_much_is_unknown() -> None:
    found = only(read(b"\x7fELF" + b"\0" * 5000, "librdkafka.so.1"))
    assert found.unknown == "no version function is found in its bytes"
    found = only(read(version_function(0x021000FF) + version_function(0x010902FF), "librdkafka.so.1"))
    assert found.unknown == "its bytes fit 1.9.2 and 2.16.0"
    assert only(read(version_function(0x02100001), "librdkafka.so.1")).unknown  # a release candidate


def test_the_librdkafka_of_this_environment_is_the_one_that_it_says_it_is() -> None:
    (shared,) = PACKAGES.glob("confluent_kafka.libs/librdkafka*")
    with shared.open("rb") as stream:
        assert librdkafka_versions(stream) == {confluent_kafka.libversion()[0]}


def test_packages_of_this_environment_are_found(tmp_path: Path) -> None:
    names = [f"{name}-{installed(name)}.dist-info" for name in ("confluent_kafka", "kafka_python")]
    for name in (*names, "confluent_kafka.libs"):
        shutil.copytree(PACKAGES / name, tmp_path / name)
    found = {item.package.split()[0]: item for item in walked(tmp_path).values()}
    assert found["confluent-kafka"].selector == f"librdkafka@{confluent_kafka.libversion()[0]}"
    assert found["kafka-python"].selector == f"kafka-python@{installed('kafka-python')}"
    for item in (found["confluent-kafka"], found["kafka-python"]):
        assert Path(item.place.file).parent.name in names
        assert item.service == str(tmp_path)


def dist_info(root: Path, name: str, version: str, **files: str) -> None:
    folder = root / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nVersion: 9\n")
    for file, text in files.items():
        (folder / file.replace("__", ".")).write_text(text)


def test_a_package_from_a_commit_is_no_release(tmp_path: Path) -> None:
    dist_info(
        tmp_path, "kafka-python", "3.0.6", direct_url__json='{"vcs_info": {"commit_id": "4b10b5bd", "vcs": "git"}}'
    )
    (found,) = walked(tmp_path).values()
    assert found.unknown == "it comes from commit 4b10b5bd, no release; its own source says 3.0.6"


def test_a_package_from_a_folder_is_no_release(tmp_path: Path) -> None:
    dist_info(tmp_path, "kafka-python", "3.0.6", direct_url__json='{"url": "file:///src/k", "dir_info": {}}')
    (found,) = walked(tmp_path).values()
    assert found.unknown == "it comes from a folder, no release; its own source says 3.0.6"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("file:///srv/wheels/kafka_python-3.0.6-py3-none-any.whl", "a file, which need not be a release"),
        ("https://wheels.example/kafka_python-3.0.6.tar.gz", "an address, which need not serve a release"),
    ],
)
def test_a_wheel_that_was_installed_by_its_path_or_address_is_no_release(tmp_path: Path, url: str, origin: str) -> None:
    hashes = '{"hash": "sha256=00", "hashes": {"sha256": "00"}}'
    dist_info(tmp_path, "kafka-python", "3.0.6", direct_url__json=f'{{"archive_info": {hashes}, "url": "{url}"}}')
    (found,) = walked(tmp_path).values()
    assert (found.selector, found.unknown) == ("", f"it comes from {origin}; its own source says 3.0.6")
    assert "wheels" not in repr(found).replace(str(tmp_path), "")


def test_both_packages_in_one_folder_are_broken(tmp_path: Path) -> None:
    dist_info(tmp_path / "one", "kafka-python", "3.0.12")
    dist_info(tmp_path / "one", "kafka-python-ng", "2.2.3")
    dist_info(tmp_path / "other", "kafka-python", "3.0.12")
    found = walked(tmp_path)
    broken = {place for place, item in found.items() if item.broken}
    assert broken == {place for place in found if f"{tmp_path}/one/" in place}
    assert len(broken) == 2


def test_a_wheel_whose_library_is_gone_counts_as_its_package(tmp_path: Path) -> None:
    dist_info(tmp_path, "confluent-kafka", "2.16.1", RECORD="confluent_kafka.libs/librdkafka-1.so.1,sha256=a,1\n")
    (found,) = walked(tmp_path).values()
    assert found.selector == "confluent-kafka@2.16.1"


def test_a_record_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "librdkafka.so.1").write_bytes(version_function(0x021000FF))
    record = f"../../librdkafka.so.1,sha256=a,1\n{tmp_path}/librdkafka.so.1,,\n"
    dist_info(tmp_path / "in" / "deep", "confluent-kafka", "2.16.1", RECORD=record)
    (found,) = walked(tmp_path / "in").values()
    assert found.selector == "confluent-kafka@2.16.1"


def test_an_old_egg_info_is_read(tmp_path: Path) -> None:
    (tmp_path / "kafka_python-2.0.2.egg-info").write_text("Metadata-Version: 1.1\nName: kafka-python\nVersion: 2.0.2\n")
    assert [item.selector for item in walked(tmp_path).values()] == ["kafka-python@2.0.2"]


@pytest.mark.parametrize("folder", ["kafkajs", "k", "@shop/k"])
def test_a_package_of_npm_has_its_real_name_behind_an_alias(tmp_path: Path, folder: str) -> None:
    place = tmp_path / "node_modules" / folder
    place.mkdir(parents=True)
    (place / "package.json").write_text('{"name": "kafkajs", "version": "2.2.4"}')
    (found,) = walked(tmp_path).values()
    assert (found.selector, found.service) == ("kafkajs@2.2.4", str(tmp_path))


def test_a_wrapper_of_npm_names_its_librdkafka(tmp_path: Path) -> None:
    place = tmp_path / "node_modules" / "node-rdkafka"
    place.mkdir(parents=True)
    (place / "package.json").write_text('{"name": "node-rdkafka", "version": "v3.6.1", "librdkafka": "2.12.0"}')
    (found,) = walked(tmp_path).values()
    assert (found.selector, found.package) == ("librdkafka@2.12.0", "node-rdkafka v3.6.1")


def test_a_package_json_outside_of_node_modules_is_no_installed_package(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "kafkajs", "version": "2.2.4"}')
    assert walked(tmp_path) == {}
