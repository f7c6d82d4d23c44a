"""The generator of the tables of libraries inside applications, and the tables that it wrote."""

from __future__ import annotations

from probe.cli.wiring.catalogue import apps
from probe.toolchain.library_tables import TABLES, named, releases_of, required, spans

POM = "<project><properties><kafka.version>3.7.1</kafka.version></properties></project>"


def test_only_releases_since_the_first_line_are_read() -> None:
    served = ["2.0.9.RELEASE", "2.1.0.RELEASE", "3.3.0-RC1", "3.3.4", "3.3.10", "4.2.0-M1", "2.1.0.M1"]
    assert releases_of(served, "2.1") == ["2.1.0.RELEASE", "3.3.4", "3.3.10"]


def test_a_pom_names_its_client() -> None:
    boot = next(one for one in TABLES if one.file == "spring_boot")
    assert (named(boot.expression, POM), named(boot.expression, "<project/>")) == ("3.7.1", "")


def test_a_dependency_names_its_version_behind_other_keys() -> None:
    pom = (
        "<artifactId>kafka-clients</artifactId><exclusions></exclusions><scope>compile</scope><version>3.9.1</version>"
    )
    spring = next(one for one in TABLES if one.file == "spring_kafka")
    assert named(spring.expression, pom.replace("<exclusions></exclusions>", "")) == "3.9.1"
    assert named(spring.expression, "<artifactId>kafka-clients</artifactId><version>${kafka.version}</version>") == ""


GO_MOD = """
require (
	github.com/Shopify/sarama v1.37.2
	github.com/twmb/franz-go v1.17.0 // indirect
)
replace github.com/Shopify/sarama => github.com/Shopify/sarama v1.33.0
"""


def test_a_go_mod_names_what_replaces_a_module() -> None:
    assert required(GO_MOD, "github.com/Shopify/sarama") == "1.33.0"
    assert required(GO_MOD.replace(" // indirect", ""), "github.com/twmb/franz-go") == "1.17.0"
    assert required(GO_MOD, "github.com/twmb/franz-go") == ""


def test_a_fork_has_no_version_of_its_origin() -> None:
    forked = GO_MOD.replace(
        "=> github.com/Shopify/sarama v1.33.0", "=> github.com/elastic/sarama v1.19.1-0.20241120141909-c7"
    )
    assert required(forked, "github.com/Shopify/sarama") == ""


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
