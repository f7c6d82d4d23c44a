"""Jars, wars and Spring Boot's jars of jars: what they say of the Kafka clients inside, one level deep.

kafka-clients has no Maven metadata; its version stands in `kafka/kafka-version.properties`, also in copies that were
shaded with their resources. Flink's SQL connector has only `META-INF/NOTICE` and `META-INF/DEPENDENCIES`.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping

from probe.inventory.archives import entry, opened
from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, InventoryError, Place, Skipped
from probe.inventory.packages import client_of, known
from probe.inventory.text import one_line
from probe.model.counts import counted

CLIENTS = "org.apache.kafka:kafka-clients"
OWN_VERSIONS: Mapping[str, str] = {
    "kafka/kafka-version.properties": CLIENTS,
    "kafka/kafka-streams-version.properties": "org.apache.kafka:kafka-streams",
}
"""Files by which Kafka's jars name themselves, and the package."""
CLASS = "org/apache/kafka/clients/NetworkClient.class"
"""A class that every client of kafka-clients needs; behind a prefix where it is shaded."""
MAVEN = re.compile(r"(?:.*/)?META-INF/maven/([^/]+)/([^/]+)/pom\.properties")
NOTICES = ("META-INF/NOTICE", "META-INF/DEPENDENCIES")
NAMED = re.compile(r"\borg\.apache\.kafka:kafka-clients(?::jar)?:([\w.+-]+)")
LONGEST_TEXT = 256 * 1024
LONGEST_NOTICE = 4 * MIB
LARGEST_INNER = 128 * MIB
"""Bytes of a jar inside a jar."""
ALL_INNER = 512 * MIB
"""Bytes of all jars inside one jar."""
LARGEST = 1024 * MIB
"""Bytes of a jar on standard input."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients in a jar and in the jars inside it."""
    stream = document.seekable(LARGEST)
    with opened(stream) as archive:
        yield from _clients(archive, document.at(), document.head.file)
        inner = [info for info in archive.infolist() if info.filename.endswith(".jar") and not info.is_dir()]
        inner.sort(key=lambda info: "kafka" not in info.filename)
        yield from _inner(archive, inner, document)


def _inner(archive: zipfile.ZipFile, inner: list[zipfile.ZipInfo], document: Document) -> Iterator[Found | Skipped]:
    left, out = ALL_INNER, 0
    for info in inner:
        if left <= 0:
            out += 1
            continue
        try:
            data = entry(archive, info, min(LARGEST_INNER, left))
            left -= len(data)
            with opened(io.BytesIO(data)) as jar:
                yield from _clients(jar, document.at(info.filename), document.head.file)
        except InventoryError as error:
            left -= min(LARGEST_INNER, left, info.file_size)
            yield Skipped(one_line(info.filename), str(error))
    if out:
        yield Skipped(counted(out, "jar"), f"the jars before them hold more than {ALL_INNER // MIB} MiB")


def _clients(archive: zipfile.ZipFile, place: Place, service: str) -> Iterator[Found | Skipped]:
    kafka = False
    holds_kafka = any(name == CLASS or name.endswith(f"/{CLASS}") for name in archive.namelist())
    for info in archive.infolist():
        name = info.filename
        package = next((known for file, known in OWN_VERSIONS.items() if name == file or name.endswith(f"/{file}")), "")
        maven = MAVEN.fullmatch(name)
        if maven is not None and known("maven", f"{maven[1]}:{maven[2]}") is not None:
            package = f"{maven[1]}:{maven[2]}"
        if not package or (package == CLIENTS and not holds_kafka):  # other jars of Kafka have the same file
            continue
        kafka = kafka or package == CLIENTS
        version = _properties(entry(archive, info, LONGEST_TEXT)).get("version", "")
        item = client_of("maven", package, version, place=place, service=service)
        if item is not None:
            yield item
    if holds_kafka and not kafka:
        yield from _shaded(archive, place, service)


def _properties(data: bytes) -> dict[str, str]:
    pairs = (line.partition("=") for line in data.decode("latin-1").splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _shaded(archive: zipfile.ZipFile, place: Place, service: str) -> Iterator[Found | Skipped]:
    """Yield a copy of kafka-clients that lost its version file; the notices of the jar may name it."""
    texts = (entry(archive, archive.getinfo(name), LONGEST_NOTICE) for name in NOTICES if name in archive.namelist())
    versions = sorted({version for data in texts for version in NAMED.findall(data.decode("utf-8", "replace"))})
    if len(versions) == 1:
        note = "shaded; its version is that of the notices"
        item = client_of("maven", CLIENTS, versions[0], place=place, service=service, note=note)
    else:
        why = f"its notices name {' and '.join(versions)}" if versions else "nothing in the jar names its version"
        item = client_of("maven", CLIENTS, "", place=place, service=service, unknown=f"a shaded copy, and {why}")
    if item is not None:
        yield item
