"""Kafka's own dump tool, run on all replicas of a topic."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import ZipFile

from probe.engines.kafka.checks.log_comparison import Found, Partition, Report, compare
from probe.engines.kafka.checks.log_dump import INDEXES, parse
from probe.engines.kafka.cluster.java_command import OPTIONS
from probe.engines.kafka.cluster.release import Release
from probe.errors import EngineError
from probe.model.release_lines import Since, has
from probe.processes.children import child

TOOL = "kafka.tools.DumpLogSegments"
HEAP = "-Xmx96m"
DUMP_S = 60.0
FIRST = 12
"""Size of an entry of a time index, in bytes; entries of an offset index are shorter."""
ALIKE_S, LOOK_S = 5.0, 0.2
"""Deadline for followers to catch up with their leader after the last write, and interval of the check."""
BOTH = 'exec "$@" 2>&1'
"""Shell command that merges the outputs: the tool writes its findings to standard error."""


@dataclass(frozen=True, slots=True)
class Place:
    """The replicas of a topic, and the log dirs of brokers."""

    topic: str
    log_dirs: Mapping[int, Sequence[Path]]
    """By broker."""
    replicas: Mapping[int, Sequence[int]]
    """Brokers by partition. Other brokers may have a log that they are about to delete."""
    deleted: Mapping[int, int] = field(default_factory=dict)
    """Log start offset by partition after the last request to delete records; 0 where there is none."""


def unavailable_reason(release: Release) -> str:
    """Return why the logs of these brokers cannot be dumped; empty if they can."""
    if not has(release.version, Since.DUMPED_FIELDS):
        return f"the tool prints the compared fields from Kafka {Since.DUMPED_FIELDS.line} on"
    core = [jar for jar in release.jars if jar.name.startswith("kafka_")]
    if not any(f"{TOOL.replace('.', '/')}.class" in ZipFile(jar).namelist() for jar in core):
        return f"{TOOL} is not among its classes"
    return ""


def files_of(place: Place) -> dict[Partition, list[str]]:
    """Return the segments and indexes of each replica of a topic, by broker and partition."""
    found: dict[Partition, list[str]] = {}
    for partition, brokers in place.replicas.items():
        for broker in brokers:
            folders = [path / f"{place.topic}-{partition}" for path in place.log_dirs[broker]]
            files = sorted(file for folder in folders if folder.is_dir() for file in folder.iterdir())
            kept = [file for file in files if file.suffix == ".log" or (file.suffix in INDEXES and _has_entries(file))]
            found[broker, partition] = [str(file) for file in kept]
    return found


def _has_entries(index: Path) -> bool:
    """Return whether an index has entries: Kafka creates the file with its maximum size, full of zeros."""
    with index.open("rb") as file:
        return any(file.read(FIRST))


async def dump(release: Release, files: Sequence[str]) -> str:
    """Return the tool's output for these files. EngineError if it fails, TimeoutError if it is late."""
    archive = (f"-XX:SharedArchiveFile={release.archive}", "-Xshare:auto") if release.archive else ()
    classes = ":".join(map(str, release.jars))
    java = [str(release.java), HEAP, *OPTIONS, *archive, *release.options, "-cp", classes, TOOL]
    asked = ["--deep-iteration", "--print-data-log", "--files", ",".join(files)]
    async with asyncio.timeout(DUMP_S), child(["sh", "-c", BOTH, "dump", *java, *asked]) as running:
        stream = running.process.stdout
        text = (await stream.read()).decode(errors="replace")
        if code := await running.process.wait():
            last = (text.strip().splitlines() or ["no reason given"])[-1]
            raise EngineError(f"{TOOL} ended with exit code {code}: {last}")
    return text


async def check(release: Release, place: Place, read: Found) -> Report:
    """Dump and compare all replicas of a topic after its last write. EngineError or OSError."""
    replicas = await _settled(place)
    for (broker, partition), files in replicas.items():
        if not files:
            raise EngineError(f"broker {broker} has no log of {place.topic}-{partition}")
    paths = [path for files in replicas.values() for path in files]
    return compare(parse(await dump(release, paths)), replicas, read, place.deleted)


async def _settled(place: Place) -> dict[Partition, list[str]]:
    """Wait until all replicas of a partition have the same length, for at most `ALIKE_S`."""
    for _ in range(int(ALIKE_S / LOOK_S)):
        if are_alike(replicas := files_of(place)):
            return replicas
        await asyncio.sleep(LOOK_S)
    return files_of(place)


def are_alike(replicas: Mapping[Partition, Sequence[str]]) -> bool:
    """Return whether all replicas of a partition have the same number of bytes, for all partitions."""
    lengths: dict[int, set[int]] = {}
    for (_, partition), files in replicas.items():
        size = sum(Path(file).stat().st_size for file in files if file.endswith(".log"))
        lengths.setdefault(partition, set()).add(size)
    return all(len(sizes) == 1 for sizes in lengths.values())
