"""Kafka's own dump tool, run over every replica of a topic."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from probe.children import child
from probe.engines.kafka.dump import INDEXES, Partition, Report, compare, parse
from probe.engines.kafka.java import OPTIONS
from probe.engines.kafka.release import Release
from probe.model import Stored

TOOL = "kafka.tools.DumpLogSegments"
HEAP = "-Xmx96m"
DUMP_S = 60.0
ALIKE_S, LOOK_S = 5.0, 0.2
"""Followers have what their leader has within so long, once nobody writes any more."""
BOTH = 'exec "$@" 2>&1'
"""What the tool finds wrong it says on its standard error."""


def files_of(log_dirs: Mapping[int, Sequence[Path]], topic: str) -> dict[Partition, list[str]]:
    """Return the segments and indexes of each replica of a topic, by broker and partition."""
    found: dict[Partition, list[str]] = {}
    for broker, paths in log_dirs.items():
        for folder in sorted(folder for path in paths for folder in path.glob(f"{topic}-*")):
            number = folder.name.removeprefix(f"{topic}-")
            if number.isdecimal():
                files = sorted(file for file in folder.iterdir() if file.suffix in {".log", *INDEXES})
                found[broker, int(number)] = [str(file) for file in files]
    return found


async def dump(release: Release, files: Sequence[str]) -> str:
    """Return what the tool prints of these files. OSError if it fails, TimeoutError if it is late."""
    archive = (f"-XX:SharedArchiveFile={release.archive}", "-Xshare:auto") if release.archive else ()
    classes = ":".join(map(str, release.jars))
    java = [str(release.java), HEAP, *OPTIONS, *archive, *release.options, "-cp", classes, TOOL]
    asked = ["--deep-iteration", "--print-data-log", "--files", ",".join(files)]
    async with asyncio.timeout(DUMP_S), child(["sh", "-c", BOTH, "dump", *java, *asked]) as running:
        stream = running.process.stdout
        assert stream is not None
        text = (await stream.read()).decode(errors="replace")
        if code := await running.process.wait():
            last = (text.strip().splitlines() or ["no reason given"])[-1]
            raise OSError(f"{TOOL} ended with exit code {code}: {last}")
    return text


async def check(
    release: Release, log_dirs: Mapping[int, Sequence[Path]], topic: str, stored: Sequence[Stored]
) -> Report:
    """Dump every replica of a topic that nobody writes to any more, and compare. OSError or TimeoutError."""
    replicas = await _settled(log_dirs, topic)
    if not replicas:
        raise OSError(f"no broker has a log of {topic}")
    paths = [path for files in replicas.values() for path in files]
    return compare(parse(await dump(release, paths)), replicas, stored)


async def _settled(log_dirs: Mapping[int, Sequence[Path]], topic: str) -> dict[Partition, list[str]]:
    """Wait until the replicas of each partition are as long as each other, or for long enough."""
    for _ in range(int(ALIKE_S / LOOK_S)):
        if are_alike(replicas := files_of(log_dirs, topic)):
            return replicas
        await asyncio.sleep(LOOK_S)
    return files_of(log_dirs, topic)


def are_alike(replicas: Mapping[Partition, Sequence[str]]) -> bool:
    """Say whether all replicas of each partition have as many bytes of log."""
    lengths: dict[int, set[int]] = {}
    for (_, partition), files in replicas.items():
        size = sum(Path(file).stat().st_size for file in files if file.endswith(".log"))
        lengths.setdefault(partition, set()).add(size)
    return all(len(sizes) == 1 for sizes in lengths.values())
