"""The table of packages names clients of the catalogue, and versions are releases or unknown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from probe.catalogue.package_table import package_table
from probe.cli.wiring.catalogue import apps, families
from probe.inventory.columns import WORDS
from probe.inventory.entries import FileContent, Found, Place
from probe.inventory.packages import client_of, known, packages
from probe.inventory.relations import relate_files
from probe.inventory.text import LONGEST, one_line
from probe.inventory.versions import exact
from probe.model.safe_text import csv_cell


def test_every_client_of_the_table_is_in_the_catalogue() -> None:
    for (_, name), package in packages().items():
        assert bool(package.client) != bool(package.why), name
        assert not package.client or package.client in {*families(), *apps()}, name


def test_a_wrapper_has_a_library_of_the_table_inside() -> None:
    for (ecosystem, name), package in packages().items():
        assert all(known(ecosystem, inside) for inside in package.inside), name
        assert not package.inside or package.why or package.client in apps(), name


def test_packages_in_conflict_are_in_the_table() -> None:
    for conflict in package_table().conflicts:
        assert all(known(conflict.ecosystem, name) for name in conflict.names)


def test_packages_in_conflict_are_broken_also_in_files_of_their_own() -> None:
    def file(package: str, service: str) -> FileContent:
        found = client_of("pypi", package, "3.0.12", place=Place(package), service=service)
        assert isinstance(found, Found)
        return FileContent(place=package, found=(found,))

    one, other, elsewhere = relate_files(
        [file("kafka-python", "/srv"), file("kafka-python-ng", "/srv"), file("kafka-python", "/opt")]
    )
    assert [bool(item.found[0].broken) for item in (one, other, elsewhere)] == [True, True, False]


def test_no_word_stands_for_two_columns() -> None:
    words = [word for accepted in WORDS.values() for word in accepted]
    assert len(words) == len({*words})


@pytest.mark.parametrize(
    ("ecosystem", "text", "version"),
    [
        ("golang", "v1.43.2", "1.43.2"),
        ("golang", "v2.0.0+incompatible", "2.0.0"),
        ("golang", "v1.2.3-rc.1", "1.2.3-rc.1"),
        ("golang", "v1.43.4-0.20240912103434-0123456789ab", ""),
        ("golang", "v1.43.4-pre.0.20240912103434-0123456789ab", ""),
        ("golang", "v0.0.0-20240912103434-0123456789ab", ""),
        ("golang", "(devel)", ""),
        ("golang", "master", ""),
        ("pypi", "2.0.2", "2.0.2"),
        ("pypi", "3.0.0rc1", "3.0.0rc1"),
        ("pypi", "3.1.0.dev0", ""),
        ("pypi", "2.0.2+git1234", ""),
        ("npm", "v3.6.1", "3.6.1"),
        ("npm", "^2.2.0", ""),
        ("npm", "2.x", ""),
        ("npm", "latest", ""),
        ("npm", "*", ""),
        ("maven", "3.9.1", "3.9.1"),
        ("maven", "2.16.12.Final", "2.16.12.Final"),
        ("maven", "5.0.0-2.2", "5.0.0-2.2"),
        ("maven", "[3.0,4.0)", ""),
        ("maven", "3.+", ""),
        ("maven", "latest.release", ""),
        ("maven", "4.0.0-SNAPSHOT", ""),
        ("maven", "${kafka.version}", ""),
        ("maven", "@kafka.version@", ""),
        ("cargo", "4.10.0+2.12.1", "4.10.0+2.12.1"),
        ("cargo", "0.39.0", "0.39.0"),
        ("cargo", "^0.39", ""),
        ("cargo", "4.10.0+", ""),
        ("deb", "2.0.2-1", "2.0.2"),
        ("deb", "1:2.3.0+dfsg-2ubuntu1", "2.3.0"),
        ("", "1" * 5000, ""),
        ("", "1" * 90 + "!", ""),
        ("", "", ""),
    ],
)
def test_a_text_is_a_release_or_has_a_reason(ecosystem: str, text: str, version: str) -> None:
    found, why = exact(ecosystem, text)
    assert (found, bool(why)) == (version, not version)


def test_names_are_compared_as_registries_do() -> None:
    for ecosystem, name in (("pypi", "Kafka_Python"), ("golang", "github.com/ibm/sarama")):
        assert known(ecosystem, name)
    assert not known("npm", "KafkaJS")
    assert client_of("pypi", "requests", "2.0", place=Place("x")) is None


def test_text_is_safe_where_it_is_shown() -> None:
    assert one_line("a\x1b]0;x\x07\r\nb\u202e\ud800") == "a\\x1b]0;x\\x07 b\\u202e\\ud800"
    assert one_line("naïve 東京") == "naïve 東京"
    assert len(one_line("x" * 10_000)) == LONGEST + 3
    assert [csv_cell(text) for text in ("=1+1", "@x", "-1", "a=1")] == ["'=1+1", "'@x", "'-1", "a=1"]


def test_the_library_of_a_format_is_imported_when_a_file_of_it_is_met(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module a\n\ngo 1.24\n\nrequire github.com/IBM/sarama v1.43.2\n")
    (tmp_path / "poetry.lock").write_text('[[package]]\nname = "requests"\n[metadata]\npython-versions = "*"\n')
    code = (
        "import sys\nfrom probe.inventory.inventory_reader import read_inventories\n"
        "found = [item for one in read_inventories(sys.argv[1:]) for item in one.found]\n"
        "print(len(found), *({'packaging', 'packageurl', 'defusedxml', 'xml', 'yaml'} & {*sys.modules}))"
    )
    argv = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"]
