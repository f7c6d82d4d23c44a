"""Writes the tables of the catalogue that name the library inside each release of an application or wrapper.

    python -m probe.toolchain.library_tables [TABLE ...]

It reads what a registry serves of every release: a pom, or the go.mod of a module. One question after the other, with a
pause. Releases in between two ends of a line all have the same library.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from probe.catalogue.files import data_file
from probe.errors import ProvisionError
from probe.model.versions import release_key
from probe.toolchain.golang import go
from probe.toolchain.maven_registry import Coordinate, download, versions
from probe.toolchain.release_lists import RELEASE, of_module

PAUSE_S = 0.2
"""Between two questions to a registry."""
TRIES = 3
"""Questions about one release: a registry that does not answer once has it all the same."""
DEPENDENCY = (
    r"<artifactId>kafka-clients</artifactId>\s*(?:<[^>]+>[^<]*</[^>]+>\s*)*?<version>\s*(\d[\w.-]*)\s*</version>"
)
"""kafka-clients among a pom's dependencies, or those that it manages."""
PARENT = r"<parent>.*?<version>\s*([^<\s]+)\s*</version>.*?</parent>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table: where it is read, and from which release on."""

    file: str
    package: str
    """`group:artifact`, or the path of a Go module."""
    first: str
    expression: str
    """Of a pom: what names the version of the library, in its first group. Of a go.mod: the library's path."""
    about: str
    read: Callable[[Table], Iterator[tuple[str, str]]]
    """Yields each release with its library."""
    listed_as: str = ""
    """Another artifact of the same releases, of which a registry lists some that it does not list of the package."""
    package_before: str = ""
    """The name before the project moved."""


def spans(libraries: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield first and last release and library, in the order of releases; a span never leaves its minor line."""
    ordered = sorted(libraries, key=release_key)
    for (_, library), group in groupby(ordered, key=lambda one: (_line(one), libraries[one])):
        releases = list(group)
        yield releases[0], releases[-1], library


def _line(release: str) -> str:
    return ".".join(release.split(".")[:2])


def text_of(table: Table, libraries: Mapping[str, str], day: str) -> str:
    """Return the file's text."""
    rows = []
    for since, until, library in spans(libraries):
        last = f' until = "{until}",' if until != since else ""
        rows.append(f'    {{ since = "{since}",{last} library = "{library}" }},\n')
    head = (
        f"# {table.about}, by {table.package}\n"
        f"# as its registry served it on {day}. Written by `python -m probe.toolchain.library_tables {table.file}`,\n"
        "# which read every release; those in between two ends of a line all have the same.\n"
    )
    return f"{head}\nversions = [\n{''.join(rows)}]\n"


def releases_of(served: Iterable[str], first: str) -> list[str]:
    """Return the releases that a table has, without milestones and candidates."""
    wanted = (one for one in served if RELEASE.fullmatch(one))
    return sorted((one for one in wanted if release_key(one) >= release_key(first)), key=release_key)


def named(expression: str, pom: str) -> str:
    """Return the version of the library that a pom names; empty if it names none, or by another property only."""
    found = re.search(expression, pom, re.DOTALL)
    return found[1] if found else ""


def required(go_mod: str, path: str) -> str:
    """Return the version of a module that a go.mod asks for itself, or that replaces it; empty if none, or for a fork.

    What others ask for (`// indirect`) is not what the program uses: Jaeger 1.58 has two modules of sarama.
    """
    replaced = re.search(
        rf"^\s*(?:replace\s+)?{re.escape(path)}(?:\s+v\S+)?\s+=>\s+(\S+)\s*(v\d\S*)?", go_mod, re.MULTILINE
    )
    if replaced:
        return (replaced[2] or "").removeprefix("v") if replaced[1] == path else ""
    asked = re.search(rf"^\s*(?:require\s+)?{re.escape(path)}\s+(v\d+\.\d+\.\d+)\s*$", go_mod, re.MULTILINE)
    return asked[1].removeprefix("v") if asked else ""


def of_poms(table: Table) -> Iterator[tuple[str, str]]:
    """Yield each release of a Maven project with the library that its pom names."""
    for package in filter(None, (table.package_before, table.package)):
        group, artifact = package.split(":")
        listed = {*versions(group, artifact), *(versions(*table.listed_as.split(":")) if table.listed_as else ())}
        for release in releases_of(listed, table.first):
            if library := named(table.expression, _pom(group, artifact, release)):
                yield release, library
            time.sleep(PAUSE_S)


def _pom(group: str, artifact: str, release: str) -> str:
    """Return a pom; empty where the registry does not answer in `TRIES`, which standard error says."""
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(TRIES):
            try:
                return download(Coordinate(group, artifact, release, "pom"), Path(scratch)).read_text()
            except ProvisionError as error:
                why = error
                time.sleep(PAUSE_S)
    sys.stderr.write(f"{artifact} {release}: left out, since its pom could not be read: {why}\n")
    return ""


def of_go_mods(table: Table) -> Iterator[tuple[str, str]]:
    """Yield each release of a Go module with the library that its go.mod asks for, under both of sarama's names."""
    first = f"{table.first}.0"  # modules have three numbers
    found = [one.version for one in of_module(table.package, first, [first])]
    for release in releases_of(found, table.first):
        done = go("list", "-mod=mod", "-m", "-json", f"{table.package}@v{release}")
        place = json.loads(done.stdout).get("GoMod", "") if done.returncode == 0 else ""
        text = Path(place).read_text() if place else ""
        if library := next(filter(None, (required(text, path) for path in table.expression.split())), ""):
            yield release, library


SARAMA = "github.com/IBM/sarama github.com/Shopify/sarama"
FRANZ = "github.com/twmb/franz-go"
TABLES = (
    Table(
        file="spring_boot",
        package="org.springframework.boot:spring-boot-dependencies",
        first="2.1",
        expression=r"<kafka\.version>\s*(\d[\w.-]*)\s*</kafka\.version>",
        about="The kafka-clients that each release of Spring Boot manages",
        read=of_poms,
    ),
    Table(
        file="spring_kafka",
        package="org.springframework.kafka:spring-kafka",
        first="2.2",
        expression=DEPENDENCY,
        about="The kafka-clients of each release of Spring for Apache Kafka",
        read=of_poms,
    ),
    Table(
        file="debezium",
        package="io.debezium:debezium-build-parent",
        package_before="io.debezium:debezium-parent",
        first="1.2",
        expression=r"<version\.kafka>\s*(\d[\w.-]*)\s*</version\.kafka>",
        about="The Kafka Connect that each release of Debezium is built with",
        read=of_poms,
    ),
    Table(
        file="camel",
        package="org.apache.camel:camel-parent",
        listed_as="org.apache.camel:camel-kafka",
        first="3.4",
        expression=r"<kafka-version>\s*(\d[\w.-]*)\s*</kafka-version>",
        about="The kafka-clients of each release of Apache Camel",
        read=of_poms,
    ),
    Table(
        file="quarkus",
        package="io.quarkus:quarkus-bom",
        first="1.11",
        expression=DEPENDENCY,
        about="The kafka-clients that each release of Quarkus manages",
        read=of_poms,
    ),
    Table(
        file="reactor_kafka",
        package="io.projectreactor.kafka:reactor-kafka",
        first="1.2",
        expression=DEPENDENCY,
        about="The kafka-clients of each release of Reactor Kafka",
        read=of_poms,
    ),
    Table(
        file="telegraf",
        package="github.com/influxdata/telegraf",
        first="1.16",
        expression=SARAMA,
        about="The sarama of each release of Telegraf",
        read=of_go_mods,
    ),
    Table(
        file="otel_sarama",
        package="github.com/open-telemetry/opentelemetry-collector-contrib/exporter/kafkaexporter",
        first="0.50",
        expression=SARAMA,
        about="The sarama of each release of the OpenTelemetry Collector's Kafka exporter",
        read=of_go_mods,
    ),
    Table(
        file="otel_franz",
        package="github.com/open-telemetry/opentelemetry-collector-contrib/exporter/kafkaexporter",
        first="0.126",
        expression=FRANZ,
        about="The franz-go of each release of the OpenTelemetry Collector's Kafka exporter",
        read=of_go_mods,
    ),
    Table(
        file="jaeger",
        package="github.com/jaegertracing/jaeger",
        first="1.23",
        expression=SARAMA,
        about="The sarama of each release of Jaeger 1",
        read=of_go_mods,
    ),
    Table(
        file="dapr",
        package="github.com/dapr/components-contrib",
        first="1.8",
        expression=SARAMA,
        about="The sarama of each release of Dapr's components-contrib",
        read=of_go_mods,
    ),
)


def main() -> None:
    """Write the named tables, or all."""
    day = datetime.now(UTC).date().isoformat()
    asked = sys.argv[1:]
    for table in TABLES:
        if not asked or table.file in asked:
            found = dict(table.read(table))
            if found:
                (data_file("inside") / f"{table.file}.toml").write_text(text_of(table, found, day))
            sys.stdout.write(f"{table.file}: {len(found)} releases\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
