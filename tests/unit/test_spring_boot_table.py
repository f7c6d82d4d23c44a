"""The generator of the table of Spring Boot, and the table that it wrote."""

from __future__ import annotations

from probe.cli.wiring.catalogue import apps
from probe.toolchain.spring_boot import managed, releases_of, spans

POM = "<project><properties><kafka.version>3.7.1</kafka.version></properties></project>"


def test_only_releases_since_the_first_line_are_read() -> None:
    served = ["2.0.9.RELEASE", "2.1.0.RELEASE", "3.3.0-RC1", "3.3.4", "3.3.10", "4.2.0-M1", "2.1.0.M1"]
    assert releases_of(served) == ["2.1.0.RELEASE", "3.3.4", "3.3.10"]


def test_a_pom_names_its_client() -> None:
    assert (managed(POM), managed("<project/>")) == ("3.7.1", "")


def test_a_span_ends_with_its_line_or_its_library() -> None:
    read = {"3.3.0": "3.7.0", "3.3.1": "3.7.0", "3.3.2": "3.7.1", "3.4.0": "3.7.1", "3.3.10": "3.7.1"}
    assert list(spans(read)) == [
        ("3.3.0", "3.3.1", "3.7.0"),
        ("3.3.2", "3.3.10", "3.7.1"),
        ("3.4.0", "3.4.0", "3.7.1"),
    ]


def test_every_line_since_the_first_has_its_client() -> None:
    boot = apps()["spring-boot"]
    lines = {".".join(item.since.split(".")[:2]) for item in boot.versions}
    assert {"2.1", "2.7", "3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "4.0", "4.1"} <= lines
    assert boot.inside("3.3.4").library == "3.7.1"
