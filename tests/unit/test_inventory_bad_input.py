"""Broken, truncated, huge, deeply nested and odd inventories: one line each, and no harm."""

from __future__ import annotations

import io
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe.inventory.document import HEAD, WHOLE
from probe.inventory.found import FileContent
from probe.inventory.reading import read_inventories, read_stream
from tests.support.inventories import SAMPLES, read

GO = "module a.example/b\n\ngo 1.24\n\nrequire github.com/IBM/sarama v1.43.2\n"
POM = "<project><artifactId>kafka-clients</artifactId><dependencies><dependency>"
DOCUMENTS = {
    "go.mod": GO,
    "pom.xml": f"{POM}<groupId>org.apache.kafka</groupId><artifactId>kafka-clients</artifactId>"
    "<version>3.9.1</version></dependency></dependencies></project>",
    "gradle.lockfile": "# This is a Gradle generated file for dependency locking.\n"
    "org.apache.kafka:kafka-clients:3.9.1=x\n",
    "requirements.txt": "kafka-python==2.0.2\naiokafka>=0.10\n",
    "sheet.csv": 'client;version;count\nsarama;1.43.2;3\n"java";3.9.1;1\n',
    "fleet.toml": '[[service]]\nclient = "sarama@1.43.2"\n',
    "fleet.json": '[{"client": "sarama@1.43.2"}]',
    "list.txt": "sarama@1.43.2\njava@3.9.1\n",
} | {path.name: path.read_text() for path in SAMPLES.iterdir() if path.name != "README.md"}
"""One whole document per format, and the files of real tools."""


def harmless(reading: FileContent) -> None:
    """Require that a reading is one line per entry, and nothing else."""
    for text in (reading.problem, *map(str, reading.skipped), *(str(item.place) for item in reading.found)):
        assert text.isprintable()
        assert len(text) < 1_000
    assert not (reading.problem and reading.found)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_file_that_ends_anywhere_is_read_or_refused(name: str) -> None:
    data = DOCUMENTS[name].encode()
    for end in range(0, len(data), max(1, len(data) // 40)):
        harmless(read(data[:end], name))


@pytest.mark.parametrize("name", DOCUMENTS)
@given(where=st.floats(0, 1), junk=st.binary(min_size=1, max_size=4))
def test_a_file_with_other_bytes_in_it_is_read_or_refused(name: str, where: float, junk: bytes) -> None:
    data = DOCUMENTS[name].encode()
    cut = int(where * len(data))
    harmless(read(data[:cut] + junk + data[cut + len(junk) :], name))


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    harmless(read(data, "any"))


BY_LINES = ("go-version", "mvn", "gradle", "metrics", "request-", "kubectl-images")
"""Files that are read line by line, in which a byte that is no text concerns its line alone."""


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if not name.startswith(BY_LINES)])
def test_what_is_not_utf_8_is_said(name: str) -> None:
    problem = read(DOCUMENTS[name].encode() + b"\n# \xff\xfe kafka", name).problem
    assert "it is not text in UTF-8 (byte" in problem


class Endless(io.RawIOBase):
    """A file of any size that needs no disk: a beginning, then one byte again and again."""

    def __init__(self, begins: str, filler: bytes, size: int) -> None:
        self.begins, self.filler, self.size, self.at = begins.encode(), filler, size, 0

    def readable(self) -> bool:
        return True

    def read(self, most: int = -1) -> bytes:
        most = min(most, self.size - self.at) if most >= 0 else self.size - self.at
        start = self.begins[self.at : self.at + most]
        self.at += most
        return start + self.filler * (most - len(start))


HUGE = 100 * 1024 * 1024


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_huge_file_is_refused_or_read_in_little_memory(name: str) -> None:
    tracemalloc.start()
    try:
        reading = read_stream(name, name, Endless(DOCUMENTS[name], b" ", HUGE), named=True)  # type: ignore[arg-type]
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    harmless(reading)
    assert "larger than" in reading.problem or "longer than" in reading.problem
    assert most < 8 * WHOLE


DEEP = 100_000
NESTED = {
    "fleet.json": '[{"client": ' + "[" * DEEP,
    "cyclonedx": '{"bomFormat": "CycloneDX", "kafka": ' + '{"a":' * DEEP,
    "package-lock": '{"lockfileVersion": 3, "kafkajs": ' + "[" * DEEP,
    "pip-list": '[{"name": "kafka-python", "version": ' + "[" * DEEP,
    "fleet.toml": "[[service]]\nclient = " + "[" * DEEP,
    "uv.lock": '\nrequires-python = ">=3"\n[[package]]\nname = "kafka-python"\nx = ' + "[" * DEEP,
}


@pytest.mark.parametrize("name", NESTED)
def test_values_inside_values_are_refused(name: str) -> None:
    assert read(NESTED[name], name).problem == "its values are nested too deeply; correct the file"


def test_deep_xml_does_no_harm() -> None:
    text = f"<project><a>{'<b>' * DEEP}{'</b>' * DEEP}</a><artifactId>kafka</artifactId></project>"
    assert read(text, "pom.xml").problem == ""


LAUGHS = '<!DOCTYPE p [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
OUTSIDE = '<!DOCTYPE p [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize("declared", [LAUGHS, OUTSIDE, '<!DOCTYPE p SYSTEM "http://schema.example/p.dtd">'])
def test_entities_of_xml_are_refused(declared: str) -> None:
    text = f'<?xml version="1.0"?>{declared}<project><artifactId>kafka</artifactId></project>'
    assert "it defines entities or a document type" in read(text, "pom.xml").problem


def test_other_xml_is_no_pom() -> None:
    assert "its root is other" in read("<other><project /></other>", "pom.xml").problem


def test_odd_shapes_of_json_are_no_clients() -> None:
    for text in (
        '{"bomFormat": "CycloneDX", "metadata": [], "components": {"kafka": 1}}',
        '{"bomFormat": "CycloneDX", "components": [null, 3, {"purl": ["pkg:npm/kafkajs@1"], "name": {"a": 1}}]}',
        '{"lockfileVersion": 3, "packages": {"node_modules/kafkajs": [], "node_modules/k": null}}',
        '{"lockfileVersion": 1, "dependencies": [1, "kafkajs"]}',
        '[{"name": "x", "version": "1"}, {"name": {"kafka": 1}}]',
    ):
        reading = read(text)
        harmless(reading)
        assert not [item for item in reading.found if item.version]


def test_names_are_shown_without_what_moves_a_cursor() -> None:
    text = '{"client": "sarama", "version": "1.43.2", "service": "a\\u001b[2J\\u202eb\\nc"}'
    (found,) = read(text).found
    assert found.service == "a\\x1b[2J\\u202eb c"


def test_many_entries_are_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probe.inventory.reading.MOST", 5)
    reading = read("sarama@1.0.0\n" * 9)
    assert len(reading.found) == 5
    assert reading.skipped[-1].what == "what follows"


def test_many_skipped_entries_are_counted() -> None:
    required = "".join(f"require github.com/a/kafka-{number} v1.0.0\n" for number in range(100))
    reading = read(GO + required)
    assert len(reading.skipped) == 20
    assert str(reading.skipped[-1]) == "81 more: for such reasons"


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pom.xml")
    for path in (tmp_path / "pom.xml", Path("/dev/zero"), Path("/dev/null")):
        (reading,) = read_inventories([str(path)])
        assert reading.problem == "it is no regular file; pipe its text into `probe audit -`"


def test_a_beginning_of_exactly_one_head_is_read_whole() -> None:
    text = GO + "// " + "x" * (HEAD - len(GO) - 3)
    for more in ("", "\nrequire github.com/twmb/franz-go v1.18.0\n"):
        assert len(read(text + more).found) == 1 + bool(more)


def test_standard_input_may_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    (reading,) = read_inventories(["-"])
    assert "it is closed" in reading.problem
