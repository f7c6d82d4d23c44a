"""Reads kafka.toml: the Kafka releases that can be started as real brokers, with every artifact and digest."""

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
"""A release line has two parts, three before 1.0; an exact version has one more."""


class Kafka(BaseModel):
    """One listed version of Kafka."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    mode: Literal["kraft", "zookeeper"]
    jars: tuple[str, ...]
    """Maven coordinates of the class path, in its order."""
    java: tuple[str, ...] = ()
    """Additional options for its Java."""

    @property
    def line(self) -> str:
        """Return the release line of this version."""
        return broker_line(self.version)


class Generation(BaseModel):
    """The start of unlisted versions of a span of release lines."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    since: str
    """Oldest release line; the span ends at the next generation."""
    mode: Literal["kraft", "zookeeper"]
    scala: str
    beside: tuple[str, ...] = ()
    """Artifacts that the broker needs in addition to its own dependencies."""
    instead: Mapping[str, str] = {}
    """The versions in which dependencies (`GROUP:ARTIFACT`) are taken, where the broker's own cannot be used here."""

    def roots(self, version: str) -> tuple[str, ...]:
        """Return the artifacts whose dependencies make the class path."""
        return (f"org.apache.kafka:kafka_{self.scala}:{version}", *self.beside)

    def usable(self, jars: Sequence[str]) -> tuple[str, ...]:
        """Return the coordinates of resolved jars, with those of `instead` in their other version."""
        parts = [jar.split(":") for jar in jars]
        return tuple(":".join([*one[:2], self.instead.get(":".join(one[:2]), one[2]), *one[3:]]) for one in parts)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kafka: tuple[Kafka, ...]
    generation: tuple[Generation, ...]
    """Newest first."""
    digests: Mapping[str, str]


@cache
def real_brokers() -> Mapping[str, Kafka]:
    """Return the listed version of each release line. CatalogueError for a broken file."""
    return {item.line: item for item in _read().kafka}


def broker_digests() -> Mapping[str, str]:
    """Return the digests (`sha256:...`) by coordinate. CatalogueError for a broken file."""
    return _read().digests


def asked_brokers(texts: Sequence[str]) -> dict[str, str]:
    """Return the exact version of each requested release line, in the order of the request.

    A line stands for its listed version; an exact version need not be listed. CatalogueError for a line without a
    listed version, for two versions of one line, and for text that is not a version.
    """
    known = real_brokers()
    wanted: dict[str, str] = {}
    for text in texts:
        match = EXACT.fullmatch(text)
        if match is None:
            raise CatalogueError(f"--broker {text}: write a Kafka release line, such as 3.9, or an exact version")
        line = match["line"]
        if text == line and line not in known:
            listed = ", ".join(item.version for item in known.values())
            raise CatalogueError(
                f"--broker {line}: no version of this line is listed for --engine kafka; listed are {listed}; "
                "name an exact version"
            )
        version = known[line].version if text == line else text
        if wanted.setdefault(line, version) != version:
            raise CatalogueError(f"--broker {text}: this run already uses {wanted[line]}; use a separate run")
        generation_of(version)
    return wanted


def generation_of(version: str) -> Generation:
    """Return how an unlisted version is started. CatalogueError for one that is too old."""
    generations = _read().generation
    for found in generations:
        if version_key(version) >= version_key(found.since):
            return found
    raise CatalogueError(
        f"--broker {version}: real brokers can be started from {generations[-1].since} on; name a newer one"
    )


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
