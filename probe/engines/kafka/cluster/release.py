"""A release: one version of Kafka that can be started here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from probe.engines.kafka.cluster.java_command import write_logging


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """The files and options of a release line's version, from the catalogue's `kafka.toml` and the artifact cache."""

    version: str
    """The exact version."""
    line: str
    """The release line: major and minor version; three parts before 1.0."""
    kraft: bool
    """It runs without ZooKeeper."""
    jars: Sequence[Path]
    java: Path
    """The Java program."""
    options: Sequence[str] = ()
    """Java options that this version needs."""
    archive: Path | None = None
    """Path of its class-data archive, which may not exist yet."""
    formatted: Path | None = None
    """Folder with the files of a formatted KRaft controller; None = it runs with ZooKeeper."""
    broker_logging: Callable[[Path], None] = write_logging
    """Writes the logging configuration of a broker into its folder."""
