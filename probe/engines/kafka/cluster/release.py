"""One version of Kafka as it can be started here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What the catalogue's `kafka.toml` and the artifact cache give for a broker line."""

    version: str
    """The exact version."""
    line: str
    """Major and minor; three parts before 1.0."""
    kraft: bool
    """It runs without ZooKeeper."""
    jars: Sequence[Path]
    java: Path
    """The program."""
    options: Sequence[str] = ()
    """Java options that this version needs."""
    archive: Path | None = None
    """Where its class-data archive lies, or is to lie."""
