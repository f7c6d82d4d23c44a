"""The catalogue's kafka.toml: the Kafka versions that real brokers are played by, with every artifact and digest."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from probe.catalogue.families import CatalogueError
from probe.catalogue.files import data_file
from probe.catalogue.selectors import broker_line
from probe.model.versions import version_key

EXACT = re.compile(r"(?P<line>0\.\d+\.\d+|[1-9]\d*\.\d+)(\.\d+)?")
"""A line has two parts, three before 1.0; an exact version has one more."""


class Kafka(BaseModel):
    """One version of Kafka."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    mode: Literal["kraft", "zookeeper"]
    jars: tuple[str, ...]
    """Maven coordinates of the class path, in its order."""
    java: tuple[str, ...] = ()
    """Options that its Java needs."""

    @property
    def line(self) -> str:
        """Return the broker line that it stands for."""
        return broker_line(self.version)


class Generation(BaseModel):
    """How versions are started that have no entry of their own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    since: str
    """Oldest line, up to the next generation."""
    mode: Literal["kraft", "zookeeper"]
    scala: str
    beside: tuple[str, ...] = ()
    """Artifacts that the broker needs beyond its own dependencies."""

    def roots(self, version: str) -> tuple[str, ...]:
        """Return the artifacts whose dependencies make the class path."""
        return (f"org.apache.kafka:kafka_{self.scala}:{version}", *self.beside)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kafka: tuple[Kafka, ...]
    generation: tuple[Generation, ...]
    """Newest first."""
    digests: Mapping[str, str]


@cache
def real_brokers() -> Mapping[str, Kafka]:
    """Return the version of each broker line that real brokers are played by. CatalogueError for a broken file."""
    return {item.line: item for item in _read().kafka}


def broker_digests() -> Mapping[str, str]:
    """Return the digests (`sha256:...`) by coordinate. CatalogueError for a broken file."""
    return _read().digests


def asked_brokers(texts: Sequence[str]) -> dict[str, str]:
    """Return the exact version to be played of each line that is asked for, in that order.

    A line stands for its listed version; an exact version need not be listed. CatalogueError for a line that has no
    listed version, for two versions of one line, and for what is no version.
    """
    known = real_brokers()
    wanted: dict[str, str] = {}
    for text in texts:
        match = EXACT.fullmatch(text)
        if match is None:
            raise CatalogueError(f"--broker {text}: write a Kafka line, such as 3.9, or an exact version")
        line = match["line"]
        if text == line and line not in known:
            listed = ", ".join(item.version for item in known.values())
            raise CatalogueError(
                f"--broker {line}: no version of this line is listed for --engine kafka, which plays {listed}; "
                "name an exact version"
            )
        version = known[line].version if text == line else text
        if wanted.setdefault(line, version) != version:
            raise CatalogueError(f"--broker {text}: this run plays {wanted[line]} already; give it a run of its own")
        generation_of(version)
    return wanted


def generation_of(version: str) -> Generation:
    """Return how an unlisted version is started. CatalogueError for one that is too old."""
    generations = _read().generation
    for found in generations:
        if version_key(version) >= version_key(found.since):
            return found
    raise CatalogueError(f"--broker {version}: real brokers are played from {generations[-1].since} on")


@cache
def _read() -> _File:
    path = Path(os.environ.get("PROBE_BROKERS") or data_file("kafka.toml"))
    try:
        return _File.model_validate(tomllib.loads(path.read_text()))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise CatalogueError(f"{path}: {error}; take the file of the checkout") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CatalogueError(f"{path}: {place}: {first['msg']}; take the file of the checkout") from None
