"""The metadata folder of a KRaft controller that was just formatted: made once per version by Kafka's own StorageTool.

The tool writes, besides meta.properties, the records that make the features of a fresh install final: in
`bootstrap.checkpoint`, from 4.4 on in the first snapshot of the metadata log. Without them only metadata.version is
final, so that clients of 4.x speak the old protocol of transactions. The records name neither node nor cluster id, so
one copy serves every cluster. Brokers read the features from the controller.
"""

from __future__ import annotations

import hashlib
import shutil
import struct
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from probe.engines.kafka.admin.wire import Reader
from probe.engines.kafka.cluster import properties
from probe.engines.kafka.cluster.java_command import OPTIONS
from probe.engines.kafka.cluster.release import Release
from probe.errors import ProvisionError
from probe.files.atomic_writes import filling
from probe.model.endpoint import LOOPBACK, Endpoint
from probe.toolchain.cache_folders import locked
from probe.toolchain.commands import run_command

TOOL = "kafka.tools.StorageTool"
HEAP = "-Xmx96m"
FORMAT_S = 120
OF_THE_NODE = "meta.properties"
"""The file that names node and cluster id."""
NOWHERE = Endpoint(host=LOOPBACK, port=1)
"""Address of the controller that is formatted and never started."""

BATCH = struct.Struct(">qiibIhiqqqhii")
"""Head of a record batch of format 2 (KIP-98), up to and with the number of records."""
LENGTH_FROM = 12
"""Number of bytes of a batch that its length does not count."""
CONTROL = 0x20
"""Attribute of a batch with control records."""
FEATURE_LEVEL = 12
"""Key of FeatureLevelRecord (metadata/src/main/resources/common/metadata/FeatureLevelRecord.json)."""


def place(cache: Path, release: Release) -> Path:
    """Return the folder with the formatted files of this version, whether it exists or not."""
    mark = hashlib.sha256("\n".join(map(str, release.jars)).encode()).hexdigest()[:12]
    return cache / "formatted" / f"kafka-{release.version}-{mark}"


def ensure(release: Release) -> None:
    """Fill the folder `release.formatted` unless it exists. ProvisionError if the tool fails."""
    folder = release.formatted
    if folder is None or folder.exists():
        return
    with locked(folder):
        if folder.exists():
            return
        with filling(folder) as whole, tempfile.TemporaryDirectory() as scratch:
            written = _run(release, Path(scratch))
            shutil.copytree(written, whole, dirs_exist_ok=True, ignore=shutil.ignore_patterns(OF_THE_NODE))
            if not features(whole):
                raise ProvisionError(
                    f"Kafka {release.version}: {TOOL} wrote no feature level; is it a complete version?"
                )


def _run(release: Release, scratch: Path) -> Path:
    where = properties.Addresses(external={}, advertised={}, internal={}, quorum=(NOWHERE,))
    settings = properties.controller(where, scratch)
    file = scratch / "controller.properties"
    file.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    argv = [str(release.java), HEAP, *OPTIONS, *release.options, "-cp", ":".join(map(str, release.jars)), TOOL]
    argv += ["format", "--cluster-id", properties.new_id(), "--config", str(file)]
    late = ProvisionError(f"Kafka {release.version}: {TOOL} did not end within {FORMAT_S} s; try again")
    try:
        done = run_command(argv, FORMAT_S, late)
    except OSError as error:
        raise ProvisionError(f"Kafka {release.version}: {TOOL} does not run: {error}; install a JDK") from None
    if done.returncode:
        last = ((done.stderr + done.stdout).strip().splitlines() or ["no reason given"])[-1]
        raise ProvisionError(f"Kafka {release.version}: {TOOL} ended with exit code {done.returncode}: {last}")
    return Path(settings["log.dirs"])


def features(folder: Path) -> Mapping[str, int]:
    """Return the features that a formatted folder makes final, with their levels, by name."""
    found: dict[str, int] = {}
    for file in sorted(folder.rglob("*.checkpoint")):
        for value in _values(file.read_bytes()):
            reader = Reader(value)
            reader.varint()  # version of the frame
            if reader.varint() == FEATURE_LEVEL:
                reader.varint()  # version of the record
                name = reader.compact()
                found[name] = reader.number("h")
    return dict(sorted(found.items()))


def _values(data: bytes) -> Iterator[bytes]:
    """Yield the values of all records in a file of batches, without control records."""
    at = 0
    while at < len(data):
        length, attributes, count = (BATCH.unpack_from(data, at)[index] for index in (1, 5, -1))
        if not attributes & CONTROL:
            yield from _records(Reader(data[at + BATCH.size : at + LENGTH_FROM + length]), count)
        at += LENGTH_FROM + length


def _records(reader: Reader, count: int) -> Iterator[bytes]:
    """Yield the values of a batch's records, of which none has a key. Lengths are signed numbers (zigzag)."""
    for _ in range(count):
        end = reader.varint() // 2
        end += reader.at
        reader.number("b")
        reader.varint(), reader.varint(), reader.varint()  # timestamp, offset, no key
        size = reader.varint() // 2
        yield reader.data[reader.at : reader.at + size]
        reader.at = end
