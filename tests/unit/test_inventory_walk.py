"""A folder that nobody vetted is walked within bounds, and what was left out is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from probe.inventory.entries import FileContent
from probe.inventory.inventory_reader import read_inventories
from probe.inventory.walk import Bounds, neighbour

GO = "module a.example/{}\n\ngo 1.24\n\nrequire github.com/IBM/sarama v1.43.2\n"


def write(folder: Path, name: str = "go.mod", text: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(text or GO.format(folder.name))
    return file


def walked(root: Path, bounds: Bounds | None = None) -> tuple[list[str], dict[str, str]]:
    """Return the services that were found, and what was left out by its reason."""
    readings = list(read_inventories([str(root)], bounds))
    last: FileContent = readings[-1]
    services = [item.service.rpartition("/")[2] for reading in readings for item in reading.found]
    return services, {item.why: item.what for item in last.skipped}


def test_files_are_found_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b", "a/x", "a", "c"):
        write(tmp_path / name)
    write(tmp_path / ".git")
    write(tmp_path / "a", "main.go", "package main")
    assert walked(tmp_path) == (["a", "x", "b", "c"], {"no format of an inventory": "1 file"})


def test_requirements_in_a_folder_of_that_name_are_found(tmp_path: Path) -> None:
    write(tmp_path / "orders" / "requirements", "base.txt", "kafka-python==2.0.2\n")
    write(tmp_path / "requirements", "base.txt", "kafka-python==2.0.2\n")
    write(tmp_path / "orders", "base.txt", "kafka-python==2.0.2\n")
    assert walked(tmp_path)[0] == ["requirements", "requirements"]


def test_a_folder_that_cannot_be_listed_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("probe.inventory.walk.os.scandir", refuse)
    (reading,) = read_inventories([str(tmp_path)])
    assert (reading.named, reading.problem) == (True, "Permission denied; name a folder that can be read")


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside")
    inside = tmp_path / "inside"
    write(inside)
    (inside / "pom.xml").symlink_to(outside)
    (inside / "folder").symlink_to(outside.parent)
    (inside / "loop").symlink_to(inside)
    services, left_out = walked(inside)
    assert services == ["inside"]
    assert left_out == {"a link, which is not followed": "folder, loop, pom.xml"}


def test_a_folder_that_is_named_may_be_a_link(tmp_path: Path) -> None:
    write(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert walked(tmp_path / "link")[0] == ["real"]


def test_fifos_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "go.mod")
    assert walked(tmp_path) == ([], {"no regular file": "go.mod"})


def test_depth_is_bounded(tmp_path: Path) -> None:
    write(tmp_path / "a" / "b" / "c")
    write(tmp_path / "a")
    services, left_out = walked(tmp_path, Bounds(depth=1))
    assert services == ["a"]
    assert left_out == {"deeper than 1 folders": "a/"}


@pytest.mark.parametrize(("bounds", "why"), [(Bounds(files=2), "2 files"), (Bounds(seconds=0), "0 s")])
def test_files_and_time_are_bounded(tmp_path: Path, bounds: Bounds, why: str) -> None:
    for name in "abcdef":
        write(tmp_path / name)
    services, left_out = walked(tmp_path, bounds)
    assert len(services) <= 2
    assert list(left_out) == [f"the walk ended after {why}; name a smaller folder"]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path / "a", "pom.xml", "<project><artifactId>kafka")
    readings = list(read_inventories([str(tmp_path)]))
    assert [(item.taken_for, item.named, bool(item.problem)) for item in readings] == [
        ("pom.xml", False, True),
        ("", False, False),
    ]


def test_a_name_with_control_characters_is_shown_without_them(tmp_path: Path) -> None:
    write(tmp_path / "a\x1b[2J\nb")
    for reading in read_inventories([str(tmp_path)]):
        assert reading.place.isprintable()


@pytest.mark.parametrize(
    ("name", "relative", "there"),
    [
        ("a/b/pom.xml", "../pom.xml", "a/pom.xml"),
        ("a/b/pom.xml", "../../pom.xml", "pom.xml"),
        ("a/b/pom.xml", "../../../pom.xml", ""),
        ("a/b/pom.xml", "/pom.xml", ""),
        ("a/b/pom.xml", "..\\pom.xml", "a/pom.xml"),
        ("pom.xml", "../pom.xml", ""),
        ("pom.xml", "x/../../../y", ""),
    ],
)
def test_a_neighbour_lies_inside_of_the_folder(name: str, relative: str, there: str) -> None:
    assert neighbour(name, relative) == there


def test_a_neighbour_behind_a_link_is_not_opened(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside, "pom.xml", "<project><artifactId>all</artifactId><properties><k>3.9.1</k></properties></project>")
    inside = tmp_path / "inside"
    write(
        inside,
        "pom.xml",
        "<project><artifactId>a</artifactId><parent><artifactId>all</artifactId><relativePath>up/pom.xml</relativePath>"
        "</parent><dependencies><dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-clients</artifactId>"
        "<version>${k}</version></dependency></dependencies></project>",
    )
    (inside / "up").symlink_to(outside)
    (found,) = [item for reading in read_inventories([str(inside)]) for item in reading.found]
    assert found.version == ""


def test_files_that_look_like_manifests_and_are_not_read_are_named(tmp_path: Path) -> None:
    for name in (
        "Dockerfile",
        "build.sbt",
        "deps.edn",
        ".lock",
        "Dockerfile.dockerignore",
        "web/package.json",
        "api/package.json",
        "core/pdm.lock",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("kafka\n")
    lock = '{"lockfileVersion": 3, "packages": {"node_modules/kafkajs": {"version": "2.2.4"}}}'
    (tmp_path / "web" / "package-lock.json").write_text(lock)
    last = read_inventories([str(tmp_path)])[-1]
    assert sorted(last.unread) == ["Dockerfile", "api/package.json", "build.sbt", "core/pdm.lock", "deps.edn"]
    skipped = [str(item) for item in last.skipped]
    assert any(text.startswith("5 files that look like manifests: not read: Dockerfile, ") for text in skipped)
    assert "3 files: no format of an inventory" in skipped


def test_json_that_is_no_fleet_is_none_in_a_walk(tmp_path: Path) -> None:
    schema = '{"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"client": {"type": "string"}}}'
    (tmp_path / "schema.json").write_text(schema)
    (tmp_path / "other.json").write_text('{"client": {"name": "x"}}')
    (tmp_path / "fleet.json").write_text('[{"client": "sarama@1.43.2"}]')
    readings = read_inventories([str(tmp_path)])
    assert [(one.place.rpartition("/")[2], one.problem) for one in readings[:-1]] == [("fleet.json", "")]
    assert "2 files: no format of an inventory" in [str(item) for item in readings[-1].skipped]
