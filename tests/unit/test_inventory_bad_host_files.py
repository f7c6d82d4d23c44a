"""Broken, huge and odd jars, programs and packages: one line each, and no harm."""

from __future__ import annotations

import io
import json
import os
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe.inventory.archives import LONGEST_DIRECTORY
from probe.inventory.document import MIB
from probe.inventory.inventory_reader import read_inventories, read_stream
from probe.inventory.readers import jar as jars
from tests.support.host_files import VERSION_FILE, go_program, jar, kafka_clients, version_function
from tests.support.inventories import read
from tests.unit.test_inventory_bad_input import harmless

GO = "dep\tgithub.com/IBM/sarama\tv1.43.2\th1:x=\n"
FILES = {
    "kafka-clients.jar": kafka_clients(),
    "fat.jar": jar({"BOOT-INF/lib/kafka-clients.jar": kafka_clients()}, zipfile.ZIP_STORED),
    "orders": go_program(GO),
    "librdkafka.so.1": version_function(0x021000FF),
    "kafka_python-3.0.12.dist-info/METADATA": b"Metadata-Version: 2.1\nName: kafka-python\nVersion: 3.0.12\n",
    "node_modules/kafkajs/package.json": b'{"name": "kafkajs", "version": "2.2.4"}',
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_ends_anywhere_does_no_harm(name: str) -> None:
    assert len(read(FILES[name], name).found) == 1
    for end in range(0, len(FILES[name]), max(1, len(FILES[name]) // 60)):
        harmless(read(FILES[name][:end], name))


@pytest.mark.parametrize("name", FILES)
@given(where=st.floats(0, 1), junk=st.binary(min_size=1, max_size=8))
def test_a_file_with_other_bytes_in_it_does_no_harm(name: str, where: float, junk: bytes) -> None:
    data = FILES[name]
    cut = int(where * len(data))
    harmless(read(data[:cut] + junk + data[cut + len(junk) :], name))


def test_a_jar_that_unpacks_without_end_is_refused() -> None:
    bomb = jar({VERSION_FILE: b"version=3.9.1\n" + b"x" * (4 * MIB), jars.CLASS: b""})
    assert read(bomb, "a.jar").problem == "it unpacks to more than 256 KiB"


def test_jars_inside_a_jar_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jars, "LARGEST_INNER", MIB)
    monkeypatch.setattr(jars, "ALL_INNER", 2 * MIB)
    inner = {f"lib/{name}.jar": b"PK\x03\x04" + b"\0" * (5 * MIB) for name in "abcde"}
    reading = read(jar({**inner, "lib/kafka-clients.jar": kafka_clients()}), "a.jar")
    assert [item.shown for item in reading.found] == ["java@3.9.1"]
    said = [str(item) for item in reading.skipped]
    assert "lib/a.jar: it unpacks to more than 1024 KiB" in said
    assert any(item.endswith("the jars before them hold more than 2 MiB") for item in said)


def test_a_size_that_an_entry_claims_is_not_trusted() -> None:
    data = bytearray(jar({VERSION_FILE: b"version=3.9.1\n" + b"x" * MIB, jars.CLASS: b""}))
    at = data.rfind(b"PK\x01\x02", 0, data.rfind(b"PK\x01\x02"))
    struct.pack_into("<L", data, at + 24, 10)
    reading = read(bytes(data), "a.jar")
    harmless(reading)
    assert reading.found == () or reading.found[0].version == "3.9.1"


def directory_of(size: int) -> bytes:
    """Return an archive that claims a list of entries of this size."""
    return b"PK\x03\x04" + b"\0" * 60 + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, size, 4, 0)


def test_a_long_list_of_entries_is_refused_unread() -> None:
    problem = read(directory_of(LONGEST_DIRECTORY + 1), "a.jar").problem
    assert problem == "its list of entries is longer than 16 MiB; name a smaller archive"


def test_a_long_list_of_entries_of_a_large_archive_is_refused_unread() -> None:
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0, 0, 5, 0, 0)
    large = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, LONGEST_DIRECTORY + 1, 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 4, 1)
    assert "its list of entries" in read(b"PK\x03\x04" + large + locator + end, "a.jar").problem


def test_an_encrypted_entry_is_said() -> None:
    data = bytearray(kafka_clients())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    assert read(bytes(data), "a.jar").problem == "it is encrypted; name a plain one"


ODD_NAMES = ["../../etc/passwd", "/etc/passwd", "a\x1b[2J.jar", "\u202ebad.jar", "x" * 5000 + ".jar"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_of_entries_do_no_harm(name: str) -> None:
    entries = {name: kafka_clients(), "b.jar": b"no archive"}
    harmless(read(jar(entries), "a.jar"))


def test_a_program_whose_list_of_modules_does_not_end_is_no_client() -> None:
    data = go_program(GO).replace(bytes.fromhex("f932433186182072008242104116d8f2"), b"x" * 16) + b"y" * (5 * MIB)
    assert read(data, "orders").found == ()


@pytest.mark.parametrize(
    "text",
    ["[]", '{"name": "kafkajs"}', '{"name": "kafkajs", "version": {"a": 1}}', '{"name": "kafkajs", "version": "^2"}'],
)
def test_an_odd_package_json_names_no_version(text: str) -> None:
    reading = read(text, "node_modules/kafkajs/package.json")
    harmless(reading)
    assert [item.version for item in reading.found if item.version] == []


def test_a_deep_package_json_is_refused() -> None:
    text = '{"name": "kafkajs", "x": ' + "[" * 100_000
    problem = read(text, "node_modules/kafkajs/package.json").problem
    assert problem == "its values are nested too deeply; correct the file"


def test_a_package_of_which_the_origin_is_broken_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "kafka_python-3.0.6.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: kafka-python\nVersion: 3.0.6\n")
    for text in ("{", "[]", '{"vcs_info": 3}'):
        (folder / "direct_url.json").write_text(text)
        for reading in read_inventories([str(tmp_path)]):
            harmless(reading)


def test_no_fifo_and_no_link_beside_a_package_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "in" / "kafka_python-3.0.6.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: kafka-python\nVersion: 3.0.6\n")
    os.mkfifo(folder / "RECORD")
    (tmp_path / "outside.json").write_text(json.dumps({"vcs_info": {"commit_id": "abc"}}))
    (folder / "direct_url.json").symlink_to(tmp_path / "outside.json")
    (found,) = [item for one in read_inventories([str(tmp_path / "in")]) for item in one.found]
    assert found.selector == "kafka-python@3.0.6"


def test_a_large_program_is_read_in_little_memory(tmp_path: Path) -> None:
    large = tmp_path / "orders"
    with large.open("wb") as file:
        file.write(b"\x7fELF")
        file.truncate(100 * MIB)
    tracemalloc.start()
    try:
        (reading,) = read_inventories([str(large)])
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (reading.found, reading.problem) == ((), "")
    assert most < 30 * MIB


def test_a_jar_on_standard_input_is_read() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    assert len(read_stream("standard input", "-", Pipe(kafka_clients()), named=True).found) == 1
